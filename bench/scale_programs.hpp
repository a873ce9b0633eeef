// SPDX-License-Identifier: Apache-2.0
// Programs of any size for the measurement of compile time.
#pragma once

#include <cstdint>
#include <string>

namespace fusec::bench {

/// `calls` calls over 4x4 matrices: every call takes one result of the layer before and one of any earlier layer.
std::string layered_program(std::uint64_t seed, int calls, int width);

/// The symmetric part of a matrix, written component by component: size * size assignments.
std::string symmetrised_program(int size);

/// A matrix of determinants, which are calls and cannot be condensed: three calls per component.
std::string assembled_program(int rows, int columns);

} // namespace fusec::bench
