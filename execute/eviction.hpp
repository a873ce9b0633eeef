// SPDX-License-Identifier: Apache-2.0
// Lists that no cache holds.
#pragma once

#include <cstddef>

namespace fusec::execute {

/// Whether programs may tell this processor to drop what its caches hold: x86-64 and AArch64 have instructions for it.
bool can_evict();

/// Writes back and drops what any cache of any processor holds of so many bytes, so that the next load of each comes from memory; when this returns, it is
/// done. Their values stay. Returns how many cache lines that were. O(bytes). Pre: can_evict(); the bytes are the caller's to read.
///
/// Other memory that is read in their place is no substitute. What is read again and again before each sample lies in a last level beside the lists as long as
/// it has room for both, and how much it has a virtual machine is not told: on a Xeon that told of 480 MiB and held about 100 a list of 32 MiB was still
/// read at 24 and 20 GB/s after 42 and 72 MiB that were read three times each; memory gave 15, and 15.1 were left by this (seen during development;
/// bench/eviction.cpp measures it). What no last level of 480 MiB leaves beside it takes a fifth of a second to read.
/// Sources: Intel, Software Developer's Manual, volume 2, CLFLUSH and CLFLUSHOPT; AMD, Programmer's Manual, volume 3, the same; Arm, Architecture Reference
/// Manual for A-profile, DC CIVAC and CTR_EL0.
std::size_t evict(const void* first, std::size_t bytes);

} // namespace fusec::execute
