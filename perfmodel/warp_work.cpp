// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/warp_work.hpp"

#include <cmath>

namespace fusec::perfmodel {

WarpWork warp_work(const fusion::KernelWork& work, const fusion::DeviceLimits& limits) {
    WarpWork result;
    result.warps_per_block = std::ceil(static_cast<double>(work.threads_per_block) / limits.warp_size);
    const double elements_per_warp = work.elements_per_block / result.warps_per_block;
    // KernelWork counts instructions for warps of 32.
    result.instructions = work.instructions * work.lane_slots * elements_per_warp * 32 / limits.warp_size;
    result.bytes = (work.read_bytes + work.write_bytes) * elements_per_warp;
    double coalesced_sectors = 0, uncoalesced_sectors = 0;
    for (const fusion::WorkStep& step : work.steps) {
        result.barriers += step.kind == fusion::WorkStep::Kind::block_barrier ? 1 : 0;
        for (const fusion::GlobalAccess& access : step.accesses) {
            const bool side_by_side = access.addressing != fusion::Addressing::strided;
            (side_by_side ? result.coalesced : result.uncoalesced) += access.count * elements_per_warp / limits.warp_size;
            (side_by_side ? coalesced_sectors : uncoalesced_sectors) += access.sectors * elements_per_warp;
        }
    }
    result.sectors_per_coalesced = result.coalesced == 0 ? 0 : coalesced_sectors / result.coalesced;
    result.sectors_per_uncoalesced = result.uncoalesced == 0 ? 0 : uncoalesced_sectors / result.uncoalesced;
    return result;
}

} // namespace fusec::perfmodel
