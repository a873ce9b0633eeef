// SPDX-License-Identifier: Apache-2.0
// The predictor of Filipovic's fusion compiler ("Mapped functions, fusion of kernels", slide "Performance prediction"): the times of single
// routines in a simulated fusion, added up. A GPU overlaps transfers with computation, so the greater of the two sums counts, plus a constant
// for each place where coordinates of threads are computed anew:
//     T = max(sum of compute routines' t_r(S - S_r, B), sum of kept transfer routines' t_r(S - S_r, B)) + n_remap * c_remap
// The source says this in words; its formula is written here from them. S is the shared memory of the fusion's block, S_r what the routine has
// in its own kernel, B the block's size: its elements, as in the source's figure of times ("operations in block"). Ours: times are per element,
// c_remap too; between measured points they are interpolated; a transfer is kept if the kernel makes it; of a host's routine whose operands are
// one value the part of its time counts that its arithmetic has of the routine's with two (its time was divided by that part when it was measured).
// Neglected, as the source says: imperfect overlap at low parallelism, threads that idle, the mix of routines. Nor is the launch in it:
// the predictor adds that of the device.
#pragma once

#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

/// Nanoseconds per element.
struct BenchmarkInputs {
    std::vector<double> compute;  ///< t_r of each compute routine
    std::vector<double> transfer; ///< t_r of each transfer that the fusion keeps
    double n_remap = 0;
    double c_remap = 0;
};

struct Benchmark {
    double compute = 0; ///< sums
    double transfer = 0;
    double remap = 0; ///< n_remap * c_remap
    double t = 0;     ///< T
};

Benchmark benchmark(const BenchmarkInputs& inputs);

/// A kernel with a routine that the table lacks is infinitely slow, and its quantities name the routine: the predictor knows nothing of it.
/// Of a host's kernels two kinds of routines take no time: what is derived from uniforms, once in a launch, and those without an instruction.
/// Pre: the device has benchmark.remap and times of routines (benchmark_ready).
std::unique_ptr<Predictor> make_benchmark(const Device& device);
/// Reports a device without times of routines.
bool benchmark_ready(const Device& device, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
