// SPDX-License-Identifier: Apache-2.0
// What threads load of operands, worked out by hand from the device sources of the library.
#include "fusion/operand_loads.hpp"
#include "fusion/routines.hpp"
#include "tests/fusion/library_routine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::fusion {
namespace {

using library::ThreadLoads;
using test::matrix_shape;
using test::routine;
using test::vector_shape;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

ThreadLoads loads(const std::string& function, const std::vector<Shape>& shapes, const std::string& implementation, std::size_t operand) {
    const Routine found = routine(function, shapes, implementation);
    return found.loads.empty() || !found.loads[operand] ? ThreadLoads() : *found.loads[operand];
}

const Shape three = matrix_shape(3, 3), four = matrix_shape(4, 4), vector3 = vector_shape(3);

TEST(OperandLoads, OfProducts) {
    const std::vector<Shape> product{matrix_shape(2, 4), matrix_shape(4, 3)}; // C is 2x3
    const ThreadLoads rows{{0, 0, 0, 4, 4, 4}, {1, 1, 1, 5, 5, 5}, {2, 2, 2, 6, 6, 6}, {3, 3, 3, 7, 7, 7}};
    const ThreadLoads columns{{0, 1, 2, 0, 1, 2}, {3, 4, 5, 3, 4, 5}, {6, 7, 8, 6, 7, 8}, {9, 10, 11, 9, 10, 11}};
    EXPECT_EQ(loads("mmul", product, "entry", 0), rows);
    EXPECT_EQ(loads("mmul", product, "entry", 1), columns);
    EXPECT_THAT(loads("mmul", product, "row", 1), IsEmpty()) << "all threads load all of B";
    EXPECT_THAT(loads("mmul", product, "column", 0), IsEmpty());
    // A(k, i) of two columns i for each of two threads.
    EXPECT_THAT(loads("mtmul", {four, four}, "rows2", 0),
        UnorderedElementsAreArray(ThreadLoads{{0, 2}, {4, 6}, {8, 10}, {12, 14}, {1, 3}, {5, 7}, {9, 11}, {13, 15}}));
}

TEST(OperandLoads, OfOperandsThatStandTwiceOrAcross) {
    EXPECT_EQ(loads("mtrans", {three}, "entry", 0), (ThreadLoads{{0, 3, 6, 1, 4, 7, 2, 5, 8}}));
    // a(i, j) and a(j, i), which no compiler knows to be one on the diagonal.
    EXPECT_THAT(loads("msym", {three}, "row", 0),
        UnorderedElementsAreArray(ThreadLoads{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
    EXPECT_EQ(loads("msym", {three}, "entry", 0), (ThreadLoads{{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 3, 6, 1, 4, 7, 2, 5, 8}}));
    EXPECT_EQ(loads("vcross", {vector3, vector3}, "entry", 0), (ThreadLoads{{1, 2, 0}, {2, 0, 1}}));
    EXPECT_EQ(routine("msym", {three}, "row").reuse.front().read, 6);
}

TEST(OperandLoads, OfCofactors) {
    // a(k, p), a(k, q), a(l, p), a(l, q) with k, p one and l, q two further round.
    EXPECT_THAT(loads("mcof", {three}, "entry", 0),
        UnorderedElementsAreArray(ThreadLoads{
            {4, 5, 3, 7, 8, 6, 1, 2, 0}, {5, 3, 4, 8, 6, 7, 2, 0, 1}, {7, 8, 6, 1, 2, 0, 4, 5, 3}, {8, 6, 7, 2, 0, 1, 5, 3, 4}}));
    const ThreadLoads rows = loads("mcof", {four}, "row", 0);
    ASSERT_EQ(rows.size(), 12U);
    EXPECT_EQ(rows.front(), (std::vector<int>{4, 8, 12, 0})) << "row k = i + 1 first";
    EXPECT_EQ(loads("mcof", {four}, "column", 0).size(), 12U);
    EXPECT_THAT(loads("minv", {three}, "row", 0), IsEmpty()) << "the determinant needs all";
    Shape packed = four;
    packed.packed = true;
    EXPECT_EQ(routine("mcof", {packed}, "element").reuse.front().read, 10);
    EXPECT_EQ(routine("mcof", {packed}, "element").reuse.front().kept, 10);
}

TEST(OperandLoads, OneThreadReadsTheComponentsThatTheReferenceNames) {
    EXPECT_EQ(routine("mtrace", {four}, "element").components, (std::vector<std::vector<int>>{{0, 5, 10, 15}}));
    EXPECT_THAT(routine("mmul", {three, three}, "element").components, IsEmpty());
}

} // namespace
} // namespace fusec::fusion
