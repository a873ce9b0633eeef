// SPDX-License-Identifier: Apache-2.0
// What a unit is run with: random inputs of its program, the reference's results, and the launches. Inside of execute/.
#pragma once

#include "codegen/kernel_ir.hpp"
#include "execute/domains.hpp"
#include "execute/verify.hpp"

#include <vector>

namespace fusec::execute {

/// The interface of a unit with the reference's values, of which outputs that update an input name it.
RunInterface run_interface(const codegen::Unit& unit, const ReferenceResult& reference);

/// Random inputs of a program and its reference, drawn once for all that is checked.
class Cases {
public:
    Cases(const dag::CallGraph& graph, const library::Catalog& catalog, std::size_t elements, std::uint64_t seed);

    /// The interface of a unit that executes `calls`: values for its inputs, the reference for its outputs. Intermediates that it reads
    /// are the reference's, rounded to the precision they are stored in, and exact from there on.
    RunInterface interface(const codegen::Unit& unit, const dag::CallSet& calls);
    /// The same for a unit that executes the whole program.
    RunInterface interface(const codegen::Unit& unit);

    /// Adds how many elements were drawn, and how many again; and a mismatch where the program is not what was written (`simplified`).
    void count(VerifyResult& result) const;

private:
    const ReferenceResult& evaluated(const codegen::Unit& unit, const dag::CallSet& calls);

    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    RandomCases drawn_;
    std::vector<std::string> differing_; ///< outputs that are not those of the program as written
    std::vector<OneSidedSelection> one_sided_;
    dag::CallSet last_calls_;
    ReferenceResult last_;
};

/// Texts about the outputs for which the reference of a simplified or condensed program differs from that of the program as written, beyond the latter's
/// error bounds: kernels are compared with the former, so this closes the circle. None where nothing was changed.
std::vector<std::string> differing_outputs(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, const RandomCases& cases);

/// The launches that a plan is checked with: the standard ones of each of its tiles, and those that its workspace asks for.
std::vector<RunCase> plan_launches(const fusion::Plan& plan, const dag::CallGraph& graph, std::uint64_t seed);

} // namespace fusec::execute
