// SPDX-License-Identifier: Apache-2.0
// Shadow state of a block's shared memory: for each 4-byte word who wrote it last, who has read it since, and when. It finds every
// conflict that barriers leave unordered, in whatever order the threads happen to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fusec::emulation {

/// The moment of an access. All block barriers of a launch count in `epoch`, the warp barriers of the thread's warp in `clock`. An
/// earlier access is ordered before a later one if the thread is the same, or a block barrier lies between, or the warp is the same
/// and a warp barrier of it lies between. There are no other orders: only whole-warp and whole-block barriers are modelled.
struct Moment {
    std::uint64_t epoch = 0;
    std::uint32_t clock = 0;
    std::uint16_t thread = 0;
};

enum class Conflict {
    none,
    uninitialised,
    written_by_other, ///< unordered after another thread's write
    read_by_other,    ///< a write unordered after another thread's read
    copy_under_way,   ///< between the start of an asynchronous copy and its wait
};

struct AccessResult {
    Conflict conflict = Conflict::none;
    std::uint16_t other = 0; ///< the thread it conflicts with
};

class Shadow {
public:
    static constexpr unsigned warp = 32;

    void resize(std::size_t words);
    std::size_t words() const { return words_.size(); }
    /// Forgets everything before `epoch`: a new block starts with nothing written. O(1).
    void start_block(std::uint64_t epoch) { block_start_ = epoch; }

    /// Each records the access and tells the first conflict. Pre: word < words().
    AccessResult read(std::size_t word, const Moment& now);
    AccessResult write(std::size_t word, const Moment& now);
    /// An asynchronous copy is a write that lasts from start to its wait.
    AccessResult start_copy(std::size_t word, const Moment& now);
    void finish_copy(std::size_t word, const Moment& now);

private:
    enum class Readers : std::uint8_t {
        one_thread,
        one_warp,
        several_warps
    };
    struct Word {
        Moment written;                        ///< epoch below block_start_: never
        Moment read;                           ///< latest read since the write; only those of the present epoch matter
        Moment copied;                         ///< start of a copy under way; epoch below block_start_: none
        Readers readers = Readers::one_thread; ///< who has read in the epoch of `read`
        std::uint16_t other_reader = 0;        ///< one_warp, several_warps: a second reader, of the same or of another warp
    };

    static void record_reader(Word& word, const Moment& now);
    static bool ordered(const Moment& earlier, const Moment& later);
    AccessResult check_copy(const Word& word) const;
    AccessResult check_write(const Word& word, const Moment& now) const;

    std::vector<Word> words_;
    std::uint64_t block_start_ = 1;
};

} // namespace fusec::emulation
