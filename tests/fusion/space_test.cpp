// SPDX-License-Identifier: Apache-2.0
// The candidate space as a whole: the demo's counts, soundness of every implementation, fronts, rejections.
#include "fusion/columns.hpp"
#include "fusion/enumerate.hpp"
#include "fusion/kernel_builder.hpp"
#include "fusion/space.hpp"
#include "race_oracle.hpp"
#include "space_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

namespace fusec::fusion {
namespace {

using test::catalog;
using test::matrix_shape;
using test::mixed;
using test::ProgramBuilder;
using test::space;

CallSet named(const dag::CallGraph& graph, const std::vector<std::string>& names) {
    CallSet result;
    for (std::size_t call = 0; call < graph.calls(); ++call) {
        if (std::count(names.begin(), names.end(), graph.program().name_of(CallId(call))) != 0) {
            result.push_back(CallId(call));
        }
    }
    return result;
}

std::vector<Candidate> of(const dag::CallGraph& graph, Space& space, const std::vector<std::string>& names) {
    const CallSet set = named(graph, names);
    const auto column = space.find(set, graph.boundary(set));
    EXPECT_TRUE(column.has_value());
    return space.implementations(*column);
}

bool offers(const std::vector<Candidate>& candidates, const std::string& granularity) {
    return std::any_of(
        candidates.begin(), candidates.end(), [&](const Candidate& candidate) { return granularity_text(candidate) == granularity; });
}

TEST(Space, TheDemoHas21FusionsAndAtLeast300Candidates) {
    const dag::CallGraph graph = test::demo();
    Space demo = space(graph);
    EXPECT_EQ(demo.fusions().size(), 21U);
    EXPECT_EQ(demo.columns().size(), 21U);
    std::size_t candidates = 0;
    std::size_t dominated = 0;
    for (std::size_t column = 0; column < demo.columns().size(); ++column) {
        EXPECT_LT(demo.seconds(ColumnId(column)), ColumnSource::impossible);
        EXPECT_LE(demo.lower_bound(ColumnId(column)), demo.seconds(ColumnId(column)));
        const Front& front = demo.front(ColumnId(column));
        EXPECT_GE(front.kept.size(), 1U);
        EXPECT_LE(front.kept.size(), 16U);
        EXPECT_EQ(front.considered, front.kept.size() + front.dominated + front.rejected.size());
        candidates += front.considered;
        dominated += front.dominated;
    }
    const SpaceStatistics statistics = demo.statistics();
    EXPECT_EQ(statistics.calls, 6U);
    EXPECT_EQ(statistics.fusions, 21U);
    EXPECT_EQ(statistics.candidates, candidates);
    EXPECT_EQ(statistics.dominated, dominated);
    EXPECT_GE(statistics.candidates, 300U);
    EXPECT_TRUE(statistics.complete);
    EXPECT_TRUE(statistics.columns_complete);
}

TEST(Space, TheTalksImplementationsAreAmongTheDemos) {
    const dag::CallGraph graph = test::demo();
    Space demo = space(graph);
    // The table of the talk, fastest first, kernel by kernel.
    EXPECT_TRUE(offers(of(graph, demo, {"M1", "v1", "s1"}), "{3 3 1}"));
    EXPECT_TRUE(offers(of(graph, demo, {"M2", "M3", "F"}), "{5 5 5}"));
    EXPECT_TRUE(offers(of(graph, demo, {"M1", "v1"}), "{3 3}"));
    EXPECT_TRUE(offers(of(graph, demo, {"s1"}), "{1}"));
    EXPECT_TRUE(offers(of(graph, demo, {"M1"}), "{3}"));
    EXPECT_TRUE(offers(of(graph, demo, {"v1"}), "{1}"));
    EXPECT_TRUE(offers(of(graph, demo, {"M1", "v1", "s1", "M2", "M3", "F"}), "{3 3 1 5 5 5}"));
    for (const char* single : {"M2", "M3", "F"}) {
        EXPECT_TRUE(offers(of(graph, demo, {single}), "{5}"));
    }
}

TEST(Space, EveryImplementationIsSound) {
    std::vector<dag::CallGraph> graphs = {test::demo(), mixed(Precision::f32), mixed(Precision::f64)};
    SpaceOptions options;
    options.implementations = 150;
    std::size_t played = 0;
    for (const dag::CallGraph& graph : graphs) {
        Space all = space(graph, {}, options);
        for (std::size_t column = 0; column < all.columns().size(); ++column) {
            std::size_t number = 0;
            for (const Candidate& candidate : all.implementations(ColumnId(column))) {
                verify(candidate, graph, catalog());
                EXPECT_EQ(candidate.stores, all.columns()[column].stores);
                EXPECT_GE(candidate.cost.seconds, all.lower_bound(ColumnId(column)));
                // The oracle visits every word: not all of the largest blocks.
                if (candidate.instances_per_block <= 32 || number++ % 8 == 0) {
                    ++played;
                    ASSERT_EQ(test::find_race(candidate, graph, catalog()), "") << granularity_text(candidate) << " column " << column;
                }
            }
        }
    }
    EXPECT_GT(played, 1000U);
}

TEST(Space, VerifyCatchesEverySpoiledCandidate) {
    const dag::CallGraph graph = test::demo();
    Space demo = space(graph);
    const auto candidates = of(graph, demo, {"M1", "v1", "s1"});
    const auto found = std::find_if(candidates.begin(), candidates.end(),
        [](const Candidate& candidate) { return granularity_text(candidate) == "{3 3 1}" && candidate.work.async_copies; });
    ASSERT_NE(found, candidates.end());
    const auto spoiled = [&](const std::string& what, const std::function<void(Candidate&)>& change) {
        Candidate changed = *found;
        change(changed);
        EXPECT_THROW(verify(changed, graph, catalog()), InternalError) << what;
    };
    const auto tile = [](Candidate& candidate, std::size_t skip) -> SharedSlot& {
        for (DatumPlan& plan : candidate.data) {
            if (plan.slot && skip-- == 0) {
                return *plan.slot;
            }
        }
        throw std::runtime_error("too few tiles");
    };
    EXPECT_NO_THROW(verify(*found, graph, catalog()));
    for (std::size_t step = 0; step < found->steps.size(); ++step) {
        const auto kind = found->steps[step].kind;
        if (kind != Step::Kind::block_barrier && kind != Step::Kind::warp_barrier) { // races are the kernel IR verifier's
            spoiled("step dropped", [&](Candidate& c) { c.steps.erase(c.steps.begin() + static_cast<std::ptrdiff_t>(step)); });
        }
    }
    spoiled("order", [](Candidate& c) { std::swap(c.order[0], c.order[1]); });
    spoiled("granularity", [](Candidate& c) { c.order[0].threads = 9; });
    spoiled("implementation", [](Candidate& c) { c.order[0].implementation = 0; });
    spoiled("address", [&](Candidate& c) { tile(c, 1).offset += 16; });
    spoiled("alignment", [&](Candidate& c) { tile(c, 0).offset += 4; });
    spoiled("overlap", [&](Candidate& c) { tile(c, 1).offset = tile(c, 0).offset; });
    spoiled("size", [&](Candidate& c) { tile(c, 0).bytes += 16; });
    spoiled("lifetime", [&](Candidate& c) { tile(c, 0).last_step += 1; });
    spoiled("total", [](Candidate& c) { c.shared_bytes += 16; });
    spoiled("threads", [](Candidate& c) { c.threads_per_block *= 2; });
    spoiled("stores", [](Candidate& c) { c.stores.clear(); });
    spoiled("loads", [](Candidate& c) { c.loads.pop_back(); });
    spoiled("registers", [](Candidate& c) {
        for (DatumPlan& plan : c.data) {
            if (plan.placement == Placement::registers) {
                plan.touch = library::Touch::column;
            }
        }
    });
}

/// Barriers of the candidates of a set of calls, at most 32 elements per block: each is tried without.
std::size_t needed_barriers(const dag::CallGraph& graph, Space& all, const std::vector<std::string>& names) {
    std::size_t removed = 0;
    for (const Candidate& candidate : of(graph, all, names)) {
        if (candidate.instances_per_block > 32) {
            continue;
        }
        for (std::size_t step = 0; step < candidate.steps.size(); ++step) {
            const auto kind = candidate.steps[step].kind;
            if (kind != Step::Kind::block_barrier && kind != Step::Kind::warp_barrier) {
                continue;
            }
            // A block of one warp needs no block barrier where a warp barrier would do; the rule does not look at that.
            Candidate without = candidate;
            without.steps.erase(without.steps.begin() + static_cast<std::ptrdiff_t>(step));
            ++removed;
            EXPECT_NE(test::find_race(without, graph, catalog()), "") << granularity_text(candidate) << " step " << step;
        }
    }
    return removed;
}

TEST(Space, EveryBarrierIsNeeded) {
    SpaceOptions options;
    options.implementations = 200;
    const dag::CallGraph demo_graph = test::demo();
    Space demo = space(demo_graph, {}, options);
    EXPECT_GT(needed_barriers(demo_graph, demo, {"M1", "v1", "s1"}), 50U);
    EXPECT_GT(needed_barriers(demo_graph, demo, {"M1", "v1", "s1", "M2", "M3", "F"}), 50U);
    // HP takes the place of z: thread t reads word t of the one and writes word t of the other, for different elements.
    const dag::CallGraph update = test::measurement_update();
    options.implementations = 2000;
    Space kalman = space(update, {}, options);
    EXPECT_GT(needed_barriers(update, kalman, {"Hx", "y", "HP", "Ky"}), 50U);
}

TEST(Space, FrontsAreTheUndominated) {
    const dag::CallGraph graph = mixed(Precision::f32);
    Space all = space(graph);
    for (std::size_t column = 0; column < all.columns().size(); column += 3) {
        const std::vector<Candidate> candidates = all.implementations(ColumnId(column));
        std::set<std::tuple<double, int, int>> undominated;
        for (const Candidate& candidate : candidates) {
            const bool beaten = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
                const auto merit = [](const Candidate& c) { return std::tuple(c.cost.seconds, c.shared_bytes, c.work.registers); };
                return other.cost.seconds <= candidate.cost.seconds && other.shared_bytes <= candidate.shared_bytes &&
                    other.work.registers <= candidate.work.registers && merit(other) != merit(candidate);
            });
            if (!beaten) {
                undominated.insert({candidate.cost.seconds, candidate.shared_bytes, candidate.work.registers});
            }
        }
        std::vector<std::tuple<double, int, int>> kept;
        for (const Candidate& candidate : all.front(ColumnId(column)).kept) {
            kept.emplace_back(candidate.cost.seconds, candidate.shared_bytes, candidate.work.registers);
            verify(candidate, graph, catalog());
        }
        const std::size_t expected = std::min<std::size_t>(undominated.size(), 16);
        ASSERT_EQ(kept,
            (std::vector<std::tuple<double, int, int>>(
                undominated.begin(), std::next(undominated.begin(), static_cast<std::ptrdiff_t>(expected)))));
        EXPECT_DOUBLE_EQ(all.seconds(ColumnId(column)), std::get<0>(kept.front()));
    }
}

TEST(Space, ColumnsAreAllLegalChoicesOfStores) {
    const dag::CallGraph graph = mixed(Precision::f32);
    const Space with = space(graph);
    std::set<std::pair<CallSet, std::vector<DataId>>> expected;
    for (const CallSet& set : with.fusions()) {
        const auto boundary = graph.boundary(set);
        for (unsigned bits = 1; bits < 1U << boundary.size(); ++bits) {
            std::vector<DataId> stores;
            for (std::size_t i = 0; i < boundary.size(); ++i) {
                if ((bits >> i & 1) != 0) {
                    stores.push_back(boundary[i]);
                }
            }
            // A call is of use if its result is stored or some call of use in the set reads it.
            std::set<CallId> useful;
            for (auto call = set.rbegin(); call != set.rend(); ++call) {
                bool needed = std::count(stores.begin(), stores.end(), graph.call(*call).result) != 0;
                for (CallId consumer : graph.consumers(graph.call(*call).result)) {
                    needed = needed || useful.count(consumer) != 0;
                }
                if (needed) {
                    useful.insert(*call);
                }
            }
            if (useful.size() == set.size()) {
                expected.insert({set, stores});
            }
        }
    }
    std::set<std::pair<CallSet, std::vector<DataId>>> found;
    for (std::size_t column = 0; column < with.columns().size(); ++column) {
        const Column& entry = with.columns()[column];
        found.insert({entry.executes, entry.stores});
        EXPECT_EQ(with.find(entry.executes, entry.stores), ColumnId(column));
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(found.size(), with.columns().size());
    EXPECT_TRUE(with.statistics().columns_complete);

    SpaceOptions options;
    options.recompute = false;
    const Space without = space(graph, {}, options);
    EXPECT_EQ(without.columns().size(), without.fusions().size());
    EXPECT_LT(without.columns().size(), with.columns().size());
    EXPECT_FALSE(without.find({CallId(0)}, {}).has_value());
}

TEST(Space, LargeProgramsLeaveOutOneCheapDatumAtATime) {
    // One fusion with 20 outputs has 2^20 - 1 choices.
    ProgramBuilder builder;
    DataId last = builder.input("x", test::scalar_shape);
    CallSet chain;
    for (int i = 0; i < 20; ++i) {
        last = builder.node({last});
        builder.output(last);
        chain.push_back(CallId(static_cast<std::size_t>(i)));
    }
    const dag::CallGraph line = builder.graph();
    std::vector<double> flops(20, 1);
    flops[3] = 1000; // dear: 4 bytes stored and loaded are worth 64 operations
    const Columns columns = make_columns(line, {chain}, flops, true);
    EXPECT_FALSE(columns.complete);
    // The whole boundary, and it without one: not the last (its call would be useless), not the dear one.
    EXPECT_EQ(columns.columns.size(), 1U + 18U);
    EXPECT_EQ(columns.columns.front().stores.size(), 20U);
}

TEST(Space, RejectionsSayBothNumbers) {
    const auto reasons = [](Space& from) {
        std::vector<std::string> texts;
        for (std::size_t column = 0; column < from.columns().size(); ++column) {
            for (const Rejection& rejection : from.front(ColumnId(column)).rejected) {
                texts.push_back(std::string(to_string(rejection.reason)) + ": " + rejection.detail);
            }
        }
        return texts;
    };
    const dag::CallGraph graph = test::demo();
    using testing::Contains;
    using testing::HasSubstr;

    // M2 with 25 threads per element in blocks of 64 elements.
    Space usual = space(graph);
    EXPECT_THAT(reasons(usual), Contains("threads-per-block: 1600 threads per block needed, 1024 available (blocks of 64 elements)"));
    EXPECT_GT(usual.statistics().rejected.at("threads-per-block"), 0U);

    DeviceLimits little;
    little.shared_bytes_per_block = 4096;
    Space tight = space(graph, little);
    EXPECT_THAT(reasons(tight), Contains(HasSubstr("of shared memory needed, 4 KiB available (blocks of 64 elements)")));

    DeviceLimits few;
    few.registers_per_sm = 4096;
    Space poor = space(graph, few);
    EXPECT_THAT(reasons(poor), Contains(HasSubstr("registers per block needed, 4096 available")));
    EXPECT_GT(poor.statistics().rejected.at("registers"), 0U);
}

TEST(Space, UnlimitedImplementationsLeaveNothingUnexplored) {
    const dag::CallGraph graph = test::demo();
    SpaceOptions options;
    options.implementations = 1000000;
    Space all = space(graph, {}, options);
    options.implementations = 50;
    Space few = space(graph, {}, options);
    const CallSet set = named(graph, {"M1", "v1"});
    const auto column = all.find(set, graph.boundary(set));
    EXPECT_DOUBLE_EQ(all.front(*column).unexplored, 0);
    // mmul 3x3 by element, row, column, entry; mvmul by element, row: 8 combinations.
    std::set<std::string> seen;
    for (const Candidate& candidate : all.implementations(*column)) {
        seen.insert(granularity_text(candidate));
    }
    EXPECT_EQ(seen, (std::set<std::string>{"{1 1}", "{1 3}", "{3 1}", "{3 3}", "{9 1}", "{9 3}"}));
    EXPECT_EQ(few.front(*column).considered, 50U);
    EXPECT_GT(few.front(*column).unexplored, 0);
}

TEST(Space, ASynchronisingRoutineMustStayInsideAWarp) {
    // A user's madd whose second implementation synchronises the threads of an element: 9 for 3x3, 16 for 4x4.
    const auto folder = std::filesystem::path(testing::TempDir()) / "fusec-synchronises";
    std::filesystem::create_directories(folder / "matrix");
    std::ofstream(folder / "matrix/madd.toml")
        << "summary = \"C = A + B\"\nshape = [\"M\", \"N\"]\nreference = \"C[i,j] = A[i,j] + B[i,j]\"\nflops = \"M*N\"\n"
           "[[input]]\nname = \"A\"\ntype = \"MATRIX[M,N]\"\n[[input]]\nname = \"B\"\ntype = \"MATRIX[M,N]\"\n"
           "[output]\nname = \"C\"\ntype = \"MATRIX[M,N]\"\n"
           "[[implementation]]\nname = \"element\"\nthreads = \"1\"\n"
           "[[implementation]]\nname = \"entry\"\nthreads = \"M*N\"\nmap = { A = \"entry\", B = \"entry\", C = \"entry\" }\nbarrier = "
           "true\n";
    std::ofstream(folder / "matrix/madd.cuh") << "template <class Lane, class A, class B, class C>\nFUSEC_DEVICE void madd_element(Lane, "
                                                 "const A& a, const B& b, C& c) {\n    c(0, 0) = a(0, 0) + b(0, 0);\n}\n"
                                                 "template <class Lane, class A, class B, class C>\nFUSEC_DEVICE void madd_entry(Lane, "
                                                 "const A& a, const B& b, C& c) {\n    c(0, 0) = a(0, 0) + b(0, 0);\n}\n";
    Diagnostics diagnostics;
    const auto library = library::Catalog::load({folder}, diagnostics);
    ASSERT_TRUE(library.has_value()) << diagnostics.all().front().message;
    for (int size : {3, 4}) {
        ProgramBuilder builder;
        const auto sum =
            builder.call("madd", {builder.input("A", matrix_shape(size, size)), builder.input("B", matrix_shape(size, size))}, "C");
        builder.output(builder.call("madd", {sum, sum}, "D"));
        frontend::CheckedProgram program = builder.program();
        program.calls[0].instance.function = program.calls[1].instance.function = *library->find("madd");
        const dag::CallGraph graph(program);
        const test::FakeCost fake;
        Space all(graph, *library, {}, fake, {});
        const auto column = all.find({CallId(0), CallId(1)}, {graph.call(CallId(1)).result});
        const std::vector<Candidate> candidates = all.implementations(*column);
        if (size == 3) {
            EXPECT_FALSE(offers(candidates, "{9 9}"));
            EXPECT_EQ(all.front(*column).rejected.front().reason, Rejection::Reason::no_implementation);
            EXPECT_EQ(
                all.front(*column).rejected.front().detail, "`C`: `madd_entry` synchronises 9 threads, which do not divide a warp of 32");
            EXPECT_GE(all.statistics().rejected.at("no-implementation"), 2U);
            continue;
        }
        EXPECT_EQ(all.front(*column).considered,
            all.front(*column).kept.size() + all.front(*column).dominated + all.front(*column).rejected.size());
        bool met = false;
        for (const Candidate& candidate : candidates) {
            verify(candidate, graph, *library);
            if (granularity_text(candidate) == "{16 16}") {
                met = true;
                // The threads of an element read what their neighbours made: never in registers, a warp barrier between the calls.
                EXPECT_EQ(candidate.plan_of(sum).placement, Placement::shared);
                EXPECT_GE(candidate.work.warp_barriers, 1);
            }
        }
        EXPECT_TRUE(met);
    }
    std::filesystem::remove_all(folder);
}

TEST(Space, WhyNoFusion) {
    const dag::CallGraph graph = test::demo();
    const auto why = [&](const std::vector<std::string>& names, int largest) {
        const auto rejection = why_no_fusion(graph, named(graph, names), largest);
        return rejection ? std::string(to_string(rejection->reason)) + ": " + rejection->detail : "a fusion";
    };
    EXPECT_EQ(why({"M1", "v1"}, 8), "a fusion");
    EXPECT_EQ(why({"M1", "v1", "s1"}, 2), "too-large: 3 calls, at most 2 allowed in one kernel");
    EXPECT_EQ(why({"M1", "s1"}, 8), "not-convex: a path from `M1` to `s1` leaves the kernel through `v1`");
    EXPECT_EQ(why({"M1", "M2"}, 8), "not-connected: its calls pass each other no data and share no list");
}

TEST(Space, TheHostKeepsEverythingInLanes) {
    for (Precision precision : {Precision::f32, Precision::f64}) {
        const dag::CallGraph graph = mixed(precision);
        DeviceLimits limits;
        limits.target = Target::host;
        limits.vector_bytes = 64;
        Space host = space(graph, limits);
        for (std::size_t column = 0; column < host.columns().size(); ++column) {
            std::set<bool> streaming;
            for (const Candidate& candidate : host.implementations(ColumnId(column))) {
                verify(candidate, graph, catalog());
                EXPECT_EQ(candidate.instances_per_block, precision == Precision::f32 ? 16 : 8);
                EXPECT_EQ(candidate.threads_per_block, 1);
                EXPECT_EQ(candidate.shared_bytes, 0);
                streaming.insert(candidate.work.allocated_bytes == 0);
                for (const Step& step : candidate.steps) {
                    EXPECT_TRUE(step.kind == Step::Kind::load || step.kind == Step::Kind::compute || step.kind == Step::Kind::store);
                }
            }
            EXPECT_EQ(streaming.size(), 2U);
        }
    }
}

// The values of a host kernel are arrays on the stack of a thread: a chain of large matrices is cut before it overflows.
TEST(Space, HostKernelsFitTheStack) {
    ProgramBuilder builder;
    DataId value = builder.input("A0", matrix_shape(64, 64));
    for (int i = 1; i <= 8; ++i) {
        value = builder.call("madd", {value, builder.input("A" + std::to_string(i), matrix_shape(64, 64))}, "B" + std::to_string(i));
    }
    builder.output(value);
    const dag::CallGraph graph = builder.graph();
    DeviceLimits limits;
    limits.target = Target::host;
    Space all = space(graph, limits);
    constexpr std::size_t matrix = std::size_t{64} * 64 * 64; // bytes of one value in the widest vectors
    std::size_t kept = 0, refused = 0, waiting = 0;
    for (std::size_t column = 0; column < all.columns().size(); ++column) {
        const Front& front = all.front(ColumnId(column));
        const std::size_t values = 2 * all.columns()[column].executes.size() + 1;
        EXPECT_EQ(front.kept.empty(), values * matrix > std::size_t{2} << 20U);
        (front.kept.empty() ? refused : kept) += 1;
        for (const Rejection& rejection : front.rejected) {
            EXPECT_EQ(rejection.reason, Rejection::Reason::stack);
            const auto needs = [&](std::size_t arrays) {
                return testing::HasSubstr(std::to_string(arrays * matrix / 1024) + " KiB of stack needed, 2048 KiB available");
            };
            // Past the caches, the result has a place of its own to wait in.
            EXPECT_THAT(rejection.detail, testing::AnyOf(needs(values), needs(values + 1)));
            waiting += testing::Matches(needs(values + 1))(rejection.detail) ? 1U : 0U;
        }
    }
    EXPECT_GT(kept, 0U);
    EXPECT_GT(refused, 0U);
    EXPECT_GT(waiting, 0U);
    EXPECT_GT(all.statistics().rejected.at("stack"), 0U);
}

} // namespace
} // namespace fusec::fusion
