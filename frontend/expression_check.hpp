// SPDX-License-Identifier: Apache-2.0
// Types one expression: names to data, operators and callees to functions of the library, nested calls to data named `F.1`, `F.2`, `F`.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "frontend/constants.hpp"
#include "frontend/draft.hpp"
#include "frontend/scope.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace fusec::frontend {

/// Checks the expressions of a program one after the other and adds their calls to the draft.
class ExpressionChecker {
public:
    ExpressionChecker(const ast::Program& program, const library::Catalog& catalog, Precision default_precision, Scope& scope, Draft& draft, Diagnostics& diagnostics)
        : program_(program), catalog_(catalog), default_precision_(default_precision), scope_(scope), draft_(draft), diagnostics_(diagnostics) {}

    /// The datum that `target = tree` gives; nothing after reporting. An expression has one precision: that of the first name in it,
    /// else the declared one, else the default; its literals take it. Linear in the expression, no recursion.
    std::optional<DataId> check(const ast::Name& target, const ast::Tree& tree, const std::optional<Type>& declared);

private:
    /// What a node of the expression stands for; all empty: an error was reported below it.
    struct Value {
        std::optional<DataId> datum;
        std::optional<Constant> constant;
        bool good() const { return datum || constant; }
    };
    /// Operands of one call in the order written.
    struct Operands {
        std::vector<DataId> data;
        std::vector<Type> types;
        std::vector<ast::ExpressionId> nodes;
    };

    Value node(const ast::Expression& e);
    Value call(const ast::Expression& e);
    Value named_call(const ast::Expression& e, FunctionId function, const std::string& suffix);
    Value operator_call(const ast::Expression& e, std::string_view symbol);
    Value add_call(const ast::Expression& e, const library::Instance& instance, const Operands& operands);

    Value& value(ast::ExpressionId id) { return values_.at(id.index() - first_.index()); }
    /// All operands as data; nothing when one of them is in error.
    std::optional<Operands> operands_of(const ast::Expression& e);
    std::optional<DataId> literal(Constant constant, const Span& span);
    bool suffix_fits(const ast::Expression& e, const std::string& function, const std::string& suffix, const Operands& operands);
    void report_mismatch(const ast::Expression& e, const library::Mismatch& mismatch, const Operands& operands);
    void report_no_operator(const ast::Expression& e, const Operands& operands);
    void note_operand(Diagnostic& diagnostic, const Operands& operands, std::size_t index) const;
    std::string described(ast::ExpressionId node, const Type& type) const;
    Precision precision_of(const ast::Tree& tree, const std::optional<Type>& declared) const;

    const ast::Program& program_;
    const library::Catalog& catalog_;
    Precision default_precision_;
    Scope& scope_;
    Draft& draft_;
    Diagnostics& diagnostics_;

    ast::ExpressionId first_;
    std::vector<Value> values_; ///< of the nodes of the current expression
    Precision precision_ = Precision::f32;
    /// Literals already in the program, by precision, shape and bits of the components.
    std::map<std::tuple<Precision, Shape, std::vector<std::uint64_t>>, DataId> literals_;
};

} // namespace fusec::frontend
