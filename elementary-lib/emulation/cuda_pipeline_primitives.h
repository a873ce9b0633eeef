// SPDX-License-Identifier: Apache-2.0
// Stands in for the CUDA toolkit's header of this name: asynchronous copies from global to shared memory.
#pragma once

#include "shared_pointer.h"

/// Of 4, 8 or 16 bytes, with both addresses a multiple of that.
template <class T>
void __pipeline_memcpy_async(fusec_emulation::shared_pointer<T> to, const void* from, std::size_t bytes) {
    fusec_emulation::copy_async(to, from, static_cast<unsigned>(bytes));
}
/// The calling thread's copies so far are a batch; those of no batch are not waited for.
inline void __pipeline_commit() {
    fusec_emulation::machine->commit_copies();
}
/// All but the calling thread's last `batches` batches have arrived, for this thread. The machine models 0.
inline void __pipeline_wait_prior(std::size_t batches) {
    fusec_emulation::machine->wait_batches(batches);
}
