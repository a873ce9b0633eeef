// SPDX-License-Identifier: Apache-2.0
// How lists lie in memory and what accesses to them cost: tiles with padding, passes of the banks, sectors of strided stores.
// Counts come from playing the addresses of whole warps, not from a formula; the formulas of the CUDA notes are their tests.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <map>
#include <tuple>

namespace fusec::fusion {

/// Threads that each touch one part of an element, as one compute step does.
struct Access {
    Shape shape;
    int word_bytes = 4;
    int threads = 1; ///< per element
    library::Touch touch = library::Touch::all;
    int reads = 0; ///< touch `all`: components that one thread reads, somewhere; 0: all of them

    bool operator==(const Access&) const = default;
    bool operator<(const Access& other) const {
        return std::tie(shape, word_bytes, threads, touch, reads) <
            std::tie(other.shape, other.word_bytes, other.threads, other.touch, other.reads);
    }
};

/// Components that one thread touches. An entry-wise routine may read whole rows or columns: then the touch is not one part per
/// thread (library::components_touched is 0) and the row or column counts.
int components_per_thread(const Access& access);

/// Passes of the shared-memory pipe, per element, for every thread to touch its part of a tile once. `group` and `pad_words` as in
/// SharedSlot. Contiguous parts are accessed with the widest word that their size and place allow, at most 16 bytes.
double shared_wavefronts(const Access& access, int group, int pad_words);

/// Thread-instructions per element of the same.
double shared_accesses(const Access& access);

/// Passes of the L1 pipe, per element, for every thread to load its part in place: max(bank degree, lines / 4 + 0.75) per load of a
/// warp (measured on A100 and H200: CUDA notes 2.3).
double direct_load_wavefronts(const Access& access);

/// 32-byte sectors, per element, that owners' stores request beyond the sectors the list has.
double excess_store_sectors(const Access& access);

/// Elements between 16-byte pads that make elements start in different banks: lcm(bytes of an element, 128) / bytes of an element.
int padding_group(int element_bytes);

/// Bytes of a tile of `elements` elements, a multiple of 16.
int tile_bytes(int elements, int element_words, int word_bytes, int group, int pad_words);

/// Everything the search asks about one kind of access; per element where not said otherwise.
struct AccessCost {
    int components = 0;      ///< per thread
    int columns = 1;         ///< of the list: components that a routine holds of an operand it reads as it goes
    double accesses = 0;     ///< thread-instructions on a tile
    double plain = 0;        ///< shared passes without padding
    double padded = 0;       ///< shared passes with padding_group
    double direct = 0;       ///< L1 passes of loads in place
    double excess_store = 0; ///< sectors
};

/// Access costs by access, each simulated once. References stay valid. Not thread-safe.
class AccessCosts {
public:
    const AccessCost& of(const Access& access);

private:
    std::map<Access, AccessCost> costs_;
};

} // namespace fusec::fusion
