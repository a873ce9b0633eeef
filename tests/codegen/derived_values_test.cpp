// SPDX-License-Identifier: Apache-2.0
// Derived values in kernel IR: a sound kernel has no finding, and each defect is found where it was planted.
#include "codegen/verifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace fusec::codegen::test {

using library::Touch;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr int T = 32;

Operand value(std::size_t index) {
    return {{Place::Kind::value, index}, Touch::all};
}

/// By hand: square = mu mu, k = square + mu, both by every thread; C = k A by nine threads per element; d = k s by one.
Kernel derived_kernel() {
    const Type matrix{{Form::matrix, 3, 3}, Precision::f32}, scalar{{Form::scalar, 1, 1}, Precision::f32};
    Kernel kernel;
    kernel.name = "d";
    kernel.lists = {{DataId(0), "A", matrix}, {DataId(1), "mu", scalar, true}, {DataId(2), "s", scalar},
        {DataId(5), "C", matrix, false, true}, {DataId(6), "d", scalar, false, true}};
    kernel.values = {{DataId(3), "square", scalar, Touch::all, 1, true}, {DataId(4), "k", scalar, Touch::all, 1, true},
        {DataId(5), "C_value", matrix, Touch::entry, 9}, {DataId(6), "d_value", scalar}};
    const Operand a{{Place::Kind::list, 0}, Touch::entry}, mu{{Place::Kind::list, 1}, Touch::all}, s{{Place::Kind::list, 2}, Touch::all};
    kernel.steps = {Derive{DataId(3), "smul_element", {mu, mu}, value(0)}, Derive{DataId(4), "sadd_element", {value(0), mu}, value(1)},
        Compute{CallId(0), "smmul_entry", 9, false, {a, value(1)}, {{Place::Kind::value, 2}, Touch::entry}, true},
        Compute{CallId(1), "smul_element", 1, false, {value(1), s}, value(3), true}, StoreValue{2, 3, fusion::Staging::none, 4},
        StoreValue{3, 4, fusion::Staging::none, 4}};
    kernel.tile_elements = T;
    kernel.threads = 9 * T;
    return kernel;
}

template <class Defect>
std::vector<std::string> with(Defect defect) {
    Kernel kernel = derived_kernel();
    defect(kernel);
    return findings(kernel);
}

} // namespace

TEST(DerivedValues, are_read_under_any_thread_map) {
    EXPECT_THAT(findings(derived_kernel()), IsEmpty());
}

TEST(DerivedValues, have_to_be_there) {
    const auto late = with([](Kernel& k) { std::swap(k.steps[1], k.steps[2]); });
    EXPECT_THAT(late,
        Contains(
            HasSubstr("step 1 (smmul_entry), `k` component 0 of element 0, thread 0 (1 of 32 elements): not in this thread's registers")));
    const auto early = with([](Kernel& k) { std::swap(k.steps[0], k.steps[1]); });
    EXPECT_THAT(early, Contains(HasSubstr("step 0 (sadd_element), `square`")));
    const auto never = with([](Kernel& k) { k.steps[0] = WarpBarrier{}; });
    EXPECT_THAT(never, Contains(HasSubstr("step 1 (sadd_element), `square`")));
    EXPECT_THAT(with([](Kernel& k) { k.steps[3] = Step{k.steps[1]}; }),
        Contains(HasSubstr("`k` component 0 of element 0, thread 0 (1 of 32 elements): derived twice")));
}

TEST(DerivedValues, come_from_what_is_the_same_for_all_elements) {
    EXPECT_THAT(with([](Kernel& k) { std::get<Derive>(k.steps[0]).operands[1].place.index = 2; }),
        Contains(HasSubstr("step 0 (smul_element), `s`: read for all elements at once")));
    // A value of the thread's own element.
    const auto own = with([](Kernel& k) {
        std::get<Derive>(k.steps[1]).operands[1] = value(3);
        std::rotate(k.steps.begin(), k.steps.begin() + 3, k.steps.begin() + 4);
        std::get<Compute>(k.steps[0]).operands[0] = {{Place::Kind::list, 2}, Touch::all};
    });
    EXPECT_THAT(own,
        Contains(
            HasSubstr("step 2 (sadd_element), `d_value` component 0 of element 0, thread 0 (1 of 32 elements): this thread holds it for")));
}

TEST(DerivedValues, are_not_made_under_a_guard) {
    // As a call of one thread per element: the other threads of the block would not have it.
    const auto guarded = with([](Kernel& k) {
        k.steps[1] = Compute{CallId(2), "sadd_element", 1, false, {value(0), {{Place::Kind::list, 1}, Touch::all}}, value(1), true};
    });
    EXPECT_THAT(guarded,
        Contains(HasSubstr("step 1 (sadd_element), `k` component 0 of element 0, thread 0 (1 of 32 elements): computed for one element, "
                           "and held for all")));
    // And not into what only the owner of an element holds.
    EXPECT_THAT(with([](Kernel& k) { k.values[1].derived = false; }),
        Contains(HasSubstr("step 1 (sadd_element), `k`: derived for all elements, and not held by every thread")));
    EXPECT_THAT(with([](Kernel& k) { std::get<Derive>(k.steps[1]).result.place = {Place::Kind::list, 1}; }),
        Contains(HasSubstr("step 1 (sadd_element), `mu`: derived for all elements, and not held by every thread")));
    EXPECT_THAT(with([](Kernel& k) { std::get<Derive>(k.steps[1]).operands[0] = value(9); }),
        Contains(HasSubstr("a step refers to something the kernel does not have")));
}

} // namespace fusec::codegen::test
