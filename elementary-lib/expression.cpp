// SPDX-License-Identifier: Apache-2.0
// Parser and evaluator of integer expressions. Nodes are stored children first, so evaluation is a loop and never recurses.
#include "elementary-lib/expression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace fusec::library {

namespace {

/// Parentheses and unary operators nest at most this deep: the parser recurses once per level.
constexpr int max_nesting = 128;

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Binary operators by level, loosest first; within a level, longer spellings first.
constexpr std::array<std::array<std::string_view, 4>, 6> levels{{
    {"||", "", "", ""},
    {"&&", "", "", ""},
    {"==", "!=", "", ""},
    {"<=", ">=", "<", ">"},
    {"+", "-", "", ""},
    {"*", "/", "%", ""},
}};

std::optional<std::int64_t> apply(const std::string& op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (op == "+") {
        return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    }
    if (op == "-") {
        return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    }
    if (op == "*") {
        return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    }
    if (op == "/" || op == "%") {
        if (b == 0 || (b == -1 && a == INT64_MIN)) {
            return std::nullopt;
        }
        return op == "/" ? a / b : a % b;
    }
    if (op == "min") {
        return std::min(a, b);
    }
    if (op == "max") {
        return std::max(a, b);
    }
    if (op == "log2") {
        return a < 1 ? std::nullopt : std::optional<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(a)) - 1);
    }
    const bool holds = op == "==" ? a == b
        : op == "!="              ? a != b
        : op == "<="              ? a <= b
        : op == ">="              ? a >= b
        : op == "<"               ? a < b
        : op == ">"               ? a > b
        : op == "&&"              ? (a != 0 && b != 0)
                                  : (a != 0 || b != 0);
    return holds ? 1 : 0;
}

} // namespace

class SizeExpressionParser {
public:
    explicit SizeExpressionParser(std::string_view text) : text_(text) {}

    bool parse(SizeExpression& into) {
        into.root_ = binary(0);
        skip_blanks();
        if (error_.empty() && at_ < text_.size()) {
            fail("unexpected `" + std::string(1, text_[at_]) + "`");
        }
        into.text_ = std::string(text_);
        into.nodes_ = std::move(nodes_);
        return error_.empty();
    }
    std::string error_;
    std::size_t error_at_ = 0;

private:
    int fail(std::string message) {
        if (error_.empty()) {
            error_ = std::move(message);
            error_at_ = at_;
        }
        return -1;
    }
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    bool take(std::string_view token) {
        skip_blanks();
        if (token.empty() || text_.substr(at_, token.size()) != token) {
            return false;
        }
        at_ += token.size();
        return true;
    }
    int add(std::string op, int left, int right) {
        if (left < 0 || right < 0) {
            return -1;
        }
        nodes_.push_back({std::move(op), 0, {}, left, right});
        return static_cast<int>(nodes_.size()) - 1;
    }
    int leaf(SizeExpression::Node node) {
        nodes_.push_back(std::move(node));
        return static_cast<int>(nodes_.size()) - 1;
    }

    int binary(std::size_t level) {
        if (level == levels.size()) {
            return unary();
        }
        int left = binary(level + 1);
        for (bool found = true; found && left >= 0;) {
            found = false;
            for (const std::string_view op : levels[level]) {
                if (take(op)) {
                    left = add(std::string(op), left, binary(level + 1));
                    found = true;
                    break;
                }
            }
        }
        return left;
    }
    int unary() {
        if (++depth_ > max_nesting) {
            return fail("nested deeper than " + std::to_string(max_nesting));
        }
        const int node = take("-") ? negated(unary()) : primary();
        --depth_;
        return node;
    }
    int negated(int operand) { return operand < 0 ? -1 : add("-", leaf({"number", 0, {}, -1, -1}), operand); }
    int primary() {
        skip_blanks();
        if (at_ == text_.size()) {
            return fail(text_.empty() ? "the expression is empty" : "a number, a name or `(` is missing at the end");
        }
        if (take("(")) {
            const int inner = binary(0);
            return inner < 0 || take(")") ? inner : fail("`)` is missing");
        }
        if (is_digit(text_[at_])) {
            return number();
        }
        if (is_letter(text_[at_])) {
            return name();
        }
        return fail("unexpected `" + std::string(1, text_[at_]) + "`");
    }
    int number() {
        std::int64_t value = 0;
        const std::size_t start = at_;
        for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
            if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
                __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
                at_ = start;
                return fail("the number does not fit in 64 bits");
            }
        }
        return leaf({"number", value, {}, -1, -1});
    }
    int name() {
        const std::size_t start = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) {
            ++at_;
        }
        std::string word(text_.substr(start, at_ - start));
        if (!take("(")) {
            return leaf({"name", 0, std::move(word), -1, -1});
        }
        if (word != "min" && word != "max" && word != "log2") {
            at_ = start;
            return fail("`" + word + "` is no function of size expressions (`min`, `max`, `log2`)");
        }
        const int left = binary(0);
        if (word == "log2") {
            return left < 0 || take(")") ? add(std::move(word), left, left) : fail("`)` is missing");
        }
        if (left >= 0 && !take(",")) {
            return fail("`" + word + "` takes two operands: `,` is missing");
        }
        const int right = left < 0 ? -1 : binary(0);
        if (right >= 0 && !take(")")) {
            return fail("`)` is missing");
        }
        return add(std::move(word), left, right);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::vector<SizeExpression::Node> nodes_;
};

SizeExpression::SizeExpression() : nodes_{{"number", 0, {}, -1, -1}}, root_(0) {}

std::optional<SizeExpression> SizeExpression::parse(std::string_view text, std::string& error, std::size_t& where) {
    SizeExpressionParser parser(text);
    SizeExpression expression;
    if (!parser.parse(expression)) {
        error = std::move(parser.error_);
        where = std::min(parser.error_at_, text.size());
        return std::nullopt;
    }
    return expression;
}

std::optional<std::int64_t> SizeExpression::evaluate(const ShapeValues& values) const {
    std::vector<std::optional<std::int64_t>> results(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        if (node.op == "number") {
            results[i] = node.number;
        } else if (node.op == "name") {
            const auto found = values.find(node.name);
            results[i] = found == values.end() ? std::nullopt : std::optional<std::int64_t>(found->second);
        } else {
            const auto& left = results[static_cast<std::size_t>(node.left)];
            const auto& right = results[static_cast<std::size_t>(node.right)];
            // A decided left operand decides && and ||, so `N > 0 && 8 / N` has a value for N = 0.
            const bool decided = left && ((node.op == "&&" && *left == 0) || (node.op == "||" && *left != 0));
            results[i] = decided ? std::optional<std::int64_t>(node.op == "||")
                : left && right  ? apply(node.op, *left, *right)
                                 : std::nullopt;
        }
    }
    return results[static_cast<std::size_t>(root_)];
}

std::vector<std::string> SizeExpression::names() const {
    std::vector<std::string> found;
    for (const Node& node : nodes_) {
        if (node.op == "name") {
            found.push_back(node.name);
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace fusec::library
