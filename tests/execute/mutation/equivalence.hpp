// SPDX-License-Identifier: Apache-2.0
// Proofs that a mutant does what its source does, each made by asking for what the mutation changed.
#pragma once

#include "codegen/kernel_ir.hpp"
#include "mutation.hpp"

#include <optional>
#include <string>

namespace fusec::execute {

/// The proof, or nothing when none of these applies:
/// - a barrier, a wait or a tile's address: the verifier of the kernel IR, which enumerates all accesses of all threads, accepts the kernel
///   that the mutant's text says;
/// - two tiles in each other's place: they start at the same byte;
/// - a guard that one more element passes: that element has a slot of its own in every tile, which no copy takes and no other guard lets
///   through, and its thread's registers are read behind other guards only; so nothing happens if the statements touch no list, or only
///   read one in the workspace, which goes on behind the last element.
std::optional<std::string> proof_of_equivalence(const codegen::Unit& unit, const Mutant& mutant);

} // namespace fusec::execute
