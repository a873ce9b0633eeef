// SPDX-License-Identifier: Apache-2.0
#include "codegen/dialect.hpp"

namespace fusec::codegen {

const Dialect cuda_dialect = {
    .name = "CUDA",
    .runtime_header = "cuda_runtime.h",
    .copies_header = "cuda_pipeline_primitives.h",
    .copies_prefix = "__pipeline_",
    .kernel = "__global__",
    .launch_bounds = "__launch_bounds__",
    .restrict_pointer = "__restrict__",
    .thread_index = "threadIdx.x",
    .block_index = "blockIdx.x",
    .unroll_short = "_Pragma(\"unroll 256\")",
    .unroll = "_Pragma(\"unroll\")",
    .await_copies = "__pipeline_commit();\n__pipeline_wait_prior(0);\n",
    .block_barrier = "__syncthreads();",
    .warp_barrier = "__syncwarp();",
    .arch_macro = "__CUDA_ARCH__",
    .error_type = "cudaError_t",
    .success = "cudaSuccess",
    .invalid_value = "cudaErrorInvalidValue",
};

} // namespace fusec::codegen
