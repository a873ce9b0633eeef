// SPDX-License-Identifier: Apache-2.0
// How many processors a measurement on this host counts: the lesser of those of the affinity and of what OMP_NUM_THREADS asks for; and what is
// assumed of a machine that the system does not tell.
#include "cli/host_machine.hpp"

#include "support/processors.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
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

/// A system that tells nothing, until a test has it tell.
class MachineOfASystem : public testing::Test {
protected:
    void TearDown() override { EXPECT_FALSE(diagnostics_.has_errors()); }
    std::vector<std::string> assumed() const {
        std::vector<std::string> keys;
        for (const HostMachine::Assumed& each : host_machine(system_).assumed) {
            keys.push_back(each.key);
        }
        return keys;
    }

    Diagnostics diagnostics_;
    TemporaryFolder folder_{"machine", diagnostics_};
    SystemFiles system_{folder_.path() / "cpuinfo", folder_.path()};
};

TEST_F(MachineOfASystem, IsAssumedWhereItTellsNothing) {
    const HostMachine machine = host_machine(system_);
    EXPECT_THAT(assumed(), testing::ElementsAre("speed.clock", "speed.l2_bytes", "speed.l3_bytes"));
    EXPECT_EQ(machine.clock_ghz, 1);
    EXPECT_EQ(machine.l2_bytes, 1048576);
    EXPECT_EQ(machine.l3_bytes, 32 * 1048576.0);
    EXPECT_THAT(source_of(machine, "speed.clock"), testing::StartsWith("assumption"));
    EXPECT_EQ(source_of(machine, "speed.cores"), "what the system says");
    warn_of_assumed(machine, diagnostics_);
    ASSERT_EQ(diagnostics_.all().size(), 3U);
    for (const Diagnostic& each : diagnostics_.all()) {
        EXPECT_EQ(each.kind.name, "assumed-machine");
    }
    EXPECT_THAT(diagnostics_.all().at(1).message, testing::HasSubstr("second-level cache is taken to hold 1 MiB for each core"));
}

TEST_F(MachineOfASystem, IsWhatItTells) {
    std::ofstream(system_.processors) << "processor\t: 0\nmodel name\t: one\ncpu MHz\t\t: 2600.500\n";
    for (const int processor : affine_processors()) {
        const std::string own = std::to_string(processor);
        for (const auto& [level, size, sharers] : {std::tuple("2", "512K", own.c_str()), {"3", "16M", "0-1023"}}) {
            const auto cache = system_.caches / ("cpu" + own) / "cache" / (*level == '2' ? "index0" : "index1");
            std::filesystem::create_directories(cache);
            std::ofstream(cache / "level") << level;
            std::ofstream(cache / "type") << "Unified";
            std::ofstream(cache / "size") << size;
            std::ofstream(cache / "shared_cpu_list") << sharers;
        }
    }
    const HostMachine machine = host_machine(system_);
    EXPECT_THAT(assumed(), testing::IsEmpty());
    EXPECT_DOUBLE_EQ(machine.clock_ghz, 2.6005);
    EXPECT_EQ(machine.l2_bytes, 524288);
    EXPECT_EQ(machine.l3_bytes, 16 * 1048576.0);
    EXPECT_EQ(source_of(machine, "speed.clock"), "what the system says");
    warn_of_assumed(machine, diagnostics_);
    EXPECT_TRUE(diagnostics_.all().empty());
}

TEST_F(MachineOfASystem, OfAClockThatIsNoneIsAssumed) {
    std::ofstream(system_.processors) << "cpu MHz\t\t: none\n";
    EXPECT_THAT(assumed(), testing::Contains("speed.clock"));
}

} // namespace
} // namespace fusec::cli
