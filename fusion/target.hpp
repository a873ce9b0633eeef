// SPDX-License-Identifier: Apache-2.0
// What a device allows: the limits that make a candidate legal. Figures come from perfmodel/devices; speed is not known here.
#pragma once

namespace fusec::fusion {

enum class Target {
    cuda,
    host
};

/// Hard limits of the target. Bytes and counts; for `host` only `target` and `vector_bytes` matter. Granules and partitions that a description
/// does not give are those of compute capability 8.0 and later (CUDA occupancy calculator; before Ampere shared memory went by 256 bytes).
struct DeviceLimits {
    Target target = Target::cuda;
    int arch = 90; ///< compute capability times ten
    int warp_size = 32;
    int threads_per_block = 1024;
    int threads_per_sm = 2048;
    int blocks_per_sm = 32;
    int registers_per_sm = 65536;
    int registers_per_thread = 255;
    int shared_bytes_per_block = 232448; ///< with opt-in
    int shared_bytes_per_sm = 233472;
    int shared_bytes_reserved = 1024; ///< per resident block, taken by the system
    int register_granule = 256;       ///< registers that a warp is given at a time
    int register_partitions = 4;      ///< equal parts of the register file, one for each scheduler; a warp's are of one
    int shared_granule = 128;         ///< bytes of shared memory that a block is given at a time
    int sm_count = 132;
    int vector_bytes = 32; ///< host: bytes of one SIMD register
    /// Host: bytes of values that a kernel may keep on its thread's stack. A quarter of the 8 MiB that Linux and OpenMP give by default,
    /// so that kernels run on stacks of 4 MiB as well.
    int stack_bytes = 2 << 20;
    /// CUDA: bytes of a kernel's parameters that every toolkit takes (4 KiB; from CUDA 12.1 on and sm_70 on it is 32,764). No figure of a
    /// device: the output promises to be compiled by nvcc of CUDA 11.8.
    int parameter_bytes = 4096;

    bool has_async_copy() const { return target == Target::cuda && arch >= 80; }
};

} // namespace fusec::fusion
