// SPDX-License-Identifier: Apache-2.0
#include "bench/kernel_structure.hpp"

#include <fmt/format.h>

namespace fusec::bench {

std::string structure_of(const fusion::KernelWork& work) {
    std::string text = fmt::format("{} {} {} {} {} {} {}", static_cast<int>(work.precision), work.elements_per_block,
        work.threads_per_block, work.shared_bytes, work.block_barriers, work.warp_barriers, work.async_copies);
    for (const fusion::WorkStep& step : work.steps) {
        text += fmt::format("; {} {} {} {}", static_cast<int>(step.kind), step.index, step.threads,
            step.routine == nullptr ? std::string() : *step.routine);
    }
    return text;
}

std::string accesses_of(const fusion::KernelWork& work) {
    std::string text;
    for (const fusion::WorkStep& step : work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            text += fmt::format(
                " {} {} {} {} {},", access.store, static_cast<int>(access.addressing), access.bytes, access.asynchronous, access.staged);
        }
        text += ";";
    }
    return text;
}

} // namespace fusec::bench
