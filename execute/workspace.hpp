// SPDX-License-Identifier: Apache-2.0
// The workspace of a unit under test: the layout that it has to have, poison that shows what touches it elsewhere, and launches whose
// sizes tell a wrong layout from the right one.
#pragma once

#include "execute/runner.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::execute {

/// Slot s for n elements starts at the sum over earlier slots of n times their bytes per element, each rounded up to this (codegen::Unit).
inline constexpr std::size_t workspace_alignment = 256;

/// Bytes of the slots, given by their bytes per element, for n elements.
std::size_t workspace_bytes(const std::vector<int>& slots, std::size_t n);

/// Fills memory with NaNs of either precision, each of a payload that depends on its place: they spread when they are read, and a copy of
/// one to another place shows.
void poison(unsigned char* data, std::size_t bytes);
/// The first byte that no longer holds its poison, from `first` on and before `last`.
std::optional<std::size_t> altered_poison(const unsigned char* data, std::size_t first, std::size_t last);

/// What rounding leaves behind the slots for n elements; ranges that are not empty, ascending. The slots begin `front` bytes behind `data`.
std::vector<emulation::Forbidden> paddings(const unsigned char* data, const std::vector<int>& slots, std::size_t n, std::size_t front = 0);

/// `behind slot 1 of the workspace, 8 bytes past its last element` for the first altered byte of the paddings; nothing when all are whole.
std::optional<std::string> altered_padding(const unsigned char* data, const std::vector<int>& slots, std::size_t n, std::size_t front = 0);

/// More launches for a unit whose kernels have these tiles: n of more than a tile and no multiple of one, such that for each slot
/// - its size differs from that of a slot of one byte more, and of one byte less, per element (at 256 elements and more it does);
/// - there is room for less than an element behind its last one, so that the next element is outside of a slot that ends the workspace
///   (where such an n is within 257 of the largest tile).
/// As few as a greedy choice finds. They run with the last block first, as the standard launches run with the first block first: an
/// element past the end may land in what another block writes later, or has read before.
std::vector<RunCase> workspace_cases(const std::vector<int>& tiles, const std::vector<int>& slots, std::uint64_t seed);

} // namespace fusec::execute
