// SPDX-License-Identifier: Apache-2.0
// Proves kernel IR sound by enumerating the threads and words of a block, for full tiles and for tiles of 1 and T - 1 elements,
// with aligned and with unaligned pointers. It knows nothing of how fusion chose addresses and barriers.
//
// What is proved: every index is within its tile or list; every word read was written before, by the datum it is read as, and by the
// same thread or on the other side of a barrier (block, or warp within one warp); no thread writes what another may still read or
// write; asynchronous copies are read only after their wait; registers are read by the threads that hold them, for the element
// they hold; tiles that live at the same step do not overlap; every element of every output is stored once, and nothing else; 16-byte
// accesses are aligned; no index exceeds its type for 2^40 elements; data that cross kernels are where the loading kernel looks.
#pragma once

#include "codegen/kernel_ir.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fusec::codegen {

/// Elements up to which index types are proved sufficient.
inline constexpr std::uint64_t proved_elements = std::uint64_t{1} << 40;

/// What is wrong, each naming kernel, step, datum and thread; empty when the kernel is sound. One finding per step, datum and defect.
/// O(threads * words accessed per thread) per step.
std::vector<std::string> findings(const Kernel& kernel);
/// The same for all kernels, and for how they fit together.
std::vector<std::string> findings(const Unit& unit);

/// Breaks with InternalError that quotes the first findings unless there are none.
void verify(const Unit& unit);

} // namespace fusec::codegen
