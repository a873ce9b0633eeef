// SPDX-License-Identifier: Apache-2.0
// Single kernels worked by hand: steps, addresses, barriers, and work against the figures of the CUDA notes.
#include "frontend/uniform_calls.hpp"
#include "fusion/instruction_rates.hpp"
#include "fusion/kernel_builder.hpp"
#include "program_builder.hpp"
#include "race_oracle.hpp"

#include <gtest/gtest.h>

#include <map>

namespace fusec::fusion {
namespace {

using test::catalog;
using test::matrix_shape;
using test::ProgramBuilder;
using test::vector_shape;

/// The kernel of all calls of a graph, with the given threads per call (0: one thread) and transfers.
class Kernel {
public:
    Kernel(const dag::CallGraph& graph, const std::vector<std::pair<std::string, std::string>>& implementations, KernelChoice choice,
        DeviceLimits limits = {})
        : graph_(graph), routines_(find_routines(graph, catalog(), limits)) {
        Column column;
        for (std::size_t call = 0; call < graph.calls(); ++call) {
            column.executes.push_back(CallId(call));
        }
        for (DataId datum : graph.uses(column.executes)) {
            if (graph.datum(datum).kind == frontend::DatumKind::input) {
                column.loads.push_back(datum);
            }
        }
        column.stores = graph.boundary(column.executes);
        const KernelOutline kernel = outline(graph, column, routines_, costs_);
        Combination combination(graph.calls(), 0);
        for (const auto& [call, implementation] : implementations) {
            for (std::size_t index = 0; index < graph.calls(); ++index) {
                if (graph.program().name_of(CallId(index)) != call) {
                    continue;
                }
                const auto& function = catalog().function(graph.call(CallId(index)).instance.function);
                const auto& options = routines_[index].routines;
                const auto found = std::find_if(options.begin(), options.end(),
                    [&](const Routine& routine) { return function.implementations[routine.implementation].name == implementation; });
                EXPECT_NE(found, options.end()) << call << " " << implementation;
                combination[index] = static_cast<std::uint8_t>(found - options.begin());
            }
        }
        KernelBuilder builder(limits, true);
        refusal = builder.build(kernel, combination, choice, candidate);
        if (!refusal) {
            verify(candidate, graph, catalog());
            EXPECT_EQ(limits.target == Target::host ? "" : test::find_race(candidate, graph, catalog()), "");
        }
    }

    /// "load A, block, M1, store F"
    std::string steps() const {
        std::string text;
        for (const Step& step : candidate.steps) {
            text += text.empty() ? "" : ", ";
            switch (step.kind) {
            case Step::Kind::load:
                text += "load " + graph_.datum(step.datum).name;
                break;
            case Step::Kind::async_wait:
                text += "wait";
                break;
            case Step::Kind::block_barrier:
                text += "block";
                break;
            case Step::Kind::warp_barrier:
                text += "warp";
                break;
            case Step::Kind::derive:
                text += "derive " + graph_.datum(step.datum).name;
                break;
            case Step::Kind::compute:
                text += graph_.program().name_of(step.call);
                break;
            case Step::Kind::store:
                text += "store " + graph_.datum(step.datum).name;
                break;
            }
        }
        return text;
    }

    const SharedSlot& slot(const std::string& name) const { return *plan(name).slot; }
    const DatumPlan& plan(const std::string& name) const {
        for (const DatumPlan& plan : candidate.data) {
            if (graph_.datum(plan.datum).name == name) {
                return plan;
            }
        }
        throw std::runtime_error("no datum " + name);
    }

    Candidate candidate;
    std::optional<Refusal> refusal;

private:
    const dag::CallGraph& graph_;
    std::vector<CallRoutines> routines_;
    CallCosts costs_{graph_, routines_};
};

KernelChoice choice(int elements, LoadPolicy loads, StorePolicy stores, LoadOrder order) {
    KernelChoice result;
    result.elements = elements;
    result.loads = loads;
    result.stores = stores;
    result.order = order;
    return result;
}

const KernelChoice best = choice(64, LoadPolicy::async, StorePolicy::vectors, LoadOrder::first);

TEST(Kernel, TheDemoByOneThreadPerElement) {
    const dag::CallGraph graph = test::demo();
    const Kernel kernel(graph, {}, best);
    // One wait and barrier after the loads, one between F and its cooperative store: all else stays in registers.
    EXPECT_EQ(kernel.steps(), "load A, load B, load c, load D, load E, wait, block, M1, v1, s1, M2, M3, F, block, store F");
    EXPECT_EQ(granularity_text(kernel.candidate), "{1 1 1 1 1 1}");
    EXPECT_EQ(kernel.candidate.threads_per_block, 64);
    // 71 words of input for 64 elements are 18176 bytes; F goes where A, B, c were (21 words) and D, still live in M3, is not:
    //   A B c  ===== (M1 v1)      E ========== (M2)
    //   D      ============= (M3) F           == (25 words, over what A, B, c and E left)
    EXPECT_EQ(kernel.candidate.shared_bytes, 71 * 64 * 4);
    EXPECT_EQ(kernel.slot("F").bytes, 25 * 64 * 4);
    EXPECT_EQ(kernel.plan("M3").placement, Placement::registers);
    const KernelWork& work = kernel.candidate.work;
    EXPECT_DOUBLE_EQ(work.read_bytes, 284);
    EXPECT_DOUBLE_EQ(work.write_bytes, 100);
    // CUDA notes 2.2: (B_in + B_own + 3 B_out) / 128 passes, no conflicts with odd elements.
    EXPECT_DOUBLE_EQ(work.shared_wavefronts, (284 + 284 + 300) / 128.0);
    EXPECT_EQ(work.flops, 45 + 15 + 6 + 225 + 25 + 25);
    EXPECT_EQ(work.square_roots, 1);
    EXPECT_NEAR(work.registers, 72, 8);      // bench/results/ptxas_registers.json: 65 (sm_80), 72 (sm_90)
    EXPECT_NEAR(work.instructions, 16, 2.5); // notes 4.1
    EXPECT_EQ(work.dependent_phases, 1);
    EXPECT_EQ(work.remaps, 0);
    EXPECT_NEAR(work.path_instructions, 32 * work.instructions, 1e-9); // one thread does all of an element
    EXPECT_EQ(work.lane_slots, 1);
    EXPECT_EQ(work.spill_bytes, 0);
    EXPECT_TRUE(work.async_copies);
}

/// A number in registers is as cheap as its arithmetic: a chain of 2 n additions is n instructions of 0.55 each dearer than one of n.
TEST(Kernel, ScalarsInRegistersCostTheirArithmetic) {
    const auto chain = [](int additions) {
        ProgramBuilder builder;
        const DataId a = builder.input("a", test::scalar_shape);
        DataId sum = a;
        for (int i = 0; i < additions; ++i) {
            sum = builder.call("sadd", {sum, a}, "s" + std::to_string(i));
        }
        builder.output(sum);
        const dag::CallGraph graph = builder.graph();
        return Kernel(graph, {}, choice(64, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first)).candidate.work.instructions;
    };
    EXPECT_NEAR(32 * (chain(40) - chain(20)), 20 * 0.55 * 1.15, 1e-9);
    EXPECT_LT(32 * chain(1), 40); // load, address, condition, store
}

TEST(Kernel, TheDemoInPlace) {
    const dag::CallGraph graph = test::demo();
    const Kernel kernel(graph, {}, choice(64, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first));
    EXPECT_EQ(kernel.steps(), "M1, v1, s1, M2, M3, F, store F");
    EXPECT_EQ(kernel.candidate.shared_bytes, 0);
    EXPECT_NEAR(kernel.candidate.work.l1_wavefronts, 13, 0.5); // notes 2.3: 13 L1 cycles per element
    EXPECT_DOUBLE_EQ(kernel.candidate.work.store_requests, 25 - 100 / 32.0);
    EXPECT_NEAR(kernel.candidate.work.instructions, 12, 3); // notes 4.1
}

TEST(Kernel, TheDemoByRows) {
    const dag::CallGraph graph = test::demo();
    const Kernel kernel(graph, {{"M1", "row"}, {"v1", "row"}, {"M2", "row"}, {"M3", "row"}, {"F", "row"}}, best);
    EXPECT_EQ(granularity_text(kernel.candidate), "{3 3 1 5 5 5}");
    // M1, M2, M3 pass in registers by rows. v1 goes from 3 threads to 1, s1 from 1 to 5: block barriers, as 3 and 5 straddle warps.
    // v1 lies where A was, which other threads read for M1: one more. M2 needs none: D and E have not changed since the first one.
    EXPECT_EQ(
        kernel.steps(), "load A, load B, load c, load D, load E, wait, block, M1, block, v1, block, s1, M2, M3, block, F, block, store F");
    EXPECT_EQ(kernel.plan("M1").placement, Placement::registers);
    EXPECT_EQ(kernel.plan("M1").touch, library::Touch::row);
    EXPECT_EQ(kernel.plan("v1").placement, Placement::shared);
    const KernelWork& work = kernel.candidate.work;
    EXPECT_EQ(kernel.candidate.threads_per_block, 320);
    EXPECT_EQ(kernel.candidate.shared_bytes, 71 * 64 * 4); // the inputs; results lie over dead ones
    EXPECT_NEAR(work.shared_wavefronts, 0.59 * 20.7, 1.5); // notes 4.1: 59 % of 20.7 cycles
    EXPECT_NEAR(work.instructions, 38.5, 6);               // notes 4.1: 37-40
    EXPECT_NEAR(work.registers, 31, 4);                    // nvcc took 30-31; notes 0.6, 2 R N + N + 25, says 40
    EXPECT_EQ(work.remaps, 2);
    EXPECT_EQ(work.lane_slots, 1); // 192, 64 and 320 threads are whole warps
    // Each thread of a row does a third or a fifth, the thread that makes s1 all of it.
    EXPECT_LT(work.path_instructions, 32 * work.instructions / 3);
    EXPECT_GT(work.path_instructions, 32 * work.instructions / 5);
}

/// The compiler of the kernel cannot tell the entries that threads write to a tile from those that they have read: each entry of a product
/// is then made of a row and a column that are read for it. The same product in registers reads each component once per thread.
TEST(Kernel, ProductsThatAreWrittenToATileReadTheirOperandsForEachEntry) {
    constexpr int size = 16, threads = 8, rows = size / threads;
    constexpr double a_reads = rows * size / 4.0, b_reads = size * size / 4.0, m_writes = rows * size / 4.0; // of 16 bytes, per thread
    ProgramBuilder builder;
    const DataId a = builder.input("A", matrix_shape(size, size)), b = builder.input("B", matrix_shape(size, size));
    builder.output(builder.call("mneg", {builder.call("mmul", {a, b}, "M")}, "N"));
    const dag::CallGraph graph = builder.graph();
    const auto product = [&](const std::string& consumer) {
        const Kernel kernel(graph, {{"M", "rows2"}, {"N", consumer}}, choice(8, LoadPolicy::async, StorePolicy::vectors, LoadOrder::first));
        EXPECT_EQ(kernel.plan("M").placement, consumer == "rows2" ? Placement::registers : Placement::shared);
        const std::vector<WorkStep>& steps = kernel.candidate.work.steps;
        const auto made =
            std::find_if(steps.begin(), steps.end(), [](const WorkStep& step) { return step.kind == WorkStep::Kind::compute; });
        return made->instructions / instruction_overhead / threads;
    };
    const double in_registers = product("rows2"), in_a_tile = product("column");
    const double read_again = (size - 1) * a_reads + (rows - 1) * b_reads;
    EXPECT_NEAR(in_a_tile - in_registers, read_again + m_writes + instructions_per_address, 1e-9);
}

// A factorization by one thread beside sums by many: while it factorizes, the other threads wait, and so do the lanes of its warps.
TEST(Kernel, StepsOfFewThreadsTakeTheTimeOfThoseThreadsAndWholeWarps) {
    ProgramBuilder builder;
    const auto a = builder.input("A", matrix_shape(16, 16)), b = builder.input("B", matrix_shape(16, 16));
    const auto sum = builder.call("madd", {a, b}, "S");
    builder.output(builder.call("mchol", {builder.call("mmul", {sum, sum}, "T")}, "L"));
    const dag::CallGraph graph = builder.graph();
    const auto routine_named = [&](const std::string& name) {
        KernelChoice few = best;
        few.elements = 4;
        return Kernel(graph, {{"S", "row"}, {"T", name}}, few).candidate.work;
    };
    const KernelWork one = routine_named("element"), many = routine_named("row");
    EXPECT_EQ(one.threads_per_block, 64);
    EXPECT_EQ(many.threads_per_block, 64);
    // Four of 64 threads make the factors in both kernels: the lanes of a warp for four of them.
    EXPECT_GT(many.lane_slots, 1);
    EXPECT_LE(many.lane_slots, 8);
    EXPECT_GT(one.lane_slots, many.lane_slots); // and the products in one
    // Copies are made by all lanes, so that arithmetic alone takes more of them.
    EXPECT_GT(many.arithmetic_lane_slots, many.lane_slots);
    EXPECT_GT(one.arithmetic_lane_slots, one.lane_slots);
    EXPECT_GT(one.path_instructions, many.path_instructions);
    EXPECT_GT(many.path_instructions, 32 * many.instructions * 4 / 64); // not as if all threads shared it
}

/// X = (mu la + mu) A
dag::CallGraph scaled_by_uniforms() {
    ProgramBuilder builder;
    const auto la = builder.uniform("la", test::scalar_shape), mu = builder.uniform("mu", test::scalar_shape);
    const auto a = builder.input("A", matrix_shape(3, 3));
    const auto k = builder.call("sadd", {builder.call("smul", {mu, la}, "k1"), mu}, "k");
    builder.output(builder.call("smmul", {a, k}, "X"));
    return dag::CallGraph(frontend::set_uniform_calls_apart(builder.program(), catalog()));
}

TEST(Kernel, DerivedDataAreMadeByEveryThread) {
    const dag::CallGraph graph = scaled_by_uniforms();
    const Kernel one(graph, {}, best), nine(graph, {{"X", "entry"}}, best);
    EXPECT_EQ(one.steps(), "load A, derive k1, derive k, wait, block, X, block, store X"); // while A is on its way
    EXPECT_EQ(nine.steps(), one.steps());
    EXPECT_EQ(nine.plan("k").placement, Placement::derived);
    EXPECT_EQ(nine.plan("mu").placement, Placement::memory);
    // Nine products for an element; and two operations for each of its threads.
    EXPECT_EQ(one.candidate.work.flops, 9 + 2);
    EXPECT_EQ(nine.candidate.work.flops, 9 + 9 * 2);
    EXPECT_EQ(one.candidate.work.read_bytes, 36);
    EXPECT_EQ(one.candidate.work.demand.live, 1) << "k, and not k1 any more";
    // One load by the threads of a warp for each of two uniforms.
    EXPECT_EQ(one.candidate.work.l1_wavefronts, 2 / 32.0);
    EXPECT_EQ(nine.candidate.work.l1_wavefronts, 9 * 2 / 32.0);
}

TEST(Kernel, DerivedDataOnTheHost) {
    DeviceLimits host;
    host.target = Target::host;
    const dag::CallGraph graph = scaled_by_uniforms();
    const Kernel kernel(graph, {}, choice(8, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first), host);
    EXPECT_EQ(kernel.candidate.work.flops, 9) << "made once for all elements";
    EXPECT_EQ(kernel.steps(), "load A, derive k1, derive k, X, store X");
}

TEST(Kernel, LoadsAtUseReuseTheTiles) {
    const dag::CallGraph graph = test::demo();
    const Kernel kernel(graph, {}, choice(64, LoadPolicy::words, StorePolicy::words, LoadOrder::at_use));
    // M2 first (the least memory); A, B, c come into D's and E's place, so each load waits for the readers before it.
    EXPECT_EQ(kernel.steps(),
        "load D, load E, block, M2, M3, block, load A, load B, block, M1, block, load c, block, v1, s1, block, F, block, store F");
    // D and E together are 50 words; F (25) later fits.
    EXPECT_EQ(kernel.candidate.shared_bytes, 50 * 64 * 4);
    EXPECT_EQ(kernel.candidate.work.dependent_phases, 3);
    // In a block of one warp, barriers of the warp do.
    const Kernel warp(graph, {}, choice(32, LoadPolicy::words, StorePolicy::words, LoadOrder::at_use));
    EXPECT_EQ(
        warp.steps(), "load D, load E, warp, M2, M3, warp, load A, load B, warp, M1, warp, load c, warp, v1, s1, warp, F, warp, store F");
    EXPECT_EQ(warp.candidate.work.block_barriers, 0);
}

TEST(Kernel, AnInstanceInsideAWarpNeedsOnlyAWarpBarrier) {
    // C = A B by rows (4 threads), D = C' by rows: thread i reads column i of what all four wrote.
    ProgramBuilder builder;
    const auto product = builder.call("mmul", {builder.input("A", matrix_shape(4, 4)), builder.input("B", matrix_shape(4, 4))}, "C");
    builder.output(builder.call("mtrans", {product}, "D"));
    const dag::CallGraph graph = builder.graph();
    const Kernel rows(graph, {{"C", "row"}, {"D", "row"}}, choice(32, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first));
    EXPECT_EQ(rows.steps(), "C, warp, D, store D");
    EXPECT_EQ(rows.candidate.work.warp_barriers, 1);
    // The transpose by columns takes each row where it was made: registers, no barrier.
    const Kernel columns(graph, {{"C", "row"}, {"D", "column"}}, choice(32, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first));
    EXPECT_EQ(columns.steps(), "C, D, store D");
    // From 4 threads to 16: other threads, possibly of another warp.
    const Kernel entries(graph, {{"C", "row"}, {"D", "entry"}}, choice(32, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first));
    EXPECT_EQ(entries.steps(), "C, block, D, store D");
}

TEST(Kernel, ThreadsThatStraddleWarpsNeedABlockBarrier) {
    ProgramBuilder builder;
    const auto product = builder.call("mmul", {builder.input("A", matrix_shape(3, 3)), builder.input("B", matrix_shape(3, 3))}, "C");
    builder.output(builder.call("mtrans", {product}, "D"));
    const dag::CallGraph graph = builder.graph();
    const Kernel rows(graph, {{"C", "row"}, {"D", "row"}}, choice(32, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first));
    EXPECT_EQ(rows.steps(), "C, block, D, store D");
}

TEST(Kernel, TilesOf64BytesArePadded) {
    ProgramBuilder builder;
    builder.output(builder.call("madd", {builder.input("A", matrix_shape(4, 4)), builder.input("x", matrix_shape(4, 4))}, "C"));
    const dag::CallGraph graph = builder.graph();
    const Kernel kernel(graph, {}, best);
    // 16 words every second element (128 bytes): 64 * 64 + 31 * 16 bytes, passes as without conflicts.
    EXPECT_EQ(kernel.slot("A").run, 2 * 16);
    EXPECT_EQ(kernel.slot("A").pad_words, 4);
    EXPECT_EQ(kernel.slot("A").bytes, 4592);
    EXPECT_EQ(kernel.slot("A").offset % 16, 0);
    EXPECT_DOUBLE_EQ(kernel.candidate.work.shared_wavefronts, (2 * 64 + 2 * 64 + 3 * 64) / 128.0);
    // By entries, neighbours are adjacent: no conflicts, no padding.
    const Kernel entries(graph, {{"C", "entry"}}, best);
    EXPECT_EQ(entries.refusal.has_value(), false);
    EXPECT_EQ(entries.slot("A").run, 0);
}

TEST(Kernel, RowsOfLargeMatricesArePaddedForAThreadPerRow) {
    const auto slot_of_result = [](int size) {
        ProgramBuilder builder(Precision::f64);
        builder.output(builder.call("mtrans", {builder.input("A", matrix_shape(size, size))}, "C"));
        const dag::CallGraph graph = builder.graph();
        const Kernel kernel(graph, {{"C", "row"}}, choice(4, LoadPolicy::async, StorePolicy::vectors, LoadOrder::first));
        EXPECT_FALSE(kernel.refusal.has_value());
        return kernel.slot("C");
    };
    // Rows of 192 bytes start in two places of the banks' 128 bytes.
    const SharedSlot slot = slot_of_result(24);
    EXPECT_EQ(slot.run, 24);
    EXPECT_EQ(slot.pad_words, 2);
    EXPECT_EQ(slot.bytes, 4 * 24 * (24 + 2) * 8 - 16);
    EXPECT_EQ(slot_of_result(16).run, 16);
}

TEST(Kernel, SmallListsMayBeReadInPlaceWhileOthersAreStaged) {
    ProgramBuilder builder;
    const auto mu = builder.uniform("mu", test::scalar_shape);
    const auto scaled = builder.call("smmul", {builder.input("A", matrix_shape(3, 3)), builder.input("s", test::scalar_shape)}, "B");
    builder.output(builder.call("smmul", {scaled, mu}, "C"));
    const dag::CallGraph graph = builder.graph();
    const Kernel kernel(graph, {}, choice(64, LoadPolicy::async_but_small, StorePolicy::vectors, LoadOrder::first));
    EXPECT_EQ(kernel.steps(), "load A, wait, block, B, C, block, store C");
    EXPECT_EQ(kernel.plan("s").placement, Placement::memory);
    EXPECT_EQ(kernel.plan("mu").placement, Placement::memory);
    EXPECT_TRUE(kernel.plan("mu").loaded);
    EXPECT_EQ(kernel.candidate.loads.size(), 2U); // a uniform is no list
}

TEST(Kernel, ABarrierBeforeTheWaitDoesNotPublishAsynchronousCopies) {
    // z by 4 threads and s by one come from small lists in place, with a barrier between them while A is still on its way.
    ProgramBuilder builder;
    const auto a = builder.input("a", vector_shape(4));
    const auto z = builder.call("vadd", {a, builder.input("b", vector_shape(4))}, "z");
    const auto s = builder.call("vdot", {z, a}, "s");
    builder.output(builder.call("smmul", {builder.input("A", matrix_shape(3, 3)), s}, "C"));
    const dag::CallGraph graph = builder.graph();
    const Kernel kernel(graph, {{"z", "entry"}}, choice(32, LoadPolicy::async_but_small, StorePolicy::direct, LoadOrder::first));
    EXPECT_EQ(kernel.steps(), "load A, z, block, s, wait, block, C, store C");
}

TEST(Kernel, LargeElementsSpillByOneThreadAndNotByRows) {
    // CUDA notes 4.2, O = (A B) C + A: 24x24 f32 by one thread spills tens of kB per thread; by rows (24 threads) it takes 96 registers.
    ProgramBuilder builder;
    const auto a = builder.input("A", matrix_shape(24, 24));
    const auto ab = builder.call("mmul", {a, builder.input("B", matrix_shape(24, 24))}, "P");
    const auto abc = builder.call("mmul", {ab, builder.input("C", matrix_shape(24, 24))}, "Q");
    builder.output(builder.call("madd", {abc, a}, "O"));
    const dag::CallGraph graph = builder.graph();
    const Kernel one(graph, {}, choice(32, LoadPolicy::in_place, StorePolicy::direct, LoadOrder::first));
    EXPECT_EQ(one.candidate.work.registers, 255);
    EXPECT_GT(one.candidate.work.spill_bytes, 2 * 10000);
    const Kernel rows(
        graph, {{"P", "row"}, {"Q", "row"}, {"O", "row"}}, choice(8, LoadPolicy::async, StorePolicy::vectors, LoadOrder::first));
    ASSERT_FALSE(rows.refusal.has_value());
    EXPECT_EQ(rows.candidate.work.spill_bytes, 0);
    EXPECT_NEAR(rows.candidate.work.registers, 96, 15);
    // 768 threads of 96 registers or more are more than the 65536 of an SM.
    const Kernel large(
        graph, {{"P", "row"}, {"Q", "row"}, {"O", "row"}}, choice(32, LoadPolicy::async, StorePolicy::vectors, LoadOrder::first));
    ASSERT_TRUE(large.refusal.has_value());
    EXPECT_EQ(large.refusal->reason, Rejection::Reason::registers);
    EXPECT_GT(large.refusal->needed, 65536);
}

TEST(Kernel, ChainsTakeTheRegistersOfTheNotes) {
    // CUDA notes 4.2, f32 registers (sm_80 / sm_90); the first of the emitted text, aligned and not (nvcc 13.0, sm_90), the notes' kernel
    // took 110 / 115.
    const auto registers = [](int size, const char* implementation) {
        ProgramBuilder builder;
        const auto a = builder.input("A", matrix_shape(size, size));
        const auto ab = builder.call("mmul", {a, builder.input("B", matrix_shape(size, size))}, "P");
        const auto abc = builder.call("mmul", {ab, builder.input("C", matrix_shape(size, size))}, "Q");
        builder.output(builder.call("madd", {abc, a}, "O"));
        const dag::CallGraph graph = builder.graph();
        const Kernel kernel(graph, {{"P", implementation}, {"Q", implementation}, {"O", implementation}},
            choice(32, LoadPolicy::async, StorePolicy::direct, LoadOrder::first));
        return kernel.refusal ? 0 : kernel.candidate.work.registers;
    };
    EXPECT_NEAR(registers(6, "element"), 128, 15); // 117 and 128
    EXPECT_NEAR(registers(6, "rows3"), 64, 12);    // g = 2: 64 / 64
    EXPECT_NEAR(registers(6, "rows2"), 59, 12);    // g = 3: 56 / 63
    EXPECT_NEAR(registers(12, "rows4"), 128, 20);  // g = 3: 128 / 128
    EXPECT_NEAR(registers(12, "rows3"), 119, 24);  // g = 4: 111 / 127
    EXPECT_NEAR(registers(12, "row"), 72, 15);     // g = 12: 72 / 72
}

TEST(Kernel, BothPrecisionsOnTheHost) {
    const dag::CallGraph graph = test::demo();
    DeviceLimits limits;
    limits.target = Target::host;
    limits.vector_bytes = 32;
    KernelChoice lanes;
    lanes.elements = 8;
    lanes.order = LoadOrder::at_use;
    lanes.streaming = true;
    const Kernel kernel(graph, {}, lanes, limits);
    EXPECT_EQ(kernel.steps(), "load D, load E, M2, M3, load A, load B, M1, load c, v1, s1, F, store F");
    EXPECT_EQ(kernel.plan("A").placement, Placement::registers);
    EXPECT_EQ(kernel.plan("A").load, Staging::lanes);
    EXPECT_EQ(kernel.plan("F").store, Staging::lanes_streaming);
    std::map<int, std::vector<int>> after; // of the steps above, by their places
    for (std::size_t i = 0; i < kernel.candidate.work.steps.size(); ++i) {
        if (!kernel.candidate.work.steps[i].after.empty()) {
            after[static_cast<int>(i)] = kernel.candidate.work.steps[i].after;
        }
    }
    EXPECT_EQ(after, (std::map<int, std::vector<int>>{{3, {2}}, {8, {6}}, {9, {8}}, {10, {3, 9}}})) << "what calls wait for";
    EXPECT_EQ(kernel.candidate.work.allocated_bytes, 0);
    EXPECT_EQ(kernel.candidate.work.shared_wavefronts, 0);
}

} // namespace
} // namespace fusec::fusion
