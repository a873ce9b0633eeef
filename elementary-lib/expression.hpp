// SPDX-License-Identifier: Apache-2.0
// Integer expressions of metadata files (`threads = "M*N"`, `limit = "M <= 4"`, `flops = "M*N*(2*K - 1)"`) over the shape parameters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::library {

/// Values of the shape parameters of one instance, by name.
using ShapeValues = std::map<std::string, int>;

/// A parsed integer expression: + - * / % (truncating), comparisons and && || (1 or 0), min(a,b), max(a,b), log2(a)
/// (rounded down, nothing below 1), parentheses.
/// Value type; evaluation is O(nodes) and exact in 64 bits.
class SizeExpression {
public:
    /// The constant 0.
    SizeExpression();
    /// Parses `text`; on a syntax error returns nothing and sets `error` and the byte offset `where`.
    static std::optional<SizeExpression> parse(std::string_view text, std::string& error, std::size_t& where);

    /// Pre: every name of `names()` has a value. Division by zero yields nothing.
    std::optional<std::int64_t> evaluate(const ShapeValues& values) const;
    std::vector<std::string> names() const;
    const std::string& text() const { return text_; }

private:
    struct Node {
        std::string op; ///< "number", "name", or an operator
        std::int64_t number = 0;
        std::string name;
        int left = -1;
        int right = -1;
    };
    friend class SizeExpressionParser;

    std::string text_ = "0";
    std::vector<Node> nodes_;
    int root_ = -1;
};

} // namespace fusec::library
