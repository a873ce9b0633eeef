// SPDX-License-Identifier: Apache-2.0
// The predictor `pipeline`, after Zhang Jianding, Chen Genlang, Ming Zongyu: task lists (pipeline_tasks.hpp) run on a simulated multiprocessor
// (pipeline_simulator.hpp); launch, cycles and uncoalesced accesses go through a learned correction (pipeline_correction.hpp).
//
// Its figures: [latency], speed.dram_latency, speed.shared_latency, pipeline.launch, pipeline.launch_per_thread, pipeline.memory_capacity.
// Reconstructed [X]: "the capacity of the sub-pipes is determined by the hardware". A task keeps its place for its whole latency, so a sub-pipe that
// takes r warp-instructions a cycle holds r * latency of them: SP and DP lanes / 32 of speed.fma_f32 and fma_f64, SFU speed.special / 32,
// shared memory speed.shared_wavefronts. Memory holds what the device has in flight at its bandwidth, which is the only bandwidth here: the
// source has none. A multiprocessor runs its even share of blocks, as many at a time as are resident; of more than that, one such
// wave is simulated and multiplied.
//
// What is simulated is bounded: of at most `most_tasks` tasks of all resident warps, lists are shortened to a share (tasks_of). What is left out takes
// the mean of two estimates. By the one each task costs what one of its run does when all warps are in that run (steady_cost): runs are phases that
// warps go through together, but stores and asynchronous loads go on beside what follows them. By the other time goes on growing with the share as it
// does from half the share to all of it: runs of different warps overlap as they do in what is simulated, whose ends weigh too much. The latter counts
// for less where the share is below an eighth, four times the share. The quantities "tasks of a warp", "tasks simulated" (of the greater share) and
// "cycles extrapolated" show it. Beside simulations of whole lists, waves of 6000 random kernels, most of which are simulated whole, are 0.1 % off in the
// mean and 18 at worst; with lists eight times as long 2 % and 58 (pipeline_test.cpp has a hundred of each).
#pragma once

#include "perfmodel/pipeline_correction.hpp"
#include "perfmodel/pipeline_simulator.hpp"
#include "perfmodel/pipeline_tasks.hpp"
#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

namespace pipeline {

/// l = a * nt + b, equation (1): the time of an empty kernel of nt threads. The source's, of an RTX 2080 Ti: 3.824e-6 nt + 2.882, in us [X: it
/// does not give the unit].
struct LaunchLaw {
    double us_per_thread = 3.824e-6, us = 2.882;
    double at(double nt) const { return us_per_thread * nt + us; }
};

/// Cycles per task of a run while `warps` warps are in it, of ever so many tasks: the chains of a warp, the schedulers with a cycle lost whenever a
/// warp's chains all wait, or the places of the sub-pipe.
double steady_cost(const Run& run, const Sm& sm, int warps);

/// The count of the source's memory model: accesses of one warp whose addresses are not next to each other or at one place. The source defines
/// coalesced addresses as adjacent, and recognises them by a "constant fluctuation" about the thread's index or by independence of it. The former is
/// taken to be the index plus a constant [X]: any constant distance would take in lists of structures, which ask for more sectors.
double uncoalesced_accesses(const fusion::KernelWork& work, const fusion::DeviceLimits& limits);

} // namespace pipeline

/// Pre: a CUDA device that has all of pipeline_needs.
class PipelinePredictor final : public StepPredictor {
public:
    explicit PipelinePredictor(Device device);

    std::string name() const override { return "pipeline"; }
    /// "correction: uncorrected", or "correction: log-linear, " and the source of its figures.
    std::string label() const override;
    /// Infinite if not one block fits on a multiprocessor. Throws InternalError if work has no steps, but for no elements.
    Breakdown explain(const fusion::KernelWork& work, std::uint64_t elements) const override;

    /// What the correction is trained on: features and time without a correction; `measured` is 0. Pre: as of explain, a block fits, and
    /// there are elements.
    pipeline::Sample sample(const fusion::KernelWork& work, std::uint64_t elements) const;

    static constexpr double most_tasks = 24576;

private:
    struct Cycles {
        double cycles = 0, extrapolated = 0, simulated = 0;
        std::array<double, pipeline::units> occupied{}; ///< tasks * latency
        double issued = 0;
    };
    /// A launch before its correction.
    struct Launch {
        double nt = 0, launch = 0;   ///< threads; s
        double tasks = 0, waves = 0; ///< tasks of a warp
        int at_a_time = 0;           ///< blocks
        Cycles wave;
        double cycles = 0;
        pipeline::Features features;
        double uncorrected = 0; ///< s
    };
    Launch launch_of(const fusion::KernelWork& work, std::uint64_t elements, int resident) const;
    /// Of so many blocks at a time.
    Cycles run(const std::vector<pipeline::Run>& runs, int warps, int blocks) const;
    pipeline::Simulation simulate(const std::vector<pipeline::Run>& runs, int warps, int blocks, double share) const;

    Device device_;
    pipeline::Latencies latencies_;
    pipeline::Sm sm_;
    pipeline::LaunchLaw law_;
    pipeline::Corrected corrected_;
};

inline constexpr const char* pipeline_needs[] = {"latency.arithmetic_f32", "latency.arithmetic_f64", "latency.integer", "latency.special",
    "pipeline.launch", "pipeline.launch_per_thread", "pipeline.memory_capacity"};
/// Not the figures of the correction: those are trained (perfmodel/fit/pipeline_training.hpp), when the others are fitted.
inline constexpr const char* pipeline_fits[] = {
    "pipeline.launch", "pipeline.launch_per_thread", "speed.dram_latency", "pipeline.memory_capacity"};
/// False after reporting that the device has some of the correction's figures only.
bool pipeline_ready(const Device& device, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
