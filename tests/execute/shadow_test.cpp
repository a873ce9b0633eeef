// SPDX-License-Identifier: Apache-2.0
// The constant-size shadow of a word against the whole history: random traces of accesses and barriers, where the oracle keeps every
// access ever made and compares each pair.
#include "elementary-lib/emulation/shadow.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace fusec::emulation {
namespace {

constexpr unsigned threads = 96;

/// One word's history. Vector clocks in place of epochs: seen[a][b] = number of b's accesses known to a.
class History {
public:
    History() {
        for (auto& row : seen_) {
            row.fill(0);
        }
        made_.fill(0);
    }

    void synchronise(unsigned first, unsigned last) {
        for (unsigned a = first; a < last; ++a) {
            for (unsigned b = first; b < last; ++b) {
                seen_[a][b] = std::max(seen_[a][b], made_[b]);
                for (unsigned c = 0; c < threads; ++c) { // what b knows of others
                    seen_[a][c] = std::max(seen_[a][c], seen_[b][c]);
                }
            }
        }
    }
    /// True if the access conflicts with an earlier one, or reads what nobody wrote.
    bool access(unsigned thread, bool write) {
        bool conflict = false, written = false;
        for (const Access& earlier : accesses_) {
            written = written || earlier.write;
            const bool ordered = earlier.thread == thread || earlier.number <= seen_[thread][earlier.thread];
            conflict = conflict || ((write || earlier.write) && !ordered);
        }
        accesses_.push_back({thread, ++made_[thread], write});
        return conflict || (!write && !written);
    }

private:
    struct Access {
        unsigned thread;
        unsigned number;
        bool write;
    };
    std::vector<Access> accesses_;
    std::array<std::array<unsigned, threads>, threads> seen_;
    std::array<unsigned, threads> made_;
};

TEST(Shadow, FindsTheFirstConflictOfRandomTraces) {
    std::mt19937 random(20260101);
    unsigned conflicts = 0, clean = 0;
    std::size_t accesses = 0;
    Shadow shadow;
    shadow.resize(1);
    std::uint64_t epoch = 1;
    for (int trace = 0; trace < 4000; ++trace) {
        History history;
        shadow.start_block(++epoch);
        std::array<std::uint32_t, threads / Shadow::warp> clocks{};
        // Few distinct threads and many barriers, so that long traces without a conflict occur.
        const unsigned barrier_percent = std::array{30u, 60u, 80u}[random() % 3];
        const unsigned write_percent = std::array{3u, 30u}[random() % 2];
        const unsigned spread = std::array{1u, 7u, 31u, 96u}[random() % 4];
        bool conflict = false;
        for (int step = 0; step < 40 && !conflict; ++step) {
            if (random() % 100 < barrier_percent) {
                const unsigned which = static_cast<unsigned>(random() % 6);
                if (which >= 3) {
                    ++epoch;
                    history.synchronise(0, threads);
                } else {
                    ++clocks[which];
                    history.synchronise(which * Shadow::warp, (which + 1) * Shadow::warp);
                }
                continue;
            }
            const unsigned thread = static_cast<unsigned>(random() % 3 * Shadow::warp + random() % spread) % threads;
            const bool write = step == 0 || random() % 100 < write_percent;
            const Moment now{epoch, clocks[thread / Shadow::warp], static_cast<std::uint16_t>(thread)};
            const AccessResult result = write ? shadow.write(0, now) : shadow.read(0, now);
            conflict = history.access(thread, write);
            ++accesses;
            ASSERT_EQ(result.conflict != Conflict::none, conflict) << "trace " << trace << ", step " << step;
        }
        (conflict ? conflicts : clean) += 1;
    }
    // Both outcomes are met often enough to mean something.
    EXPECT_GT(conflicts, 500u);
    EXPECT_GT(clean, 200u);
    EXPECT_GT(accesses, 10000u);
}

TEST(Shadow, HoldsAWordDuringAnAsynchronousCopy) {
    Shadow shadow;
    shadow.resize(2);
    shadow.start_block(5);
    const Moment owner{5, 0, 3}, neighbour{5, 0, 4}, later{6, 0, 4};
    EXPECT_EQ(shadow.start_copy(0, owner).conflict, Conflict::none);
    EXPECT_EQ(shadow.read(0, owner).conflict, Conflict::copy_under_way);
    EXPECT_EQ(shadow.write(0, neighbour).conflict, Conflict::copy_under_way);
    EXPECT_EQ(shadow.read(0, later).other, 3);
    shadow.finish_copy(0, owner);
    EXPECT_EQ(shadow.read(0, owner).conflict, Conflict::none);
    EXPECT_EQ(shadow.read(0, neighbour).conflict, Conflict::written_by_other);
    EXPECT_EQ(shadow.read(0, later).conflict, Conflict::none);
    // The start of a copy is a write: not while another thread may still read.
    EXPECT_EQ(shadow.write(1, owner).conflict, Conflict::none);
    EXPECT_EQ(shadow.read(1, later).conflict, Conflict::none);
    EXPECT_EQ(shadow.start_copy(1, Moment{6, 0, 40}).conflict, Conflict::read_by_other);
    // A copy of the block before does not last.
    shadow.start_block(7);
    EXPECT_EQ(shadow.read(1, Moment{7, 0, 0}).conflict, Conflict::uninitialised);
}

} // namespace
} // namespace fusec::emulation
