// SPDX-License-Identifier: Apache-2.0
// The interface through which the search learns what a kernel costs. `fusion` owns it; predictors in perfmodel/ implement it.
#pragma once

#include "fusion/work_step.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fusec::fusion {

/// What the registers of a thread hold at the step that needs the most of them, in 32-bit words.
struct RegisterDemand {
    int live = 0;        ///< data that stay in registers
    int kept = 0;        ///< components of lists and tiles that are read again
    int temporaries = 0; ///< of the routine
    int passing = 0;     ///< components that are read once or written to a tile: any number of them can be on their way at a time
    bool copies = false; ///< tiles are filled through registers
    bool several_threads = false;
    int call = 0; ///< whose step it is, by its place among the kernel's calls
};

/// Vector instructions of a host's tile from which on nothing of the next one is executed while its results are on their way past the caches:
/// an assumption, beyond the window that was fitted to the processor of bench/results/audit_host.json (`compute.window`).
inline constexpr double longest_overlapped = 4000;
/// Vector instructions of a host's tile up to which the loop over tiles has them in its body. Of longer ones constants that compilers move out of the loop
/// take registers that the tile needs: kernels of `hex_force` of some 1000 took 1.17 to 1.25 times as long so, of `recompute` of 770 and 846 0.82 to 0.92
/// in one run and nothing less than 0.94 in another (Zen 4, ADR 9).
inline constexpr double longest_inlined = 850;

/// What one kernel does, independent of any program: filled from a candidate, or from a row of measurements.
/// "Per element" counts are summed over all threads that work on one element (instance).
struct KernelWork {
    Precision precision = Precision::f32;

    // global memory, bytes per element
    double read_bytes = 0;  ///< streamed from per-element lists, each list once
    double write_bytes = 0; ///< streamed to per-element lists
    int read_lists = 0;     ///< independent input streams
    int write_lists = 0;

    // arithmetic per element (library::OperationCounts)
    double flops = 0;
    double divisions = 0;
    double square_roots = 0;
    double transcendentals = 0;
    double fused = 0; ///< pairs of flops that are one FMA each, all others being single; 0: not known, as of candidates

    // on-chip traffic per element
    double shared_wavefronts = 0; ///< 128-byte passes of the shared-memory pipe, bank conflicts included
    double l1_wavefronts = 0;     ///< passes of direct (unstaged) strided loads
    double store_requests = 0;    ///< 32-byte sectors requested by direct strided stores beyond the full ones
    double instructions = 0;      ///< warp-instructions per element (thread instructions / 32)
    double spill_bytes = 0;       ///< predicted local-memory traffic
    /// Of a thread that takes part in every step, one step after another: sum over steps of thread-instructions / threads at work. Where all
    /// threads work all the time, 32 * instructions * elements_per_block / threads_per_block.
    double path_instructions = 0;
    /// Cycles of the longest chain of dependent instructions of a thread, at the device's latencies while nothing else runs. 0: not known, as
    /// of candidates and measured kernels.
    double critical_path_cycles = 0;
    /// Lanes that warps issue per lane that works, at least 1: a warp of which few lanes work takes the slots of all.
    double lane_slots = 1;
    /// The same of arithmetic alone, which the floating-point and special-function pipes see: copies are made by all lanes.
    double arithmetic_lane_slots = 1;

    // shape of the launch
    int elements_per_block = 1;
    int threads_per_block = 1;
    int shared_bytes = 0; ///< per block
    int registers = 32;   ///< per thread, estimated
    RegisterDemand demand;
    int registers_needed = 32; ///< the same where the device has no limit
    int block_barriers = 0;
    int warp_barriers = 0;
    int exchanges = 0;          ///< values that a thread takes from others of its warp, one after another
    int remaps = 0;             ///< places where consecutive calls use different threads per instance
    int dependent_phases = 1;   ///< global-memory round trips that wait for each other
    double allocated_bytes = 0; ///< host: of lists that ordinary stores write and nothing has loaded: their lines are read first
    bool async_copies = false;  ///< staging does not pass through registers
    bool repeated = false;      ///< the launch before it read and wrote the same lists; false in candidates
    Arithmetic in_float;        ///< of a kernel of both precisions: what of its arithmetic is in float, the rest is in double

    /// The same work one step after another, in the order of the kernel: the counts above are sums over them. Empty unless the model asks for
    /// them (CostModel::needs_steps), and in a lower bound of work.
    std::vector<WorkStep> steps;

    /// Vector instructions of a tile of SIMD lanes. Those of a warp of elements, which are counted one for all, are of one element each.
    /// Pre: the work of a host's kernel.
    double instructions_of_tile() const { return 32 * instructions; }
    /// Whether results that go past the caches wait in the first level until the next tile has loaded. Pre: as above.
    bool results_wait() const { return instructions_of_tile() > longest_overlapped; }
    /// Whether the loop over tiles has a tile in its body. Pre: as above.
    bool is_inlined() const { return instructions_of_tile() <= longest_inlined; }
};

enum class Bound {
    dram,
    l2,
    shared,
    issue,
    fma,
    sfu,
    latency,
    launch
};

/// The JSON spelling: "dram", "l2", ...
std::string_view to_string(Bound bound);

struct Cost {
    double seconds = 0; ///< device time of one launch for all elements, queued back to back
    Bound bound_by = Bound::dram;
};

/// A calibrated or uncalibrated predictor for one device. Deterministic and thread-safe.
class CostModel {
public:
    virtual ~CostModel() = default;

    /// Work that it prices has its steps.
    virtual bool needs_steps() const { return false; }
    virtual Cost cost(const KernelWork& work, std::uint64_t elements) const = 0;
    /// The seconds of `cost` alone, the same to the last bit.
    virtual double seconds(const KernelWork& work, std::uint64_t elements) const { return cost(work, elements).seconds; }
    /// No kernel that moves these bytes and does these flops can be predicted cheaper: cost(w) >= lower_bound(w.read_bytes, ...).
    virtual double lower_bound(double read_bytes, double write_bytes, double flops, Precision precision, std::uint64_t elements) const = 0;
    /// Closer, and slower to find: cost(w) >= least_seconds(l) for every w with the bytes and the precision of l whose other traffic and
    /// arithmetic is at least that of l (`l1_wavefronts` counted in `shared_wavefronts`). The shape of l's launch does not matter; on a GPU
    /// every element of a block of w has a thread at least, as in all candidates (elements_per_block <= threads_per_block).
    virtual double least_seconds(const KernelWork& least, std::uint64_t elements) const { return bound_of(least, elements); }
    /// The lower bound of a kernel; of one of both precisions, that of the cheaper one.
    double bound_of(const KernelWork& least, std::uint64_t elements) const {
        const auto bound = [&](Precision precision) {
            return lower_bound(least.read_bytes, least.write_bytes, least.flops, precision, elements);
        };
        return least.in_float.flops == 0 ? bound(least.precision) : std::min(bound(Precision::f32), bound(Precision::f64));
    }
};

/// A prediction to 40 significant bits (12 digits). std::pow is not correctly rounded and its last bits differ between C libraries and
/// processors; predictions are compared with each other only after this, so that the same kernels are chosen everywhere. Monotone:
/// rounding both keeps a lower bound below what it bounds.
double rounded_prediction(double seconds);

} // namespace fusec::fusion
