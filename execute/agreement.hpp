// SPDX-License-Identifier: Apache-2.0
// Whether two programs with one interface compute the same, by their references: alternatives of one program.
#pragma once

#include "execute/domains.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fusec::execute {

/// What a comparison of two programs found.
struct ProgramAgreement {
    std::vector<std::string> differing; ///< about the outputs of the other that differ by more than the error bounds of both together
    std::size_t compared = 0;           ///< elements on which both are well conditioned: the others show nothing
};

/// Compares `other` with `program` for inputs drawn for `program`. Pre: inputs and outputs have the same types.
ProgramAgreement compare_programs(const frontend::CheckedProgram& program, const library::Catalog& catalog,
    const frontend::CheckedProgram& other, const library::Catalog& catalog_of_other, std::size_t elements, std::uint64_t seed);

/// The same for the cases drawn for `program`.
ProgramAgreement compare_programs(const frontend::CheckedProgram& program, const library::Catalog& catalog, const RandomCases& cases,
    const frontend::CheckedProgram& other, const library::Catalog& catalog_of_other);

} // namespace fusec::execute
