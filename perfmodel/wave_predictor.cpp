// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/wave_predictor.hpp"

#include "perfmodel/device_figures.hpp"
#include "perfmodel/occupancy.hpp"
#include "perfmodel/step_mix.hpp"
#include "perfmodel/stream.hpp"
#include "perfmodel/wave_thread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace fusec::perfmodel {

using fusion::Bound;
using fusion::KernelWork;
using fusion::WorkStep;

namespace {

/// Times of all waves of a launch, in cycles.
struct Execution {
    double time = 0;
    std::array<double, 4> bounds{}; ///< dram, l2, shared, latency: no greater than time
    double issue = 0;
};

void add(Execution& sum, double count, const wave::WaveTime& each, const wave::Wave& wave, const wave::Gpu& gpu) {
    const auto bound = [&](double cycles) { return count * std::min(cycles, each.time); };
    sum.time += count * each.time;
    sum.bounds[0] += bound(std::max(wave.mem_gpu.dram / gpu.band.dram, wave.mem_gpu.uncoal / gpu.band.uncoal));
    sum.bounds[1] += bound(wave.mem_gpu.l2 / gpu.band.l2);
    sum.bounds[2] += bound(wave.mem_sm.l1 / gpu.band.l1);
    sum.bounds[3] += bound(each.latency_time);
    sum.issue += bound(each.delay_time);
}

/// Bytes of an element that the kernel's accesses ask for beyond one reading of its lists: threads of the same launch have asked for them
/// before. 0 where every component is read once, as by staging.
struct ReadAgain {
    double coalesced = 0;
    double uncoalesced = 0; ///< what these add to it
};

ReadAgain read_again(const KernelWork& work) {
    constexpr double sector = 32; // bytes
    double coalesced = 0, uncoalesced = 0;
    for (const WorkStep& step : work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            if (!access.store && access.addressing == fusion::Addressing::unit) {
                coalesced += access.sectors * sector;
            } else if (!access.store && access.addressing == fusion::Addressing::strided) {
                uncoalesced += access.count * access.bytes;
            }
        }
    }
    const double again = std::max(0.0, coalesced - work.read_bytes);
    return {again, std::max(0.0, coalesced + uncoalesced - work.read_bytes) - again};
}

} // namespace

/// Of ever so many instructions in `parallel_chains` chains side by side, by the source's rule for when each starts: what a pass of one of
/// each takes once the chains are under way.
WavePredictor::Class WavePredictor::class_of(double lat, double del) {
    std::vector<wave::Instruction> pass(parallel_chains);
    for (std::size_t i = 0; i < pass.size(); ++i) {
        pass[i] = {lat, del, {}, {static_cast<int>(i)}};
    }
    const std::vector<double> starts = wave::starts(pass, 3);
    const double interval = (starts[3 * pass.size() - 1] - starts[2 * pass.size() - 1]) / static_cast<double>(pass.size());
    return {lat, del, interval};
}

WavePredictor::WavePredictor(Device device) : device_(std::move(device)) {
    const double pbs = schedulers(device_);
    const auto needed = [&](const char* key) { return needed_figure(device_, key, "wave"); };
    const double warp = device_.limits.warp_size;
    const auto units = [&](double per_sm) { return wave::delay_inst(warp, per_sm / pbs); };
    f32_ = class_of(needed("latency.arithmetic_f32"), units(device_.fma_f32));
    f64_ = class_of(needed("latency.arithmetic_f64"), units(device_.fma_f64));
    integer_ = class_of(needed("latency.integer"), units(needed("wave.integer_rate")));
    special_ = class_of(needed("latency.special"), units(device_.special));
    constexpr double words_per_pass = 32;
    shared_ = class_of(device_.shared_latency_cycles, units(words_per_pass * device_.shared_wavefronts));
    global_ = class_of(0, shared_.del);

    const double ghz = device_.clock_ghz; // 1 GB/s is 1 / GHz bytes per cycle
    gpu_.lat = {needed("latency.l1"), needed("latency.l2"), device_.dram_latency_ns * ghz,
        std::max(device_.dram_latency_ns * ghz, needed("wave.uncoalesced_latency"))};
    gpu_.band = {128 * device_.shared_wavefronts, device_.l2_gb_per_s / ghz, device_.copy.peak_gb_per_s / ghz,
        needed("wave.uncoalesced_band") / ghz};
    share_.l1 = needed("wave.l1_share");
    share_.l2 = needed("wave.l2_share");
    share_.dram = std::max(0.0, 1 - share_.l1 - share_.l2);
    launch_per_block_ = needed("wave.launch_per_block") * 1e-9;
    launch_per_warp_ = needed("wave.launch_per_warp") * 1e-9;
    for (const int warps : launched_warps) {
        const auto x1 = figure(device_, "wave.launch_x1_" + std::to_string(warps));
        const auto x2 = figure(device_, "wave.launch_x2_" + std::to_string(warps));
        if (x1 && x2) {
            launch_lines_.push_back({static_cast<double>(warps), {*x1 * 1e-9, *x2 * 1e-6}});
        }
    }
}

wave::LaunchLine WavePredictor::launch_of(double warps) const {
    return launch_lines_.empty() ? wave::LaunchLine{launch_per_block_ + launch_per_warp_ * warps, device_.launch_us * 1e-6}
                                 : wave::launch_line(launch_lines_, warps);
}

std::vector<wave::Warp> WavePredictor::warps_of_block(const KernelWork& work) const {
    std::vector<wave::Warp> warps(
        static_cast<std::size_t>((work.threads_per_block + device_.limits.warp_size - 1) / device_.limits.warp_size));
    for (const WorkStep& step : work.steps) {
        const StepMix mix = step_mix(work, step, device_.limits, device_.function_slots);
        wave::Warp part;
        for (const auto& [kind, count] : {std::pair{&f32_, mix.f32}, std::pair{&f64_, mix.f64}, std::pair{&integer_, mix.other},
                 std::pair{&special_, mix.special}, std::pair{&shared_, mix.shared}, std::pair{&global_, mix.loads + mix.stores}}) {
            part.time += count * kind->interval;
            part.delay += count * kind->del;
        }
        const auto taking_part = std::min(static_cast<std::size_t>(mix.warps), warps.size());
        for (std::size_t i = 0; i < taking_part; ++i) {
            warps[i].time += part.time;
            warps[i].delay += part.delay;
            warps[i].waits += step.round_trip ? 1 : 0;
        }
        for (wave::Warp& warp : warps) {
            warp.syncs += step.kind == WorkStep::Kind::block_barrier ? 1 : 0;
        }
    }
    const bool stores = std::any_of(work.steps.begin(), work.steps.end(), [](const WorkStep& step) {
        return std::any_of(step.accesses.begin(), step.accesses.end(), [](const fusion::GlobalAccess& access) { return access.store; });
    });
    warps.front().waits += stores ? 1 : 0;
    return warps;
}

wave::Wave WavePredictor::wave_of(
    const std::vector<wave::Warp>& block, const wave::PerLevel& mem_of_block, double blocks, double resident) const {
    wave::Wave result;
    result.block_size = static_cast<double>(block.size());
    result.pbs.resize(static_cast<std::size_t>(schedulers(device_)));
    std::size_t place = 0;
    for (int i = 0; i < static_cast<int>(resident); ++i) {
        for (const wave::Warp& warp : block) {
            result.pbs[place++ % result.pbs.size()].push_back(warp);
        }
    }
    const auto times = [&](double count) {
        return wave::PerLevel{mem_of_block.l1 * count, mem_of_block.l2 * count, mem_of_block.dram * count, mem_of_block.uncoal * count};
    };
    result.mem_sm = times(resident);
    result.mem_gpu = times(blocks);
    return result;
}

Breakdown WavePredictor::explain(const KernelWork& work, std::uint64_t elements) const {
    const int resident = resident_blocks(device_.limits, work);
    if (resident == 0) {
        return Breakdown::never();
    }
    const double grid = std::ceil(static_cast<double>(elements) / work.elements_per_block);
    const double warps = std::ceil(static_cast<double>(work.threads_per_block) / device_.limits.warp_size);
    const double launch = launch_of(warps).at(grid);
    if (elements == 0) {
        return {{launch, Bound::launch}, {{Bound::launch, launch}}};
    }
    internal_check(!work.steps.empty(), "wave: a kernel without its steps");

    wave::Gpu gpu = gpu_;
    gpu.band.dram = law_of_mix(device_, work.read_bytes, work.write_bytes).peak_gb_per_s / device_.clock_ghz;
    wave::PerLevel mem;
    double mem_of_block = 0;
    for (const WorkStep& step : work.steps) {
        const StepMix mix = step_mix(work, step, device_.limits, device_.function_slots);
        mem_of_block += (mix.coalesced_bytes + mix.uncoalesced_bytes) * mix.warps;
        mem.uncoal += mix.uncoalesced_bytes * mix.warps;
    }
    const ReadAgain of_element = read_again(work);
    const double again = std::min(mem_of_block, of_element.coalesced * work.elements_per_block);
    const double left = std::clamp(l2_hits(device_, work, static_cast<double>(elements)), 0.0, 1 - share_.l1 - share_.l2);
    mem.l1 = again + (mem_of_block - again) * share_.l1;
    mem.l2 = (mem_of_block - again) * (share_.l2 + left);
    mem.dram = (mem_of_block - again) * (1 - share_.l1 - share_.l2 - left);

    const std::vector<wave::Warp> block = warps_of_block(work);
    const double sms = device_.limits.sm_count;
    const wave::Waves waves = wave::waves(grid, resident, sms);
    Execution execution;
    wave::WaveTime shown;
    constexpr double epsilon = 1e-3; // cycles
    if (waves.tail > 0) {
        const wave::Wave tail = wave_of(block, mem, waves.tail, std::ceil(waves.tail / sms));
        shown = wave::wave_time(gpu, tail, epsilon);
        add(execution, 1, shown, tail, gpu);
    }
    if (waves.full > 0) {
        const wave::Wave full = wave_of(block, mem, waves.blocks, resident);
        shown = wave::wave_time(gpu, full, epsilon);
        add(execution, waves.full, shown, full, gpu);
    }

    const double second = 1 / (device_.clock_ghz * 1e9);
    Breakdown result;
    result.cost.seconds = launch + execution.time * second;
    result.bounds = {{Bound::dram, execution.bounds[0] * second}, {Bound::l2, execution.bounds[1] * second},
        {Bound::shared, execution.bounds[2] * second}, {Bound::latency, execution.bounds[3] * second},
        {Bound::issue, execution.issue * second}, {Bound::launch, launch}};
    result.cost.bound_by = greatest_bound(result.bounds);
    result.quantities = {{"time_launch", launch, "s"}, {"full waves", waves.full, ""}, {"blocks of a full wave", waves.blocks, "blocks"},
        {"blocks of the last wave", waves.tail, "blocks"}, {"timeWP alone", block.front().time, "cycles"},
        {"waits of a warp", block.front().waits, ""}, {"delayWP", block.front().delay, "cycles"}, {"time_sync", shown.time_sync, "cycles"},
        {"max timeWP", shown.latency_time, "cycles"}, {"sum delayWP", shown.delay_time, "cycles"}, {"lat", shown.lat_before, "cycles"},
        {"lat corrected", shown.lat_after, "cycles"}, {"latL1", shown.lat.l1, "cycles"}, {"latL2", shown.lat.l2, "cycles"},
        {"latDRAM", shown.lat.dram, "cycles"}, {"latuncoal", shown.lat.uncoal, "cycles"},
        {"iterations", static_cast<double>(shown.iterations), ""}, {"t_wave", shown.time, "cycles"},
        {"time_exec", execution.time * second, "s"}};
    if (of_element.uncoalesced > 0) {
        result.quantities.push_back({"uncoalesced beyond one reading", of_element.uncoalesced, "bytes per element"});
    }
    say_uncounted(result, work, device_.limits);
    return result;
}

} // namespace fusec::perfmodel
