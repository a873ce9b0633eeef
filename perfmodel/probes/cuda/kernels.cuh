// SPDX-License-Identifier: Apache-2.0
// Kernels that the compiler has emitted to be measured: what stands in emitted*.cu beside this file, and what kernels.cu has to know of it.
#pragma once

#include "probe.cuh"

namespace fusec::probe {

/// A list of a kernel, in the order of its parameters.
struct EmittedList {
    int component_bytes; ///< 4 or 8
    int components;      ///< of an element
    bool uniform;        ///< one value for all elements
    bool written;
    const double* values;  ///< of EmittedKernel::cases elements, which repeat; written: what the reference computes
    const double* allowed; ///< written: how far from it each may be; below 0: anything. Else null
};

struct EmittedKernel {
    const char *role, *name, *program; ///< as the row says them
    int seed;                          ///< of a generated program; else 0
    const char* work;                  ///< JSON that the import reads
    int block;                         ///< threads
    int tile;                          ///< elements of a block
    int shared_bytes;                  ///< of a block, dynamic
    int repeated;                      ///< 0: the kernel does its calls once; else as often as it is told, a multiple of this
    bool cached;                       ///< lists that the second-level cache holds; else four times as much
    bool sweep;                        ///< measured at every number of resident blocks
    std::vector<int> extra_shared;     ///< else: with so many bytes of shared memory that nobody uses, ascending from 0
    int cases;
    std::vector<EmittedList> lists;
    const void* function;
    void (*launch)(unsigned blocks, std::size_t elements, int shared_bytes, int repetitions, void* const* lists);
};

/// All of them, in the order in which they are measured.
std::vector<EmittedKernel> emitted_kernels();

/// A kernel as the runtime of CUDA knows it.
template <class... Parameters>
const void* address_of(void (*kernel)(Parameters...)) {
    return reinterpret_cast<const void*>(kernel);
}

} // namespace fusec::probe
