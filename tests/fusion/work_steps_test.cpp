// SPDX-License-Identifier: Apache-2.0
// The steps of a kernel's work, and its counts: two views of one thing.
#include "fusion/choice_search.hpp"
#include "fusion/columns.hpp"
#include "fusion/kernel_builder.hpp"
#include "space_cases.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace fusec::fusion {
namespace {

using Kind = WorkStep::Kind;

DeviceLimits host_limits() {
    DeviceLimits limits;
    limits.target = Target::host;
    return limits;
}

/// Calls `visit` with the work of implementations of every column, at most 200 of each.
void each_work(
    const dag::CallGraph& graph, const DeviceLimits& limits, const std::function<void(const KernelOutline&, const KernelWork&)>& visit) {
    const std::vector<CallRoutines> routines = find_routines(graph, test::catalog(), limits);
    CallCosts costs(graph, routines);
    const Space all = test::space(graph, limits);
    KernelBuilder builder(limits, true), without(limits);
    for (const Column& column : all.columns()) {
        const KernelOutline kernel = outline(graph, column, routines, costs);
        ChoiceSpace choices(kernel, limits);
        builder.begin(kernel);
        without.begin(kernel);
        search_choices(choices, 200, [&](const KernelChoice& choice) -> Trial {
            if (builder.decide(choices.combination(choice.combination), choice)) {
                return {};
            }
            const KernelWork& work = builder.draft().work;
            visit(kernel, work);
            EXPECT_FALSE(without.decide(choices.combination(choice.combination), choice));
            EXPECT_TRUE(without.draft().work.steps.empty());
            EXPECT_EQ(without.draft().work.instructions, work.instructions);
            return {false, work.shared_wavefronts + work.instructions};
        });
    }
}

template <class Amount>
double sum(const KernelWork& work, Amount amount) {
    return std::accumulate(
        work.steps.begin(), work.steps.end(), 0.0, [&](double total, const WorkStep& step) { return total + amount(step); });
}

int count(const KernelWork& work, const std::function<bool(const WorkStep&)>& of) {
    return static_cast<int>(std::count_if(work.steps.begin(), work.steps.end(), of));
}

TEST(WorkSteps, AddUpToTheWork) {
    int compared = 0, barriers = 0, strided = 0;
    for (const DeviceLimits& limits : {DeviceLimits{}, host_limits()}) {
        for (const dag::CallGraph& graph :
            {test::demo(), test::mixed(Precision::f32), test::mixed(Precision::f64), test::measurement_update()}) {
            each_work(graph, limits, [&](const KernelOutline& kernel, const KernelWork& work) {
                EXPECT_DOUBLE_EQ(sum(work, [](const WorkStep& s) { return s.read_bytes; }), work.read_bytes);
                EXPECT_DOUBLE_EQ(sum(work, [](const WorkStep& s) { return s.write_bytes; }), work.write_bytes);
                EXPECT_NEAR(sum(work, [](const WorkStep& s) { return s.arithmetic.flops; }), work.flops, 1e-9 * work.flops);
                EXPECT_DOUBLE_EQ(sum(work, [](const WorkStep& s) { return s.arithmetic.divisions; }), work.divisions);
                EXPECT_DOUBLE_EQ(sum(work, [](const WorkStep& s) { return s.arithmetic.square_roots; }), work.square_roots);
                EXPECT_DOUBLE_EQ(sum(work, [](const WorkStep& s) { return s.in_float.flops; }), work.in_float.flops);
                EXPECT_NEAR(sum(work, [](const WorkStep& s) { return s.shared_wavefronts; }), work.shared_wavefronts, 1e-9);
                EXPECT_NEAR(sum(work, [](const WorkStep& s) { return s.l1_wavefronts; }), work.l1_wavefronts, 1e-9);
                EXPECT_NEAR(sum(work, [](const WorkStep& s) { return s.store_requests; }), work.store_requests, 1e-9);
                EXPECT_EQ(sum(work, [](const WorkStep& s) { return s.exchanges; }), work.exchanges);
                EXPECT_NEAR(sum(work, [](const WorkStep& s) { return s.instructions; }) / 32, work.instructions, 1e-9 * work.instructions);
                EXPECT_NEAR(sum(work, [](const WorkStep& s) { return s.instructions / s.threads; }), work.path_instructions,
                    1e-9 * work.path_instructions);
                EXPECT_EQ(count(work, [](const WorkStep& s) { return s.kind == Kind::block_barrier; }), work.block_barriers);
                EXPECT_EQ(count(work, [](const WorkStep& s) { return s.kind == Kind::warp_barrier; }), work.warp_barriers);
                EXPECT_EQ(count(work, [](const WorkStep& s) { return s.remap; }), work.remaps);
                EXPECT_EQ(std::max(1, count(work, [](const WorkStep& s) { return s.round_trip; })), work.dependent_phases);
                EXPECT_EQ(count(work, [](const WorkStep& s) { return s.kind == Kind::compute; }), static_cast<int>(kernel.calls.size()));
                // What moves is accessed: copies their list, owners at least as many bytes as the list has.
                for (const WorkStep& step : work.steps) {
                    double stored = 0;
                    for (const GlobalAccess& access : step.accesses) {
                        EXPECT_GT(access.count, 0);
                        stored += access.store ? access.count * access.bytes : 0;
                        EXPECT_GE(
                            access.sectors * 32 * (1 + 1e-9), access.addressing == Addressing::unit ? access.count * access.bytes : 0);
                        strided += access.addressing == Addressing::strided;
                    }
                    EXPECT_EQ(stored, step.write_bytes);
                }
                barriers += work.block_barriers + work.warp_barriers;
                ++compared;
            });
        }
    }
    EXPECT_GT(compared, 4000);
    EXPECT_GT(barriers, 100);
    EXPECT_GT(strided, 100);
}

// One thread per element reads its 3x3 matrix in place: nine loads of four bytes, 36 bytes apart, so that a warp's 32 loads lie in 32 or more
// sectors of 32 bytes; staged by threads side by side, each sector is asked for once.
TEST(WorkSteps, SectorsOfOwnersAndOfCopies) {
    test::ProgramBuilder builder(Precision::f32);
    builder.output(builder.call("mtrans", {builder.input("A", test::matrix_shape(3, 3))}, "T"));
    bool in_place = false, across = false, copied = false;
    each_work(builder.graph(), DeviceLimits{}, [&](const KernelOutline&, const KernelWork& work) {
        for (const WorkStep& step : work.steps) {
            for (const GlobalAccess& access : step.accesses) {
                if (!access.store && access.addressing == Addressing::strided && step.threads == 1) {
                    in_place = true;
                    EXPECT_EQ(access.count, 9);
                    EXPECT_EQ(access.bytes, 4);
                    EXPECT_DOUBLE_EQ(access.sectors, 9); // no two of a warp's fall into one
                }
                if (!access.store && access.addressing == Addressing::strided && step.threads == 9) {
                    across =
                        true; // each its entry across the diagonal: nine of one element, in their sectors, and of others at a warp's ends
                    EXPECT_EQ(access.count, 9);
                    EXPECT_GT(access.sectors, 36 / 32.0);
                    EXPECT_LT(access.sectors, 2);
                }
                if (!access.store && access.addressing == Addressing::unit) {
                    copied = true;
                    EXPECT_DOUBLE_EQ(access.sectors, 36 / 32.0);
                    EXPECT_DOUBLE_EQ(access.count * access.bytes, 36);
                }
            }
        }
    });
    EXPECT_TRUE(in_place);
    EXPECT_TRUE(across);
    EXPECT_TRUE(copied);
}

/// Words that the steps of one thread an element load in place, and those of nine.
std::map<int, double> words_loaded(const KernelWork& work) {
    std::map<int, double> words;
    for (const WorkStep& step : work.steps) {
        for (const GlobalAccess& access : step.accesses) {
            words[step.threads] += !access.store && !access.staged && step.kind == Kind::compute ? access.count : 0;
        }
    }
    return words;
}

// A trace reads four words of a 4x4 in place, a norm sixteen: together, in either order, sixteen, as what a thread has read it has. What another call
// reads anew is counted: the diagonal, then the rest.
TEST(WorkSteps, AThreadReadsAComponentOnce) {
    test::ProgramBuilder builder(Precision::f32);
    const DataId matrix = builder.input("A", test::matrix_shape(4, 4));
    builder.output(builder.call("mtrace", {matrix}, "t"));
    builder.output(builder.call("mfnorm", {matrix}, "n"));
    std::map<std::size_t, std::set<double>> seen; // by calls
    each_work(builder.graph(), DeviceLimits{}, [&](const KernelOutline& kernel, const KernelWork& work) {
        const std::map<int, double> words = words_loaded(work);
        if (words.size() == 1 && words.contains(1) && words.at(1) > 0) {
            seen[kernel.calls.size()].insert(words.at(1));
        }
    });
    EXPECT_EQ(seen[1], (std::set<double>{4, 16}));
    EXPECT_EQ(seen[2], (std::set<double>{16}));
}

// J'J of a 3x3 by rows, nine words a thread of one operand and three of the other, which are among the nine: 27 an element, not 36. By entry each thread
// reads two columns, three words each, which are other words: 9 * 6.
TEST(WorkSteps, AnOperandThatStandsTwiceIsReadAsOftenAsItsPartsDiffer) {
    test::ProgramBuilder builder(Precision::f32);
    const DataId matrix = builder.input("J", test::matrix_shape(3, 3));
    builder.output(builder.call("mtmul", {matrix, matrix}, "A"));
    std::map<int, std::set<double>> seen; // by threads
    each_work(builder.graph(), DeviceLimits{}, [&](const KernelOutline&, const KernelWork& work) {
        for (const auto& [threads, words] : words_loaded(work)) {
            if (words > 0) {
                seen[threads].insert(words);
            }
        }
    });
    EXPECT_EQ(seen[1], (std::set<double>{9}));
    EXPECT_EQ(seen[3], (std::set<double>{27}));
    EXPECT_EQ(seen[9], (std::set<double>{54}));
}

// Instructions of a host's load and store of `-L`, worked out by hand from runtime/fusec/transposition.hpp, times 1.15 as all are. Sixteen lanes:
// nine components take 9 accesses and 9 * (1 + 4) steps, and 9 lines of a later tile are asked for; six take 6 * (1 + 4); 36 go in halves, as if at once, but
// doubles are loaded in five strips of 8, and five lines of each of 8 elements asked for;
// 38 go in three strips of 16, each of 16 * (1 + 4), and of each of 16 elements three lines are asked for; past the caches, 38 vectors are written to a
// copy and read; 64 go in four strips, whose rows are lines. Ordinary stores ask for the lines of a later tile, 9, 36 and 38. Four lanes: a scalar is
// one vector, and its line is asked for; 36 go in nine strips of 4 * (1 + 2), and ask for three lines of each element.
TEST(WorkSteps, InstructionsBetweenMemoryAndLanes) {
    const auto instructions = [](int words, int vector_bytes, Precision precision = Precision::f32) {
        test::ProgramBuilder builder(precision);
        const Shape shape = words == 1 ? test::scalar_shape : test::vector_shape(words);
        builder.output(builder.call(words == 1 ? "sneg" : "vneg", {builder.input("L", shape)}, "R"));
        DeviceLimits limits = host_limits();
        limits.vector_bytes = vector_bytes;
        std::map<std::pair<Kind, bool>, std::set<double>> found; // with streaming stores or without
        each_work(builder.graph(), limits, [&](const KernelOutline&, const KernelWork& work) {
            for (const WorkStep& step : work.steps) {
                if (step.kind == Kind::load || step.kind == Kind::store) {
                    found[{step.kind, work.allocated_bytes == 0 && step.kind == Kind::store}].insert(
                        std::round(step.instructions / 1.15 * 1e6) / 1e6);
                }
            }
        });
        return found;
    };
    using testing::ElementsAre;
    auto nine = instructions(9, 64), six = instructions(6, 64), in_halves = instructions(36, 64), in_strips = instructions(38, 64),
         doubles = instructions(36, 64, Precision::f64), in_lines = instructions(64, 64), scalars = instructions(1, 16),
         narrow = instructions(36, 16);
    EXPECT_THAT((nine[{Kind::load, false}]), ElementsAre(9 + 9 * 5 + 9));
    EXPECT_THAT((nine[{Kind::store, true}]), ElementsAre(9 + 9 * 5));
    EXPECT_THAT((nine[{Kind::store, false}]), ElementsAre(9 + 9 * 5 + 9));
    EXPECT_THAT((six[{Kind::store, true}]), ElementsAre(6 + 6 * 4));
    EXPECT_THAT((in_halves[{Kind::load, false}]), ElementsAre(36 + 36 * 4 + 36));
    EXPECT_THAT((in_halves[{Kind::store, true}]), ElementsAre(36 + 36 * 4));
    EXPECT_THAT((in_halves[{Kind::store, false}]), ElementsAre(36 + 36 * 4 + 36));
    EXPECT_THAT((in_strips[{Kind::load, false}]), ElementsAre(3 * 16 * 5 + 16 * 3));
    EXPECT_THAT((in_strips[{Kind::store, true}]), ElementsAre(3 * 16 * 5 + 2 * 38));
    EXPECT_THAT((in_strips[{Kind::store, false}]), ElementsAre(3 * 16 * 5 + 38));
    EXPECT_THAT((doubles[{Kind::load, false}]), ElementsAre(40 * 4 + 8 * 5));
    EXPECT_THAT((doubles[{Kind::store, true}]), ElementsAre(36 * 4));
    EXPECT_THAT((in_lines[{Kind::load, false}]), ElementsAre(64 + 64 * 4 + 16 * 4));
    EXPECT_THAT((in_lines[{Kind::store, true}]), ElementsAre(64 + 64 * 4));
    EXPECT_THAT((narrow[{Kind::load, false}]), ElementsAre(9 * 4 * 3 + 4 * 3));
    EXPECT_THAT((narrow[{Kind::store, true}]), ElementsAre(9 * 4 * 3 + 2 * 36));
    EXPECT_THAT((scalars[{Kind::load, false}]), ElementsAre(1 + 1));
    EXPECT_THAT((scalars[{Kind::store, true}]), ElementsAre(1));
    EXPECT_THAT((scalars[{Kind::store, false}]), ElementsAre(1 + 1));
}

// Steps name what runs in them, and outlive the graph that it was found in.
TEST(WorkSteps, NameTheirRoutinesAndCopies) {
    std::set<std::string> names;
    bool staged = false, in_place = false;
    std::vector<WorkStep> kept;
    {
        const dag::CallGraph graph = test::demo();
        each_work(graph, DeviceLimits{}, [&](const KernelOutline& kernel, const KernelWork& work) {
            for (const WorkStep& step : work.steps) {
                EXPECT_EQ(step.routine != nullptr, step.kind == Kind::compute || step.kind == Kind::derive);
                if (step.kind == Kind::compute) {
                    const auto& routines = kernel.calls[static_cast<std::size_t>(step.index)].routines->routines;
                    EXPECT_TRUE(std::any_of(routines.begin(), routines.end(),
                        [&](const Routine& r) { return r.signature == step.routine && r.threads == step.threads; }));
                }
                for (const GlobalAccess& access : step.accesses) {
                    staged |= access.staged;
                    in_place |= !access.staged;
                    EXPECT_FALSE(access.staged && (step.kind == Kind::compute || access.addressing != Addressing::unit));
                }
                kept.push_back(step);
            }
        });
    }
    for (const WorkStep& step : kept) {
        if (step.routine != nullptr) {
            names.insert(*step.routine);
        }
    }
    EXPECT_TRUE(names.contains("mmul_row(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3")) << testing::PrintToString(names);
    EXPECT_TRUE(staged);
    EXPECT_TRUE(in_place);
}

} // namespace
} // namespace fusec::fusion
