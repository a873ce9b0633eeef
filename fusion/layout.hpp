// SPDX-License-Identifier: Apache-2.0
// How lists lie in memory and what accesses to them cost: tiles with padding, passes of the banks, sectors of strided stores.
// Counts come from playing the addresses of whole warps, not from a formula; the formulas of the CUDA notes are their tests.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace fusec::fusion {

/// Threads that each touch one part of an element, as one compute step does.
struct Access {
    Shape shape;
    int word_bytes = 4;
    int threads = 1; ///< per element
    library::Touch touch = library::Touch::all;
    int reads = 0; ///< touch `all`: components that one thread reads, somewhere; 0: all of them
    /// Touch `all` of several threads: the words of their loads (library::ThreadLoads); null: what `reads` says.
    std::shared_ptr<const library::ThreadLoads> loads = nullptr;

    bool operator<(const Access& other) const {
        const library::ThreadLoads none;
        return std::tie(shape, word_bytes, threads, touch, reads, loads ? *loads : none) <
            std::tie(other.shape, other.word_bytes, other.threads, other.touch, other.reads, other.loads ? *other.loads : none);
    }
};

/// Components that one thread touches, at most. An entry-wise routine may read whole rows or columns: then the touch is not one part per
/// thread (library::components_touched is 0) and the row or column counts.
int components_per_thread(const Access& access);

/// Components that the threads of an element touch together, each as often as it is touched.
double components_per_element(const Access& access);

/// Where word `word` lies in a tile that has `pad_words` after every `run` words (run = 0: in one without padding).
template <class Word>
constexpr Word padded_word(Word word, int run, int pad_words) {
    return run == 0 ? word : word + word / run * pad_words;
}

/// Passes of the shared-memory pipe, per element, for every thread to touch its part of a tile once. `run` and `pad_words` as in
/// SharedSlot. Contiguous parts, and loads of words that follow each other for every thread, are accessed with the widest word that their size
/// and place allow, at most 16 bytes. Loads are played one by one; parts shift all threads alike, so that one access stands for them.
double shared_wavefronts(const Access& access, int run, int pad_words);

/// Passes, per element, of a copy of a padded tile by 16 bytes per thread, threads side by side: a pad makes some meet in banks.
double copied_wavefronts(int element_bytes, int run_bytes);

/// Thread-instructions per element of the same.
double shared_accesses(const Access& access);

/// Passes of the L1 pipe, per element, for every thread to load its part in place: max(bank degree, lines / 4 + 0.75) per load of a
/// warp (measured on A100 and H200: CUDA notes 2.3).
double direct_load_wavefronts(const Access& access);

/// 32-byte sectors, per element, that the owners' loads or stores request, one access of a warp after another.
double requested_sectors(const Access& access);

/// Of these, those beyond the sectors that the list has.
double excess_store_sectors(const Access& access);

/// Bytes per element of the 32-byte sectors that hold these words of every element of a list: what reading them alone moves. `words` are
/// ascending; lists start at a sector. Linear in `words`, times at most 32.
double sector_bytes(int element_bytes, int word_bytes, const std::vector<int>& words);

/// Words between 16-byte pads that make elements start in different banks: lcm(bytes of an element, 128), in words.
int run_of_elements(int element_words, int word_bytes);

/// Words between 16-byte pads that make rows start in different banks: a row; 0 where rows have none (vectors, packed matrices) or are
/// no multiple of 16 bytes, which copies need.
int run_of_rows(const Shape& shape, int word_bytes);

/// Bytes of a tile of `elements` elements, a multiple of 16.
int tile_bytes(int elements, int element_words, int word_bytes, int run, int pad_words);

enum class Padding : std::uint8_t {
    none,
    elements, ///< behind each run_of_elements
    rows      ///< behind each row
};

/// Everything the search asks about one kind of access; per element where not said otherwise.
struct AccessCost {
    int components = 0;      ///< per thread, at most
    double words = 0;        ///< components of all threads
    bool whole = false;      ///< every thread reads all
    int columns = 1;         ///< of the list: components that a routine holds of an operand it reads as it goes
    double accesses = 0;     ///< thread-instructions on a tile
    double plain = 0;        ///< shared passes without padding
    double padded = 0;       ///< shared passes with run_of_elements
    double by_rows = 0;      ///< shared passes with run_of_rows; as `plain` where there is none
    double direct = 0;       ///< L1 passes of loads in place
    double excess_store = 0; ///< sectors of owners' stores beyond those of the list
    double sectors = 0;      ///< that owners' loads or stores request, one access of a warp after another

    double passes(Padding padding) const { return padding == Padding::none ? plain : padding == Padding::rows ? by_rows : padded; }
    double fewest_passes() const { return std::min({plain, padded, by_rows}); }
};

/// Access costs by access, each simulated once. References stay valid. Not thread-safe.
class AccessCosts {
public:
    const AccessCost& of(const Access& access);

private:
    std::map<Access, AccessCost> costs_;
};

} // namespace fusec::fusion
