// SPDX-License-Identifier: Apache-2.0
#include "support/counted.hpp"

#include <gtest/gtest.h>

namespace fusec {
namespace {

TEST(Counted, OneIsSingular) {
    EXPECT_EQ(counted(1, "element"), "1 element");
    EXPECT_EQ(counted(0, "element"), "0 elements");
    EXPECT_EQ(counted(2, "element"), "2 elements");
    EXPECT_EQ(counted(1, "mismatch"), "1 mismatch");
    EXPECT_EQ(counted(3, "mismatch"), "3 mismatches");
    EXPECT_EQ(counted(18446744073709551615U, "launch"), "18446744073709551615 launches");
    EXPECT_EQ(plural(7, "box"), "boxes");
}

} // namespace
} // namespace fusec
