// SPDX-License-Identifier: Apache-2.0
#include "support/processors.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <sched.h>

namespace fusec {
namespace {

using Path = std::filesystem::path;

void add_cache(const Path& system, int processor, int index, const std::string& level, const std::string& type, const std::string& size,
    const std::string& sharers) {
    const Path folder = system / ("cpu" + std::to_string(processor)) / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "type") << type << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << sharers << '\n';
}

/// Four processors, two of which share a last-level cache each, with instructions in the greatest numbers.
class CachesOfASystem : public testing::Test {
protected:
    void SetUp() override {
        for (int p = 0; p < 4; ++p) {
            add_cache(system_, p, 0, "1", "Data", "48K", std::to_string(p));
            add_cache(system_, p, 1, "1", "Instruction", "999M", std::to_string(p));
            add_cache(system_, p, 2, "2", "Unified", p == 3 ? "512K" : "1024K", std::to_string(p));
            add_cache(system_, p, 3, "3", "Unified", "32M", p < 2 ? "0-1" : "2-3");
        }
    }
    void TearDown() override { EXPECT_TRUE(diagnostics_.all().empty()); }

    Diagnostics diagnostics_;
    TemporaryFolder folder_{"caches", diagnostics_};
    Path system_ = folder_.path();
};

TEST_F(CachesOfASystem, AreCountedOnceHoweverManyShareThem) {
    constexpr double kibibyte = 1024, mebibyte = 1024 * 1024;
    EXPECT_EQ(cache_bytes({0}, system_).last_level, 32 * mebibyte);
    EXPECT_EQ(cache_bytes({0, 1}, system_).last_level, 32 * mebibyte);
    EXPECT_EQ(cache_bytes({1, 2}, system_).last_level, 64 * mebibyte);
    EXPECT_EQ(cache_bytes({0, 1, 2, 3}, system_).last_level, 64 * mebibyte);
    EXPECT_EQ(cache_bytes({0, 1, 2}, system_).second_level, 1024 * kibibyte);
    EXPECT_EQ(cache_bytes({0, 1, 2, 3}, system_).second_level, 512 * kibibyte) << "the least";
}

TEST_F(CachesOfASystem, OfTheSecondLevelAreLastWhereThereIsNoThird) {
    for (int p = 0; p < 4; ++p) {
        std::filesystem::remove_all(system_ / ("cpu" + std::to_string(p)) / "cache" / "index3");
    }
    EXPECT_EQ(cache_bytes({0, 1, 3}, system_).last_level, (1024 + 1024 + 512) * 1024.0);
}

TEST_F(CachesOfASystem, AreNoneWhereTheSystemDoesNotTell) {
    EXPECT_EQ(cache_bytes({}, system_).last_level, 0);
    EXPECT_EQ(cache_bytes({7}, system_).last_level, 0);
    add_cache(system_, 8, 0, "3", "Unified", "many", "8");
    EXPECT_EQ(cache_bytes({8}, system_).last_level, 0);
    EXPECT_EQ(cache_bytes({8}, system_).second_level, 0);
}

TEST(Processors, AreThoseOfTheAffinity) {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    const std::vector<int> processors = affine_processors();
    EXPECT_EQ(static_cast<int>(processors.size()), CPU_COUNT(&set));
    for (const int each : processors) {
        EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(each), &set)) << each;
    }
    EXPECT_EQ(threads_at_once(), processors.size());
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(processors.back()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(affine_processors(), std::vector<int>{processors.back()});
    EXPECT_EQ(threads_at_once(), 1U);
    EXPECT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

} // namespace
} // namespace fusec
