// SPDX-License-Identifier: Apache-2.0
// `fusec calibrate --target host`: this machine's figures, from kernels that the compiler itself emits.
//
// 1. What the system says: processors, clock, SIMD width, second-level cache.
// 2. Kernels of one call on lists that stay in the second-level caches: the time of moving a list of each size between cache and lanes, and of
//    each routine, which is what is left of its kernel's time. Chains of more and more arithmetic behind the same lists: how far transfers and
//    arithmetic of a tile overlap.
// 3. On lists that no cache holds: mixes of reads and writes, lists of each size moved, chains of more and more arithmetic,
//    sums of long lists, and, with `--for`, kernels of the programs named. To their times are fitted (perfmodel/fit) the bandwidth of each mix,
//    the window within which memory and arithmetic overlap, what the first level holds, and what several lists gain.
#pragma once

#include "cli/options.hpp"
#include "execute/timing.hpp"
#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/point.hpp"

#include <optional>
#include <vector>

namespace fusec::cli {

/// What is fitted to kernels that wait for memory; the last three are left out where nothing shows them (their greatest value).
inline constexpr const char* fitted_figures[] = {"stream.read.peak", "stream.mixed.peak", "stream.copy.peak", "stream.write.peak",
    "compute.window", "compute.pacing", "compute.first_level", "stream.lists"};

struct HostCalibrationOptions {
    std::string name;           ///< of the device that it makes
    std::vector<Path> programs; ///< `--for`: their routines and some of their kernels are measured too
    std::vector<Path> routines; ///< programs of which the routines alone are measured
    std::size_t kernels = 8;    ///< of each of `programs`, beside those of its plan
    Path probes = {};           ///< folder of routines.fus and streams.fus; empty: the compiler's own
    int widest_list = 36;       ///< lists of one to so many words are moved, and those of all kernels
    double bytes = 0; ///< of the lists of a kernel that waits for memory; 0: 32 MiB, of ordinary stores four times the last-level cache
};

struct HostCalibration {
    perfmodel::Calibration calibration;
    std::vector<perfmodel::Point> points; ///< that figures were fitted to, with their places
    std::vector<double> predicted;        ///< seconds of each
    std::vector<std::string> notes;       ///< in words: what was measured and not taken
    std::vector<std::string>
        hidden; ///< routines without a time: their kernels take no longer, or less than can be, where they compute more; and transfers without one
};

/// A setup for timing, with the samples that calibrations take: many and short ones. Where another virtual machine works on the other half of a core, which
/// lasts some milliseconds again and again, some samples of a quarter of a millisecond are without it, and none of a longer one.
execute::TimingSetup sampling_of_calibrations(execute::TimingSetup setup);

/// Measures; a minute or two. `scratch` is a folder to write programs to.
std::optional<HostCalibration> calibrate_host(
    const HostCalibrationOptions& options, const execute::TimingSetup& setup, const Path& scratch, Diagnostics& diagnostics);

} // namespace fusec::cli
