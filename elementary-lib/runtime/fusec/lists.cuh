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
    std::uintptr_t address(size_t element) const { return reinterpret_cast<std::uintptr_t>(data) + element * bytes; }
    std::uintptr_t begin(size_t first) const { return address(uniform ? 0 : first); }
    std::uintptr_t end(size_t last) const { return address(uniform ? 1 : last); }
};

// [chunk lists_valid needs list]
// No list is null, and none from `Inputs` on (those written) overlaps another in the elements first .. first + count - 1. At most 2^40
// elements: what the index types of the kernels were proven for.
template <size_t Inputs, size_t Lists>
bool lists_valid(const list (&lists)[Lists], size_t first, size_t count) {
    constexpr size_t most = size_t{1} << 40;
    bool valid = first <= most && count <= most - first;
    for (size_t i = 0; i < Lists; ++i) {
        valid = valid && lists[i].data != nullptr;
        for (size_t j = Inputs; j < Lists; ++j)
            valid = valid && (i == j || lists[i].end(first + count) <= lists[j].begin(first) || lists[j].end(first + count) <= lists[i].begin(first));
    }
    return valid;
}

// [chunk end]
} // namespace fusec
