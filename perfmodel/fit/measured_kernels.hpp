// SPDX-License-Identifier: Apache-2.0
// The kernels of the public benchmarks as work: what one thread of each reads, writes and computes.
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"

namespace fusec::perfmodel {

/// A thread loads one number or several, computes, and stores one number or none; neighbours stand side by side.
struct StreamKernel {
    const char* name;
    int lists_read = 0; ///< from memory
    int loads = 0;      ///< of a thread; more than lists_read where neighbours' numbers are read too, which L1 has
    int stores = 0;
    double flops = 0;
    double fused = 0;      ///< pairs of them that are one FMA
    double arithmetic = 0; ///< instructions
};

/// The kernels of gpu-stream. A triad of three lists is b[i] * d[i] + c[i], of two b[i] * s + c[i]; stencils weigh each neighbour.
inline constexpr StreamKernel init_kernel{"init", 0, 0, 1, 0, 0, 0};
inline constexpr StreamKernel read_kernel{"read", 1, 1, 0, 0, 0, 1};
inline constexpr StreamKernel scale_kernel{"scale", 1, 1, 1, 1, 0, 1};
inline constexpr StreamKernel triad_kernel{"triad", 3, 3, 1, 2, 1, 1};
inline constexpr StreamKernel triad_of_two_kernel{"triad", 2, 2, 1, 2, 1, 1};
inline constexpr StreamKernel three_point_kernel{"3pt", 1, 3, 1, 5, 2, 3};
inline constexpr StreamKernel five_point_kernel{"5pt", 1, 5, 1, 9, 4, 5};

/// Those of the compiler's own probes (perfmodel/probes/cuda) that the benchmark does not have: a + b, a * b + c + d, and a copy.
inline constexpr StreamKernel add_kernel{"add", 2, 2, 1, 1, 0, 1};
inline constexpr StreamKernel four_kernel{"four", 4, 4, 1, 3, 1, 2};
inline constexpr StreamKernel copy_kernel{"copy", 1, 1, 1, 0, 0, 0};

/// One double of each list per thread, `block` threads per block. A thread executes eight instructions besides its loads, stores
/// and arithmetic (index, bounds, a flag that is false, exit), and one per list for the address. `resident` > 0: so much shared memory
/// that this many blocks are resident on a multiprocessor; 0: none. Returns work without threads if no amount does that.
fusion::KernelWork stream_work(const StreamKernel& kernel, int block, int resident, const fusion::DeviceLimits& limits);

/// gpu-roofline: blocks of 256 threads that loop over `passes` pairs of floats each; the work of a pair is 2 + 2 fmas flops in
/// fmas + 1 instructions, two loads and two instructions of the loop.
fusion::KernelWork roofline_work(int fmas, int passes);

/// Blocks of 256 threads with `registers` each that load two floats and do `fmas` FMAs with them, `resident` on a multiprocessor; `staged`: both
/// floats go through shared memory, behind a barrier. Returns work without threads if no amount of shared memory leaves so many blocks.
fusion::KernelWork overlap_work(int fmas, int registers, int resident, bool staged, const fusion::DeviceLimits& limits);

/// Threads with `registers` each that copy `loads` words of `bytes`, a block's side by side.
fusion::KernelWork wide_copy_work(int bytes, int loads, int block, int registers);

/// A chain of `fmas` FMAs of floats, each of which waits `latency` cycles for the one before, in a loop of four; nothing is read or stored.
fusion::KernelWork computing_work(int fmas, int block, double latency);
/// So many has that of the probes (perfmodel/probes/cuda/launches.cu).
inline constexpr int computing_fmas = 4096;

/// A thread adds up `words` floats that lie side by side, `stride` floats behind those of its neighbour.
fusion::KernelWork scattered_work(int words, int stride, int block);

/// A chain of `loads` pointers of 8 bytes in one block, of which a warp follows one.
fusion::KernelWork chase_work(int loads);

} // namespace fusec::perfmodel
