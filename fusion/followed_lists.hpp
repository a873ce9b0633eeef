// SPDX-License-Identifier: Apache-2.0
// Which lists of a host's kernel a processor follows by itself, and does so better if nobody asks for them ahead. Found on AMD's Zen 4, the one processor
// whose kernels ask for lines into the second level; others ask for every list. Times are those of ADR 9.
#pragma once

#include "fusion/cost_model.hpp"

#include <cstddef>
#include <vector>

namespace fusec::fusion {

/// Sums of 8 matrices of 9 doubles moved 37.3 GB/s without asking and 36.8 with it, of 12 35.4 and 30.2, of 16 14.9 and 19.2, of 24 10.2 and 15.8;
/// of 12 words alike, of scalars 35.1 and 36.6 with 12, 34.3 and 35.3 with 16, 26.0 and 29.9 with 20 (seen during development).
inline constexpr std::size_t most_lists_followed = 12;

/// Vector instructions of calls for each cache line that a tile loads, up to which kernels were faster when they asked for nothing:
/// of some 370 kernels of the examples, in classes by these instructions, those with less took 0.80 to 0.93 of the time in the mean of a class, those
/// with more, or with lists in strips, 0.98 to 1.28 times (seen during development). The tile has the lanes of 64 bytes, which every such processor has.
inline constexpr double most_instructions_of_a_light_line = 3.5;

/// Lists of which a tile takes more bytes than these are followed whatever a kernel does with them: kernels that load 24 doubles or floats took 0.71 to
/// 0.98 of the time when nobody asked for those (seen during development; of other lengths by themselves not measured).
inline constexpr int most_bytes_of_a_short_tile = 1024;

/// A list that a kernel loads for each element, no uniform.
struct LoadedList {
    int components;
    Precision precision;  ///< of its words in memory
    bool updated = false; ///< and stored in its place: asked for, if not in a light kernel, which has none of these in halves
};

/// `widest` is the wider precision of what the kernel computes with and moves, of which the tile has 64 bytes. False where nothing is loaded, and for
/// lists that are transposed in strips or are more than `most_lists_followed`: processors lose those.
bool follows_lists(const std::vector<LoadedList>& loaded, Precision widest);

/// Of a kernel that follows its lists: whether it should not ask for one of so many bytes an element.
bool has_long_tiles(int element_bytes, Precision widest);

/// Pre: the work of a host's kernel. True where it does so little for what it loads that it should ask for nothing but bursts.
bool has_light_tiles(const KernelWork& work, const std::vector<LoadedList>& loaded, Precision widest);

/// Components of a list beside which scalar ones come in bursts.
inline constexpr int least_components_beside_bursts = 3;

/// Of a light kernel: whether it should ask for the list several lines at a time, which are a scalar one's beside longer ones whose tiles are not long.
/// Kernels of `tet_plasticity` and `j2_return` that have such lists took 0.61 to 0.94 of the time so. Kernels of scalars alone took 1.05, and of scalars
/// beside lists of 24 components 0.97 to 1.25; lists of two components do not gain by it (seen during development). More than three such lists in one
/// kernel were not measured.
bool is_in_bursts(const LoadedList& list, const std::vector<LoadedList>& loaded, Precision widest);

} // namespace fusec::fusion
