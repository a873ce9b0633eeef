// SPDX-License-Identifier: Apache-2.0
// Kernel IR: what each kernel does, down to addresses, thread maps, barriers and index types, and nothing about spelling. lower() makes
// it from candidates, the verifier (codegen/verifier.hpp) proves it sound, the emitters print it.
#pragma once

#include "fusion/candidate.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fusec::codegen {

/// The integer type of an index variable, which emission declares and the verifier proves large enough for what is computed from it.
/// Indices of elements in lists, and offsets into lists with them, grow with n; indices within a tile are bounded by the tile. The narrow
/// type is signed: overflow need not wrap, so that constant parts of an index become parts of the address.
enum class IndexType {
    i32,
    u64
};

/// `int` or `size_t`.
const char* c_name(IndexType type);

/// A list or uniform in global memory, as the interface or one kernel names it.
struct List {
    DataId datum;
    std::string name;              ///< identifier in the output; unique in its scope
    Type type;                     ///< of the values: of what is on chip
    bool uniform = false;          ///< one value for all elements, by pointer
    bool written = false;          ///< the kernel (or the program) writes it
    std::string program_name = {}; ///< of the interface: what the program calls it
    /// One of the two values of a list that is updated in place: there is another entry of the same name, and one pointer, the member of the
    /// interface in the place of the old value, the parameter of a kernel in that of the new one. Of a kernel: both are in its lists.
    bool updated = false;
    Storage storage = std::nullopt; ///< in memory; loads and stores convert, a component at a time
    bool followed = false;          ///< host: some processors follow it by themselves, and are not asked to (fusion/followed_lists.hpp)
    bool in_bursts = false;         ///< host: some processors are asked for several lines of it at a time (fusion/followed_lists.hpp)

    /// In memory.
    Type list_type() const { return in_memory(type, storage); }
    const char* c_type() const { return c_name(list_type().precision); }
};

/// Whether a kernel has a parameter for it: the old value of a list is behind the pointer of the new one, if the kernel stores that.
inline bool is_parameter(const List& list) {
    return list.written || !list.updated;
}

/// A tile of all elements of a block in shared memory. Component k of element e is word w + (run ? w / run * pad_words : 0) after `offset`,
/// w = e * element_words + k.
struct Tile {
    DataId datum;
    std::string name;
    Type type;
    int offset = 0; ///< bytes from the start of the block's shared memory; multiple of 16
    int bytes = 0;
    int element_words = 0; ///< components of one element
    int run = 0;           ///< words between paddings: of a row, or of some elements; 0: no padding
    int pad_words = 0;
    int first_step = 0; ///< lifetime: first and last index into Kernel::steps that touches it
    int last_step = 0;
};

/// A value in registers: `threads` threads per instance, each holding the part that `touch` names; `all` of several: each holds the whole,
/// the same bits. For the host: SIMD lanes over elements.
struct Value {
    DataId datum;
    std::string name;
    Type type;
    library::Touch touch = library::Touch::all;
    int threads = 1;
    bool derived = false; ///< the same for all elements: every thread of the block holds all of it, under any thread map
};

/// A constant of the program: a literal when scalar, else a table in the text.
struct Table {
    DataId datum;
    std::string name;
    Type type;
    std::vector<double> values; ///< row-major, rounded to the precision
    bool read = true;           ///< by some routine; else it is not in the text
};

/// Where an operand or result of a compute step is.
struct Place {
    enum class Kind {
        value,
        tile,
        list, ///< read in place from global memory
        table
    } kind = Kind::value;
    std::size_t index = 0; ///< into the kernel's values, tiles, lists or tables

    bool operator==(const Place&) const = default;
};

/// An operand with the part of it that thread `lane` of an instance touches.
struct Operand {
    Place place;
    library::Touch touch = library::Touch::all;
    bool unread = false; ///< a table of which the routine's text has what it needs: no argument
};

/// Block copies the elements of its tile, list -> tile. `async`: the words arrive at the thread's next AsyncWait.
struct LoadTile {
    std::size_t list = 0;
    std::size_t tile = 0;
    fusion::Staging staging = fusion::Staging::words; ///< words, vectors or async
    int access_bytes = 4;                             ///< of one access when the pointers are multiples of 16; a component otherwise
};

/// Block copies the elements of its tile, tile -> list.
struct StoreTile {
    std::size_t tile = 0;
    std::size_t list = 0;
    fusion::Staging staging = fusion::Staging::words; ///< words or vectors
    int access_bytes = 4;                             ///< of one access when the pointers are multiples of 16; a component otherwise
};

/// Each owner reads its part of its element, list -> registers. `none` by components, `vectors` with the widest access the pointer
/// allows; host: `lanes` transposes. A uniform is read whole by every thread.
struct LoadValue {
    std::size_t list = 0;
    std::size_t value = 0;
    fusion::Staging staging = fusion::Staging::none;
    int access_bytes = 4; ///< of one access when the pointers are multiples of 16; a component otherwise
};

/// Each owner writes its part of its element, registers -> list. `leader`: of each instance only thread 0 does, since all hold the whole.
/// Host: `lanes` and `lanes_streaming`.
struct StoreValue {
    std::size_t value = 0;
    std::size_t list = 0;
    fusion::Staging staging = fusion::Staging::none;
    int access_bytes = 4; ///< of one access when the pointers are multiples of 16; a component otherwise
    bool leader = false;
};

/// The thread that has an element's flag lowers the word of the first failure to the element and the check, where the flag is not 0.
struct Report {
    std::size_t value = 0;
    std::size_t check = 0; ///< into Unit::checks
};

/// The asynchronous copies that this thread started have arrived.
struct AsyncWait {};
/// __syncthreads
struct BlockBarrier {};
/// __syncwarp
struct WarpBarrier {};

/// One call. Thread map: item = thread index; element = item / threads, lane = item % threads; idle when element >= tile elements,
/// and when element >= elements left if `guarded`.
struct Compute {
    CallId call;
    std::string routine;       ///< `mmul_row`: function and implementation
    int threads = 1;           ///< threads per instance
    bool synchronises = false; ///< the routine itself orders the accesses of an instance's threads
    std::vector<Operand> operands;
    Operand result;
    bool guarded = true;
    int exchanges = 0;         ///< values that a thread gives to the others of its instance: all of them take part, and lie in one warp
    bool leader = false;       ///< each thread makes the whole result in registers, and thread 0 of the instance writes it to the tile
    std::string function = {}; ///< what programs call it: `mmul`
};

/// One uniform call, by every thread of the block, whether it has an element or not. Operands are uniforms, tables and derived values; the
/// result is a derived value.
struct Derive {
    DataId datum;
    std::string routine; ///< of one thread
    std::vector<Operand> operands;
    Operand result;
    std::string function = {}; ///< what programs call it
};

using Step = std::variant<LoadTile, LoadValue, AsyncWait, BlockBarrier, WarpBarrier, Derive, Compute, StoreTile, StoreValue, Report>;

/// Host: whether the step writes past the caches.
bool streams(const Step& step);

/// One kernel with all that its text says: what `lower` makes of a candidate, what `verify` proves, and what emission only writes down.
struct Kernel {
    std::string name;          ///< identifier: the last datum it stores
    std::vector<CallId> calls; ///< in execution order
    std::uint32_t block = 0;   ///< of the program, that all of them belong to: `Unit::blocks`
    std::vector<List> lists;   ///< parameters: inputs ascending by datum, then outputs ascending
    std::vector<Tile> tiles;   ///< ascending by datum
    std::vector<Value> values; ///< ascending by datum
    std::vector<Table> tables; ///< ascending by datum
    std::vector<Step> steps;
    int tile_elements = 32;             ///< elements of one block; host: SIMD lanes
    int threads = 32;                   ///< per block; host: 1
    int shared_bytes = 0;               ///< per block
    int resident_blocks = 0;            ///< per multiprocessor, for which a thread's registers have to suffice; 0: no demand
    IndexType first = IndexType::u64;   ///< of an element's index in a list, and of offsets into lists
    IndexType element = IndexType::i32; ///< of an element's index in the tile, and of offsets into tiles
    bool simd = false;                  ///< host: the elements of a tile are SIMD lanes of one thread
    bool results_wait =
        false; ///< host: what is written past the caches is sent behind the loads of the next tile (fusion::KernelWork::results_wait)
    bool results_in_lines =
        false;                ///< host: the same once tiles in a row fill whole cache lines, of a kernel that writes many lists (lower.cpp)
    bool light_tiles = false; ///< host: a tile does little for what it loads (fusion::has_light_tiles)
    bool inlined = false;     ///< host: the loop over tiles has a tile in its body (fusion::KernelWork::is_inlined)

    /// Whether some step reports: the kernel has a parameter for the word of the first failure.
    bool reports() const;
    /// Of the lists with an access that is wider than a component: the kernel has an aligned and an unaligned form if there are any.
    std::set<Precision> wide_precisions() const;
    bool has_wide_access() const { return !wide_precisions().empty(); }
    /// The wider one of what it computes with and moves.
    Precision widest_precision() const;
    /// Threads of one block that the thread map counts: SIMD lanes count as threads.
    int mapped_threads() const { return simd ? tile_elements : threads; }
};

/// An intermediate that crosses kernels.
struct WorkspaceList {
    DataId datum;
    std::string name;
    Type type;
    std::size_t slot = 0;
};

/// An assertion, by its number: what `NAME_first_failure` answers.
struct Check {
    DataId flag;
    std::string text;
};

/// Bytes in front of the slots of the workspace of a unit with checks. The first eight are the word of the first failure: the least of
/// element * 2^16 + check, elements counted from the first one of the launch; all ones where nothing failed.
inline constexpr int failure_bytes = 256;

/// One generated pair of files. Slot s of the workspace for n elements starts at the sum over earlier slots of n * bytes, each
/// rounded up to 256; behind `failure_bytes`, if there are checks.
struct Unit {
    std::string name;
    std::vector<List> inputs;             ///< interface order, uniforms included
    std::vector<List> outputs;            ///< interface order
    std::vector<int> slots;               ///< bytes per element of each workspace slot
    std::vector<WorkspaceList> workspace; ///< ascending by datum
    std::vector<Kernel> kernels;          ///< launch order: by block
    std::vector<std::string> blocks = {}; ///< names of the program's blocks; a single kernel's unit has none
    std::vector<Check> checks = {};
};

/// Type of what is at a place of the kernel.
const Type& type_of(const Kernel& kernel, const Place& place);

/// Components of `shape` (row-major indices, ascending) that thread `lane` of `threads` touches. Empty when the combination is
/// meaningless (library::components_touched is 0). Of a packed shape, words: of the rows, columns or entries of the lower triangle,
/// which are what a thread writes of a result; a thread that makes an entry above the diagonal writes none.
std::vector<int> touched_components(const Shape& shape, library::Touch touch, int threads, int lane);

/// Word of component `component` of element `element` after the tile's offset; of a wrong tile it may be any number.
std::int64_t tile_word(const Tile& tile, int element, int component);

/// The unit as text, for `--dump ir` and as what the plan id is a hash of.
std::string dump(const Unit& unit);
/// 16 hexadecimal digits: FNV-1a, 64 bits.
std::string text_id(std::string_view text);
/// text_id of dump(unit).
std::string plan_id(const Unit& unit);

} // namespace fusec::codegen
