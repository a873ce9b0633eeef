// SPDX-License-Identifier: Apache-2.0
// What one warp of a kernel does: the view that models of warps start from (Hong and Kim; Kleimenov and Popova; Zhang and others).
#pragma once

#include "fusion/cost_model.hpp"
#include "fusion/target.hpp"

namespace fusec::perfmodel {

/// Of the mean warp of a block, from its first instruction to its last.
struct WarpWork {
    double warps_per_block = 1;
    double instructions = 0;          ///< warp-instructions, of half-empty warps too
    double coalesced = 0;             ///< global accesses whose threads stand side by side or at one place
    double uncoalesced = 0;           ///< all others
    double sectors_per_coalesced = 0; ///< 32-byte sectors of one such access; 0 where there is none
    double sectors_per_uncoalesced = 0;
    double bytes = 0;    ///< of lists, read and written
    double barriers = 0; ///< that it waits at: of the block

    double accesses() const { return coalesced + uncoalesced; }
};

/// Pre: the work has its steps, and blocks of at least one thread. Linear in the steps.
WarpWork warp_work(const fusion::KernelWork& work, const fusion::DeviceLimits& limits);

} // namespace fusec::perfmodel
