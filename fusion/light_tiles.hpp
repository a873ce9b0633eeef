// SPDX-License-Identifier: Apache-2.0
// Which kernels of a host do so little for what they load that a processor keeps up with their lists better if nobody asks for them ahead.
#pragma once

#include "fusion/cost_model.hpp"

#include <vector>

namespace fusec::fusion {

/// Vector instructions of calls for each cache line that a tile loads, up to which kernels were faster on AMD's Zen 4 when they asked for nothing:
/// of some 370 kernels of the examples, in classes by these instructions, those with less took 0.80 to 0.93 of the time in the mean of a class, those
/// with more, or with lists in strips, 0.98 to 1.28 times (seen during development). The tile has the lanes of 64 bytes, which every such processor has.
inline constexpr double most_instructions_of_a_light_line = 3.5;

/// Pre: the work of a host's kernel; `loaded` are the components of each list that it loads. False where nothing is loaded, and for lists that are
/// transposed in strips: processors lose those.
bool has_light_tiles(const KernelWork& work, const std::vector<int>& loaded);

} // namespace fusec::fusion
