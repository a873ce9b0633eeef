// SPDX-License-Identifier: Apache-2.0
// Every defect the verifier claims to find is planted in sound kernel IR and must be found where it is; sound IR must have no finding.
#include "samples.hpp"

#include "codegen/verifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace fusec::codegen::test {

using fusion::Staging;
using library::Touch;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr int T = 32;

/// Built by hand, with no help of lower(): rows of C = A B by 4 threads per element, then D = C' by 4 threads per element through a
/// tile, then stored. Byte map (one tile is 32 * 16 * 4 = 2048 bytes): A 0, B 2048, C 4096, D over A.
Kernel rows_kernel() {
    const Type type{{Form::matrix, 4, 4}, Precision::f32};
    Kernel kernel;
    kernel.name = "D";
    kernel.lists = {{DataId(0), "A", type}, {DataId(1), "B", type}, {DataId(3), "D", type, false, true}};
    kernel.tiles = {{DataId(0), "A_view", type, 0, 2048, 16, 0, 0, 0, 4}, {DataId(1), "B_view", type, 2048, 2048, 16, 0, 0, 1, 4},
        {DataId(2), "C", type, 4096, 2048, 16, 0, 0, 4, 6}, {DataId(3), "D_view", type, 0, 2048, 16, 0, 0, 6, 8}};
    const Operand row_a{{Place::Kind::tile, 0}, Touch::row}, all_b{{Place::Kind::tile, 1}, Touch::all},
        row_c{{Place::Kind::tile, 2}, Touch::row};
    const Operand column_c{{Place::Kind::tile, 2}, Touch::column}, row_d{{Place::Kind::tile, 3}, Touch::row};
    kernel.steps = {LoadTile{0, 0, Staging::async, 16}, LoadTile{1, 1, Staging::vectors, 16}, AsyncWait{}, BlockBarrier{},
        Compute{CallId(0), "mmul_row", 4, false, {row_a, all_b}, row_c, true},
        WarpBarrier{}, // C crosses threads of one element only, and 4 divides 32
        Compute{CallId(1), "mtrans_row", 4, false, {column_c}, row_d, true}, BlockBarrier{}, StoreTile{3, 2, Staging::vectors, 16}};
    kernel.tile_elements = T;
    kernel.threads = 4 * T;
    kernel.shared_bytes = 6144;
    return kernel;
}

/// One thread per element, no shared memory: C = A B in registers, mu read once, stored by the owner.
Kernel registers_kernel() {
    const Type matrix{{Form::matrix, 2, 2}, Precision::f64}, scalar{{Form::scalar, 1, 1}, Precision::f64};
    Kernel kernel;
    kernel.name = "C";
    kernel.lists = {{DataId(0), "A", matrix}, {DataId(1), "mu", scalar, true}, {DataId(3), "C", matrix, false, true}};
    kernel.values = {{DataId(0), "A_value", matrix}, {DataId(1), "mu_value", scalar}, {DataId(3), "C_value", matrix}};
    kernel.steps = {LoadValue{0, 0, Staging::vectors, 16}, LoadValue{1, 1, Staging::none, 8},
        Compute{CallId(0), "smmul_element", 1, false, {{{Place::Kind::value, 0}, Touch::all}, {{Place::Kind::value, 1}, Touch::all}},
            {{Place::Kind::value, 2}, Touch::all}, true},
        StoreValue{2, 2, Staging::vectors, 16}};
    kernel.tile_elements = T;
    kernel.threads = T;
    return kernel;
}

/// Four threads per element exchange values: c = |A|, whole in each, stored by one from registers; d = A : B, which one writes to a tile;
/// then s d, with the whole of d read by all four.
Kernel exchanging_kernel() {
    const Type matrix{{Form::matrix, 4, 4}, Precision::f32}, scalar{{Form::scalar, 1, 1}, Precision::f32};
    Kernel kernel;
    kernel.name = "E";
    kernel.lists = {{DataId(0), "A", matrix}, {DataId(1), "c", scalar, false, true}, {DataId(3), "E", matrix, false, true}};
    kernel.values = {{DataId(1), "c_value", scalar, Touch::all, 4}, {DataId(3), "E_value", matrix, Touch::row, 4}};
    kernel.tiles = {{DataId(2), "d", scalar, 0, 128, 1, 0, 0, 2, 4}};
    const Operand row_a{{Place::Kind::list, 0}, Touch::row}, whole_c{{Place::Kind::value, 0}, Touch::all},
        whole_d{{Place::Kind::tile, 0}, Touch::all}, row_e{{Place::Kind::value, 1}, Touch::row};
    kernel.steps = {Compute{CallId(0), "mfnorm_rows", 4, false, {row_a}, whole_c, true, 2}, StoreValue{0, 1, Staging::none, 4, true},
        Compute{CallId(1), "mddot_rows", 4, false, {row_a, row_a}, whole_d, true, 2, true}, WarpBarrier{},
        Compute{CallId(2), "smmul_rows", 4, false, {row_a, whole_d}, row_e, true}, StoreValue{1, 2, Staging::none, 4}};
    kernel.tile_elements = T;
    kernel.threads = 4 * T;
    kernel.shared_bytes = 128;
    return kernel;
}

template <class Defect>
std::vector<std::string> with(Kernel kernel, Defect defect) {
    defect(kernel);
    return findings(kernel);
}

Tile& tile(Kernel& kernel, std::size_t index) {
    return kernel.tiles.at(index);
}
template <class S>
S& step(Kernel& kernel, std::size_t index) {
    return std::get<S>(kernel.steps.at(index));
}
/// Leaves the numbers of later steps, hence lifetimes, as they are.
void drop(Kernel& kernel, std::size_t index) {
    kernel.steps.at(index) = Step{WarpBarrier{}};
}

} // namespace

TEST(Verifier, sound_kernels_have_no_findings) {
    EXPECT_THAT(findings(rows_kernel()), IsEmpty());
    EXPECT_THAT(findings(registers_kernel()), IsEmpty());
    EXPECT_THAT(findings(exchanging_kernel()), IsEmpty());
}

TEST(Verifier, a_whole_result_is_stored_by_one_thread) {
    EXPECT_THAT(with(exchanging_kernel(), [](Kernel& k) { step<StoreValue>(k, 1).leader = false; }),
        Contains(HasSubstr("`c` component 0 of element 0, thread 1 (1 of 32 elements): stored twice")));
    EXPECT_THAT(with(exchanging_kernel(), [](Kernel& k) { step<Compute>(k, 2).leader = false; }),
        Contains(HasSubstr("written without a barrier after thread 0 wrote there in step 2")));
    // One thread has all of a whole value, but a part only of others.
    EXPECT_THAT(with(exchanging_kernel(), [](Kernel& k) { step<StoreValue>(k, 5).leader = true; }),
        Contains(HasSubstr("component 4 of element 0 is never stored")));
    EXPECT_THAT(with(exchanging_kernel(), [](Kernel& k) { step<Compute>(k, 0).leader = true; }),
        Contains(HasSubstr("one thread writes it, but it is no tile")));
}

TEST(Verifier, a_whole_result_in_a_tile_needs_a_barrier) {
    EXPECT_THAT(with(exchanging_kernel(), [](Kernel& k) { k.steps.at(3) = Step{AsyncWait{}}; }),
        Contains(HasSubstr("read without a barrier after thread 0 wrote it in step 2")));
}

TEST(Verifier, threads_that_exchange_values_divide_a_warp) {
    Kernel kernel = exchanging_kernel();
    for (std::size_t i : {0u, 2u, 4u}) {
        step<Compute>(kernel, i).threads = 3;
    }
    EXPECT_THAT(findings(kernel), Contains(HasSubstr("3 threads exchange values: only several that divide a warp can")));
    step<Compute>(kernel, 0).threads = 1;
    EXPECT_THAT(findings(kernel), Contains(HasSubstr("1 threads exchange values")));
}

TEST(Verifier, missing_block_barrier_after_a_copy) {
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { drop(k, 3); }), Contains(HasSubstr("step 4 (mmul_row), `B_view`")));
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { drop(k, 3); }), Contains(HasSubstr("read without a barrier after thread")));
}

TEST(Verifier, missing_warp_barrier_within_an_element) {
    const auto found = with(rows_kernel(), [](Kernel& k) { k.steps[5] = Step{AsyncWait{}}; });
    EXPECT_THAT(found,
        Contains(HasSubstr(
            "step 6 (mtrans_row), `C` component 4 of element 0, thread 0 (1 of 32 elements): read without a barrier after thread 1 "
            "wrote it in step 4")));
}

TEST(Verifier, warp_barrier_does_not_order_other_warps) {
    // With 3 threads per element, element 10 has threads 30, 31 | 32: two warps.
    Kernel kernel = rows_kernel();
    const Type type{{Form::matrix, 3, 3}, Precision::f32};
    for (List& list : kernel.lists) {
        list.type = type;
    }
    for (Tile& t : kernel.tiles) {
        t.type = type;
        t.element_words = 9;
    }
    step<Compute>(kernel, 4).threads = step<Compute>(kernel, 6).threads = 3;
    kernel.threads = 3 * T;
    const auto found = findings(kernel);
    EXPECT_THAT(found, Contains(HasSubstr("step 6 (mtrans_row), `C` component 6 of element 10, thread 30")));
    kernel.steps[5] = BlockBarrier{};
    EXPECT_THAT(findings(kernel), IsEmpty());
}

TEST(Verifier, missing_barrier_before_the_store) {
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { drop(k, 7); }), Contains(HasSubstr("step 8 (store D), `D_view`")));
}

TEST(Verifier, write_after_read_needs_a_barrier) {
    // C computed over B, which other threads of the step read.
    const auto found = with(rows_kernel(), [](Kernel& k) { tile(k, 2).offset = 2048; });
    EXPECT_THAT(found, Contains(HasSubstr("overlaps `B_view` while both are live")));
    EXPECT_THAT(found, Contains(HasSubstr("written without a barrier after thread")));
}

TEST(Verifier, asynchronous_copy_without_its_wait) {
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { drop(k, 2); }),
        Contains(
            HasSubstr("`A_view` component 0 of element 0, thread 0 (1 of 32 elements): read before the wait for its asynchronous copy")));
    const auto never = with(rows_kernel(), [](Kernel& k) {
        drop(k, 2);
        tile(k, 3).offset = 6144; // no longer over A, whose copies nothing ends
        k.shared_bytes = 8192;
    });
    EXPECT_THAT(never, Contains(HasSubstr("an asynchronous copy is never waited for")));
}

TEST(Verifier, a_wait_orders_only_the_waiting_thread) {
    const auto found = with(rows_kernel(), [](Kernel& k) { std::swap(k.steps[2], k.steps[3]); });
    EXPECT_THAT(found, Contains(HasSubstr("step 4 (mmul_row), `A_view`")));
}

TEST(Verifier, read_before_write) {
    const auto found = with(rows_kernel(), [](Kernel& k) { drop(k, 1); });
    EXPECT_THAT(found, Contains(HasSubstr("`B_view` component 0 of element 0, thread 0 (1 of 32 elements): read before it is written")));
    const auto early = with(registers_kernel(), [](Kernel& k) { std::swap(k.steps[0], k.steps[2]); });
    EXPECT_THAT(early,
        Contains(HasSubstr(
            "step 0 (smmul_element), `A_value` component 0 of element 0, thread 0 (1 of 32 elements): not in this thread's registers")));
}

TEST(Verifier, read_of_another_datum) {
    // D is stored from where C still lies.
    const auto found = with(rows_kernel(), [](Kernel& k) { step<Compute>(k, 6).result = {{Place::Kind::tile, 2}, Touch::row}; });
    EXPECT_THAT(
        found, Contains(HasSubstr("`D_view` component 0 of element 0, thread 0 (1 of 32 elements): read where the tile holds `A_view`")));
}

TEST(Verifier, tiles_out_of_bounds_or_misplaced) {
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { k.shared_bytes -= 16; }), Contains(HasSubstr("`C`: ends at byte 6144 of 6128")));
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { tile(k, 2).bytes -= 4; }),
        Contains(HasSubstr("`C` component 15 of element 31, thread 127 (32 of 32 elements): outside its tile: byte 2044 of 2044")));
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { tile(k, 2).element_words = 17; }), Contains(HasSubstr("outside its tile")));
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { tile(k, 2).offset = 4100; }),
        Contains(HasSubstr("starts at byte 4100, which is no multiple of 16")));
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { tile(k, 1).offset = 2032; }),
        Contains(HasSubstr("`B_view`: overlaps `A_view` while both are live")));
}

TEST(Verifier, overlap_hidden_by_a_false_lifetime) {
    const auto found = with(rows_kernel(), [](Kernel& k) {
        tile(k, 1).offset = 0;
        tile(k, 0).last_step = 0;
    });
    EXPECT_THAT(found, Contains(HasSubstr("step 4 (mmul_row), `A_view`: touched outside its lifetime 0..0")));
    EXPECT_THAT(
        found, Contains(HasSubstr("`A_view` component 0 of element 0, thread 0 (1 of 32 elements): read where the tile holds `B_view`")));
}

TEST(Verifier, a_step_that_ignores_the_tail) {
    const auto tiles = with(rows_kernel(), [](Kernel& k) { step<Compute>(k, 4).guarded = false; });
    EXPECT_THAT(tiles, Contains(HasSubstr("`A_view` component 0 of element 1, thread 4 (1 of 32 elements): read before it is written")));
    const auto in_place = with(registers_kernel(), [](Kernel& k) {
        step<Compute>(k, 2).guarded = false;
        step<Compute>(k, 2).operands[0].place = {Place::Kind::list, 0};
    });
    EXPECT_THAT(in_place, Contains(HasSubstr("`A` component 0 of element 1, thread 1 (1 of 32 elements): read outside the list")));
}

TEST(Verifier, stores_complete_and_once) {
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { drop(k, 8); }), Contains(HasSubstr("`D`: component 0 of element 0 is never stored")));
    EXPECT_THAT(with(registers_kernel(), [](Kernel& k) { k.steps.push_back(k.steps.back()); }),
        Contains(HasSubstr("step 4 (store C), `C` component 0 of element 0, thread 0 (1 of 32 elements): stored twice")));
    EXPECT_THAT(with(registers_kernel(), [](Kernel& k) { step<StoreValue>(k, 3).list = 0; }),
        Contains(HasSubstr("stored to a list that is not written")));
}

TEST(Verifier, index_types) {
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { k.first = IndexType::i32; }),
        Contains(HasSubstr("`A`: an offset into the list exceeds `int` for 2^40 elements")));
    EXPECT_THAT(with(registers_kernel(), [](Kernel& k) { k.first = IndexType::i32; }),
        Contains(HasSubstr("`C`: an offset into the list exceeds `int` for 2^40 elements")));
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { tile(k, 2).element_words = 1 << 27; }),
        Contains(HasSubstr("`C`: an index within the tile exceeds `int`")));
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { k.element = IndexType::u64; }), IsEmpty());
}

TEST(Verifier, thread_maps) {
    EXPECT_THAT(with(rows_kernel(), [](Kernel& k) { k.threads = 96; }), Contains(HasSubstr("128 threads needed, the block has 96")));
    // A row of C held by each of 4 threads, read by one thread per element: thread 1 holds element 0, not element 1.
    const auto found = with(rows_kernel(), [](Kernel& k) {
        k.values = {{DataId(2), "C_value", k.tiles[2].type, Touch::row, 4}};
        step<Compute>(k, 4).result = {{Place::Kind::value, 0}, Touch::row};
        step<Compute>(k, 6).operands = {{{Place::Kind::value, 0}, Touch::row}};
        step<Compute>(k, 6).threads = 1;
    });
    EXPECT_THAT(found,
        Contains(HasSubstr(
            "step 6 (mtrans_row), `C_value` component 0 of element 1, thread 1 (31 of 32 elements): not in this thread's registers")));
    const auto part = with(rows_kernel(), [](Kernel& k) {
        k.values = {{DataId(2), "C_value", k.tiles[2].type, Touch::row, 4}};
        step<Compute>(k, 4).result = {{Place::Kind::value, 0}, Touch::column};
    });
    EXPECT_THAT(part, Contains(HasSubstr("computed by a thread that has no register for it")));
}

TEST(Verifier, wide_accesses) {
    const auto broken = with(rows_kernel(), [](Kernel& k) {
        tile(k, 2) = {DataId(3), "C", k.tiles[2].type, 4096, 2048 + 124, 16, 1, 1, 4, 8};
        k.shared_bytes = 8192;
        step<StoreTile>(k, 8).tile = 2;
    });
    EXPECT_THAT(broken, Contains(HasSubstr("a 16-byte access that is not aligned, or broken by padding")));
    const auto odd = with(registers_kernel(), [](Kernel& k) {
        const Type vector{{Form::vector, 3, 1}, Precision::f64};
        k.lists[0].type = k.lists[2].type = k.values[0].type = k.values[2].type = vector;
    });
    EXPECT_THAT(odd, Contains(HasSubstr("elements are no whole number of 16-byte accesses")));
}

TEST(Verifier, a_result_where_nothing_is_written) {
    EXPECT_THAT(with(registers_kernel(), [](Kernel& k) { step<Compute>(k, 2).result.place = {Place::Kind::list, 0}; }),
        Contains(HasSubstr("a result in a place that is only read")));
    EXPECT_THAT(with(registers_kernel(), [](Kernel& k) { step<Compute>(k, 2).result.place = {Place::Kind::tile, 7}; }),
        Contains(HasSubstr("refers to something the kernel does not have")));
}

TEST(Verifier, routines_that_synchronise_their_own_threads) {
    // In place: each thread writes its row of C over the tile that all threads of the element read.
    Kernel kernel = rows_kernel();
    step<Compute>(kernel, 6).operands[0].touch = Touch::all;
    step<Compute>(kernel, 6).result = {{Place::Kind::tile, 2}, Touch::row};
    step<StoreTile>(kernel, 8).tile = 2;
    kernel.tiles[2].last_step = 8;
    EXPECT_THAT(findings(kernel), Contains(HasSubstr("written without a barrier after thread")));
    step<Compute>(kernel, 6).synchronises = true;
    EXPECT_THAT(findings(kernel), IsEmpty());
}

namespace {

/// M = M' in place, a row of the result by each of 4 threads: a column of the old value is read where it is, or from a tile.
Kernel updating_kernel(bool staged) {
    const Type type{{Form::matrix, 4, 4}, Precision::f32};
    Kernel kernel;
    kernel.name = "M";
    kernel.lists = {{DataId(0), "M", type, false, false, {}, true}, {DataId(1), "M", type, false, true, {}, true}};
    kernel.values = {{DataId(1), "M_value", type, Touch::row, 4}};
    const Operand column{{staged ? Place::Kind::tile : Place::Kind::list, 0}, Touch::column}, row{{Place::Kind::value, 0}, Touch::row};
    const Step transposed = Compute{CallId(0), "mtrans_row", 4, false, {column}, row, true};
    if (staged) {
        kernel.tiles = {{DataId(0), "M_view", type, 0, 2048, 16, 0, 0, 0, 3}};
        kernel.steps = {LoadTile{0, 0, Staging::async, 16}, AsyncWait{}, BlockBarrier{}, transposed, StoreValue{0, 1, Staging::none, 4}};
        kernel.shared_bytes = 2048;
    } else {
        kernel.steps = {transposed, WarpBarrier{}, StoreValue{0, 1, Staging::none, 4}};
    }
    kernel.tile_elements = T;
    kernel.threads = 4 * T;
    return kernel;
}

} // namespace

TEST(Verifier, a_list_is_stored_behind_all_reads_of_its_old_value) {
    EXPECT_THAT(findings(updating_kernel(false)), IsEmpty());
    EXPECT_THAT(findings(updating_kernel(true)), IsEmpty());
    EXPECT_THAT(with(updating_kernel(false), [](Kernel& k) { k.steps.erase(k.steps.begin() + 1); }),
        Contains(
            HasSubstr("`M` component 1 of element 0, thread 0 (1 of 32 elements): stored without a barrier after thread 1 read its old "
                      "value in step 0")));
    EXPECT_THAT(with(updating_kernel(true), [](Kernel& k) { drop(k, 2); }), Contains(HasSubstr("read its old value in step 1")))
        << "what a copy reads, it has read at its wait";
    EXPECT_THAT(with(updating_kernel(true), [](Kernel& k) { std::swap(k.steps[1], k.steps[4]); }),
        Contains(HasSubstr("stored while an asynchronous copy from there is under way")));
    EXPECT_THAT(with(updating_kernel(false), [](Kernel& k) { k.steps.push_back(k.steps[0]); }),
        Contains(HasSubstr("its old value is read after the new one is stored")));
    // Each thread reads and stores its own row: nothing to wait for.
    EXPECT_THAT(with(updating_kernel(false),
                    [](Kernel& k) {
                        step<Compute>(k, 0).operands[0].touch = Touch::row;
                        k.steps.erase(k.steps.begin() + 1);
                    }),
        IsEmpty());
}

namespace {

/// A kernel of one call by one thread per element, which reads and stores in place.
auto alone(const Sample& program, const std::string& call) {
    Draft draft;
    draft.elements = T;
    draft.calls = {{call, "element"}};
    draft.stores = {call};
    draft.load = draft.store = Staging::none;
    return build(draft, program);
}

} // namespace

TEST(Verifier, old_values_are_gone_when_the_new_ones_are_stored) {
    const auto program = sample("update", "SCALAR a, y;\ninput a;\ninout y;\nr = a * y;\ny += a;\nreturn r;\n");
    const auto kernel = [&](const std::string& name) { return alone(*program, name); };
    Unit unit = lower(plan_of({kernel("r"), kernel("y")}, *program), program->graph, program->catalog);
    EXPECT_THAT(findings(unit), IsEmpty());
    Unit swapped = unit;
    std::swap(swapped.kernels[0], swapped.kernels[1]);
    EXPECT_THAT(findings(swapped), Contains(HasSubstr("kernel r reads `y`, which no kernel before it stores")));
    Unit hidden = unit;
    for (List& list : hidden.kernels[1].lists) {
        list.updated = false;
    }
    EXPECT_THAT(findings(hidden), Contains(HasSubstr("does not tell whether it loads the old value")));
    Unit unpaired = unit;
    unpaired.inputs[1].updated = false;
    EXPECT_THAT(findings(unpaired), Contains(HasSubstr("updated list `y` has no old value")));
}

namespace {

/// Two kernels and a workspace: t -> slot 0, u -> slot 0 would be too early; see the test.
Unit chain_unit() {
    const auto program = sample("chain", "SCALAR a, b;\ninput a, b;\nt = a * b;\nu = t + a;\nf = u * t;\nreturn f;\n");
    const auto kernel = [&](const std::string& name) { return alone(*program, name); };
    return lower(plan_of({kernel("t"), kernel("u"), kernel("f")}, *program), program->graph, program->catalog);
}

} // namespace

TEST(Verifier, kernels_fit_together) {
    EXPECT_THAT(findings(chain_unit()), IsEmpty());
    Unit swapped = chain_unit();
    std::swap(swapped.kernels[0], swapped.kernels[1]);
    EXPECT_THAT(findings(swapped), Contains(HasSubstr("kernel u reads `t`, which no kernel before it stores")));
    Unit shared = chain_unit(); // t is still read by f when u is stored over it
    shared.workspace[0].slot = shared.workspace[1].slot = 0;
    EXPECT_THAT(findings(shared), Contains(HasSubstr("kernel u stores `u` over a slot that it uses")));
    EXPECT_THAT(findings(shared), Contains(HasSubstr("kernel f reads `t`, which has been overwritten in the workspace")));
    Unit small = chain_unit();
    small.slots[1] = 2;
    EXPECT_THAT(findings(small), Contains(HasSubstr("`u` does not fit its slot")));
    Unit lost = chain_unit();
    lost.kernels.pop_back();
    EXPECT_THAT(findings(lost), Contains(HasSubstr("output `f` is never stored")));
    EXPECT_THROW(verify(lost), InternalError);
}

} // namespace fusec::codegen::test
