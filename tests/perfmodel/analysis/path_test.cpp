// SPDX-License-Identifier: Apache-2.0
// Trip counts, instruction mix, critical path and registers of hand-made kernels.
#include "analysed.hpp"

#include <gmock/gmock.h>

namespace fusec::perfmodel::analysis {
namespace {

using enum InstructionClass;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Launch warp(std::map<std::string, std::int64_t> arguments = {}) {
    Launch launch;
    launch.threads = 32;
    launch.arguments = std::move(arguments);
    return launch;
}

TEST(Loops, NestsOfConstantCountsMultiply) {
    const KernelProfile profile = profile_of("__global__ void k(const float* __restrict__ a, float* __restrict__ b) {\n"
                                             "    float sum = 0;\n"
                                             "    #pragma unroll 1\n"
                                             "    for (int i = 0; i < 7; ++i)\n"
                                             "        #pragma unroll 1\n"
                                             "        for (int j = 0; j < 5; ++j)\n"
                                             "            sum += a[i * 5 + j];\n"
                                             "    b[threadIdx.x] = sum;\n"
                                             "}\n",
        warp());
    ASSERT_EQ(profile.loops.size(), 2);
    EXPECT_EQ(profile.loops[0].trip_count, 7);
    EXPECT_EQ(profile.loops[0].depth, 1);
    EXPECT_EQ(profile.loops[0].where, "line 4");
    EXPECT_EQ(profile.loops[1].trip_count, 5);
    EXPECT_EQ(profile.loops[1].depth, 2);
    EXPECT_EQ(profile.loops[0].iterations, 32 * 7);
    EXPECT_EQ(profile.loops[1].iterations, 32 * 7 * 5);
    EXPECT_EQ(profile.loops[1].entries, 32 * 7);
    EXPECT_EQ(profile.longest.counts[add_f32], 35);
    EXPECT_EQ(profile.block[global_load], 32 * 35);
    EXPECT_THAT(profile.unknowns, IsEmpty());
}

TEST(Loops, TriangularOnesAreSummed) {
    const KernelProfile profile = profile_of("__global__ void k(const float* __restrict__ a, float* __restrict__ b) {\n"
                                             "    float sum = 0;\n"
                                             "    #pragma unroll 1\n"
                                             "    for (int i = 0; i < 7; ++i)\n"
                                             "        #pragma unroll 1\n"
                                             "        for (int j = 0; j <= i; ++j)\n"
                                             "            sum += a[i * 7 + j];\n"
                                             "    b[threadIdx.x] = sum;\n"
                                             "}\n",
        warp());
    EXPECT_EQ(profile.longest.counts[add_f32], 28);
    ASSERT_EQ(profile.loops.size(), 2);
    EXPECT_EQ(profile.loops[1].trip_count, std::nullopt);
    EXPECT_THAT(profile.unknowns, IsEmpty()) << "known all the same";
}

constexpr const char* counted_by_parameter = "__global__ void k(const float* __restrict__ a, float* __restrict__ b, int n) {\n"
                                             "    float sum = 0;\n"
                                             "    #pragma unroll 1\n"
                                             "    for (int i = threadIdx.x; i < n; i += 32)\n"
                                             "        sum += a[i];\n"
                                             "    b[threadIdx.x] = sum;\n"
                                             "}\n";

TEST(Loops, CountByAParameterIsKnownWithItsValue) {
    const KernelProfile profile = profile_of(counted_by_parameter, warp({{"n", 100}}));
    EXPECT_EQ(profile.block[add_f32], 100);
    EXPECT_EQ(profile.longest.counts[add_f32], 4);
    EXPECT_EQ(profile.longest.thread, 0);
    EXPECT_THAT(profile.unknowns, IsEmpty());
    ASSERT_EQ(profile.loops.size(), 1);
    EXPECT_THAT(profile.loops[0].expression, HasSubstr("%n"));
    EXPECT_THAT(profile.loops[0].expression, HasSubstr("%tid"));
}

TEST(Loops, CountThatIsNotKnownIsReported) {
    const KernelProfile profile = profile_of(counted_by_parameter, warp());
    EXPECT_THAT(profile.unknowns, Contains(testing::AllOf(HasSubstr("trip count of the loop in line 4"), HasSubstr("%n"))));
    const KernelProfile of_data = profile_of("__global__ void k(float* a) {\n"
                                             "    while (a[threadIdx.x] > 0)\n"
                                             "        a[threadIdx.x] -= a[threadIdx.x + 1];\n"
                                             "}\n",
        warp());
    EXPECT_THAT(of_data.unknowns, Contains(HasSubstr("trip count of the loop")));
    EXPECT_EQ(of_data.longest.counts[add_f32], 1) << "one round, and said so";
}

TEST(Loops, ThatDoNotEndAreCutAndReported) {
    Launch launch = warp();
    launch.most_steps = 10000;
    const KernelProfile profile = profile_of("__global__ void k(volatile float* a) {\n"
                                             "    for (;;)\n"
                                             "        a[0] = a[0] + 1.0f;\n"
                                             "}\n",
        launch);
    EXPECT_THAT(profile.unknowns, Contains(HasSubstr("more than 10000 instructions")));
}

TEST(Mix, EveryPipe) {
    const KernelProfile profile =
        profile_of("__global__ void k(float* x, double* y, int* i) {\n"
                   "    const int t = threadIdx.x;\n"
                   "    x[t] = expf(x[t]) + logf(x[t + 32]) * sinf(x[t + 64]) - cosf(x[t + 96]) / powf(x[t + 128], 3.0f);\n"
                   "    y[t] = sqrt(y[t]) + rsqrt(y[t + 32]) * exp(y[t + 64]) / y[t + 96] + pow(y[t + 128], y[t]);\n"
                   "    i[t] = static_cast<int>(x[t + 160]);\n"
                   "    x[t + 192] = sqrtf(x[t + 224]) * rsqrtf(x[t + 256]);\n"
                   "    x[t + 224] = __shfl_xor_sync(0xffffffffu, x[t + 288], 1);\n"
                   "    y[t + 160] = __shfl_sync(0xffffffffu, y[t + 192], 3);\n"
                   "    x[t + 300] = i[t + 32] > 7 ? x[t + 5] * x[t + 6] : x[t + 5] + x[t + 6];\n"
                   "    x[t + 400] = fmaf(x[t + 7], x[t + 8], x[t + 9]);\n"
                   "}\n",
            warp());
    const ByClass& counts = profile.longest.counts;
    for (const InstructionClass once :
        {exponential_f32, logarithm_f32, sine_f32, cosine_f32, power_f32, division_f32, square_root_f32, reciprocal_square_root_f32,
            square_root_f64, reciprocal_square_root_f64, exponential_f64, division_f64, power_f64, conversion}) {
        EXPECT_EQ(counts[once], 1) << to_string(once);
    }
    EXPECT_EQ(counts[select], 1);
    EXPECT_EQ(counts[shuffle], 3); // a double takes two
    EXPECT_EQ(counts[sine_f64], 0);
    EXPECT_EQ(counts[call], 0);
    EXPECT_EQ(counts[fma_f32], 2); // log * sin + exp, and fmaf
    EXPECT_THAT(profile.unknowns, IsEmpty());
}

/// What a text has beyond one whose only difference is the type of its numbers.
ByClass with_type(const std::string& type, const std::string& body) {
    return profile_of("__global__ void k(const " + type + "* __restrict__ a, " + type +
            "* __restrict__ b) {\n    const int t = threadIdx.x;\n    const " + type +
            " x = a[t], y = a[t + 32], z = a[t + 64];\n    b[t] = " + body + ";\n}\n",
        warp())
        .longest.counts;
}

// A register has 32 bits: a sum of 64 is two instructions of the device, the carry between them, and so are a comparison and a choice.
TEST(Mix, IntegersOfSixtyFourBitsAreTwoInstructions) {
    const double simple = with_type("unsigned", "x")[integer];
    EXPECT_EQ(with_type("unsigned long long", "x")[integer], simple) << "loads and stores are not done in halves";
    for (const char* const operation : {"x + y", "x - y", "x & y", "x | y", "x ^ y", "x * y"}) {
        EXPECT_EQ(with_type("unsigned", operation)[integer], simple + 1) << operation;
        EXPECT_EQ(with_type("unsigned long long", operation)[integer], simple + 2) << operation;
    }
    for (const char* const choice : {"x < y ? z : y + z", "x == y ? z : y * z"}) { // beside the operation, a comparison; and a choice
        EXPECT_EQ(with_type("unsigned", choice)[integer], simple + 2) << choice;
        EXPECT_EQ(with_type("unsigned", choice)[select], 1) << choice;
        EXPECT_EQ(with_type("unsigned long long", choice)[integer], simple + 4) << choice;
        EXPECT_EQ(with_type("unsigned long long", choice)[select], 2) << choice;
    }
    const char* const least = "x < y ? x : y";
    EXPECT_EQ(with_type("unsigned", least)[integer], simple + 1) << "one instruction";
    EXPECT_EQ(with_type("unsigned long long", least)[integer], simple + 4) << "two to compare, two to choose";
    // The choice of a float is one, of a double two; comparisons of doubles are one.
    const char* const of_numbers = "x < y ? z : y * z";
    EXPECT_EQ(with_type("float", of_numbers)[select], 1);
    EXPECT_EQ(with_type("double", of_numbers)[select], 2);
    EXPECT_EQ(with_type("double", of_numbers)[other_f64], 1);
}

TEST(Mix, BarriersInALoop) {
    const KernelProfile profile = profile_of("__global__ void k(float* x) {\n"
                                             "    extern __shared__ float s[];\n"
                                             "    #pragma unroll 1\n"
                                             "    for (int i = 0; i < 6; ++i) {\n"
                                             "        s[threadIdx.x] = x[threadIdx.x + i];\n"
                                             "        __syncthreads();\n"
                                             "        x[threadIdx.x + i] = s[threadIdx.x ^ 1];\n"
                                             "        __syncwarp();\n"
                                             "        __syncthreads();\n"
                                             "    }\n"
                                             "}\n",
        warp());
    EXPECT_EQ(profile.block_barriers, 12);
    EXPECT_EQ(profile.warp_barriers, 6);
    EXPECT_EQ(profile.block[block_barrier], 12 * 32);
}

TEST(Mix, UnknownFunctionsAreReported) {
    const KernelProfile profile = profile_of("extern \"C\" __device__ float mystery(float);\n"
                                             "__global__ void k(float* x) { x[0] = mystery(x[0]); }\n",
        warp());
    EXPECT_EQ(profile.longest.counts[call], 1);
    EXPECT_THAT(profile.unknowns, Contains(HasSubstr("`mystery`, called in line 2, is not followed")));
}

/// `chains` chains of `length` dependent additions each, every one of which is stored.
std::string chains(int count, int length) {
    std::string text = "__global__ void k(const float* __restrict__ a, float* __restrict__ b) {\n    const float d = a[threadIdx.x];\n";
    for (int c = 0; c < count; ++c) {
        const std::string x = "x" + std::to_string(c);
        text += "    float " + x + " = a[threadIdx.x + " + std::to_string(32 * (c + 1)) + "];\n";
        for (int i = 0; i < length; ++i) {
            text += "    " + x + " = " + x + " + d;\n";
        }
        text += "    b[threadIdx.x + " + std::to_string(32 * c) + "] = " + x + ";\n";
    }
    return text + "}\n";
}

KernelProfile with_latencies(const std::string& text, const LatencyTable& latencies) {
    const auto module = module_of(text);
    Diagnostics diagnostics;
    const auto profile = module->profile(module->kernels().at(0), warp(), latencies, diagnostics);
    EXPECT_TRUE(profile) << messages(diagnostics);
    return profile.value_or(KernelProfile{});
}

TEST(CriticalPath, FollowsDependentInstructions) {
    LatencyTable latencies;
    latencies.cycles[add_f32] = 7;
    EXPECT_EQ(with_latencies(chains(1, 20), latencies).critical_path_cycles, 7 * 20);
    EXPECT_EQ(with_latencies(chains(4, 5), latencies).critical_path_cycles, 7 * 5) << "independent chains overlap";
    EXPECT_EQ(with_latencies(chains(4, 5), latencies).longest.counts[add_f32], 20);
    latencies.cycles[global_load] = 600;
    EXPECT_EQ(with_latencies(chains(1, 20), latencies).critical_path_cycles, 600 + 7 * 20) << "the loads overlap";
}

TEST(CriticalPath, DepthCountsInstructions) {
    const int shorter = with_latencies(chains(1, 10), {}).longest.dependency_depth;
    EXPECT_EQ(with_latencies(chains(1, 25), {}).longest.dependency_depth, shorter + 15);
    EXPECT_EQ(with_latencies(chains(3, 10), {}).longest.dependency_depth, shorter);
}

TEST(CriticalPath, PassesThroughBarriersAndSharedMemory) {
    LatencyTable latencies;
    latencies.cycles[global_load] = 600;
    latencies.cycles[shared_store] = 20;
    latencies.cycles[shared_load] = 30;
    latencies.cycles[block_barrier] = 50;
    const std::string text = "__global__ void k(const float* __restrict__ a, float* __restrict__ b) {\n"
                             "    extern __shared__ float s[];\n"
                             "    s[threadIdx.x] = a[threadIdx.x];\n"
                             "    __syncthreads();\n"
                             "    b[threadIdx.x] = s[31 - threadIdx.x];\n"
                             "}\n";
    EXPECT_EQ(with_latencies(text, latencies).critical_path_cycles, 600 + 20 + 50 + 30);
}

TEST(CriticalPath, AsynchronousCopiesEndAtTheirWait) {
    LatencyTable latencies;
    latencies.cycles[async_copy] = 500;
    latencies.cycles[shared_load] = 30;
    const auto text = [](const std::string& wait) {
        return "#include <cuda_pipeline_primitives.h>\n"
               "__global__ void k(const float* __restrict__ a, float* __restrict__ b) {\n"
               "    extern __shared__ float s[];\n"
               "    __pipeline_memcpy_async(s + threadIdx.x, a + threadIdx.x, 4);\n"
               "    __pipeline_commit();\n    " +
            wait + "\n    b[threadIdx.x] = s[threadIdx.x];\n}\n";
    };
    EXPECT_EQ(with_latencies(text("__pipeline_wait_prior(0);"), latencies).critical_path_cycles, 530);
    EXPECT_EQ(with_latencies(text("__pipeline_wait_prior(1);"), latencies).critical_path_cycles, 30);
}

TEST(Registers, GrowWithTheValuesThatLive) {
    const auto live = [](int count, const std::string& type) {
        std::string loads;
        std::string sum = "0";
        std::string stores;
        for (int i = 0; i < count; ++i) {
            const std::string x = "x" + std::to_string(i);
            const std::string index = "[threadIdx.x + " + std::to_string(32 * i) + "]";
            loads += "    const " + type + " " + x + " = a" + index + ";\n";
            sum += " + " + x;
            stores += "    b" + index + " = " + x + " * sum;\n";
        }
        return profile_of("__global__ void k(const " + type + "* __restrict__ a, " + type + "* __restrict__ b) {\n" + loads + "    const " +
                type + " sum = " + sum + ";\n" + stores + "}\n",
            warp())
            .live_registers;
    };
    const int few = live(8, "float");
    EXPECT_GE(few, 8);
    EXPECT_LE(few, 8 + 6);
    EXPECT_EQ(live(9, "float"), few + 1);
    EXPECT_EQ(live(40, "float"), few + 32);
    EXPECT_EQ(live(40, "double") - live(8, "double"), 2 * 32);
}

} // namespace
} // namespace fusec::perfmodel::analysis
