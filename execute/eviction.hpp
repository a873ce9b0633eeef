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
/// Other memory that is read in their place is no substitute: how much it takes depends on how large a last level is, which a virtual machine is not told, and
/// on what it keeps. On a Xeon that tells of 480 MiB three readings of 72 MiB left a part of some lists and none of others; three of twice the 480 MiB take
/// a fifth of a second, and what is launched behind them is slower than from memory alone (docs/measured-hosts.md, "How kernels are timed"; seen during development).
/// Sources: Intel, Software Developer's Manual, volume 2, CLFLUSH and CLFLUSHOPT; AMD, Programmer's Manual, volume 3, the same; Arm, Architecture Reference
/// Manual for A-profile, DC CIVAC and CTR_EL0.
std::size_t evict_lines(const void* first, std::size_t bytes);

} // namespace fusec::execute
