// SPDX-License-Identifier: Apache-2.0
// The reference executor: one call after another in double, from the `reference` of the metadata and never from a device source.
// Beside every component it carries a first-order error bound in units of the roundoff u of the datum's precision; a kernel agrees
// when it is within 4 u times the bound.
#pragma once

#include "execute/reference_algorithms.hpp"
#include "execute/reference_expression.hpp"
#include "frontend/checked_program.hpp"

#include <span>
#include <variant>
#include <vector>

namespace fusec::execute {

/// One function applied to one shape, ready to be evaluated.
class InstanceReference {
public:
    /// `operands` in declared order. Throws std::invalid_argument when the reference does not fit the shape.
    InstanceReference(const library::Catalog& catalog, const library::Instance& instance, const std::vector<Shape>& operands);

    /// One element: `operands[i]` points at operand i's components as they are stored, and `result` takes the result's so: row-major, or
    /// packed where the shapes say so.
    /// Throws std::out_of_range when the reference indexes outside an operand.
    void evaluate(const std::vector<const Bounded*>& operands, Bounded* result) const;

private:
    struct Named {
        library::Algorithm algorithm{};
        int n = 0;
        int columns = 0;
        bool positive_definite = false;
    };
    struct Steps {
        library::ComponentProgram program;
        std::vector<ExpressionReference> functions;
        std::vector<std::size_t> function_of; ///< per step, index into functions

        void evaluate(const std::vector<const Bounded*>& operands, Bounded* result) const;
    };
    void evaluate_full(const std::vector<const Bounded*>& operands, Bounded* result) const;
    static Steps steps(const library::ComponentProgram& program, const library::Catalog& catalog);

    std::variant<ExpressionReference, Named, library::ComponentMap, Steps, library::Conversion> how_; ///< of full shapes
    std::vector<Shape> operands_;
    Shape result_;
};

/// Components of data, by DataId: per-element data hold every element's components one after another, uniforms and constants one
/// value's. An empty list: not given, not computed.
using DataValues = std::vector<std::vector<double>>;

struct ReferenceResult {
    DataValues values; ///< everything given or computed
    DataValues bounds; ///< of computed data; empty for given ones, which are exact
};

/// True when a datum has one value per element.
bool per_element(const frontend::Datum& datum);

/// Evaluates `calls` (in topological order) for elements 0 .. elements-1; the bounds of a list that is stored in a coarser precision are those
/// of what is read from it. `given` holds what they read and do not compute, exact at the
/// storage precision; constants come from the program, and derived data are evaluated from the uniforms. A call's result replaces a given value. Linear in calls times elements.
ReferenceResult evaluate(const frontend::CheckedProgram& program, const library::Catalog& catalog, std::span<const CallId> calls,
    std::size_t elements, const DataValues& given);

/// All calls of the program, from its inputs.
ReferenceResult evaluate(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, std::size_t elements, const DataValues& given);

/// u: half the distance from 1 to the next larger number.
double unit_roundoff(Precision precision);

/// In place of a bound: the component may be anything. It is ill conditioned, or no number, and selections take other values.
inline constexpr double not_compared = -1;

/// How far a component may be from the reference: 4 u bound, and the least normal number for results flushed to zero.
double allowed_error(double bound, Precision precision);

/// Outcome of comparing computed components with the reference.
struct Agreement {
    std::size_t compared = 0;
    std::size_t mismatches = 0;
    std::size_t worst = 0;  ///< index of the component with the largest ratio
    double worst_ratio = 0; ///< error over allowed error; above 1 is a mismatch; infinite for a value that is not finite
};

/// Pre: the three lists have one length. Components with the bound `not_compared` are passed over.
Agreement compare(std::span<const double> computed, std::span<const double> values, std::span<const double> bounds, Precision precision);

/// True when the allowed error of a component exceeds 1e-2 of the datum's largest component, or a value is not finite: such a case
/// says little and is drawn again. Components of one element's datum.
bool is_ill_conditioned(std::span<const double> values, std::span<const double> bounds, Precision precision);

} // namespace fusec::execute
