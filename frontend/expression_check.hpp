// SPDX-License-Identifier: Apache-2.0
// Types one expression: names to data, operators and callees to functions of the library, nested calls to data named `F.1`, `F.2`, `F`.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "frontend/call_resolution.hpp"
#include "frontend/constants.hpp"
#include "frontend/draft.hpp"
#include "frontend/expansion.hpp"
#include "frontend/scope.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace fusec::frontend {

/// An operand of the call of a definition.
struct Argument {
    Value value;
    Span span;
    std::optional<Span> defined; ///< of a plain name: where it is defined
};

/// What expands calls of definitions.
class DefinitionCalls {
public:
    DefinitionCalls() = default;
    DefinitionCalls(const DefinitionCalls&) = delete;
    DefinitionCalls& operator=(const DefinitionCalls&) = delete;
    virtual ~DefinitionCalls() = default;

    /// The value of the call, not good after reporting; nothing when the program has no definition of that name. An argument that is
    /// not good was reported.
    virtual std::optional<Value> expand(const ast::Expression& call, const std::vector<Argument>& arguments) = 0;
};

/// An expression with what its calls are to be named after.
struct Evaluated {
    Value value;
    std::vector<CallId> calls;            ///< of its own operators and functions, not of definitions called in it
    std::size_t calls_before = 0;         ///< of the program, when it was begun
    Precision precision = Precision::f32; ///< of its literals
};

/// Checks the expressions of a program one after the other and adds their calls to the draft. Keeps nothing of an expression: while one
/// is checked, those of a definition that it calls may be.
class ExpressionChecker {
public:
    ExpressionChecker(const ast::Program& program, const library::Catalog& catalog, Precision default_precision, Scope& scope, Draft& draft,
        Expansion& expansion, DefinitionCalls& definitions)
        : program_(program),
          catalog_(catalog),
          default_precision_(default_precision),
          scope_(scope),
          draft_(draft),
          expansion_(expansion),
          definitions_(definitions),
          diagnostics_(expansion.messages()),
          resolution_(catalog, diagnostics_) {}

    /// The value of the tree. Outside of conversions, which have operands of their own, an expression has one precision: that of the first name
    /// or conversion in it, else the given one, else the default; its literals take it. Linear in the expression and what it expands; recursion follows the calls of definitions, which is bounded.
    Evaluated evaluate(const ast::Tree& tree, std::optional<Precision> precision);
    /// `sum + term` or `sum - term`, a further call of the expression that `term` is the value of. `site` is the `+=` or `-=`.
    Value add_step(Evaluated& term, const Operand& sum, const Span& term_span, const CallSite& site);

    /// Has the value stored packed, or with all components, as its name is declared: where a call of the expression makes it, by that call,
    /// else by a further one. Leaves it as it is where that would change it: a matrix that is not known to be symmetric.
    void store_as_declared(Evaluated& evaluated, const Shape& declared, const Span& span);

    /// `-value`: a further call of the expression, or the constant.
    void negate(Evaluated& evaluated, const Span& span, const CallSite& site);

    /// Names the calls of an expression: the outermost `name`, if it was made in the expression, the others `nested.1`, `nested.2`.
    /// Returns the others.
    std::vector<CallId> name_calls(
        const Evaluated& evaluated, const std::string& name, const std::string& nested, NameKind name_kind, const Span& span);

    /// The value as a datum: a constant is rounded, and named by its own text. Nothing after reporting, or if it is not good.
    std::optional<DataId> datum_of(const Value& value, Precision precision, const Span& span);
    /// The value of these components, which are all there is to know of it: a datum that has them in this order, a constant, or the result
    /// of a call. `name` is that of the constant.
    Value moved(Evaluated& evaluated, const Type& type, std::vector<Component> components, const std::string& name, const Span& span);
    /// If the name has a value of assigned parts, makes it one datum; reports `incomplete-value` at `place` if a part is missing.
    void complete(const std::string& name, const Span& place);
    /// Says that a component of the name's parts is missing. Pre: it has parts.
    void report_gap(const std::string& name, const Span& place);
    /// The integer that a bound or an index means.
    std::optional<std::int64_t> integer(const ast::IndexTree& tree);

private:
    /// An expression in progress.
    struct Evaluation {
        const ast::Tree& tree;
        std::vector<Value> values;         ///< of the nodes so far
        std::vector<Precision> precisions; ///< by node: of the literals there
        Evaluated result;

        const Value& value(ast::ExpressionId id) const { return values.at(id.index() - tree.first.index()); }
        Precision precision(ast::ExpressionId id) const { return precisions.at(id.index() - tree.first.index()); }
    };

    Value node(Evaluation& evaluation, const ast::Expression& e);
    Value name(const ast::Expression& e);
    Value call(Evaluation& evaluation, const ast::Expression& e);
    /// `select(a < b, x, y)`
    Value selection(Evaluation& evaluation, const ast::Expression& e);
    Value operator_call(Evaluation& evaluation, const ast::Expression& e, std::string_view symbol);
    // conversions.cpp
    /// The precision of literals: that of the first name or conversion beside them, in the operand of the innermost conversion that they
    /// stand in; else that conversion's, and outside of all `otherwise`. Linear in the nodes.
    void find_precisions(Evaluation& evaluation, Precision otherwise) const;
    std::optional<Precision> precision_of_name(const std::string& name) const;
    /// `double(x)` or `float(x)`
    Value conversion(Evaluation& evaluation, const ast::Expression& e);
    // movement.cpp
    void complete_names(const ast::Tree& tree);
    Value slice(Evaluation& evaluation, const ast::Expression& e);
    /// The value of `rows`, `columns` or `diag`; nothing if the call is none of these.
    std::optional<Value> movement(Evaluation& evaluation, const ast::Expression& e);
    Value stacked(Evaluated& evaluated, const ast::Expression& e, const std::vector<Operand>& operands);
    Value diagonal(Evaluated& evaluated, const ast::Expression& e, const Operand& vector);
    // symmetry.cpp
    /// `full(S)` or `symmetric(A)`.
    Value stored_otherwise(Evaluated& evaluated, const ast::Expression& e, const Operand& matrix);
    bool store_by_call(const Evaluated& evaluated, DataId datum, const Shape& shape);
    Value stored_as(Evaluated& evaluated, DataId datum, const Shape& shape, const std::string& name, const Span& span);
    bool same_components(DataId a, DataId b) const;
    /// Whether the result of a call is known to be symmetric; operands as declared.
    bool is_symmetric_result(const library::Instance& instance, const std::vector<DataId>& operands) const;
    bool is_product_with_its_transpose(const library::Instance& instance, const std::vector<DataId>& operands) const;
    /// The component that the slices and assemblies in front of it have taken this one from.
    Component origin(const Component& component);
    std::optional<Value> moved_constant(
        const Type& type, const std::vector<Component>& components, const std::string& name, const Span& span);

    Value add_call(Evaluated& evaluated, const library::Instance& instance, const std::vector<Operand>& operands, const Span& span);
    /// All operands as data; nothing when one of them is in error.
    std::optional<std::vector<Operand>> operands_of(const Evaluation& evaluation, const ast::Expression& e);
    std::optional<std::vector<Operand>> operands_of(const Evaluation& evaluation, const std::vector<ast::ExpressionId>& expressions);
    /// Of the compared and the chosen; false after reporting.
    bool selection_fits(const std::vector<Operand>& operands);
    std::optional<Span> definition_place(const ast::Expression& operand) const;
    std::optional<std::int64_t> integer_of_name(const ast::Index& name, const std::vector<std::int64_t>& indices);

    const ast::Program& program_;
    const library::Catalog& catalog_;
    Precision default_precision_;
    Scope& scope_;
    Draft& draft_;
    Expansion& expansion_;
    DefinitionCalls& definitions_;
    Diagnostics& diagnostics_;
    CallResolution resolution_;
    /// Literals already in the program, by precision, shape and bits of the components.
    std::map<std::tuple<Precision, Shape, std::vector<std::uint64_t>>, DataId> literals_;
};

} // namespace fusec::frontend
