// SPDX-License-Identifier: Apache-2.0
// What the interface of generated code checks before it starts a kernel, on every target: pointers, and the slots of the workspace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stddef.h>

namespace fusec {

// [chunk slot_bytes]
// Bytes of a workspace slot: a multiple of 256.
inline size_t slot_bytes(size_t n, size_t bytes_per_element) {
    return (n * bytes_per_element + 255) / 256 * 256;
}

// [chunk slots_bytes needs slot_bytes]
// Bytes of the first `slots` slots of a workspace.
template <size_t Slots>
size_t slots_bytes(size_t n, const size_t (&bytes_per_element)[Slots], size_t slots = Slots) {
    size_t sum = 0;
    for (size_t i = 0; i < slots; ++i)
        sum += slot_bytes(n, bytes_per_element[i]);
    return sum;
}

// [chunk list]
// A list of the interface: bytes of one element, or of all when it is uniform.
struct list {
    const void* data;
    size_t bytes;
    bool uniform = false;
    std::uintptr_t at(size_t element) const { return reinterpret_cast<std::uintptr_t>(data) + (uniform ? 0 : element * bytes); }
};

// [chunk lists_valid needs list]
// No list is null, and none from `Inputs` on (those written) overlaps another in the elements first .. first + count - 1. At most 2^40
// elements: what the index types of the kernels were proven for. Pre: count > 0, and something is written. Compares all pairs.
template <size_t Inputs, size_t Lists>
bool lists_valid(const list (&lists)[Lists], size_t first, size_t count) {
    bool valid = first <= size_t{1} << 40 && count <= (size_t{1} << 40) - first;
    for (size_t i = 0; i < Lists; ++i)
        for (size_t j = Inputs; j < Lists; ++j)
            valid = valid && lists[i].data != nullptr && (i == j || lists[i].at(first + count - 1) + lists[i].bytes <= lists[j].at(first) || lists[j].at(first + count - 1) + lists[j].bytes <= lists[i].at(first));
    return valid;
}

// [chunk many_lists_valid needs list]
// As lists_valid, for many lists: by address, each has to begin where all before it that it may not overlap have ended.
template <size_t Inputs, size_t Lists>
bool many_lists_valid(const list (&lists)[Lists], size_t first, size_t count) {
    const list* by_address[Lists];
    for (size_t i = 0; i < Lists; ++i)
        by_address[i] = &lists[i];
    std::sort(by_address, by_address + Lists, [first](const list* a, const list* b) { return a->at(first) < b->at(first); });
    bool valid = first <= size_t{1} << 40 && count <= (size_t{1} << 40) - first;
    std::uintptr_t all_end = 0, written_end = 0;
    for (const list* list : by_address) {
        const bool written = list >= lists + Inputs;
        const std::uintptr_t end = list->at(first + count - 1) + list->bytes;
        valid = valid && list->data != nullptr && list->at(first) >= (written ? all_end : written_end);
        all_end = std::max(all_end, end);
        written_end = written ? std::max(written_end, end) : written_end;
    }
    return valid;
}

// [chunk aligned16 needs list]
// The elements from `first` on start at multiples of 16 bytes in every list.
template <size_t Lists>
bool aligned16(const list (&lists)[Lists], size_t first) {
    bool aligned = true;
    for (const list& list : lists)
        aligned = aligned && (list.uniform || list.at(first) % 16 == 0);
    return aligned;
}

// [chunk end]
} // namespace fusec
