// SPDX-License-Identifier: Apache-2.0
// The emulated device: right kernels run without a finding in every schedule, and each defect is found in every schedule.
#include "elementary-lib/emulation/device.hpp"
#include "emulation_kernels.cuh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <tuple>

namespace fusec::emulation {
namespace {

using namespace emulation_kernels;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct ScheduleCase {
    const char* name;
    Schedule schedule;
    std::uint64_t seed;
};

class Emulation : public testing::TestWithParam<ScheduleCase> {
protected:
    void SetUp() override {
        device.set_schedule(GetParam().schedule, GetParam().seed);
        fusec_emulation_attach(&device);
        std::iota(in.begin(), in.end(), 1.0f);
    }

    template <class... Parameters, class... Arguments>
    cudaError_t start(void (*kernel)(Parameters...), unsigned grid, unsigned block, std::size_t shared_floats, Arguments... arguments) {
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(grid);
        config.blockDim = dim3(block);
        config.dynamicSmemBytes = shared_floats * sizeof(float);
        return cudaLaunchKernelEx(&config, kernel, arguments...);
    }

    std::vector<Fault> faults() const {
        std::vector<Fault> found;
        for (const Finding& finding : device.findings()) {
            found.push_back(finding.fault);
        }
        return found;
    }
    std::string texts() const {
        std::string all;
        for (const Finding& finding : device.findings()) {
            all += to_string(finding) + "\n";
        }
        return all;
    }

    Device device;
    std::vector<float> in = std::vector<float>(1024), out = std::vector<float>(1024, -1.0f);
};

INSTANTIATE_TEST_SUITE_P(Schedules, Emulation,
    testing::Values(ScheduleCase{"Forward", Schedule::forward, 0}, ScheduleCase{"Reverse", Schedule::reverse, 0},
        ScheduleCase{"Shuffled1", Schedule::shuffled, 1}, ScheduleCase{"Shuffled2", Schedule::shuffled, 2}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST_P(Emulation, RunsARightKernelOverWholeAndPartTiles) {
    for (const std::size_t n : {1u, 63u, 64u, 65u, 200u}) {
        std::fill(out.begin(), out.end(), -1.0f);
        ASSERT_EQ(start(dot<Barrier::block>, static_cast<unsigned>((n + tile - 1) / tile), tile, tile * 3, in.data(), out.data(), n),
            cudaSuccess);
        EXPECT_THAT(texts(), IsEmpty());
        for (std::size_t e = 0; e < out.size(); ++e) {
            const float a = static_cast<float>(3 * e + 1), b = a + 1, c = a + 2;
            ASSERT_EQ(out[e], e < n ? a * a + b * b + c * c : -1.0f) << e << " of " << n;
        }
    }
}

TEST_P(Emulation, FindsAMissingBarrier) {
    device.name_tiles("emulation_kernels::dot", {{"v", 0, 768}, {"unrelated", 768, 64}});
    EXPECT_EQ(start(dot<Barrier::none>, 1, tile, tile * 3, in.data(), out.data(), std::size_t{64}), cudaSuccess);
    ASSERT_FALSE(device.findings().empty());
    // Whichever runs first: the reader after the writer (race), or before it (nothing written yet).
    const Finding& finding = device.findings().front();
    EXPECT_TRUE(finding.fault == Fault::race || finding.fault == Fault::uninitialised) << texts();
    EXPECT_EQ(finding.kernel, "emulation_kernels::dot");
    EXPECT_EQ(finding.datum, "v");
}

TEST_P(Emulation, FindsAWarpBarrierWhereTheBlockHasToMeet) {
    EXPECT_EQ(start(dot<Barrier::warp>, 1, tile, tile * 3, in.data(), out.data(), std::size_t{64}), cudaSuccess);
    ASSERT_FALSE(device.findings().empty());
    for (const Fault fault : faults()) {
        EXPECT_TRUE(fault == Fault::race || fault == Fault::uninitialised) << texts();
    }
}

TEST_P(Emulation, AcceptsAWarpBarrierInABlockOfOneWarp) {
    EXPECT_EQ(start(dot<Barrier::warp>, 1, 32, tile * 3, in.data(), out.data(), std::size_t{32}), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
}

TEST_P(Emulation, TellsWriteAfterReadAndReadAfterWriteApart) {
    EXPECT_EQ(start(reverse_tile<Barrier::block, Barrier::block>, 2, tile, tile, in.data(), out.data(), std::size_t{100}), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_EQ(out[0], 64.0f);
    EXPECT_EQ(out[63], 1.0f);
    EXPECT_EQ(out[64], 100.0f);
    EXPECT_EQ(out[99], 65.0f);
    // Without the barrier before the write, thread e overwrites what thread count-1-e reads.
    EXPECT_EQ(start(reverse_tile<Barrier::none, Barrier::block>, 1, tile, tile, in.data(), out.data(), std::size_t{64}), cudaSuccess);
    EXPECT_THAT(faults(), ElementsAre(Fault::race)) << texts();
    device.clear_findings();
    // For the last barrier nothing is lost: each thread stores the word that it has written itself.
    EXPECT_EQ(start(reverse_tile<Barrier::block, Barrier::none>, 1, tile, tile, in.data(), out.data(), std::size_t{64}), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
}

TEST_P(Emulation, OrdersAWarpByItsOwnBarrier) {
    EXPECT_EQ(start(exchange<Barrier::warp>, 2, 96, 96, in.data(), out.data(), std::size_t{192}), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_EQ(out[0], 2.0f);
    EXPECT_EQ(out[191], 191.0f);
    EXPECT_EQ(start(exchange<Barrier::none>, 1, 96, 96, in.data(), out.data(), std::size_t{96}), cudaSuccess);
    EXPECT_FALSE(device.findings().empty());
}

TEST_P(Emulation, FindsReadsOfWhatNobodyWrote) {
    device.name_tiles("emulation_kernels::read_word", {{"A", 0, 256}, {"M1", 256, 64}, {"M2", 320, 64}});
    EXPECT_EQ(start(read_word, 1, 64, 96, out.data(), 70L), cudaSuccess);
    ASSERT_THAT(device.findings(), SizeIs(1)) << texts();
    EXPECT_EQ(device.finding_count(), 64u);
    EXPECT_EQ(device.findings()[0].datum, "M1"); // word 70 is byte 280
    EXPECT_EQ(device.findings()[0].fault, Fault::uninitialised);
    EXPECT_THAT(texts(), HasSubstr("byte 280, which nobody has written"));
}

TEST_P(Emulation, ForgetsWhatTheBlockBeforeWrote) {
    EXPECT_EQ(start(read_word, 1, 64, 128, out.data(), 63L), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_EQ(start(read_word, 1, 32, 128, out.data(), 63L), cudaSuccess); // word 63 holds 1 from the launch before
    EXPECT_THAT(faults(), ElementsAre(Fault::uninitialised));
}

TEST_P(Emulation, FindsAccessesOutsideOfSharedMemory) {
    for (const long word : {-1L, 64L, 1L << 40}) {
        device.clear_findings();
        EXPECT_EQ(start(read_word, 1, 64, 64, out.data(), word), cudaSuccess);
        EXPECT_THAT(faults(), ElementsAre(Fault::shared_bounds)) << word;
        EXPECT_EQ(out[0], 0.0f);
        device.clear_findings();
        EXPECT_EQ(start(write_word, 1, 1, 64, out.data(), word), cudaSuccess);
        EXPECT_THAT(faults(), ElementsAre(Fault::shared_bounds)) << word;
    }
}

TEST_P(Emulation, FindsTwoWritersOfAWord) {
    for (const unsigned other : {1u, 40u}) {
        device.clear_findings();
        EXPECT_EQ(start(write_twice, 1, 64, 1, out.data(), other), cudaSuccess);
        EXPECT_THAT(faults(), ElementsAre(Fault::race)) << other;
    }
}

TEST_P(Emulation, DeliversAsynchronousCopiesAtTheirWait) {
    EXPECT_EQ(start(copy_async<4, true, Barrier::block>, 1, 64, 64, in.data(), out.data(), 0u), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + 64, in.begin()));
    // With one component per thread each reads what it has copied itself: no barrier needed.
    EXPECT_EQ(start(copy_async<4, true, Barrier::none>, 1, 64, 64, in.data(), out.data(), 0u), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    // With four the copies of others are read: waiting makes them visible only to the thread that copied.
    EXPECT_EQ(start(copy_async<16, true, Barrier::block>, 1, 64, 256, in.data(), out.data(), 0u), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + 256, in.begin()));
    EXPECT_EQ(start(copy_async<16, true, Barrier::none>, 1, 64, 256, in.data(), out.data(), 0u), cudaSuccess);
    EXPECT_FALSE(device.findings().empty());
}

TEST_P(Emulation, FindsAnAsynchronousCopyReadEarlyOrNeverWaitedFor) {
    EXPECT_EQ(start(copy_async<4, false, Barrier::block>, 1, 64, 64, in.data(), out.data(), 0u), cudaSuccess);
    EXPECT_THAT(faults(), testing::UnorderedElementsAre(Fault::early_access, Fault::unfinished_copy)) << texts();
    EXPECT_NE(out[5], in[5]);
}

TEST_P(Emulation, FindsMisalignedWideAccesses) {
    EXPECT_EQ(start(copy_wide, 1, 8, 36, in.data(), out.data(), 4u), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + 32, in.begin()));
    EXPECT_EQ(start(copy_wide, 1, 8, 36, in.data(), out.data(), 2u), cudaSuccess);
    EXPECT_THAT(faults(), ElementsAre(Fault::misaligned, Fault::misaligned)) << texts(); // write and read
    device.clear_findings();
    EXPECT_EQ(start(copy_async<16, true, Barrier::block>, 1, 8, 40, in.data() + 1, out.data(), 0u), cudaSuccess);
    EXPECT_THAT(faults(), ElementsAre(Fault::misaligned)) << texts();
    EXPECT_THAT(texts(), HasSubstr("4 modulo 16"));
}

TEST_P(Emulation, MeetsAtTheSameBarrierOrSaysWhoDidNot) {
    EXPECT_EQ(start(split_barrier, 1, 64, 0, out.data()), cudaSuccess);
    EXPECT_THAT(device.findings(), SizeIs(1)); // two texts of __syncthreads
    EXPECT_EQ(device.findings()[0].fault, Fault::divergent_barrier);
    device.clear_findings();
    EXPECT_EQ(start(divergent_barrier, 1, 64, 0, out.data()), cudaSuccess);
    EXPECT_THAT(faults(), ElementsAre(Fault::divergent_barrier));
    device.clear_findings();
    EXPECT_EQ(start(unreached_barrier, 3, 64, 0, out.data()), cudaErrorLaunchFailure);
    EXPECT_THAT(device.findings(),
        ElementsAre(AllOf(Field(&Finding::fault, Fault::unreached_barrier),
            Field(&Finding::text, HasSubstr("thread 0 waits there, thread 1 waits at `__syncwarp`")))));
    // The device is usable after a block that was given up.
    device.clear_findings();
    EXPECT_EQ(start(exchange<Barrier::warp>, 2, 96, 96, in.data(), out.data(), std::size_t{192}), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
}

TEST_P(Emulation, ExchangesValuesOfTheThreadsOfAMask) {
    EXPECT_EQ(start(sum_of_four, 1, 64, 0, in.data(), out.data(), 60u), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_EQ(device.exchanges(), 60u * 2);
    for (int i = 0; i < 60; ++i) { // in is 1, 2, 3, ...
        const int instance = i / 4;
        EXPECT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(16 * instance + 10)) << i;
    }
    EXPECT_EQ(start(values_of_four, 1, 64, 0, in.data(), out.data(), 1), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    for (int i = 0; i < 64; ++i) {
        const int first = 4 * (i / 4);
        EXPECT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>((first + 2) + 10 * (first + 3))) << i;
    }
}

TEST_P(Emulation, FindsExchangesThatAreNoneOfAllThreads) {
    EXPECT_EQ(start(exchange_with_absent, 1, 64, 0, out.data(), 60u), cudaErrorLaunchFailure);
    EXPECT_THAT(faults(), ElementsAre(Fault::unreached_exchange)) << texts();
    EXPECT_THAT(texts(), HasSubstr("not reached by all threads of its mask: thread 32 waits there, thread 60 has ended"));
    device.clear_findings();
    EXPECT_EQ(start(exchange_left_out, 1, 64, 0, out.data()), cudaErrorLaunchFailure);
    EXPECT_THAT(faults(), ElementsAre(Fault::unreached_exchange)) << texts();
    EXPECT_THAT(texts(), HasSubstr("thread 0 waits there, thread 3 waits at a barrier"));
    device.clear_findings();
    EXPECT_EQ(start(exchange_without_oneself, 1, 64, 0, out.data()), cudaSuccess);
    EXPECT_THAT(faults(), ElementsAre(Fault::bad_exchange)) << texts();
    EXPECT_THAT(texts(), HasSubstr("is not in the mask of its exchange"));
    device.clear_findings();
    EXPECT_EQ(start(exchange_beyond_the_mask, 1, 64, 0, out.data()), cudaSuccess);
    EXPECT_THAT(faults(), ElementsAre(Fault::bad_exchange)) << texts();
    EXPECT_THAT(texts(), HasSubstr("which is not in the mask of the exchange"));
    device.clear_findings();
    EXPECT_EQ(start(split_exchange, 1, 64, 0, out.data()), cudaSuccess);
    EXPECT_THAT(faults(), ElementsAre(Fault::divergent_exchange)) << texts();
    // The device is usable after a block that was given up.
    device.clear_findings();
    EXPECT_EQ(start(sum_of_four, 1, 64, 0, in.data(), out.data(), 64u), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
}

TEST_P(Emulation, CountsOnlyLiveThreadsAtABarrier) {
    EXPECT_EQ(start(early_exit, 1, 64, 0, out.data(), 40u), cudaSuccess);
    EXPECT_THAT(texts(), IsEmpty());
    EXPECT_EQ(std::count(out.begin(), out.end(), 1.0f), 40);
}

TEST_P(Emulation, NumbersThreadsAndBlocksInThreeDimensions) {
    std::vector<unsigned> numbers(2 * 3 * 2 * 4 * 2 * 2, 0);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2, 3, 2);
    config.blockDim = dim3(4, 2, 2);
    unsigned* const data = numbers.data();
    EXPECT_EQ(cudaLaunchKernelEx(&config, indices, data), cudaSuccess);
    std::size_t at = 0;
    for (unsigned block = 0; block < 12; ++block) {
        for (unsigned thread = 0; thread < 16; ++thread, ++at) {
            EXPECT_EQ(numbers[at],
                thread % 4 + 10 * (thread / 4 % 2) + 100 * (thread / 8) + 1000 * (block % 2) + 10000 * (block / 2 % 3) +
                    100000 * (block / 6));
        }
    }
}

TEST_P(Emulation, RunsBlocksInTheOrderOfTheSchedule) {
    EXPECT_EQ(start(last_block, 100, 1, 0, out.data()), cudaSuccess);
    switch (GetParam().schedule) {
    case Schedule::forward:
        EXPECT_EQ(out[0], 99);
        break;
    case Schedule::reverse:
        EXPECT_EQ(out[0], 0);
        break;
    case Schedule::shuffled:
        EXPECT_GE(out[0], 0);
        break;
    }
}

TEST(BlockOrder, TakesEveryBlockOnce) {
    std::mt19937_64 random(7);
    for (const Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::shuffled}) {
        for (const dim3 grid : {dim3(1), dim3(2), dim3(12), dim3(97), dim3(5, 3, 2)}) {
            std::set<std::tuple<unsigned, unsigned, unsigned>> taken;
            std::size_t count = 0;
            for (BlockOrder order(grid, schedule, random); !order.done(); ++count) {
                const uint3 block = order.take();
                EXPECT_TRUE(block.x < grid.x && block.y < grid.y && block.z < grid.z);
                taken.emplace(block.x, block.y, block.z);
            }
            EXPECT_EQ(count, std::size_t{grid.x} * grid.y * grid.z);
            EXPECT_EQ(taken.size(), count);
        }
    }
}

TEST(BlockOrder, NeedsNoMemoryForTheLargestGrid) {
    std::mt19937_64 random(7);
    const dim3 grid(2147483647, 65535, 65535);
    BlockOrder order(grid, Schedule::reverse, random);
    for (const unsigned x : {2147483646U, 2147483645U}) {
        const uint3 block = order.take();
        EXPECT_EQ(block.x, x);
        EXPECT_EQ(block.y, 65534U);
        EXPECT_EQ(block.z, 65534U);
    }
}

TEST_P(Emulation, RefusesLaunchesThatADeviceRefuses) {
    EXPECT_EQ(start(early_exit, 0, 64, 0, out.data(), 1u), cudaErrorInvalidConfiguration);
    EXPECT_EQ(start(early_exit, 1, 1025, 0, out.data(), 1u), cudaErrorInvalidConfiguration);
    EXPECT_EQ(start(early_exit, 1, 64, 12288, out.data(), 1u), cudaSuccess);           // 48 KiB
    EXPECT_EQ(start(early_exit, 1, 64, 12289, out.data(), 1u), cudaErrorInvalidValue); // more needs the attribute
    EXPECT_EQ(cudaFuncSetAttribute(early_exit, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetAttribute(early_exit, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536), cudaSuccess);
    EXPECT_EQ(start(early_exit, 1, 64, 16384, out.data(), 1u), cudaSuccess);
    EXPECT_EQ(start(early_exit, 1, 64, 16385, out.data(), 1u), cudaErrorInvalidValue);
    EXPECT_EQ(start(write_word, 1, 64, 12289, out.data(), 1L), cudaErrorInvalidValue); // the attribute is the kernel's own
}

} // namespace
} // namespace fusec::emulation
