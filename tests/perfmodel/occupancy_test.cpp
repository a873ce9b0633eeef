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

// Compute capability 2.0, by the occupancy calculator's rules: a warp gets 64 registers at a time, an even number of warps fits, 48 warps and 8
// blocks at most, shared memory by 128 bytes of 49152.
TEST(Occupancy, FermiGivesRegistersBySixtyFour) {
    const fusion::DeviceLimits gtx480 = standard_device("gtx480").limits;
    // 20 registers: 640 a warp; 16384 / 640 = 25 in each half, 50 warps: 8 blocks of 6, as 48 warps are and as there are slots.
    EXPECT_EQ(resident_blocks(gtx480, block(192, 0, 20)), 8);
    // 21: 672, given 704: 23 in each half, 46 warps: 7 blocks of 6, 5 of 8.
    EXPECT_EQ(resident_blocks(gtx480, block(192, 0, 21)), 7);
    EXPECT_EQ(resident_blocks(gtx480, block(256, 0, 21)), 5);
    // 31: 992, given 1024: 32 warps. 33: 1056, given 1088: 15 in each half, 30 warps.
    EXPECT_EQ(resident_blocks(gtx480, block(256, 0, 31)), 4);
    EXPECT_EQ(resident_blocks(gtx480, block(256, 0, 33)), 3);
    // 43: 1376, given 1408: 11 in each half, 22 warps, where the file as one would hold 23.
    EXPECT_EQ(resident_blocks(gtx480, block(704, 0, 43)), 1);
    EXPECT_EQ(resident_blocks(gtx480, block(736, 0, 43)), 0);
    EXPECT_EQ(resident_blocks(gtx480, block(64, 6, 20)), 8);
    EXPECT_EQ(resident_blocks(gtx480, block(64, 6.001, 20)), 7) << "6272 bytes";
}

// A compute unit of CDNA 2 has four SIMDs of 512 registers for each of 64 lanes, given 8 at a time; 32 wavefronts, 16 blocks, and 65536 bytes of
// shared memory by 512.
TEST(Occupancy, WavefrontsOfSixtyFourLanes) {
    const fusion::DeviceLimits mi210 = standard_device("mi210").limits;
    // 128 registers: 4 wavefronts of each SIMD, 16 in all: 4 blocks of 4. 129, given 136: 3 of each, 12 in all.
    EXPECT_EQ(resident_blocks(mi210, block(256, 0, 128)), 4);
    EXPECT_EQ(resident_blocks(mi210, block(256, 0, 129)), 3);
    EXPECT_EQ(resident_blocks(mi210, block(256, 0, 512)), 1) << "a wavefront of each SIMD";
    EXPECT_EQ(resident_blocks(mi210, block(256, 0, 64)), 8);
    EXPECT_EQ(resident_blocks(mi210, block(64, 0, 32)), 16) << "block slots";
    EXPECT_EQ(resident_blocks(mi210, block(64, 8, 32)), 8);
    EXPECT_EQ(resident_blocks(mi210, block(64, 12.7, 32)), 4)
        << "13004 bytes are given 13312; by 128 they would be 13056, and 5 blocks fit";
}

TEST(Occupancy, VoltaGivesSharedMemoryByQuarterKilobytes) {
    const fusion::DeviceLimits v100 = standard_device("v100").limits;
    EXPECT_EQ(resident_blocks(v100, block(64, 12, 32)), 8);
    // 13926 bytes are given 14080: 98304 / 14080 = 6.98. By 128 they would be 13952, and 7.05.
    EXPECT_EQ(resident_blocks(v100, block(64, 13.6, 32)), 6);
    fusion::DeviceLimits finer = v100;
    finer.shared_granule = 128;
    EXPECT_EQ(resident_blocks(finer, block(64, 13.6, 32)), 7);
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
