// SPDX-License-Identifier: Apache-2.0
// Stands in for the CUDA toolkit's header of this name: asynchronous copies from global to shared memory (plain ones before sm_80, as there).
#pragma once

#include "cuda_runtime.h"

/// Pre: bytes is 4, 8 or 16, a constant once inlined.
FUSEC_TOOLKIT_INLINE void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
#if __CUDA_ARCH__ >= 800
    auto* const shared = (__attribute__((address_space(3))) void*)to;
    auto* const global = (const __attribute__((address_space(1))) void*)from;
    if (bytes == 4)
        __nvvm_cp_async_ca_shared_global_4(shared, global);
    else if (bytes == 8)
        __nvvm_cp_async_ca_shared_global_8(shared, global);
    else // past the L1 cache, as the toolkit has it
        __nvvm_cp_async_cg_shared_global_16(shared, global);
#else
    if (bytes == 4)
        *(unsigned*)to = *(const unsigned*)from;
    else if (bytes == 8)
        *(uint2*)to = *(const uint2*)from;
    else
        *(uint4*)to = *(const uint4*)from;
#endif
}
FUSEC_TOOLKIT_INLINE void __pipeline_commit() {
#if __CUDA_ARCH__ >= 800
    __nvvm_cp_async_commit_group();
#endif
}
/// Pre: batches is a constant once inlined, 0 to 3.
FUSEC_TOOLKIT_INLINE void __pipeline_wait_prior(std::size_t batches) {
#if __CUDA_ARCH__ >= 800
    if (batches == 0)
        __nvvm_cp_async_wait_group(0);
    else if (batches == 1)
        __nvvm_cp_async_wait_group(1);
    else if (batches == 2)
        __nvvm_cp_async_wait_group(2);
    else
        __nvvm_cp_async_wait_group(3);
#endif
}
