// SPDX-License-Identifier: Apache-2.0
// Which lists of a host's kernel a processor follows by itself, and does so better if nobody asks for them ahead. Found on AMD's Zen 4, the one processor
// whose kernels ask for lines into the second level; others ask for every list. Times are those of ADR 9.
#pragma once

#include "fusion/cost_model.hpp"

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// Sums of 8 matrices of 9 doubles moved 37.3 GB/s without asking and 36.8 with it, of 12 35.4 and 30.2, of 16 14.9 and 19.2, of 24 10.2 and 15.8;
/// of 12 words from 16 on alike, of scalars from 20 on (seen during development).
inline constexpr std::size_t most_lists_followed = 12;

/// Vector instructions of calls for each cache line that a tile loads, up to which kernels were faster when they asked for nothing:
/// of some 370 kernels of the examples, in classes by these instructions, those with less took 0.80 to 0.93 of the time in the mean of a class, those
/// with more, or with lists in strips, 0.98 to 1.28 times (seen during development). The tile has the lanes of 64 bytes, which every such processor has.
inline constexpr double most_instructions_of_a_light_line = 3.5;

/// Lists of which a tile takes more bytes are followed whatever a kernel does with them: kernels that load 24 doubles or floats took 0.71 to 0.98 of the
/// time when nobody asked for those (seen during development).
inline constexpr int longest_tile_to_ask_for = 1024;

/// `loaded` are the components of each list that a kernel loads. False where nothing is loaded, and for lists that are transposed in strips or are more than
/// `most_lists_followed`: processors lose those.
bool follows_lists(const std::vector<int>& loaded);

/// Pre: the work of a host's kernel. True where it does so little for what it loads that it should ask for nothing.
bool has_light_tiles(const KernelWork& work, const std::vector<int>& loaded);

} // namespace fusec::fusion
