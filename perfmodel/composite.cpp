// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/composite.hpp"

#include "perfmodel/instruction_costs.hpp"
#include "perfmodel/occupancy.hpp"
#include "perfmodel/stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace fusec::perfmodel {

using fusion::Bound;
using fusion::KernelWork;

namespace {

constexpr double ns = 1e-9;
constexpr double us = 1e-6;

/// (sum t^p)^(1/p), scaled by the greatest term. Powers are dear and called millions of times: squares, sums and terms of zero or of
/// the greatest do without.
double norm(std::span<const double> terms, double exponent) {
    double greatest = 0;
    for (const double seconds : terms) {
        greatest = std::max(greatest, seconds);
    }
    if (greatest == 0) {
        return 0;
    }
    double sum = 0;
    for (const double seconds : terms) {
        const double share = seconds / greatest;
        sum += share == 0 || share == 1 || exponent == 1 ? share : exponent == 2 ? share * share : std::pow(share, exponent);
    }
    return greatest * (exponent == 1 ? sum : exponent == 2 ? std::sqrt(sum) : std::pow(sum, 1 / exponent));
}

/// A launch whose blocks take so long, in a queue of launches: one is issued every `speed.launch`, and the device idles for
/// `speed.launch_overhead` between two kernels. What is over before the next launch is issued hides behind it. A device of which the overhead is not
/// known has it as long as the launch: then nothing hides.
double launch_overhead(const Device& device) {
    return us * (device.launch_overhead_us > 0 ? device.launch_overhead_us : device.launch_us);
}
double queued_seconds(const Device& device, double blocks) {
    return std::max(device.launch_us * us, launch_overhead(device) + blocks);
}

/// Everything the terms share about one launch.
struct Launch {
    const Device& device;
    const KernelWork& work;
    CompositeTerms terms;
    PipeWork pipes;
    double instructions; ///< warp-instructions per element, whole warps
    double elements;
    double blocks;
    double resident;        ///< blocks per multiprocessor
    double waves;           ///< times the device is filled: blocks / (multiprocessors * resident)
    double busiest;         ///< elements of the multiprocessor with the most blocks
    double clock;           ///< cycles per second
    double bytes_in_flight; ///< of the elements whose blocks are resident
    StreamLaw law;
    double hits; ///< share of the bytes that the launch before left in L2
};

/// Thread instructions of a change of threads per instance: division of the thread index by a constant, remainder, compare.
constexpr double instructions_per_remap = 6;

Launch launch_of(const Device& device, const KernelWork& work, std::uint64_t count, int resident, const CompositeTerms& terms) {
    Launch launch{device, work, terms, pipe_work(work, device.limits.target, device.function_slots), 0, static_cast<double>(count), 0,
        static_cast<double>(resident), 0, 0, device.clock_ghz * 1e9, 0, {}, 0};
    const double per_block = work.elements_per_block;
    const double sms = device.limits.sm_count;
    launch.blocks = std::ceil(launch.elements / per_block);
    launch.waves = launch.blocks / (sms * launch.resident);
    launch.busiest = terms.uneven_blocks ? std::min(launch.elements, std::ceil(launch.blocks / sms) * per_block) : launch.elements / sms;
    launch.bytes_in_flight = std::min(launch.elements, sms * launch.resident * per_block) * (work.read_bytes + work.write_bytes);
    launch.law = law_of_mix(device, work.read_bytes, work.write_bytes);
    launch.hits = l2_hits(device, work, launch.elements);
    launch.instructions =
        work.instructions * work.lane_slots + work.remaps * instructions_per_remap * work.threads_per_block / per_block / 32;
    return launch;
}

/// Shared memory and L1 are one pipe of 128 bytes per clock (cuda-notes: data pipe); spilled registers pass through it too.
double data_pipe_seconds(const Launch& l) {
    const double passes = l.work.shared_wavefronts + l.work.l1_wavefronts + l.work.spill_bytes / 128;
    return l.busiest * passes / (l.device.shared_wavefronts * l.clock);
}

/// All traffic of the multiprocessors passes L2, spills and the 32-byte sectors of strided stores included.
double l2_stream_seconds(const Launch& l) {
    const double bytes = l.work.read_bytes + l.work.write_bytes + l.work.spill_bytes + 32 * l.work.store_requests;
    return l.elements * bytes / (l.device.l2_gb_per_s * 1e9);
}

/// What passes L2 beside the lists themselves. A strided store is a request of one sector, and a multiprocessor sends one request per
/// clock (assumption: an H200 has a quarter of that where a thread writes 64 bytes or more of a list one after another, and all of it up to
/// 24 bytes: docs/model.md).
double l2_request_seconds(const Launch& l) {
    const double bytes = l.work.spill_bytes + 32 * l.work.store_requests;
    return std::max(l.elements * bytes / (l.device.l2_gb_per_s * 1e9), l.busiest * l.work.store_requests / l.clock);
}

/// Warp instructions through the schedulers.
double issue_seconds(const Launch& l) {
    return l.busiest * l.instructions / (l.device.issue_slots * l.clock);
}

double fma_seconds(const Launch& l) {
    const double rate = l.work.precision == Precision::f32 ? l.device.fma_f32 : l.device.fma_f64;
    return l.busiest * l.pipes.fma * l.work.arithmetic_lane_slots / (rate * l.clock) +
        l.busiest * l.pipes.fma_float * l.work.arithmetic_lane_slots / (l.device.fma_f32 * l.clock);
}

/// Registers that FMAs read: three each, from two banks of a scheduler with one port of 32 lanes each (arXiv 2503.20481): at most two FMAs
/// of three operands in three clocks, which only multiprocessors of more than 85 lanes notice. 0 in candidates, whose FMAs are not counted.
double register_seconds(const Launch& l) {
    constexpr double reads_of_fma = 3, banks = 2, lanes = 32;
    return l.busiest * reads_of_fma * l.work.fused * l.work.arithmetic_lane_slots / (lanes * banks * l.device.issue_slots * l.clock);
}

double special_seconds(const Launch& l) {
    return l.busiest * l.pipes.special * l.work.arithmetic_lane_slots / (l.device.special * l.clock);
}

/// A warp's FMA keeps the pipe of its scheduler, a quarter of the multiprocessor's lanes, for 128 / lanes cycles: 64 for doubles on sm_86
/// and sm_89, 4 on sm_80. Beyond the two cycles that arithmetic_cycles has for every instruction these are part of a thread's path.
double narrow_pipe_cycles(const Launch& l) {
    if (!l.terms.narrow_pipes) {
        return 0;
    }
    const double rate = l.work.precision == Precision::f32 ? l.device.fma_f32 : l.device.fma_f64;
    const double slots = l.pipes.fma * l.work.elements_per_block / l.work.threads_per_block;
    return slots * std::max(0.0, 32 * l.device.issue_slots / rate - 2);
}

/// Cycles that a block spends on arithmetic while its bytes are in flight: instructions of one thread at two cycles each (four cycles
/// of dependent latency, instruction-level parallelism of about two; measured 1.5-2.5 at one or two warps per scheduler). Threads that
/// idle in a step leave it to the others, which lengthens the path.
double arithmetic_cycles(const Launch& l) {
    constexpr double cycles_per_instruction = 2;
    if (!l.terms.block_arithmetic) {
        return 0;
    }
    const double evenly = 32 * l.work.instructions * l.work.elements_per_block / l.work.threads_per_block;
    return cycles_per_instruction * (std::max(l.work.path_instructions, evenly) + l.work.remaps * instructions_per_remap) +
        narrow_pipe_cycles(l);
}

/// What a block barrier takes (of a device that was not measured as on sm_103); between two of them data goes to shared memory and back.
/// A warp barrier is taken as ten cycles (assumption), an exchange of values as one way through shared memory, which shuffles share, with
/// two of them under way at a time, as for arithmetic (assumption).
double barrier_cycles(const Launch& l) {
    const double warps = std::ceil(static_cast<double>(l.work.threads_per_block) / l.device.limits.warp_size);
    return l.work.block_barriers * (l.device.barrier_cycles + l.device.barrier_cycles_per_warp * warps + l.device.shared_latency_cycles) +
        l.work.warp_barriers * (10 + l.device.shared_latency_cycles) + l.work.exchanges * 0.5 * l.device.shared_latency_cycles;
}

/// Copies that stage a tile through registers issue only about six 16-byte loads per thread before the first dependent store (opcodes
/// counted for sm_80 and sm_90); every further batch waits for memory once more. Asynchronous copies are all issued at once.
double extra_round_trips(const Launch& l) {
    constexpr double bytes_per_batch = 6 * 16;
    double trips = std::max(0, l.work.dependent_phases - 1);
    const bool staged = l.work.shared_bytes > 0 && l.work.l1_wavefronts == 0;
    if (staged && !l.work.async_copies) {
        const double bytes_per_thread = l.work.read_bytes * l.work.elements_per_block / l.work.threads_per_block;
        trips += std::max(0.0, bytes_per_thread / bytes_per_batch - 1);
    }
    return trips;
}

/// How long a block occupies its slot on an idle device: turnaround and one round trip (the tau of the stream law), further round
/// trips, arithmetic, barriers; of compiled kernels at least turnaround and the longest chain of dependent instructions.
double block_seconds(const Launch& l) {
    const double parts =
        (l.law.tau_ns + extra_round_trips(l) * l.device.dram_latency_ns) * ns + (arithmetic_cycles(l) + barrier_cycles(l)) / l.clock;
    if (l.work.critical_path_cycles == 0 || !l.terms.block_arithmetic) {
        return parts;
    }
    return std::max(parts, l.device.block_turnaround_ns * ns + l.work.critical_path_cycles / l.clock);
}

/// Latency of L2: the description's, else half of that of memory (A40 0.45, V100 0.49, A100 0.37 in the near and 0.7 in the far half).
double l2_latency_ns(const Device& device) {
    const auto cycles = device.optional_figures.find("latency.l2");
    return cycles == device.optional_figures.end() ? 0.5 * device.dram_latency_ns : cycles->second / device.clock_ghz;
}

/// No slot is free earlier: launch and retire alone give 3.8 ps per thread on an RTX 2080 Ti, the published slope of empty kernels.
double latency_seconds(const Launch& l) {
    const double hit = l.hits == 0 ? 0 : l.hits * (l.device.dram_latency_ns - l2_latency_ns(l.device)) * ns;
    return (block_seconds(l) - hit) * std::max(1.0, l.waves);
}

/// Memory at full rate.
double dram_seconds(const Launch& l) {
    return (1 - l.hits) * l.elements * (l.work.read_bytes + l.work.write_bytes) / (l.law.peak_gb_per_s * 1e9);
}

/// Memory and latency together: Little's law with the latency under load, its tau lengthened by what else a block does. At least
/// dram_seconds, and at least latency_seconds where the last block is full.
double stream_seconds(const Launch& l) {
    if (l.bytes_in_flight == 0) {
        return latency_seconds(l);
    }
    StreamLaw law = l.law;
    law.tau_ns = block_seconds(l) / ns;
    const double bytes = l.elements * (l.work.read_bytes + l.work.write_bytes);
    if (!l.terms.memory_under_load) {
        return dram_seconds(l) + l.hits * bytes / (l.device.l2_gb_per_s * 1e9);
    }
    const double misses = (1 - l.hits) * bytes / (loaded_bandwidth(law, l.bytes_in_flight) * 1e9);
    if (l.hits == 0) {
        return misses;
    }
    law.tau_ns = std::max(1.0, law.tau_ns - l.device.dram_latency_ns + l2_latency_ns(l.device));
    law.peak_gb_per_s = l.device.l2_gb_per_s;
    return misses + l.hits * bytes / (loaded_bandwidth(law, l.bytes_in_flight) * 1e9);
}

/// Where barriers split a block into phases (those of a warp split a block of one), phases overlap only with those of other blocks: with one
/// resident block nothing does (exponent 1), with four nearly everything (cuda-notes: barriers matter for up to two blocks).
double overlap_exponent(const Launch& l) {
    const double p = l.device.overlap_exponent;
    const bool one_warp = l.work.threads_per_block <= l.device.limits.warp_size;
    const bool phases = l.work.block_barriers > 0 || (one_warp && l.work.warp_barriers > 0);
    return phases ? 1 + (p - 1) * (1 - 1 / (l.resident * l.resident)) : p;
}

/// Blocks are handed to multiprocessors one after another, and the last one takes its time then. (Where no figure says how fast, one per clock
/// is an assumption; launches of small blocks in gpu-small-kernels, which nothing is fitted to, have 0.95 on A100, 0.82 on H200, 0.74 on L40.
/// Empty kernels of a million blocks have 0.83 per clock on an H200: perfmodel/calibrations/h200-probed.json.)
double dispatch_seconds(const Launch& l) {
    if (!l.terms.block_dispatch) {
        return 0;
    }
    const double of_block = l.device.block_dispatch_ns > 0 ? l.device.block_dispatch_ns * 1e-9 : 1 / l.clock;
    return l.blocks * of_block + latency_seconds(l) / std::max(1.0, l.waves);
}

/// Everything between start and end of the blocks. The units of a multiprocessor work beside each other on one stream of instructions: the slowest
/// decides (dependent FMAs with three loop instructions for 16 take what issuing them takes, within 2 %, on an H200: probe `grid`). They overlap
/// with memory as far as the exponent says. The measured bandwidths of memory are those of streams through L2, so the two are one pipe as fast as
/// the slower, and only what L2 serves besides competes.
double body_seconds(const Launch& l) {
    std::array bounds{std::max({stream_seconds(l), l2_stream_seconds(l), dispatch_seconds(l)}), l2_request_seconds(l), data_pipe_seconds(l),
        issue_seconds(l), std::max(fma_seconds(l), register_seconds(l)), special_seconds(l)};
    if (l.terms.units != CompositeTerms::Units::separate) {
        const auto units = std::span(bounds).subspan(1);
        const double joined = l.terms.units == CompositeTerms::Units::slowest ? *std::max_element(units.begin(), units.end())
                                                                              : std::accumulate(units.begin(), units.end(), 0.0);
        std::fill(units.begin(), units.end(), 0);
        units.front() = joined;
    }
    return norm(bounds, overlap_exponent(l));
}

/// The blocks that started last drain for as long as a block takes on an idle device, during which half of the device idles on average. Blocks that
/// all start at once have no tail; up to the second wave it grows with the share of the slots that are used twice. (Not half a wave: what queues at
/// memory or at a unit keeps it busy to the end. Waves of equal blocks that compute or copy have no more on an H200: probe `grid`.)
double tail_seconds(const Launch& l) {
    if (l.waves <= 1 || !l.terms.tail) {
        return 0;
    }
    return 0.5 * latency_seconds(l) / l.waves * std::min(1.0, l.waves - 1);
}

} // namespace

double soft_maximum(const std::vector<std::pair<Bound, double>>& terms, double exponent) {
    std::vector<double> seconds;
    for (const auto& [bound, term] : terms) {
        seconds.push_back(term);
    }
    return norm(seconds, exponent);
}

namespace {

/// Launch, body and tail. Pre: at least one block is resident and there are elements.
double total_seconds(const Launch& l) {
    return queued_seconds(l.device, body_seconds(l) + tail_seconds(l));
}

} // namespace

double composite_cuda_seconds(const Device& device, const KernelWork& work, std::uint64_t elements, const CompositeTerms& terms) {
    const int resident = resident_blocks(device.limits, work);
    if (resident == 0) {
        return std::numeric_limits<double>::infinity();
    }
    return elements == 0 ? device.launch_us * us : total_seconds(launch_of(device, work, elements, resident, terms));
}

Breakdown composite_cuda(const Device& device, const KernelWork& work, std::uint64_t elements, const CompositeTerms& terms) {
    const int resident = resident_blocks(device.limits, work);
    if (resident == 0) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        return {{infinite, Bound::latency}, {{Bound::latency, infinite}}};
    }
    const double launch_seconds = device.launch_us * us;
    if (elements == 0) {
        return {{launch_seconds, Bound::launch}, {{Bound::launch, launch_seconds}}};
    }
    const Launch l = launch_of(device, work, elements, resident, terms);
    const double stream = stream_seconds(l), l2_all = l2_stream_seconds(l), handing_out = dispatch_seconds(l),
                 beside = l2_request_seconds(l);
    const double body = body_seconds(l), tail = tail_seconds(l);
    const double overhead = launch_overhead(device), seconds = queued_seconds(device, body + tail);
    // Memory under load stands where it is limited: by the rate of memory, by that of L2, or by what is in flight.
    std::array memory{std::pair{Bound::dram, dram_seconds(l)}, std::pair{Bound::l2, l2_all}, std::pair{Bound::latency, latency_seconds(l)}};
    const auto shorter = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto limit = std::max_element(memory.begin(), memory.end(), shorter);
    limit->second = limit->first == Bound::l2 ? std::max(l2_all, stream) : stream; // a last block that is not full is less than its latency
    Breakdown result;
    result.bounds = {{Bound::dram, memory[0].second}, {Bound::l2, std::max(memory[1].second, beside)},
        {Bound::shared, data_pipe_seconds(l)}, {Bound::issue, issue_seconds(l)},
        {Bound::fma, std::max(fma_seconds(l), register_seconds(l))}, {Bound::sfu, special_seconds(l)},
        {Bound::latency, std::max(memory[2].second, handing_out)}, {Bound::launch, overhead}};
    result.cost = {seconds, std::max_element(result.bounds.begin(), result.bounds.end(), shorter)->first};
    result.bounds.back().second = launch_seconds;
    if (launch_seconds > overhead + (body + tail)) { // hidden behind the launches of the queue
        result.cost.bound_by = Bound::launch;
    }
    result.quantities = {{"resident blocks", l.resident, ""}, {"waves", l.waves, ""}, {"memory at full rate", dram_seconds(l), "s"},
        {"latency of idle memory", latency_seconds(l), "s"}, {"memory under load", stream, "s"}, {"L2 with all traffic", l2_all, "s"},
        {"handing out of blocks", handing_out, "s"}, {"L2 beside the lists", beside, "s"}, {"exponent of overlap", overlap_exponent(l), ""},
        {"launch overhead", overhead, "s"}, {"body", body, "s"}, {"tail", tail, "s"}};
    return result;
}

double composite_cuda_least(const Device& device, const KernelWork& least, std::uint64_t count) {
    constexpr double below_rounding = 1 - 1e-9;
    const double launch_seconds = device.launch_us * us;
    if (count == 0) {
        return below_rounding * launch_seconds;
    }
    const double elements = static_cast<double>(count);
    const double sms = device.limits.sm_count;
    const double per_sm = elements / sms; // the busiest multiprocessor has at least so many
    const double clock = device.clock_ghz * 1e9;
    const double exponent = device.overlap_exponent; // composite_cuda uses this or less, and the norm falls with the exponent
    const double bytes = least.read_bytes + least.write_bytes;
    const PipeWork pipes = pipe_work(least, device.limits.target, device.function_slots);
    const double rest = std::max({per_sm * (least.shared_wavefronts + least.l1_wavefronts) / (device.shared_wavefronts * clock),
        per_sm * least.instructions / (device.issue_slots * clock),
        per_sm * pipes.fma / ((least.precision == Precision::f32 ? device.fma_f32 : device.fma_f64) * clock) +
            per_sm * pipes.fma_float / (device.fma_f32 * clock),
        per_sm * pipes.special / (device.special * clock)});
    const auto power = [&](double value) { return exponent == 2 ? value * value : std::pow(value, exponent); };
    const auto root = [&](double value) { return exponent == 2 ? std::sqrt(value) : std::pow(value, 1 / exponent); };
    const double rest_power = power(rest);
    const double l2 = elements * bytes / (device.l2_gb_per_s * 1e9);
    const StreamLaw law = law_of_mix(device, least.read_bytes, least.write_bytes); // tau of a real block is at least the law's
    // The tail is half of a block's time, which is at least its round trip.
    const auto tail = [&](double resident) { return 0.5e-9 * law.tau_ns * std::clamp(elements / resident - 1, 0.0, 1.0); };
    const double most = std::max(sms, sms * device.limits.threads_per_sm); // resident elements: each has a thread at least
    constexpr double step = 1.2;
    double result = std::numeric_limits<double>::infinity();
    double tail_before = 0;
    for (double resident = std::min(most, 8 * sms);; resident = std::min(most, step * resident)) {
        // Between the step before and this one the body is at least this one's, the tail at least the lesser of the two.
        const double dram = bytes == 0 ? 0 : elements * bytes / (loaded_bandwidth(law, std::min(elements, resident) * bytes) * 1e9);
        const double body = root(power(std::max(dram, l2)) + rest_power);
        const double tail_now = tail(resident);
        result = std::min(result, body + std::min(tail_before, tail_now));
        tail_before = tail_now;
        if (resident >= most) {
            break;
        }
    }
    return below_rounding * queued_seconds(device, result);
}

double composite_lower_bound(
    const Device& device, double read_bytes, double write_bytes, double flops, Precision precision, std::uint64_t elements) {
    constexpr double below_rounding = 1 - 1e-9;
    const auto memory = [&](double reads, double writes) {
        return (reads + writes) / (law_of_mix(device, reads, writes).peak_gb_per_s * 1e9);
    };
    const bool host = device.limits.target == fusion::Target::host;
    // A host kernel may or may not avoid reading the lines that it writes, and may read any number of lists.
    const double dram = host ? std::min(memory(read_bytes, write_bytes), memory(read_bytes + write_bytes, write_bytes)) *
            share_of_lists(device, most_followed_lists)
                             : memory(read_bytes, write_bytes);
    if (host && device.routine_times != nullptr) { // what arithmetic takes is measured, and has no bound by its amount
        const double paced = figure(device, "compute.pacing").value_or(1); // of the busiest core
        return below_rounding * queued_seconds(device, static_cast<double>(elements) * paced * dram);
    }
    const double units = host ? device.cores : device.limits.sm_count;
    const double rate = precision == Precision::f32 ? device.fma_f32 : device.fma_f64;
    const double arithmetic = fma_slots(flops) / (units * rate * device.clock_ghz * 1e9);
    return below_rounding * queued_seconds(device, static_cast<double>(elements) * std::max(dram, arithmetic));
}

} // namespace fusec::perfmodel
