// SPDX-License-Identifier: Apache-2.0
// The workspace under test: its layout, poison that nothing alters unseen, and sizes that tell a wrong layout.
#include "execute/workspace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

namespace fusec::execute {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Workspace, HasItsSlotsOneAfterAnother) {
    // 3 elements: 576 and 72 bytes, rounded up to 768 and 256.
    EXPECT_EQ(workspace_bytes({192, 24}, 3), 1024u);
    // 32 elements: 6144 and 768, multiples of 256.
    EXPECT_EQ(workspace_bytes({192, 24}, 32), 6912u);
    EXPECT_EQ(workspace_bytes({192, 24}, 0), 0u);
    EXPECT_EQ(workspace_bytes({}, 100), 0u);

    const unsigned char* const data = nullptr;
    const std::vector<emulation::Forbidden> behind = paddings(data, {192, 24}, 3);
    ASSERT_THAT(behind, SizeIs(2));
    EXPECT_EQ(behind[0].first - data, 576);
    EXPECT_EQ(behind[0].last - data, 768);
    EXPECT_EQ(behind[1].first - data, 768 + 72);
    EXPECT_EQ(behind[1].last - data, 1024);
    EXPECT_THAT(paddings(data, {192, 24}, 32), IsEmpty());
}

TEST(Workspace, PoisonIsNoNumberAndNoTwoNeighboursAreTheSame) {
    std::vector<unsigned char> memory(4096);
    poison(memory.data(), memory.size());
    EXPECT_FALSE(altered_poison(memory.data(), 0, memory.size()));
    std::set<std::uint32_t> words;
    for (std::size_t at = 0; at < memory.size(); at += 4) {
        float narrow = 0;
        std::uint32_t word = 0;
        std::memcpy(&narrow, &memory[at], 4);
        std::memcpy(&word, &memory[at], 4);
        EXPECT_TRUE(std::isnan(narrow)) << at;
        words.insert(word);
    }
    EXPECT_EQ(words.size(), memory.size() / 4);
    for (std::size_t at = 0; at < memory.size(); at += 8) {
        double wide = 0;
        std::memcpy(&wide, &memory[at], 8);
        EXPECT_TRUE(std::isnan(wide)) << at;
        // What arithmetic keeps of a NaN, its payload, still tells where it comes from.
        const double carried = 1.0 + wide;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(carried), std::bit_cast<std::uint64_t>(wide)) << at;
    }
    std::memcpy(&memory[512], &memory[256], 8);
    EXPECT_GE(altered_poison(memory.data(), 0, memory.size()).value(), 512u);
    EXPECT_LT(altered_poison(memory.data(), 0, memory.size()).value(), 520u);
}

TEST(Workspace, SaysWhichSlotIsLeft) {
    std::vector<unsigned char> memory(workspace_bytes({192, 24}, 3));
    poison(memory.data(), memory.size());
    std::memset(memory.data(), 0, 576);      // slot 0
    std::memset(memory.data() + 768, 0, 72); // slot 1
    EXPECT_FALSE(altered_padding(memory.data(), {192, 24}, 3));
    memory[768 + 80] ^= 1;
    EXPECT_EQ(altered_padding(memory.data(), {192, 24}, 3), "behind slot 1 of the workspace, 8 bytes past its last element");
    memory[576] ^= 1;
    EXPECT_EQ(altered_padding(memory.data(), {192, 24}, 3), "behind slot 0 of the workspace, 0 bytes past its last element");
}

TEST(Workspace, SizesTellEverySlotFromItsNeighboursAndFillIt) {
    const auto units = [](std::size_t bytes) { return (bytes + 255) / 256; };
    for (const std::vector<int>& tiles : std::vector<std::vector<int>>{{1}, {8}, {16}, {32}, {256}, {32, 64, 128}}) {
        for (const int slot : {4, 8, 12, 24, 36, 64, 100, 192, 256, 288, 800}) {
            const std::vector<RunCase> cases = workspace_cases(tiles, {24, slot}, 3);
            ASSERT_FALSE(cases.empty());
            EXPECT_LE(cases.size(), 4u);
            bool wider = false, narrower = false, full = false;
            const auto bytes = static_cast<std::size_t>(slot);
            for (const RunCase& launch : cases) {
                EXPECT_EQ(launch.schedule, emulation::Schedule::reverse);
                for (const int tile : tiles) {
                    EXPECT_GT(launch.n, static_cast<std::size_t>(tile));
                    EXPECT_TRUE(tile == 1 || launch.n % static_cast<std::size_t>(tile) != 0) << launch.n;
                }
                wider = wider || units(launch.n * (bytes + 1)) > units(launch.n * bytes);
                narrower = narrower || units(launch.n * (bytes - 1)) < units(launch.n * bytes);
                full = full || units((launch.n + 1) * bytes) > units(launch.n * bytes);
            }
            EXPECT_TRUE(wider) << slot;
            EXPECT_TRUE(narrower) << slot;
            // 64 elements of 4 bytes fill a unit, and 32 of 8; such sizes are multiples of the tile or of one of them.
            const int filled = 256 / std::gcd(256, slot);
            EXPECT_TRUE(full || std::any_of(tiles.begin(), tiles.end(), [&](int tile) { return filled % tile == 0; }))
                << slot << " of " << tiles.front();
        }
    }
    EXPECT_THAT(workspace_cases({32}, {}, 3), IsEmpty());
}

} // namespace
} // namespace fusec::execute
