// SPDX-License-Identifier: Apache-2.0
// Exchange of values between the threads of an instance. All of them call it together, as often and in the same order: whether and how
// often depends on no value. They lie in one warp, so their number divides 32 (the compiler uses routines with `exchanges` for no other),
// and only they take part: other instances of the warp may be idle, or somewhere else.
#pragma once

#include "memory.cuh"
#include "views.cuh"

namespace fusec {

// [chunk instance_mask needs device lane]
// The lanes of the warp that work on the calling thread's instance.
template <int Threads>
FUSEC_DEVICE unsigned instance_mask(lane<Threads> lane) {
    static_assert(32 % Threads == 0, "the threads of an instance lie in one warp");
    return 0xffffffffu >> (32 - Threads) << (threadIdx.x % 32 - static_cast<unsigned>(lane.index));
}

// [chunk sum_over needs device instance_mask]
// The sum over the threads of the instance, the same bits in each: two partners add the same two numbers, and the addition is one that
// is not contracted with a product of which a thread made its x. log2(Threads) exchanges.
template <int Threads>
FUSEC_DEVICE float sum_over(lane<Threads> lane, float x) {
    FUSEC_UNROLL for (int distance = Threads / 2; distance > 0; distance /= 2)
        x = __fadd_rn(x, __shfl_xor_sync(instance_mask(lane), x, distance));
    return x;
}
template <int Threads>
FUSEC_DEVICE double sum_over(lane<Threads> lane, double x) {
    FUSEC_UNROLL for (int distance = Threads / 2; distance > 0; distance /= 2)
        x = __dadd_rn(x, __shfl_xor_sync(instance_mask(lane), x, distance));
    return x;
}

// [chunk value_from needs device instance_mask]
// The x of one thread of the instance, in each. One exchange.
template <int Threads, class T>
FUSEC_DEVICE T value_from(lane<Threads> lane, int thread, T x) {
    return __shfl_sync(instance_mask(lane), x, thread, Threads);
}

// [chunk store_whole needs device registers lane]
// A value that each thread of the instance holds whole is written by one of them.
template <class To, class T, int Rows, int Columns, int Threads>
FUSEC_DEVICE void store_whole(To to, const registers<T, Rows, Columns>& value, lane<Threads> lane) {
    if (lane.index == 0)
        for (int k = 0; k < Rows * Columns; ++k)
            to[k] = value.data[k];
}

// [chunk end]
} // namespace fusec
