// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/occupancy.hpp"

#include <algorithm>

namespace fusec::perfmodel {

namespace {

int round_up(int value, int granule) {
    return (value + granule - 1) / granule * granule;
}

} // namespace

// As the CUDA occupancy calculator has it for registers that are given to warps: the warps that the file holds, rounded down to a multiple of its
// "warp allocation granularity", are those that its partitions hold.
int resident_blocks(const fusion::DeviceLimits& limits, const fusion::KernelWork& work) {
    if (work.threads_per_block < 1 || work.threads_per_block > limits.threads_per_block || work.registers > limits.registers_per_thread ||
        work.shared_bytes > limits.shared_bytes_per_block) {
        return 0;
    }
    const int warps = (work.threads_per_block + limits.warp_size - 1) / limits.warp_size;
    const int by_warps = limits.threads_per_sm / limits.warp_size / warps;
    const int registers_per_warp = round_up(std::max(work.registers, 1) * limits.warp_size, limits.register_granule);
    const int by_registers = limits.registers_per_sm / limits.register_partitions / registers_per_warp * limits.register_partitions / warps;
    const int shared = round_up(work.shared_bytes, limits.shared_granule) + limits.shared_bytes_reserved;
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
