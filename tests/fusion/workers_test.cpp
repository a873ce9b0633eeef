// SPDX-License-Identifier: Apache-2.0
// Work on several threads: each item once, failures told, and the same fusions, prices and plan for any number of threads.
#include "fusion/workers.hpp"

#include "fake_cost.hpp"
#include "fusion/enumerate.hpp"
#include "fusion/space.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>

namespace fusec::fusion {
namespace {

constexpr std::size_t counts[] = {1, 2, 3, 8};

TEST(Workers, DoEachItemOnce) {
    for (const std::size_t count : counts) {
        Workers workers(count);
        EXPECT_EQ(workers.count(), count);
        EXPECT_EQ(workers.asked(), count);
        for (const std::size_t items : {0U, 1U, 7U, 1000U}) {
            for (const std::size_t grain : {1U, 3U, 64U, 5000U}) {
                std::vector<std::atomic<int>> done(items);
                workers.run(items, grain, [&](std::size_t worker, std::size_t begin, std::size_t end) {
                    EXPECT_LT(worker, count);
                    EXPECT_EQ(begin % grain, 0U);
                    EXPECT_LE(end - begin, grain);
                    for (std::size_t i = begin; i < end; ++i) {
                        ++done[i];
                    }
                });
                for (const std::atomic<int>& times : done) {
                    ASSERT_EQ(times, 1);
                }
            }
        }
    }
}

TEST(Workers, TellTheFirstFailureAndGoOnWorking) {
    for (const std::size_t count : counts) {
        Workers workers(count);
        for (int round = 0; round < 20; ++round) {
            std::string told;
            try {
                workers.run(200, 1, [](std::size_t, std::size_t begin, std::size_t) {
                    if (begin % 50 == 17) { // 17, 67, 117, 167
                        throw std::runtime_error(std::to_string(begin));
                    }
                });
            } catch (const std::runtime_error& failure) {
                told = failure.what();
            }
            ASSERT_EQ(told, "17");
        }
        std::atomic<std::size_t> sum = 0;
        workers.run(100, 7, [&](std::size_t, std::size_t begin, std::size_t end) { sum += end - begin; });
        EXPECT_EQ(sum, 100U);
    }
}

#if !defined(__SANITIZE_ADDRESS__) // which takes terabytes of addresses
TEST(Workers, DoWithTheThreadsThatTheSystemGives) {
    const auto with_little_memory = [] {
        const rlimit limit{std::size_t{1} << 28U, std::size_t{1} << 28U}; // 64 stacks of 8 MiB do not fit
        if (::setrlimit(RLIMIT_AS, &limit) != 0) {
            ::_exit(3);
        }
        Workers workers(64);
        std::atomic<std::size_t> sum = 0;
        workers.run(1000, 7, [&](std::size_t, std::size_t begin, std::size_t end) { sum += end - begin; });
        ::_exit(sum == 1000U && workers.count() < 64 && workers.asked() == 64 ? 0 : 1);
    };
    EXPECT_EXIT(with_little_memory(), testing::ExitedWithCode(0), "");
}
#endif

/// Layers of matrix operations, each of two results of the layers before.
dag::CallGraph layers(int calls, unsigned seed) {
    std::mt19937 random(seed);
    test::ProgramBuilder builder;
    std::vector<DataId> lists;
    std::set<DataId> used;
    for (int i = 0; i < 4; ++i) {
        lists.push_back(builder.input("A" + std::to_string(i), test::matrix_shape(3, 3)));
    }
    for (int i = 0; i < calls; ++i) {
        const auto recent = [&] { return lists[lists.size() - 1 - random() % std::min<std::size_t>(lists.size(), 7)]; };
        const DataId first = recent(), second = recent();
        used.insert({first, second});
        lists.push_back(builder.call(random() % 2 == 0 ? "mmul" : "madd", {first, second}, "B" + std::to_string(i)));
    }
    for (std::size_t i = 4; i < lists.size(); ++i) {
        if (!used.contains(lists[i])) {
            builder.output(lists[i]);
        }
    }
    return builder.graph();
}

/// Everything that a compile shows of its space and its plan.
std::string found(const dag::CallGraph& graph, std::size_t most) {
    const test::FakeCost cost;
    SpaceOptions options;
    options.max_fusion = 5;
    options.max_fusions = most;
    options.implementations = 24;
    Space space(graph, test::catalog(), DeviceLimits{}, cost, options);
    PlanOptions plan;
    plan.runners_up = 2;
    const CoverResult result = solve_cover(graph, space, plan);
    std::string text;
    const auto add = [&](const auto& value) { text += std::to_string(value) + ' '; };
    for (const Column& column : space.columns()) {
        for (const CallId call : column.executes) {
            add(call.value);
        }
        text += '\n';
    }
    for (const Cover& cover : result.covers) {
        for (const ColumnId column : cover.columns) {
            add(column.value);
        }
        add(1e9 * cover.seconds);
    }
    add(1e9 * result.bound);
    const SpaceStatistics statistics = space.statistics();
    add(statistics.fusions);
    add(statistics.candidates);
    add(statistics.dominated);
    add(statistics.unexplored);
    for (const auto& [reason, count] : statistics.rejected) {
        text += reason;
        add(count);
    }
    return text;
}

TEST(Workers, FindTheSameWhateverTheirNumber) {
    struct Case {
        int calls;
        std::size_t most;
    };
    const std::size_t before = Workers::shared().count();
    for (const auto& [calls, most] : {Case{12, 200000}, Case{25, 600}, Case{60, 3000}}) {
        const dag::CallGraph graph = layers(calls, static_cast<unsigned>(calls));
        std::string alone;
        for (const std::size_t count : counts) {
            Workers::use(count);
            const std::string together = found(graph, most);
            alone = count == 1 ? together : alone;
            ASSERT_GT(together.size(), 1000U);
            ASSERT_EQ(together, alone) << calls << " calls, " << count << " threads";
        }
    }
    Workers::use(before);
}

} // namespace
} // namespace fusec::fusion
