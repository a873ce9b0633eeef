// SPDX-License-Identifier: Apache-2.0
// Slices and assemblies take no place in a fusion: the sets against a naive search by the definition, and the columns that they give.
#include "fusion/carried_moves.hpp"
#include "fusion/columns.hpp"
#include "program_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace fusec::fusion {
namespace {

using dag::CallSet;
using test::matrix_shape;
using test::ProgramBuilder;
using test::scalar_shape;
using test::vector_shape;

CallSet calls(std::initializer_list<int> indices) {
    CallSet set;
    for (int index : indices) {
        set.push_back(CallId(static_cast<std::size_t>(index)));
    }
    return set;
}

Places moving(const dag::CallGraph& graph, const std::set<std::size_t>& moves) {
    std::vector<bool> result(graph.calls(), false);
    for (const std::size_t call : moves) {
        result.at(call) = true;
    }
    return Places(std::move(result));
}

bool has(const std::vector<CallSet>& sets, const CallSet& set) {
    return std::find(sets.begin(), sets.end(), set) != sets.end();
}

bool smaller(const CallSet& a, const CallSet& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Everything by walks over operands and users, with sets.
class Naive {
public:
    using Calls = std::set<CallId>;

    Naive(const dag::CallGraph& graph, const Places& places) : graph_(graph), places_(places) {}

    std::vector<CallSet> fusions(int largest) const {
        std::set<CallSet> result;
        for (std::size_t bits = 1; bits < std::size_t{1} << graph_.calls(); ++bits) {
            Calls set, computing;
            for (std::size_t call = 0; call < graph_.calls(); ++call) {
                if ((bits >> call & 1) != 0) {
                    set.insert(CallId(call));
                }
            }
            std::copy_if(
                set.begin(), set.end(), std::inserter(computing, computing.end()), [&](CallId call) { return !places_.moves(call); });
            if (set.size() <= static_cast<std::size_t>(largest) && convex(set) && connected(set, false)) {
                result.insert(CallSet(set.begin(), set.end()));
            }
            if (set != computing || set.size() > static_cast<std::size_t>(largest) || !computes_convexly(set) || !connected(set, true)) {
                continue;
            }
            for (const bool taken : {true, false}) {
                const Calls with = with_moves(set, taken);
                if (convex(with) && connected(with, false)) {
                    result.insert(CallSet(with.begin(), with.end()));
                }
            }
        }
        std::vector<CallSet> sorted(result.begin(), result.end());
        std::sort(sorted.begin(), sorted.end(), smaller);
        return sorted;
    }

private:
    std::optional<CallId> maker(DataId datum) const { return graph_.datum(datum).producer; }

    Calls users(CallId call) const {
        Calls result;
        for (std::size_t i = 0; i < graph_.calls(); ++i) {
            const auto& operands = graph_.call(CallId(i)).operands;
            if (std::count(operands.begin(), operands.end(), graph_.call(call).result) != 0) {
                result.insert(CallId(i));
            }
        }
        return result;
    }

    /// What a datum is made from, through moving calls.
    std::set<DataId> made_from(DataId datum) const {
        if (!maker(datum) || !places_.moves(*maker(datum))) {
            return {datum};
        }
        std::set<DataId> result;
        for (const DataId operand : graph_.call(*maker(datum)).operands) {
            result.merge(made_from(operand));
        }
        return result;
    }
    Calls makers(CallId move) const {
        Calls result;
        for (const DataId from : made_from(graph_.call(move).result)) {
            if (maker(from)) {
                result.insert(*maker(from));
            }
        }
        return result;
    }

    void need(CallId call, Calls& moves) const {
        for (const DataId operand : graph_.call(call).operands) {
            if (maker(operand) && places_.moves(*maker(operand))) {
                moves.insert(*maker(operand));
                need(*maker(operand), moves);
            }
        }
    }

    bool reaches(CallId from, const Calls& goal) const {
        const Calls next = users(from);
        return std::any_of(next.begin(), next.end(), [&](CallId call) { return goal.contains(call) || reaches(call, goal); });
    }

    /// No call outside is behind one of the set and before another.
    bool convex(const Calls& set) const {
        for (const CallId call : set) {
            for (const CallId next : users(call)) {
                if (!set.contains(next) && reaches(next, set)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// The same for calls that take a place: moving calls on the way do not leave the set.
    bool computes_convexly(const Calls& set) const {
        for (std::size_t i = 0; i < graph_.calls(); ++i) {
            const CallId outside(i);
            const bool below =
                std::any_of(set.begin(), set.end(), [&](CallId call) { return graph_.ancestors(outside).test(call.index()); });
            if (!places_.moves(outside) && !set.contains(outside) && below && reaches(outside, set)) {
                return false;
            }
        }
        return true;
    }

    /// Through data that they pass or read; if `moved`, what a call reads is what that is made from.
    bool connected(const Calls& set, bool moved) const {
        const auto touched = [&](CallId call) {
            std::set<DataId> result = {graph_.call(call).result};
            for (const DataId operand : graph_.call(call).operands) {
                for (const DataId from : moved ? made_from(operand) : std::set<DataId>{operand}) {
                    if (graph_.datum(from).per_element()) {
                        result.insert(from);
                    }
                }
            }
            return result;
        };
        Calls left = set;
        left.erase(*set.begin());
        std::set<DataId> reached = touched(*set.begin());
        for (bool grown = true; grown;) {
            grown = false;
            for (const CallId call : Calls(left)) {
                std::set<DataId> theirs = touched(call);
                if (std::any_of(theirs.begin(), theirs.end(), [&](DataId datum) { return reached.contains(datum); })) {
                    reached.merge(theirs);
                    left.erase(call);
                    grown = true;
                }
            }
        }
        return left.empty();
    }

    Calls with_moves(const Calls& computing, bool taken) const {
        const auto of_the_set = [&](CallId move) {
            const Calls from = makers(move);
            return !from.empty() && std::includes(computing.begin(), computing.end(), from.begin(), from.end());
        };
        const auto in_part = [&](CallId move) {
            const Calls from = makers(move);
            return std::any_of(from.begin(), from.end(), [&](CallId call) { return computing.contains(call); });
        };
        Calls used;
        for (const CallId call : computing) {
            need(call, used);
        }
        for (std::size_t i = 0; i < graph_.calls(); ++i) {
            const CallId call(i);
            if (places_.moves(call) && of_the_set(call) && (!taken || graph_.datum(graph_.call(call).result).output)) {
                used.insert(call);
                need(call, used);
            }
        }
        Calls result = computing;
        for (const CallId move : used) {
            if (taken || makers(move).empty() || in_part(move)) {
                result.insert(move);
            }
        }
        for (bool smaller_now = true; smaller_now;) {
            smaller_now = false;
            for (const CallId move : Calls(result)) {
                const Calls next = users(move);
                if (places_.moves(move) && !in_part(move) && std::any_of(next.begin(), next.end(), [&](CallId user) {
                        return !result.contains(user) && reaches(user, computing);
                    })) {
                    result.erase(move);
                    smaller_now = true;
                }
            }
        }
        return result;
    }

    const dag::CallGraph& graph_;
    const Places& places_;
};

TEST(CarriedMoves, EqualNaiveSearchOn200RandomGraphs) {
    std::mt19937 random(3);
    std::size_t sets = 0, larger = 0;
    for (int round = 0; round < 200; ++round) {
        // So few calls that no list has too many users to connect them.
        const dag::CallGraph graph = test::random_graph(random, 2 + round % 8);
        std::set<std::size_t> moves;
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            if (std::uniform_int_distribution<int>(0, 2)(random) == 0) {
                moves.insert(call);
            }
        }
        const Places places = moving(graph, moves);
        const int largest = 1 + round % 5;
        const Enumeration found = enumerate_fusions(graph, places, largest, 100000);
        EXPECT_TRUE(found.complete);
        std::vector<CallSet> expected = Naive(graph, places).fusions(largest);
        if (graph.calls() <= static_cast<std::size_t>(largest)) {
            expected = enumerate_fusions(graph, largest, 100000).sets; // all sets are small enough
        }
        ASSERT_EQ(found.sets, expected) << "round " << round;
        sets += found.sets.size();
        larger += static_cast<std::size_t>(std::count_if(
            found.sets.begin(), found.sets.end(), [&](const CallSet& set) { return set.size() > static_cast<std::size_t>(largest); }));
        for (const CallSet& set : found.sets) {
            EXPECT_TRUE(places.of(set) <= static_cast<std::size_t>(largest));
        }
    }
    EXPECT_GT(sets, 1500U); // the graphs are not trivial
    EXPECT_GT(larger, 100U);
}

TEST(CarriedMoves, WithoutMovesNothingChanges) {
    std::mt19937 random(4);
    for (int round = 0; round < 20; ++round) {
        const dag::CallGraph graph = test::random_graph(random, 20);
        EXPECT_EQ(enumerate_fusions(graph, Places(), 5, 3000).sets, enumerate_fusions(graph, 5, 3000).sets);
        EXPECT_EQ(enumerate_fusions(graph, moving(graph, {}), 5, 3000).sets, enumerate_fusions(graph, 5, 3000).sets);
    }
}

/// x -> row 0, row 1 -> four calls on each in a chain -> put together (output).
TEST(CarriedMoves, EightCallsWithSlicesAreOneFusionOfEight) {
    ProgramBuilder builder;
    const auto x = builder.input("x", matrix_shape(2, 3));
    std::vector<DataId> ends;
    std::set<std::size_t> moves;
    std::size_t call = 0;
    for (int row = 0; row < 2; ++row) {
        moves.insert(call++);
        DataId last = builder.node({x}, vector_shape(3));
        for (int i = 0; i < 4; ++i, ++call) {
            last = builder.node({last}, vector_shape(3));
        }
        ends.push_back(last);
    }
    moves.insert(call++);
    builder.output(builder.node(ends, matrix_shape(2, 3)));
    const dag::CallGraph graph = builder.graph();
    const Places places = moving(graph, moves);
    CallSet all;
    for (std::size_t i = 0; i < graph.calls(); ++i) {
        all.emplace_back(i);
    }
    EXPECT_EQ(all.size(), 11U);
    EXPECT_EQ(places.of(all), 8U);
    EXPECT_TRUE(has(enumerate_fusions(graph, places, 8, 100000).sets, all));
    EXPECT_FALSE(has(enumerate_fusions(graph, 8, 100000).sets, all));
    EXPECT_FALSE(has(enumerate_fusions(graph, places, 7, 100000).sets, all));
    EXPECT_FALSE(why_no_fusion(graph, all, 8, places));
    EXPECT_EQ(why_no_fusion(graph, all, 7, places)->detail, "8 calls, at most 7 allowed in one kernel");
}

/// 0 makes F; 1 and 2 are slices of it; 3 and 4 use them. F may be stored whole, or its slices.
TEST(CarriedMoves, GoWithTheirMakerOrWithTheirUser) {
    ProgramBuilder builder;
    const auto made = builder.node({builder.input("x", scalar_shape)}, matrix_shape(4, 4));
    const auto first = builder.node({made}, vector_shape(4));
    const auto second = builder.node({made}, vector_shape(4));
    builder.output(builder.node({first}));
    builder.output(builder.node({second}));
    const dag::CallGraph graph = builder.graph();
    const Places places = moving(graph, {1, 2});
    const CarriedMoves moves(graph, places);
    EXPECT_EQ(moves.computing(), calls({0, 3, 4}));
    EXPECT_EQ(moves.with_moves(calls({0}), Carrying::taken), calls({0}));
    EXPECT_EQ(moves.with_moves(calls({0}), Carrying::given), calls({0, 1, 2}));
    EXPECT_EQ(moves.with_moves(calls({3, 4}), Carrying::taken), calls({1, 2, 3, 4}));
    EXPECT_FALSE(moves.with_moves(calls({3, 4}), Carrying::given).has_value()); // they load two lists, and share none
    EXPECT_EQ(moves.with_moves(calls({0, 3}), Carrying::taken), calls({0, 1, 3}));
    EXPECT_EQ(moves.with_moves(calls({0, 3}), Carrying::given), calls({0, 1, 2, 3}));
    const dag::CallGraph contracted = moves.contracted();
    dag::verify(contracted);
    EXPECT_EQ(contracted.calls(), 3U);
    EXPECT_EQ(contracted.consumers(made), calls({1, 2}));
}

/// A slice of an input, used by 1, and by 2 which needs 1's neighbour: 0 slice, 1 uses it, 2 uses the result of 1 and is outside, 3 uses both.
TEST(CarriedMoves, StayBehindWhereAnotherUserLeadsBack) {
    ProgramBuilder builder;
    const auto slice = builder.node({builder.input("x", matrix_shape(3, 3))}, vector_shape(3));
    const auto before = builder.node({slice});
    const auto last = builder.node({slice, before});
    builder.output(last);
    const dag::CallGraph graph = builder.graph();
    const Places places = moving(graph, {0});
    const CarriedMoves moves(graph, places);
    EXPECT_EQ(moves.with_moves(calls({1}), Carrying::taken), calls({0, 1}));
    EXPECT_EQ(moves.with_moves(calls({2}), Carrying::taken), calls({2})); // the slice leads to 1, and 1 to 2
    EXPECT_EQ(moves.with_moves(calls({1, 2}), Carrying::taken), calls({0, 1, 2}));
}

TEST(CarriedMoves, KeepToTheirProgramBlock) {
    ProgramBuilder builder;
    const auto made = builder.node({builder.input("x", scalar_shape)}, matrix_shape(4, 4));
    const auto slice = builder.node({made}, vector_shape(4));
    builder.output(builder.node({slice}));
    builder.output(builder.node({made}, vector_shape(4)));
    frontend::CheckedProgram program = builder.program();
    program.blocks = {"first", "second"};
    for (std::size_t call = 1; call < 4; ++call) {
        program.calls[call].block = 1;
    }
    const dag::CallGraph graph(program);
    const Places places = moving(graph, {1, 3});
    const CarriedMoves moves(graph, places);
    EXPECT_EQ(moves.with_moves(calls({0}), Carrying::given), calls({0}));
    EXPECT_EQ(moves.with_moves(calls({0}), Carrying::taken), calls({0}));
    EXPECT_EQ(moves.with_moves(calls({2}), Carrying::taken), calls({1, 2}));
}

TEST(CarriedMoves, EveryKernelMayMoveForItself) {
    // A slice with two users: with both values stored, with the slice alone, and with the user's result alone.
    ProgramBuilder builder;
    const auto slice = builder.node({builder.input("x", matrix_shape(3, 3))}, vector_shape(3));
    const auto other = builder.node({builder.input("y", matrix_shape(3, 3))}, vector_shape(3));
    builder.output(builder.node({slice, other}));
    builder.output(builder.node({slice, other}));
    std::vector<DataId> many;
    for (int i = 0; i < 40; ++i) { // so that not all choices are listed
        builder.output(builder.node({slice}));
    }
    const dag::CallGraph graph = builder.graph();
    const Places places = moving(graph, {0, 1});
    const CallSet set = calls({0, 1, 2});
    CallSet large;
    for (std::size_t i = 2; i < graph.calls(); ++i) {
        large.emplace_back(i);
    }
    const std::vector<double> flops(graph.calls(), 1e6);
    const Columns columns = make_columns(graph, {set, large}, flops, true, 42, places);
    EXPECT_FALSE(columns.complete);
    std::set<std::vector<DataId>> stores;
    for (const Column& column : columns.columns) {
        if (column.executes == set) {
            stores.insert(column.stores);
        }
    }
    const DataId result = graph.call(CallId(2)).result;
    EXPECT_TRUE(stores.contains({slice, other, result}));
    EXPECT_TRUE(stores.contains({result}));
    // Not where kernels have each call once.
    EXPECT_EQ(make_columns(graph, {set, large}, flops, false, 42, places).columns.size(), 2U);
}

TEST(CarriedMoves, AreAtMostHalfOfTheLimit) {
    std::mt19937 random(6);
    const dag::CallGraph graph = test::random_graph(random, 200);
    std::set<std::size_t> moves;
    for (std::size_t call = 0; call < graph.calls(); call += 3) {
        moves.insert(call);
    }
    const Places places = moving(graph, moves);
    const Enumeration found = enumerate_fusions(graph, places, 8, 5000);
    EXPECT_FALSE(found.complete);
    EXPECT_LE(found.sets.size(), 5000U);
    EXPECT_GT(found.sets.size(), 2000U);
    EXPECT_TRUE(std::is_sorted(found.sets.begin(), found.sets.end(), smaller));
    EXPECT_EQ(std::set<CallSet>(found.sets.begin(), found.sets.end()).size(), found.sets.size());
    std::size_t larger = 0;
    for (const CallSet& set : found.sets) {
        EXPECT_TRUE(graph.convex(set));
        EXPECT_TRUE(shares_all(graph, set));
        EXPECT_LE(places.of(set), 8U);
        larger += set.size() > 8 ? 1U : 0U;
    }
    EXPECT_GT(larger, 100U);
    EXPECT_EQ(found.sets, enumerate_fusions(graph, places, 8, 5000).sets);
}

} // namespace
} // namespace fusec::fusion
