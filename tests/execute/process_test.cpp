// SPDX-License-Identifier: Apache-2.0
#include "execute/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace fusec::execute {
namespace {

TEST(Children, ReturnTextsInOrderAndSurviveFaults) {
    const std::string large(3000000, 'x'); // more than a pipe holds
    const auto results = run_children({[] { return std::string("first"); },
                                          []() -> std::string {
                                              std::raise(SIGKILL);
                                              return "unreached";
                                          },
                                          [] {
                                              std::this_thread::sleep_for(std::chrono::seconds(30));
                                              return std::string("late");
                                          },
                                          [&] { return large; }, []() -> std::string { end_child("said before the end"); },
                                          []() -> std::string { _exit(1); }, [] { return std::string(); },
                                          []() -> std::string {
                                              send_from_child("sent; ");
                                              std::raise(SIGKILL);
                                              return "";
                                          },
                                          [] {
                                              send_from_child("sent, ");
                                              return std::string("returned");
                                          }},
        2, 0.3);
    ASSERT_EQ(results.size(), 9u);
    EXPECT_TRUE(results[0].completed);
    EXPECT_EQ(results[0].text, "first");
    EXPECT_FALSE(results[1].completed);
    EXPECT_THAT(results[1].fault, testing::StartsWith("signal 9"));
    EXPECT_FALSE(results[2].completed);
    EXPECT_EQ(results[2].fault, "exceeded 3 s");
    EXPECT_TRUE(results[3].completed);
    EXPECT_EQ(results[3].text, large);
    EXPECT_FALSE(results[4].completed);
    EXPECT_EQ(results[4].text, "said before the end");
    EXPECT_EQ(results[4].fault, "ended");
    EXPECT_FALSE(results[5].completed);
    EXPECT_EQ(results[5].fault, "exit code 1") << "as end_child's, which said something";
    EXPECT_TRUE(results[6].completed);
    EXPECT_EQ(results[6].text, "");
    EXPECT_FALSE(results[7].completed);
    EXPECT_EQ(results[7].text, "sent; ");
    EXPECT_TRUE(results[8].completed);
    EXPECT_EQ(results[8].text, "sent, returned");
}

TEST(Children, AreBoundedByTheirProcessorTimeOnALoadedMachine) {
    // The clock's bound of 100 s is there for a child that waits, not for one that has to share the processor.
    const auto results = run_children({[]() -> std::string {
        for (volatile bool on = true; on;) {
        }
        return "ended";
    }},
        1, 0.1, 1000);
    EXPECT_FALSE(results.at(0).completed);
    EXPECT_EQ(results.at(0).fault, "exceeded 1 s of processor time");
}

} // namespace
} // namespace fusec::execute
