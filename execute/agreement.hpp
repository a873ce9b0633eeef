// SPDX-License-Identifier: Apache-2.0
// Whether two programs with one interface compute the same, by their references: alternatives of one program.
#pragma once

#include "execute/domains.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fusec::execute {

/// Texts about the outputs of `other` that differ from those of `program` by more than the error bounds of both together, for inputs
/// drawn for `program` on which both are well conditioned. Pre: inputs and outputs have the same types.
std::vector<std::string> disagreeing_outputs(const frontend::CheckedProgram& program, const library::Catalog& catalog,
    const frontend::CheckedProgram& other, const library::Catalog& catalog_of_other, std::size_t elements, std::uint64_t seed);

/// The same for the cases drawn for `program`.
std::vector<std::string> disagreeing_outputs(const frontend::CheckedProgram& program, const RandomCases& cases,
    const frontend::CheckedProgram& other, const library::Catalog& catalog_of_other);

} // namespace fusec::execute
