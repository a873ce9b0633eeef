// SPDX-License-Identifier: Apache-2.0
// The plan against a brute-force search that shares nothing with the solver, on random and on constructed programs.
#include "fusion/columns.hpp"
#include "fusion/enumerate.hpp"
#include "toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace fusec::fusion {
namespace {

std::vector<ColumnId> ascending(std::vector<ColumnId> columns) {
    std::sort(columns.begin(), columns.end());
    return columns;
}

// Costs lie on a grid of 0.1 %, so a plan that is not optimal is off by far more than this.
constexpr double rounding = 1e-12;

TEST(Cover, EqualsBruteForceOnRandomPrograms) {
    std::size_t columns = 0, infeasible = 0, recomputing = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const dag::CallGraph graph = toy::random_graph(random, 2 + seed % 6);
        toy::TableSource source = toy::random_columns(graph, random, 2 + seed % 6, seed % 3 == 0 ? 0.3 : 0);
        columns += source.columns().size();
        const std::vector<Cover> expected = toy::best_plans_by_search(graph, source, 1);
        const CoverResult result = solve_cover(graph, source, {});
        if (expected.empty()) {
            ++infeasible;
            EXPECT_TRUE(result.covers.empty());
            continue;
        }
        ASSERT_EQ(result.covers.size(), 1U);
        const Cover& plan = result.covers.front();
        EXPECT_NEAR(plan.seconds, expected.front().seconds, rounding * plan.seconds);
        EXPECT_EQ(result.gap(), 0);
        std::vector<ColumnId> order;
        EXPECT_TRUE(launch_order(graph, source.columns(), plan.columns, order));
        EXPECT_EQ(order, plan.columns);
        double sum = 0;
        std::multiset<CallId> executed;
        for (const ColumnId column : plan.columns) {
            sum += source.peek(column);
            executed.insert(source.columns()[column.index()].executes.begin(), source.columns()[column.index()].executes.end());
        }
        EXPECT_NEAR(sum, plan.seconds, rounding * sum);
        recomputing += executed.size() > graph.calls();
    }
    // The programs exercise what they are for.
    EXPECT_GT(columns, 5000U);
    EXPECT_GT(recomputing, 20U);
    EXPECT_LT(infeasible, 60U);
}

TEST(Cover, EqualsBruteForceWhereListsAreUpdatedInPlace) {
    std::size_t updates = 0, restricted = 0, recomputing = 0, infeasible = 0;
    for (std::uint64_t seed = 5000; seed < 5600; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const dag::CallGraph graph = toy::random_updating_graph(random, 2 + seed % 6);
        updates += graph.program().updates.size();
        frontend::CheckedProgram unordered = graph.program();
        unordered.updates.clear();
        const dag::CallGraph without(std::move(unordered));
        toy::TableSource source = toy::random_columns(graph, random, 2 + seed % 6, seed % 3 == 0 ? 0.2 : 0);
        const std::vector<Cover> expected = toy::best_plans_by_search(graph, source, 3);
        const std::vector<Cover> best_without = toy::best_plans_by_search(without, source, 1);
        const CoverResult result = solve_cover(graph, source, {.runners_up = 2});
        ASSERT_EQ(result.covers.size(), expected.size());
        if (expected.empty()) {
            ++infeasible;
            continue;
        }
        restricted += expected.front().seconds > best_without.front().seconds * (1 + rounding);
        EXPECT_EQ(result.gap(), 0);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(result.covers[i].seconds, expected[i].seconds, rounding * expected[i].seconds) << "rank " << i;
            std::vector<ColumnId> order;
            EXPECT_TRUE(launch_order(graph, source.columns(), result.covers[i].columns, order));
            EXPECT_EQ(order, result.covers[i].columns);
        }
        std::multiset<CallId> executed;
        for (const ColumnId column : result.covers.front().columns) {
            executed.insert(source.columns()[column.index()].executes.begin(), source.columns()[column.index()].executes.end());
        }
        recomputing += executed.size() > graph.calls();
        for (const PlanMode mode : {PlanMode::none, PlanMode::greedy, PlanMode::max}) {
            for (const Cover& cover : solve_cover(graph, source, {.mode = mode}).covers) {
                std::vector<ColumnId> order;
                EXPECT_TRUE(launch_order(graph, source.columns(), cover.columns, order));
                EXPECT_GE(cover.seconds, expected.front().seconds * (1 - rounding));
            }
        }
    }
    EXPECT_GT(updates, 200U);
    EXPECT_GT(restricted, 20U); // the best plan would store a new value too early
    EXPECT_GT(recomputing, 10U);
    EXPECT_LT(infeasible, 180U);
}

/// `y += ...` where another kernel reads the old value and is best launched with what needs the new one.
///
///     old -> r (output)        old, in -> y (in place of old)        in -> s        s, y -> q (output)
TEST(Cover, AKernelThatReadsTheOldValueDoesNotWaitForTheNewOne) {
    toy::GraphBuilder builder;
    const DataId old = builder.input("old"), in = builder.input("in");
    const DataId r = builder.call("r", {old}), y = builder.call("y", {old, in}), s = builder.call("s", {in}), q = builder.call("q", {s, y});
    builder.output(r);
    builder.output(q);
    builder.update(old, y);
    const dag::CallGraph graph = builder.build();
    toy::TableSource source;
    const auto add = [&](const std::vector<std::size_t>& calls, std::vector<DataId> stores, double seconds) {
        dag::CallSet set;
        for (const std::size_t c : calls) {
            set.emplace_back(c);
        }
        return ColumnId(source.add({set, toy::loads_of(graph, set), std::move(stores)}, seconds, seconds / 2));
    };
    const ColumnId reads = add({0}, {r}, 10e-6), updates = add({1}, {y}, 10e-6), other = add({2}, {s}, 10e-6), last = add({3}, {q}, 10e-6);
    const ColumnId tempting = add({0, 3}, {q, r}, 1e-6); // waits for y, which waits for it
    const ColumnId together = add({1, 2}, {y, s}, 8e-6); // s is needed by `tempting` too: what waits for y waits for s
    add({0, 2}, {r, s}, 15e-6);
    std::vector<ColumnId> order;
    EXPECT_FALSE(launch_order(graph, source.columns(), {tempting, updates, other}, order));
    EXPECT_FALSE(launch_order(graph, source.columns(), {tempting, together}, order));
    ASSERT_TRUE(launch_order(graph, source.columns(), {last, together, reads}, order));
    EXPECT_EQ(order, (std::vector{reads, together, last}));
    const CoverResult result = solve_cover(graph, source, {});
    EXPECT_NEAR(result.covers.front().seconds, 28e-6, 1e-15);
    EXPECT_EQ(result.covers.front().columns, (std::vector{reads, together, last}));
    EXPECT_EQ(result.gap(), 0);
}

TEST(Cover, RunnersUpAreTheNextBestPlans) {
    for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const dag::CallGraph graph = toy::random_graph(random, 2 + seed % 4);
        toy::TableSource source = toy::random_columns(graph, random, 4, 0);
        const std::vector<Cover> expected = toy::best_plans_by_search(graph, source, 6);
        const CoverResult result = solve_cover(graph, source, {.runners_up = 5});
        ASSERT_EQ(result.covers.size(), expected.size());
        std::set<std::vector<ColumnId>> different;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(result.covers[i].seconds, expected[i].seconds, rounding * expected[i].seconds) << "rank " << i;
            different.insert(ascending(result.covers[i].columns));
        }
        EXPECT_EQ(different.size(), expected.size());
    }
}

/// Of the plans that execute each call once and whose kernels store all their boundary: the one of fewest kernels (of those the fastest), and
/// the seconds of the fastest, by going through all partitions of the calls (blocks in order of their smallest call).
struct OfPartitions {
    std::size_t kernels = SIZE_MAX;
    double seconds = 0; ///< of the fewest kernels
    double fastest = INFINITY;
};
void search_partitions(const dag::CallGraph& graph, const toy::TableSource& source, const std::vector<ColumnId>& whole,
    const std::set<CallId>& left, std::vector<ColumnId> chosen, double seconds, OfPartitions& best) {
    if (left.empty()) {
        std::vector<ColumnId> order;
        if (launch_order(graph, source.columns(), chosen, order)) {
            if (std::pair(chosen.size(), seconds) < std::pair(best.kernels, best.seconds)) {
                best.kernels = chosen.size();
                best.seconds = seconds;
            }
            best.fastest = std::min(best.fastest, seconds);
        }
        return;
    }
    for (const ColumnId column : whole) {
        const dag::CallSet& calls = source.columns()[column.index()].executes;
        if (calls.front() != *left.begin() || !std::includes(left.begin(), left.end(), calls.begin(), calls.end())) {
            continue;
        }
        std::set<CallId> rest = left;
        for (const CallId call : calls) {
            rest.erase(call);
        }
        chosen.push_back(column);
        search_partitions(graph, source, whole, rest, chosen, seconds + source.peek(column), best);
        chosen.pop_back();
    }
}

TEST(Cover, ModesNeverBeatAutomaticAndMaxHasFewestKernels) {
    std::size_t recomputing = 0; ///< programs whose best plan executes a call twice
    for (std::uint64_t seed = 2000; seed < 2060; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const dag::CallGraph graph = toy::random_graph(random, 2 + seed % 5);
        toy::TableSource source = toy::random_columns(graph, random, 3 + seed % 3, 0);
        const CoverResult automatic = solve_cover(graph, source, {});
        const double best = automatic.covers.front().seconds;
        for (const PlanMode mode : {PlanMode::none, PlanMode::greedy, PlanMode::max}) {
            const CoverResult result = solve_cover(graph, source, {.mode = mode});
            ASSERT_EQ(result.covers.size(), 1U);
            EXPECT_GE(result.covers.front().seconds, best * (1 - rounding));
            EXPECT_LE(result.bound, best * (1 + rounding)) << "the bound holds for every plan, not only those of the mode";
            // None of these modes recomputes.
            std::multiset<CallId> executed;
            for (const ColumnId column : result.covers.front().columns) {
                executed.insert(source.columns()[column.index()].executes.begin(), source.columns()[column.index()].executes.end());
            }
            EXPECT_EQ(executed.size(), graph.calls());
            if (mode == PlanMode::none) {
                EXPECT_EQ(result.covers.front().columns.size(), graph.calls());
            }
            if (mode == PlanMode::max) {
                std::vector<ColumnId> whole;
                for (std::size_t c = 0; c < source.columns().size(); ++c) {
                    if (source.columns()[c].stores == graph.boundary(source.columns()[c].executes)) {
                        whole.emplace_back(c);
                    }
                }
                std::set<CallId> all;
                for (std::size_t i = 0; i < graph.calls(); ++i) {
                    all.emplace(i);
                }
                OfPartitions partitions;
                search_partitions(graph, source, whole, all, {}, 0, partitions);
                EXPECT_EQ(result.covers.front().columns.size(), partitions.kernels);
                EXPECT_NEAR(result.covers.front().seconds, partitions.seconds, rounding * partitions.seconds);
                const CoverResult once = solve_cover(graph, source, {.recompute = false});
                EXPECT_NEAR(once.covers.front().seconds, partitions.fastest, rounding * partitions.fastest);
                EXPECT_EQ(once.gap(), 0);
                recomputing += once.covers.front().seconds > best * (1 + rounding);
            }
        }
    }
    EXPECT_GT(recomputing, 5U);
}

/// Two chains a1 -> a2 and b1 -> b2, four outputs' worth of data between them:
///
///     in -> a1 -> a2 (output)
///     in -> b1 -> b2 (output)
///
/// with a2 also reading b1 and b2 also reading a1. {a1, b2} and {b1, a2} are both convex, but each waits for the other.
class WaitingForEachOther : public testing::Test {
protected:
    WaitingForEachOther() {
        const DataId in = builder_.input("in");
        a1_ = builder_.call("a1", {in});
        b1_ = builder_.call("b1", {in});
        a2_ = builder_.call("a2", {in, b1_});
        b2_ = builder_.call("b2", {in, a1_});
        builder_.output(a2_);
        builder_.output(b2_);
        graph_.emplace(builder_.build());
    }
    ColumnId add(const std::vector<std::size_t>& calls, std::vector<DataId> stores, double seconds) {
        dag::CallSet set;
        for (const std::size_t c : calls) {
            set.emplace_back(c);
        }
        return ColumnId(source_.add({set, toy::loads_of(*graph_, set), std::move(stores)}, seconds, seconds / 2));
    }

    toy::GraphBuilder builder_;
    DataId a1_, b1_, a2_, b2_;
    std::optional<dag::CallGraph> graph_;
    toy::TableSource source_;
};

TEST_F(WaitingForEachOther, IsCutOff) {
    // Calls: 0 a1, 1 b1, 2 a2, 3 b2. {a1, a2} stores a1 and a2 and loads b1; {b1, b2} stores b1 and b2 and loads a1: a cycle.
    const ColumnId separate[] = {add({0}, {a1_}, 10e-6), add({1}, {b1_}, 10e-6), add({2}, {a2_}, 10e-6), add({3}, {b2_}, 10e-6)};
    const ColumnId first = add({0, 2}, {a1_, a2_}, 2e-6);
    const ColumnId second = add({1, 3}, {b1_, b2_}, 2e-6);
    std::vector<ColumnId> order;
    EXPECT_FALSE(launch_order(*graph_, source_.columns(), {first, second}, order));
    const CoverResult result = solve_cover(*graph_, source_, {});
    // Best legal: one of the two fused, the other separate: 2 + 10 + 10; b1 is launched before {a1, a2}, b2 after it.
    EXPECT_NEAR(result.covers.front().seconds, 22e-6, 1e-15);
    EXPECT_EQ(result.gap(), 0);
    EXPECT_THAT(result.covers.front().columns,
        testing::AnyOf(testing::ElementsAre(separate[1], first, separate[3]), testing::ElementsAre(separate[0], second, separate[2])));
    // The greedy rule is tempted by the same two fusions: each saves the load of an intermediate.
    const CoverResult greedy = solve_cover(*graph_, source_, {.mode = PlanMode::greedy});
    EXPECT_TRUE(launch_order(*graph_, source_.columns(), greedy.covers.front().columns, order));
}

TEST_F(WaitingForEachOther, IsAvoidedByRecomputation) {
    // {b1, a2} executes b1 again and loads nothing computed; so does {a1, b2}. Two kernels instead of a cycle.
    for (const std::size_t c : {0U, 1U, 2U, 3U}) {
        add({c}, {graph_->call(CallId(c)).result}, 10e-6);
    }
    add({0, 2}, {a1_, a2_}, 2e-6);
    add({1, 3}, {b1_, b2_}, 2e-6);
    const ColumnId one = add({1, 2}, {a2_}, 3e-6);
    const ColumnId other = add({0, 3}, {b2_}, 3e-6);
    const CoverResult result = solve_cover(*graph_, source_, {});
    EXPECT_NEAR(result.covers.front().seconds, 6e-6, 1e-15);
    EXPECT_THAT(result.covers.front().columns, testing::UnorderedElementsAre(one, other));
}

TEST(Cover, NothingReachesStandardOutput) {
    std::mt19937_64 random(7);
    const dag::CallGraph graph = toy::random_graph(random, 7);
    toy::TableSource source = toy::random_columns(graph, random, 5, 0);
    testing::internal::CaptureStdout();
    solve_cover(graph, source, {.runners_up = 3});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Cover, IsDeterministic) {
    std::mt19937_64 random(99);
    const dag::CallGraph graph = toy::random_graph(random, 9, 4);
    const toy::TableSource made = toy::random_columns(graph, random, 4, 0.1);
    std::vector<std::vector<ColumnId>> first;
    for (int run = 0; run < 3; ++run) {
        toy::TableSource source = made;
        const CoverResult result = solve_cover(graph, source, {.runners_up = 3});
        std::vector<std::vector<ColumnId>> plans;
        for (const Cover& cover : result.covers) {
            plans.push_back(cover.columns);
        }
        if (run == 0) {
            first = plans;
        }
        EXPECT_EQ(plans, first);
        EXPECT_EQ(plans.size(), 4U);
    }
}

TEST(Cover, StopsEarlyWithAValidPlanAndATrueBound) {
    for (std::uint64_t seed = 3000; seed < 3005; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const dag::CallGraph graph = toy::random_graph(random, 10, 4);
        const toy::TableSource made = toy::random_columns(graph, random, 4, 0);
        toy::TableSource source = made;
        const CoverResult full = solve_cover(graph, source, {});
        EXPECT_EQ(full.gap(), 0);
        for (const PlanOptions& options : {PlanOptions{.nodes = 1}, PlanOptions{.time_limit = 1e-3}}) {
            toy::TableSource again = made;
            const CoverResult cut = solve_cover(graph, again, options);
            ASSERT_FALSE(cut.covers.empty());
            std::vector<ColumnId> order;
            EXPECT_TRUE(launch_order(graph, made.columns(), cut.covers.front().columns, order));
            EXPECT_GE(cut.covers.front().seconds, full.covers.front().seconds * (1 - rounding));
            EXPECT_LE(cut.bound, full.covers.front().seconds * (1 + rounding));
        }
    }
}

TEST(Cover, AsksFewCostsOfALargeProgram) {
    // A chain of 40 calls; every interval of at most 8 is a fusion. Times are launch + bytes: the best plan is 5 kernels of 8.
    toy::GraphBuilder builder;
    DataId last = builder.input("in");
    for (int i = 0; i < 40; ++i) {
        last = builder.call("t" + std::to_string(i), {last});
    }
    builder.output(last);
    const dag::CallGraph graph = builder.build();
    toy::TableSource source;
    for (std::size_t begin = 0; begin < 40; ++begin) {
        dag::CallSet calls;
        for (std::size_t end = begin; end < std::min<std::size_t>(40, begin + 8); ++end) {
            calls.emplace_back(end);
            source.add({calls, toy::loads_of(graph, calls), {graph.call(CallId(end)).result}}, 10e-6, 9e-6);
        }
    }
    const CoverResult result = solve_cover(graph, source, {});
    EXPECT_NEAR(result.covers.front().seconds, 50e-6, 1e-15);
    EXPECT_EQ(result.gap(), 0);
}

/// The fusions that the compiler enumerates, with costs of a launch, the bytes moved, and up to a tenth more.
toy::TableSource enumerated_columns(const dag::CallGraph& graph, std::mt19937_64& random, bool recompute = true) {
    const std::vector<double> flops(graph.calls(), 10);
    toy::TableSource source;
    for (const Column& column : make_columns(graph, enumerate_fusions(graph, 6, 2500).sets, flops, recompute).columns) {
        const double least = 2e-6 + 1e-6 * static_cast<double>(column.loads.size() + column.stores.size());
        source.add(column, least * (1 + 0.001 * static_cast<double>(random() % 100)), least);
    }
    return source;
}

/// Large programs are not searched to the end: what holds for them all the same. The last one is huge: its dive forgets columns.
TEST(Cover, LargeProgramsHaveLegalPlansNearTheirBound) {
    for (const std::size_t calls : {std::size_t{60}, std::size_t{90}, std::size_t{410}}) {
        SCOPED_TRACE(calls);
        std::mt19937_64 random(calls);
        const dag::CallGraph graph = toy::random_graph(random, calls, 6);
        const toy::TableSource made = enumerated_columns(graph, random);
        toy::TableSource source = made;
        const CoverResult automatic = solve_cover(graph, source, {.runners_up = 4});
        ASSERT_EQ(automatic.covers.size(), 5U);
        EXPECT_LE(automatic.gap(), 0.05);
        std::set<std::vector<ColumnId>> different;
        for (const Cover& cover : automatic.covers) {
            std::vector<ColumnId> order;
            EXPECT_TRUE(launch_order(graph, source.columns(), cover.columns, order));
            EXPECT_GE(cover.seconds, automatic.covers.front().seconds);
            EXPECT_GE(cover.seconds, automatic.bound);
            different.insert(ascending(cover.columns));
        }
        EXPECT_EQ(different.size(), 5U);
        std::map<PlanMode, std::size_t> kernels;
        for (const PlanMode mode : {PlanMode::none, PlanMode::greedy, PlanMode::max}) {
            toy::TableSource again = made;
            const Cover cover = solve_cover(graph, again, {.mode = mode, .bound = false}).covers.front();
            EXPECT_GE(cover.seconds, automatic.covers.front().seconds);
            kernels[mode] = cover.columns.size();
        }
        EXPECT_LE(kernels[PlanMode::max], kernels[PlanMode::greedy]);
        toy::TableSource again = made;
        EXPECT_EQ(solve_cover(graph, again, {}).covers.front().columns, automatic.covers.front().columns);
    }
}

TEST(Cover, NoKnownPlanOfALargeProgramHasFewerKernelsThanMax) {
    for (const std::size_t calls : {std::size_t{60}, std::size_t{90}, std::size_t{200}}) {
        SCOPED_TRACE(calls);
        std::mt19937_64 random(calls);
        const dag::CallGraph graph = toy::random_graph(random, calls, 6);
        const toy::TableSource made = enumerated_columns(graph, random, false); // with recomputation, fewer may do
        const auto kernels = [&](PlanMode mode) {
            toy::TableSource source = made;
            return solve_cover(graph, source, {.mode = mode, .recompute = false, .bound = false}).covers.front().columns.size();
        };
        const std::size_t most_fused = kernels(PlanMode::max);
        EXPECT_LE(most_fused, kernels(PlanMode::automatic));
        EXPECT_LT(most_fused, kernels(PlanMode::greedy));
    }
}

TEST(Cover, ALargeChainIsCutWhereItIsKnownToBeBest) {
    // 120 calls; every interval of at most 8 is a fusion of 10 us: 15 kernels, 150 us. Windows and dives must not lose against arithmetic.
    toy::GraphBuilder builder;
    DataId last = builder.input("in");
    for (int i = 0; i < 120; ++i) {
        last = builder.call("t" + std::to_string(i), {last});
    }
    builder.output(last);
    const dag::CallGraph graph = builder.build();
    toy::TableSource source;
    for (std::size_t begin = 0; begin < 120; ++begin) {
        dag::CallSet calls;
        for (std::size_t end = begin; end < std::min<std::size_t>(120, begin + 8); ++end) {
            calls.emplace_back(end);
            source.add({calls, toy::loads_of(graph, calls), {graph.call(CallId(end)).result}}, 10e-6, 9e-6);
        }
    }
    const CoverResult result = solve_cover(graph, source, {});
    EXPECT_LE(result.bound, 150e-6 * (1 + rounding));
    EXPECT_GE(result.covers.front().seconds, 150e-6 * (1 - rounding));
    EXPECT_LE(result.gap(), 0.05);
}

} // namespace
} // namespace fusec::fusion
