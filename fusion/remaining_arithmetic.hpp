// SPDX-License-Identifier: Apache-2.0
// What the compiler of a host's kernel leaves of its arithmetic. It inlines all functions of a kernel and sees their components: what nothing
// needs is not computed (of a product of which the trace alone is stored, the diagonal is), and what is the same is computed once (F'F has six
// different components of nine).
#pragma once

#include "elementary-lib/component_program.hpp"
#include "elementary-lib/partial_evaluation.hpp"
#include "fusion/kernel_outline.hpp"
#include "fusion/value_numbering.hpp"

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

namespace fusec::fusion {

/// Operations are those of the references. What is no arithmetic of the library's scalar functions there (determinants, inverses, factorizations, other
/// factors than 0 and 1), what compilers leave in loops (more than longest_unrolled_loop passes, most_components_followed or most_operations_followed) and
/// what was folded by components that are computed is one operation of all components of its operands, and stays whole. Not thread-safe: it keeps what it has found of each
/// kind of call.
class RemainingArithmetic {
public:
    /// Both must outlive this.
    RemainingArithmetic(const dag::CallGraph& graph, const library::Catalog& catalog);

    /// GCC follows the components of a value with up to so many, and computes all of a larger one. (Of the trace of a sum of two outer products it
    /// computes the diagonals of 8x8, and all of 9x9; of the trace of a product of 8x8 its diagonal. A test looks at its code.)
    static constexpr int most_components_followed = 64;
    static constexpr std::size_t most_operations_followed = 1024;

    /// Sets Call::remaining and Call::alone of each call. Pre: an outline of the graph. O(m log m) of the m operations of the calls where some may be removed, else
    /// linear in their operands; each kind of call is evaluated once.
    void find(KernelOutline& kernel);

private:
    /// A call by itself.
    struct OfCall {
        enum class Form {
            opaque,
            steps,
            conversion
        } form = Form::opaque;
        library::ComponentProgram program;       ///< over all operands of the call, with all components, packed or not
        std::vector<ScalarOperation> operations; ///< of its steps
        double instructions = 0;                 ///< where its operands are unlike
        double alone = 1;                        ///< share of them where they are those of the call
        std::vector<bool> reads_part;            ///< per operand: not all of its components
    };
    using Numbers = std::vector<int>; ///< of the components of a value, packed or not
    /// Calls that are alike: function, shape, the result's storage and precision, and of each operand which constant it is (-1: none, -2: none, and packed) and the first that is the same value.
    using Kind = std::tuple<FunctionId, library::ShapeValues, bool, Precision, std::vector<int>, std::vector<std::size_t>>;

    const OfCall& of_call(CallId id);
    Kind kind_of(CallId id) const;
    OfCall evaluated(CallId id) const;
    double instructions_alone(CallId id, const OfCall& call, bool unlike);
    bool may_remove(const KernelOutline& kernel);
    Numbers numbers_given(DataId datum);
    Numbers numbers_made(int place, const OfCall& call, const std::vector<const Numbers*>& operands);

    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    library::PartialEvaluator evaluator_;
    std::vector<const OfCall*> calls_; ///< by call of the graph; null: not looked at
    std::map<Kind, OfCall> kinds_;     ///< addresses stay
    std::map<DataId, Numbers> constants_;
    ValueNumbering numbering_; ///< of the kernel at hand
};

} // namespace fusec::fusion
