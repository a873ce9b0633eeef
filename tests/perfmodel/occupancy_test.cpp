// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/occupancy.hpp"

#include "tests/perfmodel/devices.hpp"

namespace fusec::perfmodel {
namespace {

fusion::KernelWork block(int threads, double shared_kib, int registers) {
    fusion::KernelWork work;
    work.threads_per_block = threads;
    work.shared_bytes = static_cast<int>(shared_kib * 1024);
    work.registers = registers;
    return work;
}

struct Row {
    const char* kernel;
    fusion::KernelWork work;
    int h200, a100, ada;
};

// Blocks per multiprocessor of compiled kernels, worked out with the occupancy calculator's rules. The first row by hand:
// H200: shared 228 KiB / (17.8 + 1) = 12.1; warps 64 / 2 = 32; registers 4 * (16384 / (72 * 32) = 7) warps / 2 = 14  -> 12
// A100: shared 164 / 18.8 = 8.7 -> 8.    Ada: shared 100 / 18.8 = 5.3 -> 5.
TEST(Occupancy, AgreesWithTheTableOfCompiledKernels) {
    const fusion::DeviceLimits h200 = standard_device("h200").limits;
    const fusion::DeviceLimits a100 = standard_device("a100").limits;
    const fusion::DeviceLimits ada = standard_device("l40").limits;
    const Row rows[] = {
        {"demo f32, one thread, 64 elements", block(64, 17.8, 72), 12, 8, 5},
        {"demo f64, one thread, 64 elements", block(64, 35.5, 124), 6, 4, 2},
        {"demo f32 by rows, 64 elements", block(320, 18.5, 31), 6, 6, 4},
        {"demo f32 by entries, 16 elements", block(400, 5.6, 30), 4, 4, 3},
        {"W3 f64, one thread, 128 elements", block(128, 22, 64), 8, 7, 4},
        {"W2a f64, four threads, 32 elements", block(128, 39, 118), 4, 4, 2},
        {"6x6 f64, two threads, 32 elements", block(64, 27, 110), 8, 5, 3},
        {"12x12 f64, four threads, 8 elements", block(32, 27, 198), 8, 5, 3},
        {"BP3 p=1 f64, one thread, 32 elements", block(32, 42.5, 214), 5, 3, 2},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(resident_blocks(h200, row.work), row.h200) << row.kernel;
        EXPECT_EQ(resident_blocks(a100, row.work), row.a100) << row.kernel;
        EXPECT_EQ(resident_blocks(ada, row.work), row.ada) << row.kernel;
    }
}

TEST(Occupancy, RegistersComeInGranulesOfAQuarterFile) {
    const fusion::DeviceLimits h200 = standard_device("h200").limits;
    // 64 registers: 16384 / 2048 = 8 warps in each of 4 quarters = 32 warps = 8 blocks of 128 threads.
    EXPECT_EQ(resident_blocks(h200, block(128, 0, 64)), 8);
    // 41 round up to 48: 16384 / 1536 = 10 warps in each quarter = 10 blocks; unrounded it would be 12.
    EXPECT_EQ(resident_blocks(h200, block(128, 0, 41)), 10);
    EXPECT_EQ(resident_blocks(h200, block(128, 0, 48)), 10);
    // 56: 16384 / 1792 = 9 warps in each quarter, 36 in all: 5 blocks of 7 warps.
    EXPECT_EQ(resident_blocks(h200, block(224, 0, 56)), 5);
    EXPECT_EQ(resident_blocks(h200, block(32, 0, 16)), 32) << "block slots";
}

TEST(Occupancy, IsZeroWhenOneBlockDoesNotFit) {
    const fusion::DeviceLimits h200 = standard_device("h200").limits;
    EXPECT_EQ(resident_blocks(h200, block(64, 227, 32)), 1);
    EXPECT_EQ(resident_blocks(h200, block(64, 227.01, 32)), 0);
    EXPECT_EQ(resident_blocks(h200, block(1056, 0, 32)), 0);
    EXPECT_EQ(resident_blocks(h200, block(1024, 0, 128)), 0);
    EXPECT_EQ(resident_blocks(h200, block(64, 0, 256)), 0);
}

TEST(Occupancy, LaunchBoundsLeaveRoomForAWrongEstimate) {
    const fusion::DeviceLimits h200 = standard_device("h200").limits;
    // 152: 16384 / 4864 = 3 warps in each quarter, 12 in all: 3 blocks of 4. 190 as 192: 16384 / 6144 = 2, 8 in all: 2 blocks.
    EXPECT_EQ(resident_blocks(h200, block(128, 0, 152)), 3);
    EXPECT_EQ(promised_blocks(h200, block(128, 0, 152)), 2);
    EXPECT_EQ(promised_blocks(h200, block(128, 0, 64)), 6);
    EXPECT_EQ(promised_blocks(h200, block(128, 0, 32)), 16) << "there is room for more registers in any case";
    EXPECT_EQ(promised_blocks(h200, block(128, 0, 255)), resident_blocks(h200, block(128, 0, 255))) << "no thread has more";
}

} // namespace
} // namespace fusec::perfmodel
