// SPDX-License-Identifier: Apache-2.0
// What the processors of a calibrated host do in a kernel besides waiting for memory, from times of its routines.
#pragma once

#include "fusion/cost_model.hpp"
#include "perfmodel/device.hpp"

namespace fusec::perfmodel {

/// Nanoseconds per element, all cores at work.
struct HostCompute {
    double ns = 0;           ///< transfers and routines as far as they overlap, and then what the first level does not hold
    double transfers_ns = 0; ///< lists between cache and lanes, one after the other
    double routines_ns = 0;  ///< one after the other
    double removed_ns = 0;   ///< that they would take more if the kernel's compiler left all of them (WorkStep::remaining)
    /// Of the routines that wait for each other longest, as far as later tiles do not fill the time; 0 where no time tells.
    double chained_ns = 0;
    double beyond_ns = 0; ///< of long lists, what the first level has no longer: once from the second
    double waiting_ns =
        0; ///< of the transfers, of results that wait: each register of them is stored to the first level and loaded once more
    double counted_ns = 0; ///< of transfers and routines, of steps that count by their instructions
    int counted = 0;       ///< how many such steps
    int between_sizes = 0; ///< lists whose time is that of other sizes (cached_transfer_by_size)
};

/// The sums over the steps of the kernel: a list moved between cache and lanes, and what the kernel's compiler leaves of a routine
/// (fusion/remaining_arithmetic.hpp), each as long as it takes alone. The two sums
/// overlap as a soft maximum of the exponent `compute.overlap` has it, one after the other where the device has none. A list of a size that was not
/// measured takes what other sizes have it take. A routine without a time, or with none that could be measured, counts by its instructions at the
/// device's rate, and so does a list beside which none was measured. Steps that compute nothing but
/// names of components, and what is derived from uniforms, take nothing. Results that wait (KernelWork::results_wait) take two instructions for each
/// SIMD register of them, unless `waiting_results` is false. Lists of more components than are transposed at once do not fit
/// the registers: of what such lists of a tile take, in lanes and, where they are loaded, as they come, the share that the first level has no longer
/// comes from the second, once, at `speed.l2`. Half of it is missing at `compute.first_level` bytes; without that figure, none.
/// Routines take no less than what those of the longest chain take that each read the result of the one before, the first what it takes alone and
/// the others their times in chains (in_chain of routine_times.hpp), where a tile has as many instructions as the processor's window `compute.window` or more; of a shorter tile as
/// large a share of it as the tile is of the window, as later tiles are under way beside it. Pre: the device has routine times, the work has its steps. O(accesses).
HostCompute host_compute(const Device& device, const fusion::KernelWork& work, bool waiting_results = true);

/// The exponent of the soft maximum of memory and core. With times of routines and the figure `compute.window` w, of a kernel whose tile of
/// SIMD lanes takes i vector instructions, without those that the compiler takes away, it is 1 + w / i: a processor starts what it has in its window of instructions, w of them or so,
/// out of their order. Tiles that are much shorter overlap each other, so that the slower of memory and core decides; of longer ones, loads
/// and arithmetic follow each other, and their times add up. Else it is that of the device.
double host_overlap_exponent(const Device& device, const fusion::KernelWork& work);

} // namespace fusec::perfmodel
