// SPDX-License-Identifier: Apache-2.0
// Internal to perfmodel/analysis: what one access of a warp costs, from the addresses of its lanes.
#pragma once

#include "perfmodel/analysis/kernel_profile.hpp"

#include <array>
#include <cstdint>

namespace fusec::perfmodel::analysis {

/// The lanes of a warp at one execution of an access.
struct WarpAccess {
    std::uint32_t lanes = 0; ///< those that take part
    std::array<std::int64_t, 32> addresses{};
    std::uint32_t base = 0;
    bool known = true; ///< all addresses are, and have one base
};

struct WarpCost {
    Pattern pattern = Pattern::single;
    std::int64_t stride_bytes = 0;
    int transactions = 0;
    int least = 0;
    double l1_passes = 0; ///< of a load from global memory that goes by registers: as of fusion::direct_load_wavefronts
};

/// Sectors of 32 bytes (global, local, constant) or passes of the 32 banks of 4 bytes (shared). Addresses count from a multiple of 128; those of
/// local memory are each thread's own, whose words the device lays out lane beside lane (CUDA C++ Programming Guide, "Local Memory"): `unit` if
/// all lanes access the same place of theirs.
/// Of addresses that are not known the worst is taken: a sector, or a pass, for each lane. Pre: lanes is not 0, bytes in 1 .. 16.
WarpCost warp_cost(const WarpAccess& access, Space space, int bytes);

} // namespace fusec::perfmodel::analysis
