// SPDX-License-Identifier: Apache-2.0
// What the text of a kernel calls its lists, tiles, values and indices, and how it writes the places of elements in them.
#pragma once

#include "codegen/kernel_ir.hpp"
#include "codegen/names.hpp"

#include <map>
#include <string>
#include <vector>

namespace fusec::codegen {

/// `float, 3, 3`: template arguments; of a packed matrix, those of the words that it has in memory, `float, 6, 1`.
std::string type_and_shape(const Type& type);
/// As the runtime's functions are called: `all`, `row`, ...
std::string touch_name(library::Touch touch);
/// `fusec::row_registers<float, 3, 3>`
std::string value_type(const Value& value);
/// Words from one row to the next of a tile that is padded behind its rows; 0 of any other.
int row_pitch(const Kernel& kernel, const Tile& tile);

/// Names of the program's data come first and keep theirs; the generator's give way. Names of indices and of shared memory are made when
/// they are first declared.
class KernelNames {
public:
    /// `repeats`: the kernel has a parameter that says how often its calls are computed.
    explicit KernelNames(const Kernel& kernel, bool repeats = false);

    std::map<Precision, std::string> vectors;  ///< what an access moves on the fast path, of lists of a precision
    std::string first, n;                      ///< parameters
    std::string count;                         ///< elements of the block; `1` where no block has more
    std::string repetitions, repetition, copy; ///< of a kernel that repeats its calls: parameter, counter, counter of the copies in a pass
    std::string failure;                       ///< parameter; empty where the kernel reports nothing
    std::vector<std::string> list_views, table_views, tile_pointers; ///< by index
    std::vector<std::string> value_views;                            ///< by index; of packed values and shares of rows

    /// Whether a word is a name, or begins as one that is still to be made.
    bool may_have(const std::string& word) const;

    /// Blocks of one element: what stands for the element's place in its block is left out.
    bool one_element() const { return kernel_.tile_elements == 1; }

    /// The element and the lane of a thread, for so many threads per instance.
    struct Indices {
        std::string element, lane; ///< no element where there is only one in a block, no lane for one thread
    };
    bool has_indices(int threads) const { return indices_.count(threads) != 0; }
    const Indices& make_indices(int threads, bool only_granularity);
    const std::string& element(int threads) const { return indices_.at(threads).element; }
    const std::string& lane(int threads) const { return indices_.at(threads).lane; }

    /// Shared memory as components of a precision.
    bool has_shared(Precision precision) const { return shared_.count(precision) != 0; }
    const std::string& make_shared(Precision precision);

    /// `name + first * 9`: where the block's elements start in a list.
    std::string block_start(const List& list) const;
    /// Where the thread's element starts in a list, in the offset's type (64 bits: `first` is a size_t).
    std::string element_start(const List& list, int threads) const;
    /// `shared + 1600`: where a tile starts.
    std::string tile_start(const Tile& tile) const;
    /// Words from the start of a tile to the thread's element; empty: none.
    std::string tile_element(std::size_t tile, int threads) const;
    /// `A_tile + element * 9`
    std::string tile_element_start(std::size_t tile, int threads) const;
    /// The tile as a pointer that a cooperative copy indexes as if it were the list.
    std::string tile_pointer(std::size_t tile) const;

    /// The name of a place's datum without what tells its places apart.
    std::string datum_name(const Place& place) const;

private:
    std::string list_name(DataId datum, const std::string& otherwise) const;

    const Kernel& kernel_;
    Names names_;
    std::map<int, Indices> indices_; ///< by threads per instance
    std::map<Precision, std::string> shared_;
};

/// Whether a tile has words between the elements of a block that hold nothing.
bool is_padded(const Kernel& kernel, const Tile& tile);

} // namespace fusec::codegen
