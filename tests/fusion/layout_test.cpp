// SPDX-License-Identifier: Apache-2.0
// Simulated access costs against the closed forms and measurements of the CUDA notes, and hand-counted cases.
#include "fusion/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

namespace fusec::fusion {
namespace {

Access whole(int words, int word_bytes) {
    return {{Form::vector, words, 1}, word_bytes, 1, library::Touch::all};
}

/// Passes over the ideal of one per 128 bytes.
double degree(const Access& access, int run = 0, int pad_words = 0) {
    return shared_wavefronts(access, run, pad_words) / (access.shape.size() * access.word_bytes / 128.0);
}

TEST(Layout, OneThreadPerElementHasTheDegreeOfTheRule) {
    // E = 2^a * odd bytes, widest access: degree = min(8, 2^max(0, a - 4)).
    for (int word_bytes : {4, 8}) {
        for (int words = 1; words <= 64; ++words) {
            const int bytes = words * word_bytes;
            const int a = __builtin_ctz(static_cast<unsigned>(bytes));
            EXPECT_DOUBLE_EQ(degree(whole(words, word_bytes)), std::min(8, 1 << std::max(0, a - 4))) << words << " words of " << word_bytes;
        }
    }
    EXPECT_DOUBLE_EQ(degree(whole(576, 4)), 8);
    EXPECT_DOUBLE_EQ(degree(whole(144, 4)), 4);
}

TEST(Layout, ReadingPartsMovesTheirSectors) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 300; ++trial) {
        const int word_bytes = trial % 2 == 0 ? 4 : 8, words = 1 + static_cast<int>(random() % 40);
        std::set<int> chosen;
        for (int count = 1 + static_cast<int>(random() % static_cast<unsigned>(words)); count > 0; --count) {
            chosen.insert(static_cast<int>(random() % static_cast<unsigned>(words)));
        }
        constexpr int elements = 64; // a whole number of sectors
        std::set<int> sectors;
        for (int byte = 0; byte < elements * words * word_bytes; ++byte) {
            if (chosen.contains(byte / word_bytes % words)) {
                sectors.insert(byte / 32);
            }
        }
        EXPECT_EQ(sector_bytes(words * word_bytes, word_bytes, {chosen.begin(), chosen.end()}),
            32.0 * static_cast<double>(sectors.size()) / elements)
            << words << " words of " << word_bytes;
    }
    EXPECT_EQ(sector_bytes(1200, 4, {9}), 32);           // a component of a packed 24x24 matrix
    EXPECT_EQ(sector_bytes(96, 4, {0, 1, 2, 8, 9}), 64); // of 24 floats, in the first two of three sectors
    EXPECT_EQ(sector_bytes(12, 4, {0}), 12);             // elements share sectors
}

TEST(Layout, GranulePaddingRemovesEveryConflict) {
    for (int word_bytes : {4, 8}) {
        for (int words : {4, 8, 12, 16, 24, 36, 48, 64, 144, 300, 576}) {
            const int run = run_of_elements(words, word_bytes);
            if (words * word_bytes % 32 == 0) {
                EXPECT_DOUBLE_EQ(degree(whole(words, word_bytes), run, 16 / word_bytes), 1) << words << " words of " << word_bytes;
            }
        }
    }
    EXPECT_EQ(run_of_elements(16, 4), 2 * 16); // 4x4 f32: 16 bytes each 128
    EXPECT_EQ(run_of_elements(36, 8), 4 * 36); // 6x6 f64: each 1152
    EXPECT_EQ(run_of_elements(144, 8), 144);   // 12x12 f64: each element
}

// Counted by hand: lane i reads the first word of row i. Rows of 24 doubles start 192 bytes apart, in two places of the 128 bytes that the
// banks are wide: 16 lanes of 8 bytes take 8 passes. 208 bytes apart they start in all eight places of 16 bytes: 2 passes.
TEST(Layout, PaddingBehindRowsSpreadsThem) {
    const Access rows{{Form::matrix, 24, 24}, 8, 24, library::Touch::row};
    EXPECT_EQ(run_of_rows(rows.shape, 8), 24);
    // 24 words by 16 bytes are 12 accesses of 24 threads; 8 lanes at a time meet in two places, or in none.
    EXPECT_DOUBLE_EQ(shared_wavefronts(rows, 0, 0), 4 * 24 * 12 / 8.0);
    EXPECT_DOUBLE_EQ(shared_wavefronts(rows, 24, 2), 24 * 12 / 8.0);
    // A row of 6 floats is no multiple of 16 bytes; vectors and packed matrices have no rows.
    EXPECT_EQ(run_of_rows({Form::matrix, 6, 6}, 4), 0);
    EXPECT_EQ(run_of_rows({Form::vector, 24, 1}, 8), 0);
    EXPECT_EQ(run_of_rows({Form::matrix, 24, 24, true}, 8), 0);
}

// Against playing the copy: eight threads of 16 bytes at a time, of which those in one of the eight places take a pass each.
TEST(Layout, CopiesOfPaddedRowsMeetAtThePads) {
    EXPECT_DOUBLE_EQ(copied_wavefronts(4608, 0), 36);
    EXPECT_DOUBLE_EQ(copied_wavefronts(8192, 256), 64); // pads lie between the groups
    for (int run = 1; run <= 32; ++run) {
        int passes = 0;
        for (int group = 0; group < run; ++group) {
            std::array<int, 8> places{};
            for (int granule = 8 * group; granule < 8 * group + 8; ++granule) {
                ++places.at(static_cast<std::size_t>(padded_word(granule, run, 1) % 8));
            }
            passes += *std::max_element(places.begin(), places.end());
        }
        EXPECT_DOUBLE_EQ(copied_wavefronts(run * 128, 16 * run), passes) << "rows of " << 16 * run << " bytes";
    }
}

TEST(Layout, DirectLoadsTakeTheMeasuredCycles) {
    // L1 cycles per load of a warp, A100 and H200 (CUDA notes 2.3).
    const auto cycles = [](int words, int word_bytes) { return direct_load_wavefronts(whole(words, word_bytes)) * 32 / words; };
    EXPECT_NEAR(cycles(3, 4), 1.63, 0.15);
    EXPECT_NEAR(cycles(9, 4), 3.0, 0.1);
    EXPECT_NEAR(cycles(16, 4), 16, 0.1);
    EXPECT_NEAR(cycles(25, 4), 7.0, 0.1);
    EXPECT_NEAR(cycles(36, 4), 8.9, 0.2);
    EXPECT_NEAR(cycles(3, 8), 2.3, 0.15);
    EXPECT_NEAR(cycles(6, 8), 4.0, 0.3);
    EXPECT_NEAR(cycles(9, 8), 5.2, 0.2);
    EXPECT_NEAR(cycles(16, 8), 32, 0.1);
}

TEST(Layout, StridedStoresAskForASectorPerComponent) {
    // 25 floats per element: 25 requests of a sector, of which 100 / 32 are full.
    EXPECT_DOUBLE_EQ(excess_store_sectors(whole(25, 4)), 25 - 100 / 32.0);
    EXPECT_DOUBLE_EQ(excess_store_sectors(whole(1, 4)), 0); // coalesced
    // One thread per entry: lanes are adjacent, a warp stores 128 bytes in 4 sectors.
    EXPECT_DOUBLE_EQ(excess_store_sectors({{Form::matrix, 4, 4}, 4, 16, library::Touch::entry}), 0);
}

TEST(Layout, SharedOperandsCostOncePerThread) {
    // 3 threads per element all read a 3x3: 27 words per element, in loads of one word: 27 / 32 passes, conflicts aside.
    const Access all{{Form::matrix, 3, 3}, 4, 3, library::Touch::all};
    EXPECT_EQ(components_per_thread(all), 9);
    EXPECT_GE(shared_wavefronts(all, 0, 0), 27 / 32.0);
    EXPECT_LE(shared_wavefronts(all, 0, 0), 1.34 * 27 / 32.0);
    // Own rows of 3 words: no conflicts.
    EXPECT_DOUBLE_EQ(shared_wavefronts({{Form::matrix, 3, 3}, 4, 3, library::Touch::row}, 0, 0), 9 / 32.0);
    // Entries: one word per thread.
    EXPECT_DOUBLE_EQ(shared_wavefronts({{Form::matrix, 5, 5}, 4, 25, library::Touch::entry}, 0, 0), 25 / 32.0);
    // Row blocks of 2 x 12 doubles (192 bytes): degree 4 of the rule with E' = 192.
    const Access rows{{Form::matrix, 12, 12}, 8, 6, library::Touch::rows};
    EXPECT_DOUBLE_EQ(shared_wavefronts(rows, 0, 0), 4 * 1152 / 128.0);
}

TEST(Layout, AnEntrywiseRoutineReadsWholeRows) {
    const Access rows_of_entries{{Form::matrix, 5, 5}, 4, 25, library::Touch::row};
    EXPECT_EQ(library::components_touched(rows_of_entries.shape, rows_of_entries.touch, 25), 0);
    EXPECT_EQ(components_per_thread(rows_of_entries), 5);
}

std::shared_ptr<const library::ThreadLoads> loads(library::ThreadLoads of_threads) {
    return std::make_shared<const library::ThreadLoads>(std::move(of_threads));
}

// A product of 2x2 floats by a thread per entry, of which eight elements are a warp: of A each loads a row, at once, as its words follow each other
// for every thread (16 words of eight bytes: two passes); of B a column in two loads.
TEST(Layout, LoadsArePlayedOneByOne) {
    const Shape shape{Form::matrix, 2, 2};
    const Access row{shape, 4, 4, library::Touch::all, 0, loads({{0, 0, 2, 2}, {1, 1, 3, 3}})};
    const Access column{shape, 4, 4, library::Touch::all, 0, loads({{0, 1, 0, 1}, {2, 3, 2, 3}})};
    EXPECT_EQ(components_per_thread(row), 2);
    EXPECT_DOUBLE_EQ(components_per_element(row), 8);
    EXPECT_DOUBLE_EQ(shared_accesses(row), 4);
    EXPECT_DOUBLE_EQ(shared_accesses(column), 8);
    EXPECT_DOUBLE_EQ(shared_wavefronts(row, 0, 0), 2 / 8.0);
    EXPECT_DOUBLE_EQ(shared_wavefronts(column, 0, 0), 2 / 8.0);
    // In place words are loaded one by one: all four sectors of the warp's elements twice, one line.
    EXPECT_DOUBLE_EQ(requested_sectors(row), 2 * 4 / 8.0);
    EXPECT_DOUBLE_EQ(direct_load_wavefronts(row), 2 * (1 / 4.0 + 0.75) / 8);
}

// 16x16 floats by rows, as `msym` reads them: a row of its own, by four words at once, of which eight threads at a time meet in two groups of four
// banks (16 passes a load of a warp, 4 loads, two elements), and a column, where two elements meet (2 passes, 16 loads).
TEST(Layout, RowAndColumnCostWhatEachCosts) {
    library::ThreadLoads both(32, std::vector<int>(16));
    for (int j = 0; j < 16; ++j) {
        for (int i = 0; i < 16; ++i) {
            both[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = 16 * i + j;
            both[static_cast<std::size_t>(16 + j)][static_cast<std::size_t>(i)] = 16 * j + i;
        }
    }
    EXPECT_DOUBLE_EQ(
        shared_wavefronts({{Form::matrix, 16, 16}, 4, 16, library::Touch::all, 0, loads(both)}, 0, 0), (4 * 16 + 16 * 2) / 2.0);
}

// Threads that take no part ask for nothing: a diagonal of a 4x4 by its four threads of sixteen, two elements a warp.
TEST(Layout, IdleThreadsAskForNothing) {
    std::vector<int> diagonal(16, -1);
    for (const int thread : {0, 5, 10, 15}) {
        diagonal[static_cast<std::size_t>(thread)] = thread;
    }
    const Access access{{Form::matrix, 4, 4}, 8, 16, library::Touch::all, 0, loads({diagonal, std::vector<int>(16, -1)})};
    EXPECT_DOUBLE_EQ(components_per_element(access), 4);
    EXPECT_DOUBLE_EQ(shared_accesses(access), 4);
    EXPECT_DOUBLE_EQ(requested_sectors(access), 4);
    EXPECT_DOUBLE_EQ(
        shared_wavefronts(access, 0, 0), 2 / 2.0); // 16 lanes at a time, whose four words lie in four pairs of banks: 0, 10, 20, 30
}

TEST(Layout, TilesAreWholeVectors) {
    EXPECT_EQ(tile_bytes(32, 9, 4, 0, 0), 1152);
    EXPECT_EQ(tile_bytes(8, 1, 4, 0, 0), 32);
    // 64 elements of 64 bytes, 16 bytes after every second: 4096 + 31 * 16.
    EXPECT_EQ(tile_bytes(64, 16, 4, 2 * 16, 4), 4592);
    // Four elements of 24 rows of 192 bytes, 16 bytes after every row but the last.
    EXPECT_EQ(tile_bytes(4, 576, 8, 24, 2), 4 * 24 * 208 - 16);
}

} // namespace
} // namespace fusec::fusion
