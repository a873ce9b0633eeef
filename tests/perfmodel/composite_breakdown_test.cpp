// SPDX-License-Identifier: Apache-2.0
// That what `composite` says of a kernel on a GPU adds up to its time, by the rule of composite.hpp, over random kernels and devices.
#include "perfmodel/composite.hpp"
#include "perfmodel/occupancy.hpp"
#include "perfmodel/stream.hpp"

#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/random_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fusec::perfmodel {
namespace {

using fusion::Bound;
using fusion::KernelWork;

constexpr double exact = 1e-12; // relative: sums in another order

/// A described GPU whose figures are changed at random, each by up to a factor of two; one multiprocessor may hold few blocks.
Device random_device(RandomKernels& random) {
    static const std::vector<Device> gpus = [] {
        std::vector<Device> all;
        for (const std::string& name : device_names()) {
            all.push_back(standard_device(name));
        }
        std::erase_if(all, [](const Device& device) { return device.limits.target != fusion::Target::cuda; });
        return all;
    }();
    Device device = gpus[static_cast<std::size_t>(random.whole(0, static_cast<int>(gpus.size()) - 1))];
    device.limits.blocks_per_sm = random.whole(1, device.limits.blocks_per_sm);
    device.overlap_exponent = random.whole(0, 3) == 0 ? 1 : random.real(1, 8);
    for (double* figure :
        {&device.l2_gb_per_s, &device.launch_us, &device.dram_latency_ns, &device.fma_f32, &device.fma_f64, &device.special,
            &device.read.tau_ns, &device.write.tau_ns, &device.copy.tau_ns, &device.copy.c_ns, &device.copy.peak_gb_per_s}) {
        *figure *= random.real(0.5, 2);
    }
    device.launch_overhead_us = random.whole(0, 1) * random.real(0.1, 1.5) * device.launch_us;
    return device;
}

struct Parts {
    std::map<Bound, double> bound;
    std::map<std::string, double> quantity;
};

Parts parts_of(const Breakdown& breakdown) {
    Parts result;
    result.bound.insert(breakdown.bounds.begin(), breakdown.bounds.end());
    for (const Quantity& each : breakdown.quantities) {
        result.quantity[each.name] = each.value;
    }
    EXPECT_EQ(result.bound.size(), breakdown.bounds.size());
    EXPECT_EQ(result.quantity.size(), breakdown.quantities.size());
    return result;
}

double memory_of(Parts& of) {
    return std::max({of.quantity["memory under load"], of.quantity["L2 with all traffic"], of.quantity["handing out of blocks"]});
}

TEST(CompositeBreakdown, PartsGiveTheTotal) {
    RandomKernels random(71);
    std::map<Bound, int> active;
    for (int i = 0; i < 4000; ++i) {
        const Device device = random_device(random);
        KernelWork work = random.measured();
        work.shared_wavefronts *= i % 4 == 0 ? 10 : 1;
        const auto elements = static_cast<std::uint64_t>(std::pow(10.0, random.real(0, 8)));
        const Breakdown breakdown = composite_cuda(device, work, elements);
        if (std::isinf(breakdown.cost.seconds)) {
            continue;
        }
        Parts of = parts_of(breakdown);
        const double p = of.quantity["exponent of overlap"];
        double units = of.quantity["L2 beside the lists"];
        for (const Bound unit : {Bound::shared, Bound::issue, Bound::fma, Bound::sfu}) {
            units = std::max(units, of.bound[unit]);
        }
        const double body = std::pow(std::pow(memory_of(of), p) + std::pow(units, p), 1 / p);
        ASSERT_NEAR(of.quantity["body"], body, 1e-9 * body) << "kernel " << i;
        const double blocks = of.quantity["launch overhead"] + (of.quantity["body"] + of.quantity["tail"]);
        const double total = std::max(of.bound[Bound::launch], blocks);
        ASSERT_NEAR(breakdown.cost.seconds, total, exact * total) << "kernel " << i;
        ASSERT_EQ(breakdown.cost.seconds, composite_cuda_seconds(device, work, elements)) << "kernel " << i;
        if (of.quantity["waves"] <= 1) {
            ASSERT_EQ(of.quantity["tail"], 0) << "kernel " << i;
        }
        ++active[breakdown.cost.bound_by];
        of.bound[Bound::launch] = of.bound[Bound::launch] > blocks ? total : of.quantity["launch overhead"];
        for (const auto& [bound, seconds] : of.bound) {
            ASSERT_LE(seconds, of.bound[breakdown.cost.bound_by]) << "kernel " << i;
        }
    }
    for (const Bound bound : {Bound::dram, Bound::l2, Bound::shared, Bound::issue, Bound::fma, Bound::latency, Bound::launch}) {
        EXPECT_GT(active[bound], 20) << "bound " << static_cast<int>(bound) << ": too few kernels to say anything";
    }
}

TEST(CompositeBreakdown, MemoryUnderLoadStandsAtWhatLimitsIt) {
    RandomKernels random(72);
    int by_latency = 0, by_rate = 0, by_l2 = 0;
    for (int i = 0; i < 4000; ++i) {
        const Device device = random_device(random);
        KernelWork work = random.measured();
        work.repeated = false; // nothing of it is in L2
        if (i % 4 == 0) {      // but much passes through it
            work.spill_bytes += random.real(0, 20) * (work.read_bytes + work.write_bytes);
        }
        const auto elements = static_cast<std::uint64_t>(std::pow(10.0, random.real(3, 8)));
        Parts of = parts_of(composite_cuda(device, work, elements));
        const int resident = resident_blocks(device.limits, work);
        if (resident == 0) {
            continue;
        }
        // The bandwidth of the answer put into Little's law.
        const double n = static_cast<double>(elements), bytes = work.read_bytes + work.write_bytes;
        const double under_load = of.quantity["memory under load"], idle = of.quantity["latency of idle memory"];
        const double bandwidth = n * bytes / under_load;
        const StreamLaw law = law_of_mix(device, work.read_bytes, work.write_bytes);
        const double rho = bandwidth / (law.peak_gb_per_s * 1e9);
        const double in_flight = std::min(n, 1.0 * device.limits.sm_count * resident * work.elements_per_block) * bytes;
        const double block = idle / std::max(1.0, of.quantity["waves"]);
        ASSERT_LE(rho, 1 + exact);
        if (rho < 0.999) {
            ASSERT_NEAR(bandwidth * (block + law.c_ns * 1e-9 * rho / (1 - rho)), in_flight, 1e-6 * in_flight) << "kernel " << i;
        }
        ASSERT_NEAR(of.quantity["memory at full rate"], n * bytes / (law.peak_gb_per_s * 1e9), exact * under_load) << "kernel " << i;
        // At full rate or held up by what is in flight, and the others as they are without load.
        const double full_rate = of.quantity["memory at full rate"], l2 = of.quantity["L2 with all traffic"];
        if (idle > full_rate && idle > l2) {
            ++by_latency;
            ASSERT_EQ(of.bound[Bound::latency], std::max(under_load, of.quantity["handing out of blocks"])) << "kernel " << i;
            ASSERT_EQ(of.bound[Bound::dram], full_rate) << "kernel " << i;
        } else if (full_rate > l2) {
            ++by_rate;
            ASSERT_EQ(of.bound[Bound::dram], under_load) << "kernel " << i;
            ASSERT_EQ(of.bound[Bound::latency], std::max(idle, of.quantity["handing out of blocks"])) << "kernel " << i;
        } else {
            ++by_l2;
            ASSERT_EQ(of.bound[Bound::dram], full_rate) << "kernel " << i;
            ASSERT_EQ(of.bound[Bound::latency], std::max(idle, of.quantity["handing out of blocks"])) << "kernel " << i;
        }
        // All traffic passes L2: lists, spills, and a sector for each strided store, of which a multiprocessor sends one a clock.
        const double per_byte = n / (device.l2_gb_per_s * 1e9), more = work.spill_bytes + 32 * work.store_requests;
        ASSERT_NEAR(l2, per_byte * (bytes + more), exact * l2) << "kernel " << i;
        const double blocks = std::ceil(std::ceil(n / work.elements_per_block) / device.limits.sm_count);
        const double requests = std::min(n, blocks * work.elements_per_block) * work.store_requests / (device.clock_ghz * 1e9);
        const double limits_l2 = std::max(idle, full_rate) > l2 ? 0 : under_load;
        const double in_l2 = std::max({per_byte * (bytes + more), limits_l2, per_byte * more, requests});
        ASSERT_NEAR(of.bound[Bound::l2], in_l2, 1e-9 * in_l2) << "kernel " << i;
        const double greatest = std::max({of.bound[Bound::dram], of.bound[Bound::l2], of.bound[Bound::latency]});
        ASSERT_EQ(greatest, std::max(memory_of(of), of.quantity["L2 beside the lists"])) << "kernel " << i;
    }
    EXPECT_GT(by_latency, 500);
    EXPECT_GT(by_rate, 500);
    EXPECT_GT(by_l2, 200);
}

// All of its lists are in L2: Little's law holds with the latency and the bandwidth of L2 in place of those of memory.
TEST(CompositeBreakdown, ListsThatTheLaunchBeforeLeftInL2ComeFromThere) {
    RandomKernels random(73);
    int seen = 0;
    for (int i = 0; i < 4000; ++i) {
        const Device device = random_device(random);
        KernelWork work = random.measured();
        const double n = std::floor(std::pow(10.0, random.real(2, 5))), bytes = work.read_bytes + work.write_bytes;
        const int resident = resident_blocks(device.limits, work);
        if (resident == 0 || !work.repeated || n * bytes > 0.75 * device.l2_bytes) {
            continue;
        }
        Parts of = parts_of(composite_cuda(device, work, static_cast<std::uint64_t>(n)));
        ASSERT_EQ(of.quantity["memory at full rate"], 0) << "kernel " << i;
        const double waves = std::max(1.0, of.quantity["waves"]), idle = of.quantity["latency of idle memory"] / waves;
        work.repeated = false;
        Parts fresh = parts_of(composite_cuda(device, work, static_cast<std::uint64_t>(n)));
        const auto cycles = device.optional_figures.find("latency.l2");
        const double l2_latency =
            cycles == device.optional_figures.end() ? 0.5e-9 * device.dram_latency_ns : cycles->second / (device.clock_ghz * 1e9);
        ASSERT_NEAR(fresh.quantity["latency of idle memory"] / waves - idle, device.dram_latency_ns * 1e-9 - l2_latency, 1e-12);
        const double bandwidth = n * bytes / of.quantity["memory under load"], rho = bandwidth / (device.l2_gb_per_s * 1e9);
        const double in_flight = std::min(n, 1.0 * device.limits.sm_count * resident * work.elements_per_block) * bytes;
        if (idle > 1e-9 && rho < 0.999) {
            const StreamLaw law = law_of_mix(device, work.read_bytes, work.write_bytes);
            ASSERT_NEAR(bandwidth * (idle + law.c_ns * 1e-9 * rho / (1 - rho)), in_flight, 1e-6 * in_flight) << "kernel " << i;
            ++seen;
        }
    }
    EXPECT_GT(seen, 300);
}

/// 64 bytes of each element, one thread, 256 threads to a block, which a multiprocessor holds `resident` times.
KernelWork copies(int resident, const Device& device) {
    KernelWork work;
    work.read_bytes = work.write_bytes = 32;
    work.instructions = 0.5;
    work.elements_per_block = work.threads_per_block = 256;
    work.shared_bytes = device.limits.shared_bytes_per_sm / resident - device.limits.shared_bytes_reserved - 16;
    return work;
}

TEST(CompositeBreakdown, BytesInFlightAreNamedWhereTheyLimit) {
    const Device device = standard_device("h200");
    const Breakdown few = composite_cuda(device, copies(1, device), 1U << 26U), many = composite_cuda(device, copies(8, device), 1U << 26U);
    EXPECT_EQ(few.cost.bound_by, Bound::latency);
    EXPECT_EQ(many.cost.bound_by, Bound::dram);
    EXPECT_GT(few.cost.seconds, 1.3 * many.cost.seconds);
}

} // namespace
} // namespace fusec::perfmodel
