// SPDX-License-Identifier: Apache-2.0
// The predictor `wave`: the model of wave.hpp for a kernel of this compiler.
//
// Its figures. Latencies: [latency], speed.dram_latency, speed.shared_latency. Processing blocks are the schedulers. Delays by delay_inst: units of
// a processing block are the rates of a multiprocessor over their number; loads, stores and passes of shared memory go through as many units as a pass has words of 4
// bytes. Bands: 128 bytes for each of speed.shared_wavefronts, speed.l2, the peak that the streams of the device reach at the kernel's
// mix of reads and writes (stream.hpp), wave.uncoalesced_band. l1pct and l2pct, which the source asks of the user for each kernel: what accesses
// ask for beyond one reading of the lists hits L1; of the rest, wave.l1_share and wave.l2_share, and in L2 what the launch before left there
// (l2_hits). An uncoalesced access takes at least as long as DRAM, and its bytes
// pass the band of such accesses, also where others have asked for them before: the source's lat(sm) gives the shares of the caches to coalesced accesses
// alone. A prediction says how many there are ("uncoalesced beyond one reading").
//
// What the source takes from LLVM IR comes from the kernel's steps instead (step_mix.hpp); kernels have no loops. [Ours]
//   - The instructions of a class in a step are `parallel_chains` chains side by side, which start by the source's rule (wave::starts):
//     n max(delay, latency / chains) cycles.
//   - A thread waits for memory once per round trip (WorkStep::round_trip), and once at its end if it stores: it has ended when its last store
//     has. Without the latter a kernel that only stores would not be slowed by any bandwidth.
//   - Shared memory: bank conflicts, which the source has not, are instructions.
//   - The lines of a launch: where the device has those of the sizes of block that are measured (wave.launch_x1_W, wave.launch_x2_W of W warps),
//     these and what lies between them. The source measures every size. Elsewhere one law, of which figures can be fitted to other kernels:
//     x1 is wave.launch_per_block + wave.launch_per_warp * warps, x2 speed.launch.
#pragma once

#include "perfmodel/predictor.hpp"
#include "perfmodel/wave.hpp"

#include <vector>

namespace fusec::perfmodel {

/// Pre: a CUDA device that has all of wave_needs.
class WavePredictor final : public StepPredictor {
public:
    explicit WavePredictor(Device device);

    std::string name() const override { return "wave"; }
    /// Infinite if not one block fits on a multiprocessor. Linear in steps * warps of a multiprocessor. Throws InternalError if work has no
    /// steps, but for no elements.
    Breakdown explain(const fusion::KernelWork& work, std::uint64_t elements) const override;

    /// Dependent arithmetic that a thread has side by side: an assumption for all kernels.
    static constexpr std::size_t parallel_chains = 4;

private:
    struct Class {
        double lat = 0, del = 1;
        double interval = 1; ///< cycles from one to the next of a warp
    };
    static Class class_of(double lat, double del);

    /// The warps of one block, the longest first.
    std::vector<wave::Warp> warps_of_block(const fusion::KernelWork& work) const;
    wave::LaunchLine launch_of(double warps) const;
    wave::Wave wave_of(const std::vector<wave::Warp>& block, const wave::PerLevel& mem_of_block, double blocks, double resident) const;

    Device device_;
    wave::Gpu gpu_;
    Class f32_, f64_, integer_, special_, shared_, global_;
    wave::PerLevel share_;
    double launch_per_block_ = 0, launch_per_warp_ = 0; ///< s
    std::vector<wave::SizedLine> launch_lines_;         ///< s; none: the law of these
};

/// Warps of the blocks of which the probes launch empty kernels (perfmodel/probes/cuda/launches.cu).
inline constexpr int launched_warps[] = {1, 4, 8, 32};

inline constexpr const char* wave_needs[] = {"latency.arithmetic_f32", "latency.arithmetic_f64", "latency.integer", "latency.special",
    "latency.l1", "latency.l2", "wave.integer_rate", "wave.uncoalesced_latency", "wave.uncoalesced_band", "wave.l1_share", "wave.l2_share",
    "wave.launch_per_block", "wave.launch_per_warp"};
inline constexpr const char* wave_fits[] = {"speed.launch", "speed.dram_latency", "speed.l2", "stream.read.peak", "stream.write.peak",
    "stream.copy.peak", "stream.mixed.peak", "latency.l2", "wave.uncoalesced_latency", "wave.uncoalesced_band", "wave.launch_per_block",
    "wave.launch_per_warp"};

} // namespace fusec::perfmodel
