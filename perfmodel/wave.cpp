// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/wave.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fusec::perfmodel::wave {

double delay_dep(const Gpu& gpu) {
    constexpr double sectors_more = 28;
    return (gpu.lat.uncoal - gpu.lat.dram) / sectors_more;
}

double time_sync(const Gpu& gpu, const Warp& warp, double block_size) {
    return warp.syncs * delay_dep(gpu) * (block_size - 1);
}

double lat_sm(const PerLevel& mem_sm, const PerLevel& lat) {
    const double mem = mem_sm.l1 + mem_sm.l2 + mem_sm.dram;
    if (mem == 0) {
        return 0;
    }
    const double uncoalpct = mem_sm.uncoal / mem;
    return (1 - uncoalpct) * (mem_sm.l1 / mem * lat.l1 + mem_sm.l2 / mem * lat.l2 + mem_sm.dram / mem * lat.dram) + uncoalpct * lat.uncoal;
}

double time_pb(const Gpu& gpu, std::span<const Warp> pb, double block_size, double lat) {
    double longest = 0, delays = 0;
    for (const Warp& warp : pb) {
        longest = std::max(longest, warp.time + warp.waits * lat + time_sync(gpu, warp, block_size));
        delays += warp.delay;
    }
    return std::max(longest, delays);
}

double time_sm(const Gpu& gpu, const Wave& wave, double lat) {
    double longest = 0;
    for (const std::vector<Warp>& pb : wave.pbs) {
        longest = std::max(longest, time_pb(gpu, pb, wave.block_size, lat));
    }
    return longest;
}

WaveTime wave_time(const Gpu& gpu, const Wave& wave, double epsilon) {
    WaveTime result;
    result.lat = gpu.lat;
    result.lat_before = lat_sm(wave.mem_sm, gpu.lat);
    bool waits = false;
    for (const std::vector<Warp>& pb : wave.pbs) {
        double delays = 0;
        for (const Warp& warp : pb) {
            const double sync = time_sync(gpu, warp, wave.block_size);
            result.time_sync = std::max(result.time_sync, sync);
            result.latency_time = std::max(result.latency_time, warp.time + warp.waits * result.lat_before + sync);
            delays += warp.delay;
            waits = waits || warp.waits > 0;
        }
        result.delay_time = std::max(result.delay_time, delays);
    }
    const auto correct = [&](double PerLevel::* level, double mem) {
        const double lat0 = gpu.lat.*level;
        double old_time = 0;
        result.time = epsilon + 1;
        PerLevel only;
        only.*level = 1;
        constexpr double some = 1e-9; // more than rounding leaves of nothing
        const bool matters = waits && lat_sm(wave.mem_sm, only) > some;
        const auto goes_on = [&] {
            return std::abs(result.time - old_time) > epsilon || (matters && mem / (gpu.band.*level) > result.time + epsilon);
        };
        for (int i = 0; i < most_iterations && goes_on(); ++i) {
            old_time = result.time;
            result.time = time_sm(gpu, wave, lat_sm(wave.mem_sm, result.lat));
            ++result.iterations;
            if (result.time == 0) {
                return;
            }
            const double mul = mem / result.time / (gpu.band.*level);
            result.lat.*level = std::max(lat0, result.lat.*level * mul);
        }
    };
    correct(&PerLevel::l1, wave.mem_sm.l1);
    correct(&PerLevel::l2, wave.mem_gpu.l2);
    correct(&PerLevel::dram, wave.mem_gpu.dram);
    correct(&PerLevel::uncoal, wave.mem_gpu.uncoal);
    result.lat_after = lat_sm(wave.mem_sm, result.lat);
    return result;
}

Waves waves(double grid_size, double resident_blocks, double sm_count) {
    Waves result;
    result.blocks = resident_blocks * sm_count;
    result.full = std::floor(grid_size / result.blocks);
    result.tail = grid_size - result.full * result.blocks;
    return result;
}

LaunchLine fit_launch(std::span<const EmptyKernel> measured) {
    const auto n = static_cast<double>(measured.size());
    double grid = 0, time = 0;
    for (const EmptyKernel& each : measured) {
        grid += each.grid_size / n;
        time += each.time / n;
    }
    double covariance = 0, variance = 0;
    for (const EmptyKernel& each : measured) {
        covariance += (each.grid_size - grid) * (each.time - time);
        variance += (each.grid_size - grid) * (each.grid_size - grid);
    }
    const double x1 = covariance / variance;
    return {x1, time - x1 * grid};
}

LaunchLine launch_line(std::span<const SizedLine> measured, double warps) {
    const auto above = std::ranges::lower_bound(measured, warps, {}, &SizedLine::warps);
    if (above == measured.begin()) {
        return above->line;
    }
    const auto below = std::prev(above);
    if (above == measured.end()) {
        return below->line;
    }
    const double share = (warps - below->warps) / (above->warps - below->warps);
    return {std::lerp(below->line.x1, above->line.x1, share), std::lerp(below->line.x2, above->line.x2, share)};
}

} // namespace fusec::perfmodel::wave
