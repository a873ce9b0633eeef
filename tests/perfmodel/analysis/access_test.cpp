// SPDX-License-Identifier: Apache-2.0
// Coalescing and bank conflicts of hand-made kernels, against sectors and passes counted by hand.
#include "analysed.hpp"

#include <gmock/gmock.h>

namespace fusec::perfmodel::analysis {
namespace {

Launch warp() {
    Launch launch;
    launch.threads = 32;
    return launch;
}

/// The first access of the space and direction that is executed.
AccessProfile access_of(const KernelProfile& profile, Space space, bool store) {
    for (const AccessProfile& access : profile.accesses) {
        if (access.space == space && access.store == store && access.count > 0) {
            return access;
        }
    }
    throw std::runtime_error("no such access");
}

struct Case {
    const char* name;
    const char* index; ///< of thread t
    Pattern pattern;
    std::int64_t stride_bytes;
    int sectors, passes;
};

const Case cases[] = {
    {"unit", "t", Pattern::unit, 4, 4, 1},
    {"stride of 2", "2 * t", Pattern::stride, 8, 8, 2},
    {"stride of 9", "9 * t", Pattern::stride, 36, 32, 1}, // 36 bytes: each lane in a sector of its own; 9 is odd
    {"stride of 32", "32 * t", Pattern::stride, 128, 32, 32},
    {"broadcast", "7", Pattern::broadcast, 0, 1, 1},
    {"permuted", "t * 7 % 32", Pattern::scattered, 0, 4, 1},
    {"backwards", "31 - t", Pattern::stride, -4, 4, 1},
    {"pairs", "t / 2", Pattern::scattered, 0, 2, 1},
    // Truly scattered: squares of 32 bytes, each in a sector of its own, in banks 0 and 8 alone; pairs three sectors apart in any order, in
    // banks 0, 8, 16 and 24; and any order of single words two sectors apart, in banks 0 and 16.
    {"squares", "8 * t * t", Pattern::scattered, 0, 32, 16},
    {"scattered pairs", "(t ^ 21) / 2 * 24", Pattern::scattered, 0, 16, 4},
    {"scattered words", "(t ^ 21) * 16", Pattern::scattered, 0, 32, 16},
};

TEST(Accesses, LoadsOfGlobalMemory) {
    for (const Case& each : cases) {
        const std::string text = std::string("__global__ void k(const float* __restrict__ a, float* __restrict__ b) {\n"
                                             "    const unsigned t = threadIdx.x;\n    b[t] = a[") +
            each.index + "];\n}\n";
        const AccessProfile access = access_of(profile_of(text, warp()), Space::global, false);
        EXPECT_EQ(access.pattern, each.pattern) << each.name << ": " << to_string(access.pattern);
        EXPECT_EQ(access.stride_bytes, each.stride_bytes) << each.name;
        EXPECT_EQ(access.transactions, each.sectors) << each.name;
        EXPECT_EQ(access.least_transactions, each.pattern == Pattern::broadcast ? 1 : 4) << each.name;
        EXPECT_EQ(access.count, 32);
        EXPECT_EQ(access.base, "a");
        EXPECT_EQ(access.where, "line 3");
    }
}

TEST(Accesses, StoresToGlobalMemory) {
    for (const Case& each : cases) {
        const std::string text = std::string("__global__ void k(float* __restrict__ a) {\n"
                                             "    const unsigned t = threadIdx.x;\n    a[") +
            each.index + "] = 1.0f;\n}\n";
        const AccessProfile access = access_of(profile_of(text, warp()), Space::global, true);
        EXPECT_EQ(access.pattern, each.pattern) << each.name;
        EXPECT_EQ(access.transactions, each.sectors) << each.name;
    }
}

TEST(Accesses, SharedMemory) {
    for (const Case& each : cases) {
        const std::string text = std::string("__global__ void k(float* __restrict__ b) {\n    extern __shared__ float s[];\n"
                                             "    const unsigned t = threadIdx.x;\n    b[t] = s[") +
            each.index + "];\n}\n";
        const AccessProfile access = access_of(profile_of(text, warp()), Space::shared, false);
        EXPECT_EQ(access.pattern, each.pattern) << each.name;
        EXPECT_EQ(access.transactions, each.passes) << each.name;
    }
}

TEST(Accesses, AddressesFromDataAreScatteredAndSaidToBeUnknown) {
    const KernelProfile profile =
        profile_of("__global__ void k(const int* __restrict__ i, const float* __restrict__ a, float* __restrict__ b) {\n"
                   "    extern __shared__ float s[];\n"
                   "    const int j = i[threadIdx.x];\n"
                   "    s[j] = a[j];\n"
                   "}\n",
            warp());
    bool gathered = false;
    for (const AccessProfile& access : profile.accesses) {
        if (access.base == "a") {
            gathered = true;
            EXPECT_FALSE(access.known);
            EXPECT_EQ(access.pattern, Pattern::scattered);
            EXPECT_EQ(access.transactions, 32);
        }
    }
    EXPECT_TRUE(gathered);
    const AccessProfile scatter = access_of(profile, Space::shared, true);
    EXPECT_FALSE(scatter.known);
    EXPECT_EQ(scatter.transactions, 32);
    EXPECT_THAT(profile.unknowns, testing::Contains(testing::HasSubstr("depends on data")));
}

TEST(Accesses, WideOnesOfSharedMemoryAreServedInParts) {
    const auto passes = [](const std::string& type, const std::string& index) {
        const std::string text = "__global__ void k(" + type + "* __restrict__ b) {\n    extern __shared__ float4 s[];\n" +
            "    const unsigned t = threadIdx.x;\n    b[t] = reinterpret_cast<" + type + "*>(s)[" + index + "];\n}\n";
        return access_of(profile_of(text, warp()), Space::shared, false).transactions;
    };
    EXPECT_EQ(passes("double", "t"), 2);
    EXPECT_EQ(passes("double", "2 * t"), 4);
    EXPECT_EQ(passes("float4", "t"), 4);
    EXPECT_EQ(passes("float4", "5 * t"), 4); // 20 words apart: eight lanes meet all banks
    EXPECT_EQ(passes("float4", "8 * t"), 32);
    EXPECT_EQ(passes("float4", "3"), 4);
}

// One place of all threads' arrays is 128 bytes side by side; places of their own are a sector each.
TEST(Accesses, LocalMemoryLiesLaneBesideLane) {
    const auto read = [](const std::string& index) {
        Launch launch = warp();
        launch.arguments = {{"j", 3}};
        const KernelProfile profile = profile_of("__global__ void k(const float* __restrict__ a, float* __restrict__ b, int j) {\n"
                                                 "    const int t = threadIdx.x;\n"
                                                 "    float part[32];\n"
                                                 "    for (int i = 0; i < 32; ++i) part[i] = a[32 * i + t];\n"
                                                 "    b[t] = part[" +
                index + "];\n}\n",
            launch);
        return access_of(profile, Space::local, false);
    };
    const AccessProfile one = read("j"), own = read("(t + j) % 32");
    EXPECT_EQ(one.pattern, Pattern::unit);
    EXPECT_EQ(one.transactions, 4);
    EXPECT_EQ(own.pattern, Pattern::scattered);
    EXPECT_EQ(own.transactions, 32);
    EXPECT_EQ(own.least_transactions, 4);
}

TEST(Accesses, DivisionsOfIntegersAreToldApart) {
    Launch launch = warp();
    launch.arguments = {{"n", 5}};
    const KernelProfile profile = profile_of("__global__ void k(float* __restrict__ b, int n) {\n"
                                             "    const unsigned t = threadIdx.x;\n"
                                             "    b[t / 3] = t % n + t / 8;\n"
                                             "}\n",
        launch);
    EXPECT_EQ(profile.block[InstructionClass::constant_division], 32);
    EXPECT_EQ(profile.block[InstructionClass::integer_division], 32);
    EXPECT_GE(profile.block[InstructionClass::integer], 32) << "the eighth is a shift";
}

TEST(Accesses, GuardedLanesAloneCount) {
    Launch launch = warp();
    launch.threads = 64;
    const KernelProfile profile = profile_of("__global__ void k(const float* __restrict__ a, float* __restrict__ b) {\n"
                                             "    if (threadIdx.x < 40)\n"
                                             "        b[threadIdx.x] = a[threadIdx.x] + 1.0f;\n"
                                             "}\n",
        launch);
    const AccessProfile access = access_of(profile, Space::global, false);
    EXPECT_EQ(access.count, 40);
    EXPECT_EQ(access.warp_accesses, 2);
    EXPECT_EQ(access.transactions, 2.5); // 4 sectors of the full warp, 1 of the 8 lanes
    EXPECT_EQ(profile.block[InstructionClass::add_f32], 40);
    EXPECT_EQ(profile.warps[InstructionClass::add_f32], 2);
    EXPECT_EQ(profile.longest.counts[InstructionClass::add_f32], 1);
    EXPECT_THAT(profile.unknowns, testing::IsEmpty());
}

} // namespace
} // namespace fusec::perfmodel::analysis
