// SPDX-License-Identifier: Apache-2.0
// What the interface of generated code checks before it starts a kernel, on every target: pointers, and the slots of the workspace.
#pragma once

#include <cstdint>
#include <stddef.h>

namespace fusec {

// [chunk aligned16]
template <class... Pointers>
bool aligned16(Pointers... pointers) {
    return ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

// [chunk slot_bytes]
// Bytes of a workspace slot: a multiple of 256.
inline size_t slot_bytes(size_t n, size_t bytes_per_element) {
    return (n * bytes_per_element + 255) / 256 * 256;
}

// [chunk list]
// A list of the interface: bytes of one element, or of all when it is uniform.
struct list {
    const void* data;
    size_t bytes;
    bool uniform;
};

// [chunk lists_valid needs list]
// No list is null, and none from `Inputs` on (those written) overlaps another in the elements first .. first + count - 1. At most 2^40
// elements: what the index types of the kernels were proven for.
template <size_t Inputs, size_t Lists>
bool lists_valid(const list (&lists)[Lists], size_t first, size_t count) {
    constexpr size_t most = size_t{1} << 40;
    std::uintptr_t begin[Lists], end[Lists];
    for (size_t i = 0; i < Lists; ++i) {
        if (lists[i].data == nullptr || first > most || count > most - first) {
            return false;
        }
        begin[i] = reinterpret_cast<std::uintptr_t>(lists[i].data) + (lists[i].uniform ? 0 : first * lists[i].bytes);
        end[i] = begin[i] + (lists[i].uniform ? 1 : count) * lists[i].bytes;
        for (size_t j = 0; i >= Inputs && j < i; ++j) {
            if (begin[i] < end[j] && begin[j] < end[i]) {
                return false;
            }
        }
    }
    return true;
}

// [chunk end]
} // namespace fusec
