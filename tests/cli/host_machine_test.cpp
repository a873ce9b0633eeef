// SPDX-License-Identifier: Apache-2.0
// How many processors a measurement on this host counts: the lesser of those of the affinity and of what OMP_NUM_THREADS asks for.
#include "cli/host_machine.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <sched.h>

namespace fusec::cli {
namespace {

// What GNU's OpenMP of g++ 12 takes (omp_get_max_threads with each of these values), or refuses and starts a thread per processor.
TEST(UsableProcessors, TakesTheFirstOfAListOfPositiveNumbers) {
    EXPECT_EQ(usable_processors(8, nullptr), 8);
    for (const auto& [value, threads] : {std::pair("1", 1), {"4", 4}, {"4,2", 4}, {" 5 ", 5}, {"4 , 2", 4}, {"4,9", 4}, {"8", 8}}) {
        EXPECT_EQ(usable_processors(8, value), threads) << "`" << value << "`";
    }
    for (const char* const ignored : {"abc", "0", "", "-3", " ", ",", ",4", "4,", "4,abc", "4,0", "4abc", "4;2", "4 2", "0,4", "-1,2"}) {
        EXPECT_EQ(usable_processors(8, ignored), 8) << "`" << ignored << "`";
    }
}

TEST(UsableProcessors, IsTheLesser) {
    EXPECT_EQ(usable_processors(2, "4,2"), 2);
    EXPECT_EQ(usable_processors(1, "4"), 1);
    EXPECT_EQ(usable_processors(3000, "2048"), 2048);
    EXPECT_EQ(usable_processors(3000, "99999999999"), 3000);
    EXPECT_EQ(usable_processors(3000, "99999999999999999999999"), 3000);
    EXPECT_EQ(usable_processors(0, nullptr), 1) << "of a system that tells nothing";
}

/// As tests found them afterwards.
class ProcessorsOfThisProcess : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
        if (const char* const threads = std::getenv("OMP_NUM_THREADS")) {
            threads_ = threads;
        }
        unsetenv("OMP_NUM_THREADS");
    }
    void TearDown() override {
        EXPECT_EQ(sched_setaffinity(0, sizeof before_, &before_), 0);
        if (threads_) {
            setenv("OMP_NUM_THREADS", threads_->c_str(), 1);
        } else {
            unsetenv("OMP_NUM_THREADS");
        }
    }
    /// The first `count` of those that the process had.
    void restrict_to(int count) {
        cpu_set_t some;
        CPU_ZERO(&some);
        for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < count; ++i) {
            if (CPU_ISSET(i, &before_)) {
                CPU_SET(i, &some);
            }
        }
        ASSERT_EQ(sched_setaffinity(0, sizeof some, &some), 0);
    }

    cpu_set_t before_{};
    std::optional<std::string> threads_;
};

TEST_F(ProcessorsOfThisProcess, AreThoseOfItsAffinity) {
    const int all = CPU_COUNT(&before_);
    EXPECT_EQ(usable_processors(), all);
    EXPECT_EQ(host_machine().cores, all);
    for (int count = 1; count <= all; count *= 2) {
        restrict_to(count);
        EXPECT_EQ(usable_processors(), count);
        EXPECT_EQ(host_machine().cores, count);
    }
}

TEST_F(ProcessorsOfThisProcess, AreNoMoreThanTheThreadsAskedFor) {
    setenv("OMP_NUM_THREADS", "1,2", 1);
    EXPECT_EQ(usable_processors(), 1);
    setenv("OMP_NUM_THREADS", "100000", 1);
    EXPECT_EQ(usable_processors(), CPU_COUNT(&before_));
    restrict_to(1);
    EXPECT_EQ(usable_processors(), 1);
}

} // namespace
} // namespace fusec::cli
