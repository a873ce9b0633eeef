// SPDX-License-Identifier: Apache-2.0
// A kernel under construction, with small indices in place of ids: what the search compares candidates by, thousands of times, before
// the few that are kept are written out as candidates.
#pragma once

#include "fusion/kernel_choice.hpp"

#include <cstdint>
#include <vector>

namespace fusec::fusion {

enum class Barrier : std::uint8_t {
    none,
    warp,
    block
};

struct KernelDraft {
    struct Datum {
        Placement placement = Placement::registers;
        library::Touch touch = library::Touch::all; ///< registers: the part that each thread holds
        int threads = 1;
        int tile = -1; ///< index into tiles; -1: not in shared memory
        Staging load = Staging::none;
        Staging store = Staging::none;
    };
    struct Tile {
        int datum = 0;
        int element_words = 0;
        Padding wanted = Padding::none; ///< what saves passes where elements are enough
        int first = -1, last = -1;
        // by the size of the block
        Padding padding = Padding::none;
        int run = 0, pad_words = 0;
        int bytes = 0, offset = 0;
    };
    struct Step {
        fusion::Step::Kind kind = fusion::Step::Kind::compute;
        int index = -1; ///< compute: a call; load, store: a datum
    };

    /// What steps of so many threads per element execute.
    struct Share {
        int threads = 1;
        double instructions = 0; ///< thread-instructions per element
        double arithmetic = 0;   ///< of these, those of the calls' arithmetic
    };

    std::vector<Datum> data;       ///< as KernelOutline::data
    std::vector<Tile> tiles;       ///< ascending by datum
    std::vector<Step> steps;       ///< without barriers; tiles count their first and last step in these
    std::vector<Barrier> barriers; ///< per step, what stands before it
    int largest_threads = 1;
    int elements = 0;
    int threads_per_block = 0;
    int shared_bytes = 0;
    bool placement_cut = false; ///< the search for addresses was cut: a smaller arena may exist
    std::vector<Share> shares;  ///< one per number of threads that occurs
    KernelWork work;
};

} // namespace fusec::fusion
