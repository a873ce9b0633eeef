// SPDX-License-Identifier: Apache-2.0
#include "execute/guarded_list.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace fusec::execute {
namespace {

TEST(GuardedList, IsPlacedAgainstTheEndOrTheStartOfItsPages) {
    for (const std::size_t bytes : {0u, 4u, 16u, 36u, 4096u, 12000u}) {
        for (const std::size_t misalignment : {0u, 4u, 8u}) {
            GuardedList at_end("A", bytes, Placement::at_end, misalignment);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at_end.data()) % 16, misalignment);
            // Fewer than 16 bytes are left between the data and the inaccessible page.
            const auto end = reinterpret_cast<std::uintptr_t>(at_end.data() + bytes);
            const std::uintptr_t page_end = (end + 4095) / 4096 * 4096;
            EXPECT_LT(page_end - end, 16u) << bytes << " bytes, " << misalignment;
            GuardedList at_start("A", bytes, Placement::at_start, misalignment);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at_start.data()) % 4096, misalignment);
            std::memset(at_end.data(), 0, bytes);
            std::memset(at_start.data(), 0, bytes);
            EXPECT_FALSE(at_end.altered_canary());
            EXPECT_FALSE(at_start.altered_canary());
        }
    }
}

TEST(GuardedList, FindsAlteredCanariesAndNamesAddresses) {
    GuardedList list("A", 36, Placement::at_end, 0); // 12 bytes are left at the end
    list.data()[40] = 0;
    EXPECT_EQ(list.altered_canary(), 40);
    list.data()[-3] = 0;
    EXPECT_EQ(list.altered_canary(), -3);
    EXPECT_EQ(list.describe(list.data() + 48), "`A`, 12 bytes past its end");
    EXPECT_EQ(list.describe(list.data() - 5000), "`A`, 5000 bytes before its start");
    EXPECT_FALSE(list.describe(&list));
}

using GuardedListDeathTest = testing::Test;
TEST(GuardedListDeathTest, FaultsBeyondItsEnds) {
    GuardedList at_end("A", 64, Placement::at_end, 0), at_start("B", 64, Placement::at_start, 0);
    volatile unsigned char sink = 0;
    EXPECT_DEATH(sink = at_end.data()[64], "");
    EXPECT_DEATH(sink = *(at_start.data() - 1), "");
    sink = at_end.data()[63];
    sink = at_start.data()[0];
    static_cast<void>(sink);
}

} // namespace
} // namespace fusec::execute
