// SPDX-License-Identifier: Apache-2.0
// The composite model of a parallel loop over tiles of SIMD lanes.
#include "perfmodel/composite.hpp"
#include "perfmodel/host_compute.hpp"
#include "perfmodel/instruction_costs.hpp"
#include "perfmodel/stream.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel {

using fusion::Bound;
using fusion::KernelWork;

namespace {

struct Loop {
    const Device& device;
    const KernelWork& work;
    PipeWork pipes;
    double elements;
    double busiest; ///< elements of the core with the most tiles
    double lanes;   ///< elements per SIMD register
    double clock;   ///< cycles per second
};

/// Share of what is read that the last-level cache still has from the launch before, where that one read the same lists: all up to what it was
/// found to hold, nothing from twice as much on, linear between. A calibration doubles its footprints, and sees no more than that.
double last_level_hits(const Loop& l) {
    const auto holds = figure(l.device, "speed.l3_bytes");
    if (!l.work.repeated || !holds || !figure(l.device, "speed.l3")) {
        return 0;
    }
    return std::clamp(2 - l.elements * (l.work.read_bytes + l.work.allocated_bytes) / *holds, 0.0, 1.0);
}

/// An ordinary store reads its cache line first (read for ownership), unless the kernel has loaded it; one past the caches does not.
double dram_seconds(const Loop& l, double hits) {
    const double reads = (1 - hits) * (l.work.read_bytes + l.work.allocated_bytes);
    const double writes = l.work.write_bytes;
    return l.elements * (reads + writes) / (law_of_mix(l.device, reads, writes).peak_gb_per_s * 1e9);
}

double last_level_seconds(const Loop& l, double hits) {
    return hits == 0 ? 0 : l.elements * hits * (l.work.read_bytes + l.work.allocated_bytes) / (*figure(l.device, "speed.l3") * 1e9);
}

/// Spilled registers and transposes between memory order and lanes stay in the first level: two SIMD registers per clock and core.
double cache_seconds(const Loop& l) {
    const double bytes = 128 * (l.work.shared_wavefronts + l.work.l1_wavefronts) + l.work.spill_bytes;
    return l.busiest * bytes / (2 * l.device.limits.vector_bytes * l.clock);
}

double l2_seconds(const Loop& l) {
    return l.elements * (l.work.read_bytes + l.work.write_bytes) / (l.device.l2_gb_per_s * 1e9);
}

double issue_seconds(const Loop& l) {
    return l.busiest * l.work.instructions * 32 / l.lanes / (l.device.issue_slots * l.clock);
}

double fma_seconds(const Loop& l) {
    const double rate = l.work.precision == Precision::f32 ? l.device.fma_f32 : l.device.fma_f64;
    return l.busiest * l.pipes.fma / (rate * l.clock);
}

/// The divider works on half as many doubles per clock.
double divider_seconds(const Loop& l) {
    const double rate = l.device.special * (l.work.precision == Precision::f32 ? 1 : 0.5);
    return l.busiest * l.pipes.special / (rate * l.clock);
}

/// All arithmetic and all traffic with the first level: measured where the host is calibrated, so that pipes are not told apart.
std::vector<std::pair<Bound, double>> core_bounds(const Loop& l, bool waiting_results, std::vector<Quantity>& quantities) {
    if (l.device.routine_times == nullptr) {
        return {{Bound::shared, cache_seconds(l)}, {Bound::issue, issue_seconds(l)}, {Bound::fma, fma_seconds(l)},
            {Bound::sfu, divider_seconds(l)}};
    }
    const HostCompute compute = host_compute(l.device, l.work, waiting_results);
    const double scale = l.busiest * l.device.cores * 1e-9; // elements, if all cores had as many as the busiest
    quantities.push_back({"transfers of a core", compute.transfers_ns * scale, "s"});
    if (compute.waiting_ns > 0) {
        quantities.push_back({"of these, results that wait", compute.waiting_ns * scale, "s"});
    }
    quantities.push_back({"routines of a core", compute.routines_ns * scale, "s"});
    if (compute.removed_ns > 0) {
        quantities.push_back({"of routines, what the kernel's compiler takes away", compute.removed_ns * scale, "s"});
    }
    if (compute.chained_ns > compute.routines_ns) {
        quantities.push_back({"routines that wait for each other", compute.chained_ns * scale, "s"});
    }
    if (const auto overlap = figure(l.device, "compute.overlap")) {
        quantities.push_back({"exponent of overlap in a tile", *overlap, ""});
    }
    if (compute.beyond_ns > 0) {
        quantities.push_back({"long lists beyond the first level", compute.beyond_ns * scale, "s"});
    }
    if (compute.between_sizes > 0) {
        quantities.push_back({"lists by times of other sizes", static_cast<double>(compute.between_sizes), ""});
    }
    if (compute.counted != 0 && compute.counted_ns > 0) {
        quantities.push_back({"steps by instructions, not measured", static_cast<double>(compute.counted), ""});
        quantities.push_back({"their share", compute.counted_ns / (compute.transfers_ns + compute.routines_ns), ""});
    }
    return {{Bound::issue, compute.ns * scale}};
}

/// Kernels whose core is busy for as long as memory, by transfers or routines, get more of memory than streams do: measured, not explained
/// (docs/measured-hosts.md, "What gave the terms").
double pacing_saves(const Device& device, double memory, double core) {
    const auto pacing = figure(device, "compute.pacing");
    return device.routine_times != nullptr && pacing ? (1 - *pacing) * std::min(memory, core) : 0;
}

} // namespace

Breakdown composite_host(const Device& device, const KernelWork& work, std::uint64_t elements, const CompositeTerms& terms) {
    Loop l{device, work, pipe_work(work, device.limits.target, device.function_slots), static_cast<double>(elements), 0,
        static_cast<double>(device.limits.vector_bytes) / bytes_of(work.precision), device.clock_ghz * 1e9};
    l.busiest = terms.uneven_blocks
        ? std::min(l.elements, std::ceil(std::ceil(l.elements / work.elements_per_block) / device.cores) * work.elements_per_block)
        : l.elements / device.cores;
    Breakdown result;
    const auto core = core_bounds(l, terms.waiting_results, result.quantities);
    const double hits = last_level_hits(l);
    const double lists = followed_lists(work);
    const double of_one_list = dram_seconds(l, hits);
    const double followed = of_one_list * share_of_lists(device, lists);
    const double streamed = followed + last_level_seconds(l, hits);
    const double saved = pacing_saves(device, streamed, core.front().second);
    const double memory = streamed - saved;
    if (followed < of_one_list) {
        result.quantities.push_back({"lists read at a time", lists, ""});
        result.quantities.push_back({"memory's time that several lists save", of_one_list - followed, "s"});
    }
    if (saved > 0) {
        result.quantities.push_back({"memory's time that a busy core saves", saved, "s"});
    }
    if (hits > 0) {
        result.quantities.push_back({"share of reads from the last level", hits, ""});
    }
    result.bounds = {{Bound::dram, memory}, {Bound::l2, l2_seconds(l)}};
    result.bounds.insert(result.bounds.end(), core.begin(), core.end());
    // Memory is reached through the second level: one pipe, as fast as the slower.
    std::vector<std::pair<Bound, double>> overlapped{{Bound::dram, terms.second_level ? std::max(memory, l2_seconds(l)) : memory}};
    overlapped.insert(overlapped.end(), core.begin(), core.end());
    const double exponent = terms.window ? host_overlap_exponent(device, work) : device.overlap_exponent;
    result.quantities.push_back({"exponent of overlap", exponent, ""});
    const double body = soft_maximum(overlapped, exponent);
    const double launch_seconds = device.launch_us * 1e-6;
    result.bounds.emplace_back(Bound::launch, launch_seconds);
    result.cost = {launch_seconds + body, greatest_bound(result.bounds)};
    return result;
}

} // namespace fusec::perfmodel
