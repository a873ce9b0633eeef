// SPDX-License-Identifier: Apache-2.0
// The composite model: throughput bounds of every unit and the latency under load, joined by a soft maximum.
#pragma once

#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

/// Terms that no figure of a device and no count of a kernel takes away: what the ablations of perfmodel/fit/ablation.hpp put something simpler
/// in the place of. The predictor and the search have all of them.
struct CompositeTerms {
    /// How the work of one unit of a multiprocessor stands beside that of the others.
    enum class Units {
        slowest,        ///< they work beside each other: the greatest of these bounds is one
        separate,       ///< each is a bound of its own in the soft maximum
        one_after_other ///< their sum is one bound
    };

    bool memory_under_load = true; ///< else memory is always at its peak
    bool block_arithmetic = true;  ///< a block keeps its slot while it computes; else only while it waits
    bool narrow_pipes = true;      ///< a warp keeps a pipe of few lanes for long; else every FMA is issued like any instruction
    bool block_dispatch = true;    ///< blocks are handed out one per clock; else all that fit start at once
    bool uneven_blocks = true;     ///< the busiest multiprocessor or core decides; else all have the same share
    bool tail = true;
    bool waiting_results = true; ///< host: results that wait in the first level are written and read there once more
    bool second_level = true;    ///< host: memory is reached through the second level, and no faster than that
    /// Host: memory and core overlap as far as the window of instructions has it; else as `speed.overlap_exponent` does. Of chains of routines, which go
    /// by the window too, nothing changes.
    bool window = true;
    Units units = Units::slowest;
};

/// Seconds of one launch on a CUDA device; infinite if not one block fits on a multiprocessor. Else, for one element or more and with all
/// terms, bounds and quantities of the result give its seconds, where names in quotes are quantities and p is "exponent of overlap":
///     seconds = max(launch, "launch overhead" + "body" + "tail")
///     "body"  = (memory^p + units^p)^(1/p)
///     units   = max("L2 beside the lists", shared, issue, fma, sfu)
///     memory  = max("memory under load", "L2 with all traffic", "handing out of blocks")
/// Of the bounds of memory, dram is "memory at full rate", l2 the greater of the two of L2, latency the greater of "latency of idle memory"
/// and "handing out of blocks"; "memory under load" takes the place of what limits it: of the greatest of "memory at full rate", "L2, all
/// traffic" and "latency of idle memory". So memory or "L2 beside the lists" is the greatest of the three. Bound by: launch where that decides, else the greatest of the
/// other bounds and "launch overhead".
Breakdown composite_cuda(
    const Device& device, const fusion::KernelWork& work, std::uint64_t elements, const CompositeTerms& terms = CompositeTerms());
/// Its seconds alone.
double composite_cuda_seconds(
    const Device& device, const fusion::KernelWork& work, std::uint64_t elements, const CompositeTerms& terms = CompositeTerms());
/// Seconds of one parallel loop on the host, of whose terms only `uneven_blocks`, `waiting_results`, `second_level` and `window` are some:
///     seconds = launch + (max(dram, l2)^p + core^p)^(1/p)
/// of the bounds, and the quantity "exponent of overlap" as p. Of a calibrated host the core is one bound, issue: of the quantities
///     issue = ("transfers of a core"^q + "routines of a core"^q)^(1/q) + "long lists beyond the first level"
/// with "exponent of overlap in a tile" as q, 1 where the calibration has none, and "routines that wait for each other", where it is one, in the
/// place of those of a core; dram is without "memory's time that several lists save" and "memory's time that a busy core saves". Else shared, issue, fma and sfu are terms beside memory.
Breakdown composite_host(
    const Device& device, const fusion::KernelWork& work, std::uint64_t elements, const CompositeTerms& terms = CompositeTerms());

/// Seconds of one launch: launch plus the greater of memory and arithmetic at full rate, of bytes and flops for each element, memory of a
/// host as short as several lists (share_of_lists) and, where it is calibrated, pacing make it; each of the two is a term of the functions above,
/// and the soft maximum of terms is at least each of them. It holds for launches that find nothing of the one before in the last level
/// (KernelWork::repeated), as candidates are priced. A factor keeps it below them under rounding. Constant time. Pre: bytes, flops >= 0.
double composite_lower_bound(
    const Device& device, double read_bytes, double write_bytes, double flops, Precision precision, std::uint64_t elements);

/// No more than composite_cuda of any work with the bytes of `least` whose passes (shared and L1), instructions and arithmetic are at
/// least those of `least`, in blocks of at most as many elements as threads. Of the terms of composite_cuda only the bandwidth
/// reached and the tail depend on how many elements are resident: more of them load the memory better and drain longer. The bound
/// is their minimum over all numbers.
double composite_cuda_least(const Device& device, const fusion::KernelWork& least, std::uint64_t elements);

/// (sum t^p)^(1/p): p = 1 is no overlap, p = infinity perfect overlap. Measured kernels lie at 2-4 (RRZE gpu-roofline: 1.8-3.4 % mean
/// error against 3.3-7.8 % for the maximum). Scaled by the greatest term so that nothing overflows and the result is at least that term.
double soft_maximum(const std::vector<std::pair<fusion::Bound, double>>& terms, double exponent);

} // namespace fusec::perfmodel
