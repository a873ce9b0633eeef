// SPDX-License-Identifier: Apache-2.0
// Random programs as text: valid by construction, so a rejected one is a bug of the front end.
#pragma once

#include <cstdint>
#include <string>

namespace fusec::random_programs {

struct ProgramOptions {
    int calls = 8;   ///< statements, one call each
    int largest = 8; ///< dimensions are drawn from 1..largest, few distinct ones so that operands fit
    bool f64 = false;
    bool uniforms = true;
    bool derived = false; ///< with uniforms: values computed from them alone, among the operands
    bool constants = true;
    bool neutrals = false;       ///< zeros, ones and identities among the operands, values that are transposed or negated twice
    bool blocks = false;         ///< a sum in a loop, and statements that call a definition
    bool program_blocks = false; ///< statements in two to four `block`s
    bool slices = false;         ///< statements that choose components, or put values together
    bool components = false;     ///< loops of scalar arithmetic with components
    bool alternatives = false;   ///< up to two statements in two ways
    bool symmetric = false;      ///< packed inputs, results and conversions
    bool updates = false;        ///< inputs that are `inout`, with values that are kept from before
    bool chains = false;         ///< products of several values
    bool selections = false;     ///< statements that choose one of two values by a comparison
};

/// A program named `p<seed>`; the same seed and options give the same text. Several outputs, shared values, transposes, scalars;
/// inverses only of inputs, so that random values within the domains are well conditioned.
std::string random_program(std::uint64_t seed, const ProgramOptions& options);

} // namespace fusec::random_programs
