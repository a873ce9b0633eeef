// SPDX-License-Identifier: Apache-2.0
// How a target spells what kernels and their launch code say. A target with another runtime is another row.
#pragma once

#include <string_view>

namespace fusec::codegen {

struct Dialect {
    std::string_view name;           ///< for messages and comments: "CUDA"
    std::string_view runtime_header; ///< "cuda_runtime.h"
    std::string_view copies_header;  ///< of asynchronous copies
    std::string_view copies_prefix;  ///< how the names of that header start
    std::string_view kernel;         ///< qualifier of a kernel
    std::string_view launch_bounds;  ///< opening of the attribute that bounds the threads of a block
    std::string_view restrict_pointer;
    std::string_view thread_index;
    std::string_view block_index;
    std::string_view unroll_short;  ///< before a loop that must be if it has few passes
    std::string_view unroll;        ///< before a loop that must be unrolled
    std::string_view await_copies;  ///< statements, a line each: the asynchronous copies of this thread have arrived
    std::string_view block_barrier; ///< statement
    std::string_view warp_barrier;  ///< statement
    std::string_view arch_macro;    ///< compute capability times 100 while device code is compiled
    std::string_view error_type;
    std::string_view success;
    std::string_view invalid_value;
};

extern const Dialect cuda_dialect;

} // namespace fusec::codegen
