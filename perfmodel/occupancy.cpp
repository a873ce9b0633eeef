// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/occupancy.hpp"

#include <algorithm>

namespace fusec::perfmodel {

namespace {

int round_up(int value, int granule) {
    return (value + granule - 1) / granule * granule;
}

/// Registers are given to a warp 8 per thread at a time (256 per warp of 32), out of a quarter of the file: each of the four
/// schedulers owns a partition (CUDA occupancy calculator, unit of allocation "warp").
constexpr int register_granule = 8;
constexpr int partitions = 4;
/// Shared memory is given out in units of 128 bytes (CUDA occupancy calculator, compute capability 8.0 and later).
constexpr int shared_granule = 128;

} // namespace

int resident_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work) {
    if (work.threads_per_block < 1 || work.threads_per_block > limits.threads_per_block || work.registers > limits.registers_per_thread ||
        work.shared_bytes > limits.shared_bytes_per_block) {
        return 0;
    }
    const int warps = (work.threads_per_block + limits.warp_size - 1) / limits.warp_size;
    const int by_warps = limits.threads_per_sm / limits.warp_size / warps;
    const int registers_per_warp = round_up(std::max(work.registers, 1), register_granule) * limits.warp_size;
    const int by_registers = limits.registers_per_sm / partitions / registers_per_warp * partitions / warps;
    const int shared = round_up(work.shared_bytes, shared_granule) + limits.shared_bytes_reserved;
    const int by_shared = shared == 0 ? limits.blocks_per_sm : limits.shared_bytes_per_sm / shared;
    return std::min({limits.blocks_per_sm, by_warps, by_registers, by_shared});
}

int promised_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work) {
    constexpr int many_registers = 32; // with so many, and fewer, all threads that fit are resident
    fusion::KernelWork wide = work;
    if (work.registers > many_registers) {
        wide.registers = std::min(limits.registers_per_thread, work.registers * 5 / 4);
    }
    return resident_blocks(limits, wide);
}

} // namespace fusec::perfmodel
