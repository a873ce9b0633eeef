// SPDX-License-Identifier: Apache-2.0
// 9: cycles of an operation, by how many of a thread are independent of each other and how many warps a multiprocessor has: its latency where
// one warp does one after another, its rate where there are many. Functions of the library likewise.
// 10: pairs of operations by turns, which tell pipes apart that work side by side from those that are one.
#include "probe.cuh"

namespace fusec::probe {

namespace {

constexpr int passes = 64, unrolled = 8;

// An operation gets what the two before it gave, so that no compiler can merge a chain of them.
template <class V>
struct Pair {
    V last, before;
};

#define FUSEC_OPERATION(NAME, VALUE, EXPRESSION)                               \
    struct NAME {                                                              \
        using Value = VALUE;                                                   \
        static constexpr const char* name = #NAME;                             \
        static __device__ VALUE of(VALUE x, VALUE y, const unsigned* shared) { \
            (void)y, (void)shared;                                             \
            VALUE z;                                                           \
            EXPRESSION;                                                        \
            return z;                                                          \
        }                                                                      \
    }

FUSEC_OPERATION(add_f32, float, asm volatile("add.rn.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)));
FUSEC_OPERATION(mul_f32, float, asm volatile("mul.rn.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)));
FUSEC_OPERATION(fma_f32, float, asm volatile("fma.rn.f32 %0, %1, %2, %1;" : "=f"(z) : "f"(x), "f"(y)));
FUSEC_OPERATION(add_f64, double, asm volatile("add.rn.f64 %0, %1, %2;" : "=d"(z) : "d"(x), "d"(y)));
FUSEC_OPERATION(mul_f64, double, asm volatile("mul.rn.f64 %0, %1, %2;" : "=d"(z) : "d"(x), "d"(y)));
FUSEC_OPERATION(fma_f64, double, asm volatile("fma.rn.f64 %0, %1, %2, %1;" : "=d"(z) : "d"(x), "d"(y)));
FUSEC_OPERATION(add_i32, unsigned, z = x + y + blockDim.x); // of three operands, which one pipe alone has
FUSEC_OPERATION(mad_i32, unsigned, asm volatile("mad.lo.u32 %0, %1, %2, %1;" : "=r"(z) : "r"(x), "r"(y)));
FUSEC_OPERATION(lop3_b32, unsigned, asm volatile("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(z) : "r"(x), "r"(y), "r"(blockDim.x))); // exclusive or of three
// Negated, which takes no instruction of its own: the reciprocal of a reciprocal is none.
FUSEC_OPERATION(reciprocal, float, asm volatile("{ .reg .f32 t; neg.f32 t, %1; rcp.approx.ftz.f32 %0, t; }" : "=f"(z) : "f"(x)));
FUSEC_OPERATION(reciprocal_root, float, asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(z) : "f"(x)));
FUSEC_OPERATION(exponential_2, float, asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(z) : "f"(x)));
FUSEC_OPERATION(logarithm_2, float, asm volatile("lg2.approx.ftz.f32 %0, %1;" : "=f"(z) : "f"(x)));
FUSEC_OPERATION(sine, float, asm volatile("sin.approx.ftz.f32 %0, %1;" : "=f"(z) : "f"(x)));
FUSEC_OPERATION(convert, double, float narrow; asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(narrow) : "d"(x)); z = narrow);
FUSEC_OPERATION(shuffle, unsigned, z = __shfl_xor_sync(0xffffffffU, x, 1) + y);
FUSEC_OPERATION(shared_load, unsigned, z = shared[x % 1024U]);
// Functions of the library on arguments that stay what they are: x * 0 + c.
FUSEC_OPERATION(expf_near_1, float, z = expf(x * 0.0F + 1.5F));
FUSEC_OPERATION(logf_near_1, float, z = logf(x * 0.0F + 1.5F));
FUSEC_OPERATION(sinf_near_1, float, z = sinf(x * 0.0F + 1.5F));
FUSEC_OPERATION(sinf_of_1e6, float, z = sinf(x * 0.0F + 1e6F));
FUSEC_OPERATION(sqrtf_near_1, float, z = sqrtf(x * 0.0F + 1.5F));
FUSEC_OPERATION(powf_near_1, float, z = powf(x * 0.0F + 1.5F, 1.25F));
FUSEC_OPERATION(division_f32, float, z = y / (x * 0.0F + 1.0F));
FUSEC_OPERATION(exp_near_1, double, z = exp(x * 0.0 + 1.5));
FUSEC_OPERATION(log_near_1, double, z = log(x * 0.0 + 1.5));
FUSEC_OPERATION(sin_near_1, double, z = sin(x * 0.0 + 1.5));
FUSEC_OPERATION(sin_of_1e6, double, z = sin(x * 0.0 + 1e6));
FUSEC_OPERATION(sqrt_near_1, double, z = sqrt(x * 0.0 + 1.5));
FUSEC_OPERATION(pow_near_1, double, z = pow(x * 0.0 + 1.5, 1.25));
FUSEC_OPERATION(division_f64, double, z = y / (x * 0.0 + 1.0));
#undef FUSEC_OPERATION

/// Numbers that follow each other in shared memory, far enough apart that lanes meet in no bank.
__device__ void number_words(unsigned* shared) {
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
        shared[i] = (i + 32) % 1024;
    }
    __syncthreads();
}

template <class Value>
__device__ Value start(int k) {
    return static_cast<Value>(1 + (threadIdx.x + k) % 32);
}

template <class Operation, int Independent>
__global__ void __launch_bounds__(1024) chains(long long* cycles, typename Operation::Value* out) {
    using Value = typename Operation::Value;
    __shared__ unsigned shared[1024];
    number_words(shared);
    Pair<Value> chain[Independent];
#pragma unroll
    for (int k = 0; k < Independent; ++k) {
        chain[k] = {start<Value>(k), start<Value>(k + 1)};
    }
    const long long before = clock64();
    for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
        for (int u = 0; u < unrolled; ++u) {
#pragma unroll
            for (int k = 0; k < Independent; ++k) {
                const Value next = Operation::of(chain[k].last, chain[k].before, shared);
                chain[k] = {next, chain[k].last};
            }
        }
    }
    Value sum = 0;
#pragma unroll
    for (int k = 0; k < Independent; ++k) {
        sum += chain[k].last;
    }
    out[threadIdx.x] = sum;
    const long long after = clock64();
    if (threadIdx.x % 32 == 0) {
        cycles[threadIdx.x / 32 * 2] = before;
        cycles[threadIdx.x / 32 * 2 + 1] = after;
    }
}

/// Four chains of each, by turns.
template <class First, class Second>
__global__ void __launch_bounds__(512) pairs(long long* cycles, typename First::Value* first_out, typename Second::Value* second_out) {
    constexpr int independent = 4;
    using A = typename First::Value;
    using B = typename Second::Value;
    __shared__ unsigned shared[1024];
    number_words(shared);
    Pair<A> a[independent];
    Pair<B> b[independent];
#pragma unroll
    for (int k = 0; k < independent; ++k) {
        a[k] = {start<A>(k), start<A>(k + 1)};
        b[k] = {start<B>(k), start<B>(k + 1)};
    }
    const long long before = clock64();
    for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
        for (int u = 0; u < unrolled; ++u) {
#pragma unroll
            for (int k = 0; k < independent; ++k) {
                a[k] = {First::of(a[k].last, a[k].before, shared), a[k].last};
                b[k] = {Second::of(b[k].last, b[k].before, shared), b[k].last};
            }
        }
    }
    A first_sum = 0;
    B second_sum = 0;
#pragma unroll
    for (int k = 0; k < independent; ++k) {
        first_sum += a[k].last;
        second_sum += b[k].last;
    }
    first_out[threadIdx.x] = first_sum;
    second_out[threadIdx.x] = second_sum;
    const long long after = clock64();
    if (threadIdx.x % 32 == 0) {
        cycles[threadIdx.x / 32 * 2] = before;
        cycles[threadIdx.x / 32 * 2 + 1] = after;
    }
}

template <class Launch>
double least_cycles(const Buffer& cycles, int warps, const Launch& launch) {
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        launch();
        const double each = window(cycles, warps);
        best = i == 0 ? each : std::min(best, each);
    }
    return best;
}

constexpr int most_threads = 1024;

template <class Operation, int Independent>
void with(const Buffer& cycles, const Buffer& out) {
    for (const int warps : {1, 4, 8, 16, 32}) {
        const auto launch = [&] { chains<Operation, Independent><<<1, 32 * warps>>>(cycles.as<long long>(), out.as<typename Operation::Value>()); };
        const double all = least_cycles(cycles, warps, launch);
        Row("pipe", clock_under(launch))
            .text("operation", Operation::name)
            .number("independent", Independent)
            .number("warps", warps)
            .number("cycles", all / (passes * unrolled * Independent));
    }
}

template <class... Operations>
void each_of(const Buffer& cycles, const Buffer& out) {
    (with<Operations, 1>(cycles, out), ...);
    (with<Operations, 2>(cycles, out), ...);
    (with<Operations, 4>(cycles, out), ...);
    (with<Operations, 8>(cycles, out), ...);
}

template <class... Functions>
void functions(const Buffer& cycles, const Buffer& out) {
    (with<Functions, 1>(cycles, out), ...);
}

template <class First, class Second>
void beside(const Buffer& cycles, const Buffer& out, const Buffer& other) {
    constexpr int warps = 16, independent = 4;
    const auto launch = [&] {
        pairs<First, Second>
            <<<1, 32 * warps>>>(cycles.as<long long>(), out.as<typename First::Value>(), other.as<typename Second::Value>());
    };
    const double all = least_cycles(cycles, warps, launch);
    Row("pair", clock_under(launch))
        .text("first", First::name)
        .text("second", Second::name)
        .number("warps", warps)
        .number("cycles", all / (passes * unrolled * independent));
}

} // namespace

void pipes() {
    const Buffer cycles(2 * 32 * sizeof(long long)), out(most_threads * sizeof(double)), other(most_threads * sizeof(double));
    each_of<add_f32, mul_f32, fma_f32, add_f64, mul_f64, fma_f64, add_i32, mad_i32, lop3_b32, reciprocal, reciprocal_root, exponential_2,
            logarithm_2, sine, convert, shuffle, shared_load>(cycles, out);
    functions<expf_near_1, logf_near_1, sinf_near_1, sinf_of_1e6, sqrtf_near_1, powf_near_1, division_f32, exp_near_1, log_near_1,
              sin_near_1, sin_of_1e6, sqrt_near_1, pow_near_1, division_f64>(cycles, out);
    beside<fma_f32, add_i32>(cycles, out, other);
    beside<fma_f32, mad_i32>(cycles, out, other);
    beside<fma_f32, reciprocal_root>(cycles, out, other);
    beside<fma_f32, shared_load>(cycles, out, other);
    beside<fma_f64, add_i32>(cycles, out, other);
    beside<fma_f64, fma_f32>(cycles, out, other);
}

} // namespace fusec::probe
