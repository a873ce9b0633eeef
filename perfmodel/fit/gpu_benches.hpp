// SPDX-License-Identifier: Apache-2.0
// Readers of the public result files of https://github.com/RRZE-HPC/gpu-benches (measurements by the Erlangen National High Performance
// Computing Center, commit 1038c5d): each row becomes points, with the work that its kernel does.
//
// Roles: init, read and scale of gpu-stream, the pointer chase of gpu-latency, and the smallest launches of gpu-small-kernels (which cost
// their start-up and little else) are there to fit figures to; triad, 3pt, 5pt, gpu-roofline and all larger launches are held out.
//
// Errors: `unreadable-file`, or `invalid-measurement` at the line; then there is no result.
#pragma once

#include "fusion/target.hpp"
#include "perfmodel/fit/point.hpp"
#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct Measurements {
    std::vector<Point> points;
    std::string reading; ///< how the file was read, in words, for reports
};

/// gpu-stream: GB/s of init (one store of a double per thread), read (a load), scale (a load and a store), triad, 3pt and 5pt (one
/// list in, one out) over the number of resident threads, which the benchmark caps by shared memory. Three formats, told apart by their
/// header and
/// first rows:
///   `block smBlocks threads occ%`: the rows give block, resident threads of the GPU, blocks per multiprocessor (the header swaps the two
///       names); triads have three loads and a store.
///   `blockSize threads %occ`, block sizes from 32 in steps of 32 to 1024: two blocks per multiprocessor (as the benchmark's source of that
///   time has it and the
///       column %occ confirms); the column of threads counts one of them; triads have two loads and a store.
///   the same header, first row 16: the first column counts threads of a multiprocessor; an even number of warps from four on is two blocks
///       (as in the newer benchmark, whose rows have the same numbers), anything else one; triads have two loads and a store.
/// `limits` is that of the device measured: threads resident in one row must be possible on it.
std::optional<Measurements> read_gpu_stream(
    const std::filesystem::path& file, const std::string& device, const fusion::DeviceLimits& limits, Diagnostics& diagnostics);

/// gpu-roofline: 256 threads per block, all of them resident; a thread reads two floats at a time and does 2 n + 2 flops with them in a
/// chain of
/// n FMAs. An element is such a pair. Where a node's GPUs were measured one after the other, the median of each intensity is the
/// point; a GPU whose clock is another in its first row than the first GPU's is another product and left out (genoa_l40 has an L40 of 300 W
/// and 2490 MHz beside
/// one of 350 W and 2520 MHz, which are an L40S's). The clock is what the row prints: a governor of power is no part of any predictor.
std::optional<Measurements> read_gpu_roofline(
    const std::filesystem::path& file, const std::string& device, const fusion::DeviceLimits& limits, Diagnostics& diagnostics);

/// gpu-small-kernels: scale over a number of doubles, 10,000 launches queued back to back over the same data; columns are block sizes, from
/// 1024 (the last) down by halves. A last line with too few columns is that of a run that was stopped (a40), and is left out.
std::optional<Measurements> read_gpu_small_kernels(
    const std::filesystem::path& file, const std::string& device, const fusion::DeviceLimits& limits, Diagnostics& diagnostics);

/// gpu-latency: one warp follows pointers; the largest set, well beyond L2, is the point.
std::optional<Measurements> read_gpu_latency(
    const std::filesystem::path& file, const std::string& device, const fusion::DeviceLimits& limits, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
