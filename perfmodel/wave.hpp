// SPDX-License-Identifier: Apache-2.0
// Waves of blocks on a GPU whose memory latencies grow until the bandwidth suffices. Equations: A. A. Kleimenov, N. N. Popova, A method for
// prediction execution time of GPU programs, Computational nanotechnology 8/1 (2021) 38-45, section 3, in its symbols. Reconstructed: the
// exact delay_dep (its 28 survived the scan, whose numerator is damaged), the clamp (see wave_time), the loops for DRAM and uncoalesced
// accesses, which the source has "by analogy".
// Cycles and bytes throughout; bandwidths are bytes per cycle.
#pragma once

#include <span>
#include <vector>

namespace fusec::perfmodel::wave {

/// A value of each way to memory.
struct PerLevel {
    double l1 = 0, l2 = 0, dram = 0, uncoal = 0;
};

struct Gpu {
    PerLevel lat;
    PerLevel band; ///< l1: of one multiprocessor; the others: of the GPU
};

/// Of the longest thread of a warp (getMainThread).
struct Warp {
    double time = 0;  ///< running alone, but for the waits
    double waits = 0; ///< for memory, one after another: time(th, lat) = time + waits * lat
    double delay = 0;
    double syncs = 0; ///< barriers of its block
};

/// What is resident at a time. All multiprocessors do the same, and `pbs` is the fullest of them.
struct Wave {
    std::vector<std::vector<Warp>> pbs; ///< the warps of each processing block
    double block_size = 1;              ///< in warps
    /// Bytes. mem_x is mem * xpct, so that l1, l2 and dram together are all of them; uncoal is the part in uncoalesced accesses.
    PerLevel mem_sm, mem_gpu;
};

/// delay_dep = (lat_uncoal - lat_dram) / 28: cycles of each of the 28 sectors that a scattered access of a warp has beyond the 4 of a coalesced
/// one. After Hong and Kim, ISCA 2009.
double delay_dep(const Gpu& gpu);
/// time_sync = syncs * delay_dep * (blockSize - 1).
double time_sync(const Gpu& gpu, const Warp& warp, double block_size);
/// lat(sm) = coalpct * (l1pct latL1 + l2pct latL2 + drampct latDRAM) + uncoalpct latUncoal; 0 where no memory is used.
double lat_sm(const PerLevel& mem_sm, const PerLevel& lat);
/// timePB = max(max over warps of timeWP, sum over warps of delayWP).
double time_pb(const Gpu& gpu, std::span<const Warp> pb, double block_size, double lat);
/// timeSM = max over processing blocks.
double time_sm(const Gpu& gpu, const Wave& wave, double lat);

struct WaveTime {
    double time = 0;
    double latency_time = 0; ///< the longest timeWP, before latencies grow
    double delay_time = 0;   ///< the greatest sum of delays of a processing block
    double time_sync = 0;    ///< the greatest of a warp
    double lat_before = 0;   ///< lat(sm) before they grow
    double lat_after = 0;
    PerLevel lat; ///< after
    int iterations = 0;
};

/// The time of a wave, with each level's latency corrected in turn, L1 first (Figs. 4 and 5):
///     t = time(lat);  mul = (mem / t) / band;  lat = lat * mul;  until t changes by no more than epsilon.
/// Two conditions of the text that the printed code has not [X]. It would also shrink the latency of a level whose bandwidth is not used up;
/// the text recomputes "as long as the demanded bandwidth exceeds" the level's. So no latency falls below what it was, lat = max(lat0, lat *
/// mul), and the loop goes on while the bandwidth asks for more than epsilon above t: where delays bound t, it does not change
/// until latencies have grown enough. Where a thread waits for that level at all, t then tends to max(time(lat0), mem / band): with
/// time = a + p lat the error shrinks by a * band / mem in each iteration. After most_iterations of a level it is left as it is, some
/// thousandths off. Pre: bands and latencies are positive, epsilon too. Linear in warps per iteration.
WaveTime wave_time(const Gpu& gpu, const Wave& wave, double epsilon);
inline constexpr int most_iterations = 2000;

/// How a grid runs: waves of `full` blocks, and the blocks left.
struct Waves {
    double full = 0;   ///< number of waves in which all multiprocessors are full
    double blocks = 0; ///< of a full one
    double tail = 0;   ///< blocks of the last, 0 if there is none
};
/// Pre: resident_blocks and sm_count are positive.
Waves waves(double grid_size, double resident_blocks, double sm_count);

/// time_launch = gridSize * x1 + x2, for each block size in warps one line.
struct LaunchLine {
    double x1 = 0, x2 = 0;
    double at(double grid_size) const { return grid_size * x1 + x2; }
};
struct EmptyKernel {
    double grid_size = 0;
    double time = 0;
};
/// The line of least squares. Pre: two grid sizes differ.
LaunchLine fit_launch(std::span<const EmptyKernel> measured);

/// The line of one block size, in warps.
struct SizedLine {
    double warps = 1;
    LaunchLine line;
};
/// That of blocks of so many warps: measured, or between the lines of the sizes next to it, x1 and x2 each in proportion; beyond all of them that of
/// the nearest. The source measures every size. Pre: at least one, ascending.
LaunchLine launch_line(std::span<const SizedLine> measured, double warps);

} // namespace fusec::perfmodel::wave
