// SPDX-License-Identifier: Apache-2.0
#include "frontend/integers.hpp"
#include "frontend/syntax_messages.hpp"

#include <charconv>
#include <limits>

namespace fusec::frontend {

namespace {

using Integer = std::optional<std::int64_t>;

void report_overflow(const ast::Index& node, const std::string& what, Diagnostics& diagnostics) {
    diagnostics.report(
        kind::integer_arithmetic, node.span, in_backticks(node.span.text()) + " is " + what + ", outside the range of 64-bit integers");
}

Integer number(const ast::Index& node, Diagnostics& diagnostics) {
    std::int64_t value = 0;
    const char* const end = node.text.data() + node.text.size();
    const auto [stop, error] = std::from_chars(node.text.data(), end, value);
    if (stop != end) {
        diagnostics.report(kind::not_an_integer, node.span, in_backticks(node.text) + " in a bound or an index").hint =
            "write a whole number with digits only";
        return std::nullopt;
    }
    if (error != std::errc{}) {
        diagnostics.report(kind::integer_arithmetic, node.span,
            in_backticks(node.text) + " is outside the range of 64-bit integers, up to " +
                std::to_string(std::numeric_limits<std::int64_t>::max()));
        return std::nullopt;
    }
    return value;
}

Integer applied(const ast::Index& node, std::int64_t left, std::int64_t right, Diagnostics& diagnostics) {
    const char symbol = node.text.front();
    std::int64_t result = 0;
    bool overflows = false;
    switch (symbol) {
    case '+':
        overflows = __builtin_add_overflow(left, right, &result);
        break;
    case '-':
        overflows = __builtin_sub_overflow(left, right, &result);
        break;
    case '*':
        overflows = __builtin_mul_overflow(left, right, &result);
        break;
    default:
        if (right == 0) {
            diagnostics.report(
                kind::integer_arithmetic, node.span, in_backticks(node.span.text()) + " divides " + std::to_string(left) + " by 0");
            return std::nullopt;
        }
        if (right == -1) { // the only quotient that may not exist: the machine's instruction traps, also for `%`
            overflows = symbol == '/' && __builtin_sub_overflow(std::int64_t{0}, left, &result);
        } else {
            result = symbol == '/' ? left / right : left % right;
        }
        break;
    }
    if (overflows) {
        report_overflow(node, std::to_string(left) + " " + node.text + " " + std::to_string(right), diagnostics);
        return std::nullopt;
    }
    return result;
}

} // namespace

std::optional<std::int64_t> integer_value(
    const ast::Program& program, const ast::IndexTree& tree, const IntegerOfName& value_of, Diagnostics& diagnostics) {
    std::vector<Integer> values; // of the operands that wait
    for (std::size_t i = tree.first.index(); i <= tree.root.index(); ++i) {
        const ast::Index& node = program.indices[i];
        switch (node.kind) {
        case ast::IndexKind::number:
            values.push_back(number(node, diagnostics));
            break;
        case ast::IndexKind::name:
            values.push_back(value_of(node, {}));
            break;
        case ast::IndexKind::entry: {
            const auto waiting = values.end() - ast::operand_count(node);
            std::vector<std::int64_t> indices;
            for (auto index = waiting; index != values.end(); ++index) {
                if (*index) {
                    indices.push_back(**index);
                }
            }
            const bool known = indices.size() == static_cast<std::size_t>(values.end() - waiting);
            values.erase(waiting, values.end());
            values.push_back(known ? value_of(node, indices) : std::nullopt);
            break;
        }
        case ast::IndexKind::prefix:
            if (values.back() && *values.back() == std::numeric_limits<std::int64_t>::min()) {
                report_overflow(node, "-(" + std::to_string(*values.back()) + ")", diagnostics);
                values.back().reset();
            } else if (values.back()) {
                values.back() = -*values.back();
            }
            break;
        case ast::IndexKind::infix: {
            const Integer right = values.back();
            values.pop_back();
            values.back() = values.back() && right ? applied(node, *values.back(), *right, diagnostics) : std::nullopt;
            break;
        }
        }
    }
    return values.back();
}

Span span_of(const ast::Program& program, const ast::IndexTree& tree) {
    return program.index(tree.root).span;
}

} // namespace fusec::frontend
