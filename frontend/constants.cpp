// SPDX-License-Identifier: Apache-2.0
#include "frontend/constants.hpp"
#include "frontend/comparisons.hpp"
#include "frontend/syntax_messages.hpp"

#include <charconv>
#include <cmath>

namespace fusec::frontend {

namespace {

std::string shortest(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return {text, end.ptr};
}

void report_not_a_number(const ast::Expression& e, Diagnostics& diagnostics) {
    diagnostics.report(kind::not_a_number, e.span, in_backticks(e.span.text()) + " is not a number").hint =
        "the value of a `const` is made of literals only";
}

/// Checks the entries of a table against the declared shape and collects them.
class TableReader {
public:
    TableReader(const ast::Program& program, const std::vector<std::optional<Constant>>& values, ast::ExpressionId first, std::string name,
        const Shape& shape, Diagnostics& diagnostics)
        : program_(program), values_(values), first_(first), name_(std::move(name)), shape_(shape), diagnostics_(diagnostics) {}

    std::optional<Constant> read(const ast::Expression& table) {
        const bool nested = shape_.form == Form::matrix;
        if (shape_.form == Form::scalar) {
            mismatch(table, "a table, but " + declared() + ", one number");
            return std::nullopt;
        }
        if (!counts(table, static_cast<std::size_t>(shape_.rows), nested ? "row" : "number", "the table of `" + name_ + "`")) {
            return std::nullopt;
        }
        std::size_t row = 0;
        for (const ast::ExpressionId id : table.operands) {
            nested ? read_row(program_.expression(id), ++row) : read_number(id);
        }
        return good_ ? std::optional(std::move(result_)) : std::nullopt;
    }

private:
    std::string declared() const { return "`" + name_ + "` is declared `" + to_string(shape_) + "`"; }

    void mismatch(const ast::Expression& e, const std::string& found) {
        good_ = false;
        diagnostics_.report(kind::table_mismatch, e.span, "found " + found).hint = shape_.form == Form::matrix
            ? "a matrix is written by rows: `[[1, 0], [0, 1]]`"
            : shape_.form == Form::vector ? "a vector is written `[1, 2, 3]`"
                                          : "write the number without brackets";
    }

    bool counts(const ast::Expression& table, std::size_t needed, const std::string& what, const std::string& where) {
        const std::size_t given = table.operands.size();
        if (given == needed) {
            return true;
        }
        good_ = false;
        diagnostics_.report(kind::table_mismatch, table.span,
            where + " has " + std::to_string(given) + " " + what + (given == 1 ? "" : "s") + ", but " + declared() + " with " +
                std::to_string(needed));
        return false;
    }

    void read_row(const ast::Expression& row, std::size_t number) {
        if (row.kind != ast::ExpressionKind::table) {
            mismatch(row,
                "a number where row " + std::to_string(number) + " of `" + name_ + "` should be, which " + "is declared `" +
                    to_string(shape_) + "`");
            return;
        }
        if (counts(row, static_cast<std::size_t>(shape_.columns), "number", "row " + std::to_string(number) + " of `" + name_ + "`")) {
            for (const ast::ExpressionId id : row.operands) {
                read_number(id);
            }
        }
    }

    void read_number(ast::ExpressionId id) {
        const ast::Expression& e = program_.expression(id);
        if (e.kind == ast::ExpressionKind::table) {
            mismatch(e, "a table inside a row: " + declared());
            return;
        }
        const std::optional<Constant>& value = values_.at(id.index() - first_.index());
        if (value && value->shape.form != Form::scalar) {
            report_not_a_number(e, diagnostics_);
        }
        if (!value || value->shape.form != Form::scalar) { // reported
            good_ = false;
            return;
        }
        result_.values.push_back(value->values.front());
    }

    const ast::Program& program_;
    const std::vector<std::optional<Constant>>& values_;
    ast::ExpressionId first_;
    std::string name_;
    Shape shape_;
    Diagnostics& diagnostics_;
    Constant result_{shape_, {}, name_};
    bool good_ = true;
};

/// Value of one node of a constant expression from its operands' values; nothing after reporting, or when an operand has none.
std::optional<Constant> constant_node(
    const ast::Expression& e, const std::vector<std::optional<Constant>>& operands, Diagnostics& diagnostics) {
    if (e.kind == ast::ExpressionKind::call && is_select(e.text)) {
        report_not_a_number(e, diagnostics);
        return std::nullopt;
    }
    for (const std::optional<Constant>& operand : operands) {
        if (!operand) {
            return std::nullopt;
        }
    }
    if (is_comparison(e)) {
        return std::nullopt; // misplaced, or part of a `select`: reported
    }
    const auto scalars = [&] { return operands.front()->shape.form == Form::scalar && operands.back()->shape.form == Form::scalar; };
    if (e.kind == ast::ExpressionKind::number) {
        return number_constant(e, diagnostics);
    }
    if (e.kind == ast::ExpressionKind::prefix) {
        return negated(*operands.front());
    }
    if (e.kind == ast::ExpressionKind::infix && scalars()) {
        return folded(e, *operands.front(), *operands.back(), diagnostics);
    }
    if (e.kind == ast::ExpressionKind::call && e.text == "midentity") {
        return identity_constant(e, operands, diagnostics);
    }
    report_not_a_number(e, diagnostics);
    return std::nullopt;
}

} // namespace

Constant scalar_constant(double value) {
    return {{Form::scalar, 1, 1}, {value}, shortest(value)};
}

std::optional<Constant> number_constant(const ast::Expression& literal, Diagnostics& diagnostics) {
    double value = 0;
    const char* const end = literal.text.data() + literal.text.size();
    const auto [stop, error] = std::from_chars(literal.text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
        diagnostics.report(
            kind::number_out_of_range, literal.head, in_backticks(literal.text) + " is outside the range of `double`, 4.9e-324 to 1.8e308");
        return std::nullopt;
    }
    return scalar_constant(value);
}

Constant negated(Constant operand) {
    for (double& value : operand.values) {
        value = -value;
    }
    operand.name = operand.name.starts_with('-') ? operand.name.substr(1) : "-" + operand.name;
    return operand;
}

std::optional<Constant> folded(const ast::Expression& infix, const Constant& left, const Constant& right, Diagnostics& diagnostics) {
    const double a = left.values.front();
    const double b = right.values.front();
    const char symbol = infix.text.front();
    const double value = symbol == '+' ? a + b : symbol == '-' ? a - b : symbol == '*' ? a * b : a / b;
    if (!std::isfinite(value)) {
        diagnostics.report(kind::number_out_of_range, infix.span,
            in_backticks(infix.span.text()) + " has no finite value: " + left.name + " " + infix.text + " " + right.name);
        return std::nullopt;
    }
    return scalar_constant(value);
}

std::optional<Constant> identity_constant(
    const ast::Expression& call, const std::vector<std::optional<Constant>>& operands, Diagnostics& diagnostics) {
    const Constant* size =
        operands.size() == 1 && operands.front() && operands.front()->shape.form == Form::scalar ? &*operands.front() : nullptr;
    if (!size || size->values.front() < 1 || size->values.front() != std::floor(size->values.front())) {
        diagnostics
            .report(kind::identity_size, call.span, in_backticks(call.span.text()) + " needs one whole number, the size of the matrix")
            .hint = "write `midentity(3)`";
        return std::nullopt;
    }
    if (size->values.front() > max_dimension) {
        diagnostics.report(kind::dimension_limit, call.span, "dimension " + size->name + ", the limit is " + std::to_string(max_dimension));
        return std::nullopt;
    }
    const int n = static_cast<int>(size->values.front());
    Constant identity{{Form::matrix, n, n}, std::vector<double>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0),
        "midentity(" + std::to_string(n) + ")"};
    for (std::size_t i = 0; i < identity.values.size(); i += static_cast<std::size_t>(n) + 1) {
        identity.values[i] = 1;
    }
    return identity;
}

std::optional<Constant> constant_value(
    const ast::Program& program, const ast::Tree& tree, const std::string& name, const Shape& shape, Diagnostics& diagnostics) {
    std::vector<std::optional<Constant>> values;
    const ast::Expression& root = program.expression(tree.root);
    for (std::size_t i = tree.first.index(); i <= tree.root.index(); ++i) {
        const ast::Expression& e = program.expressions[i];
        std::vector<std::optional<Constant>> operands;
        if (e.kind != ast::ExpressionKind::table) {
            for (const ast::ExpressionId id : e.operands) {
                operands.push_back(values[id.index() - tree.first.index()]);
            }
        }
        values.push_back(e.kind == ast::ExpressionKind::table ? std::nullopt : constant_node(e, operands, diagnostics));
    }
    if (root.kind == ast::ExpressionKind::table) {
        return TableReader(program, values, tree.first, name, shape, diagnostics).read(root);
    }
    std::optional<Constant>& value = values.back();
    if (value && value->shape != shape) {
        Diagnostic& d = diagnostics.report(kind::table_mismatch, root.span,
            "the value of `" + name + "` is a `" + to_string(value->shape) + "`, but it is declared `" + to_string(shape) + "`");
        if (shape.form != Form::scalar && value->shape.form == Form::scalar) {
            d.hint = shape.form == Form::matrix ? "a matrix is written by rows: `[[1, 0], [0, 1]]`" : "a vector is written `[1, 2, 3]`";
        }
        return std::nullopt;
    }
    return std::move(value);
}

bool round_to(Precision precision, Constant& constant, const Span& span, Diagnostics& diagnostics) {
    if (precision == Precision::f64) {
        return true;
    }
    for (double& value : constant.values) {
        const double rounded = static_cast<double>(static_cast<float>(value));
        if (!std::isfinite(rounded) || (rounded == 0 && value != 0)) {
            diagnostics.report(kind::number_out_of_range, span, shortest(value) + " is outside the range of `float`, 1.4e-45 to 3.4e38")
                .hint = "use `double`";
            return false;
        }
        value = rounded;
    }
    return true;
}

} // namespace fusec::frontend
