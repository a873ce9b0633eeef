// SPDX-License-Identifier: Apache-2.0
// The first failure of a launch with checks on the host: one word in front of the workspace's slots, the least of element * 2^16 + check,
// all ones where nothing failed.
//
// Embedded text needs <stddef.h> and <string.h>.
#pragma once

#include "host.hpp"

#include <stddef.h>
#include <string.h>

namespace fusec {

// [chunk report_lanes needs simd]
// Of the first `count` lanes, which hold the elements from `first` on, the first in which the flag is not 0. Threads report at a time.
template <class T, int Width>
FUSEC_DEVICE void report_lanes(unsigned long long* failure, simd<T, Width> flag, size_t first, int count, unsigned check) {
    T failed = 0;
    for (int lane = 0; lane < count; ++lane)
        failed += flag.lanes[lane];
    if (failed == 0)
        return;
    int lane = 0;
    while (flag.lanes[lane] == 0)
        ++lane;
    const unsigned long long found = static_cast<unsigned long long>(first + static_cast<size_t>(lane)) << 16 | check;
    unsigned long long least = __atomic_load_n(failure, __ATOMIC_RELAXED);
    while (found < least && !__atomic_compare_exchange_n(failure, &least, found, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

// [chunk report_tile needs registers lanes_of whole_tile last_tile report_lanes]
// The flag is 0 in the elements of the tile in which the check holds, else 1.
template <class T, bool Streaming, int Ahead>
FUSEC_DEVICE void report_tile(whole_tile<T, Streaming, Ahead> tile, unsigned long long* failure, const registers<lanes_of<T>, 1, 1>& flag, unsigned check) {
    report_lanes(failure, flag.data[0], tile.first, lanes_of<T>::width, check);
}
template <class T>
FUSEC_DEVICE void report_tile(last_tile<T> tile, unsigned long long* failure, const registers<lanes_of<T>, 1, 1>& flag, unsigned check) {
    report_lanes(failure, flag.data[0], tile.first, tile.count, check);
}

// [chunk reset_host_failure]
inline int reset_host_failure(void* workspace) {
    memset(workspace, 0xff, sizeof(unsigned long long));
    return 0;
}

// [chunk read_host_failure]
inline int read_host_failure(unsigned long long* failure, const void* workspace) {
    memcpy(failure, workspace, sizeof(unsigned long long));
    return 0;
}

// [chunk end]
} // namespace fusec
