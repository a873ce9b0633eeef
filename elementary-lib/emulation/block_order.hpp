// SPDX-License-Identifier: Apache-2.0
// The order in which the blocks of a grid run, one at a time: a faulty launch may ask for billions.
#pragma once

#include "elementary-lib/emulation/machine_interface.h"

#include <cstdint>
#include <numeric>
#include <random>

namespace fusec::emulation {

/// Order of what a kernel leaves unordered: the blocks of a grid, and the threads of a block between two barriers. Right results do not
/// depend on it.
enum class Schedule {
    forward,
    reverse,
    shuffled
};

/// Every block once, in O(1) memory: start, start + step, start + 2 step, ... modulo the number of blocks, of which step is no divisor.
class BlockOrder {
public:
    /// Pre: no dimension of the grid is 0, and the grid has at most 2^63 blocks (what the device accepts).
    BlockOrder(const dim3& grid, Schedule schedule, std::mt19937_64& random)
        : grid_(grid), blocks_(std::uint64_t{grid.x} * grid.y * grid.z), left_(blocks_) {
        switch (schedule) {
        case Schedule::forward:
            break;
        case Schedule::reverse:
            next_ = step_ = blocks_ - 1;
            break;
        case Schedule::shuffled:
            next_ = random() % blocks_;
            do {
                step_ = random() % blocks_;
            } while (std::gcd(step_, blocks_) != 1);
            break;
        }
    }

    bool done() const { return left_ == 0; }
    /// Pre: !done().
    uint3 take() {
        const uint3 block{static_cast<unsigned>(next_ % grid_.x), static_cast<unsigned>(next_ / grid_.x % grid_.y),
            static_cast<unsigned>(next_ / grid_.x / grid_.y)};
        --left_;
        next_ = (next_ + step_) % blocks_;
        return block;
    }

private:
    dim3 grid_;
    std::uint64_t blocks_, left_;
    std::uint64_t next_ = 0, step_ = 1;
};

} // namespace fusec::emulation
