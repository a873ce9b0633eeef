// SPDX-License-Identifier: Apache-2.0
// What the compiler of a host's kernel leaves of its arithmetic. It inlines all functions of a kernel and sees their components: what nothing
// needs is not computed (of a product of which the trace alone is stored, the diagonal is), and what is the same is computed once (F'F has six
// different components of nine).
#pragma once

#include "elementary-lib/component_program.hpp"
#include "elementary-lib/partial_evaluation.hpp"
#include "fusion/kernel_outline.hpp"
#include "fusion/value_numbering.hpp"

#include <vector>

namespace fusec::fusion {

/// Operations are those of the references. What is no arithmetic of the library there (determinants, inverses, factorizations) is one operation of all
/// components of its operands, and stays whole. Not thread-safe: it keeps what it has found of each call.
class RemainingArithmetic {
public:
    /// Both must outlive this.
    RemainingArithmetic(const dag::CallGraph& graph, const library::Catalog& catalog);

    /// Sets Call::remaining of each call. Linear in the operations of the calls where some may be removed; else in their operands.
    void find(KernelOutline& kernel);

private:
    /// A call by itself.
    struct OfCall {
        enum class Kind {
            unknown, ///< not looked at
            steps,
            conversion,
            opaque
        } kind = Kind::unknown;
        library::ComponentProgram program;       ///< over all operands of the call, with all components, packed or not
        std::vector<ScalarOperation> operations; ///< of its steps
        double instructions = 0;                 ///< where its operands are unlike
        bool repeats = false;                    ///< fewer where they are those of the call
        std::vector<bool> reads_part;            ///< per operand: not all of its components
    };
    using Numbers = std::vector<int>; ///< of the components of a value, packed or not

    const OfCall& of_call(CallId id);
    OfCall evaluated(CallId id) const;
    double alone(CallId id, const OfCall& call, bool unlike);
    bool may_remove(const KernelOutline& kernel);
    Numbers numbers_given(DataId datum);
    Numbers numbers_made(int place, const OfCall& call, const std::vector<const Numbers*>& operands);

    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    library::PartialEvaluator evaluator_;
    std::vector<OfCall> calls_; ///< by call of the graph
    ValueNumbering numbering_;  ///< of the kernel at hand
};

} // namespace fusec::fusion
