// SPDX-License-Identifier: Apache-2.0
// Bounds the nesting of a program on its tokens, before a recursive parser sees them.
#pragma once

#include "frontend/tokens.hpp"

#include <vector>

namespace fusec::frontend {

/// Deepest nesting of a program (DESIGN.md section 2).
inline constexpr std::size_t max_nesting = 256;

/// Follows the tokens of a program in order. The depth is the number of brackets and braces open plus the unary minuses waiting for
/// their operand, those in front of an open bracket included: the height of the stack a recursive descent would need. A `;` or a brace
/// at any depth closes all brackets, as the parser recovers there. O(1) per token; memory is bounded by the limit.
class NestingGuard {
public:
    /// Takes the next token and returns the depth it stands at.
    std::size_t depth_after(TokenKind kind);

private:
    void end_statement();

    std::vector<std::size_t> open_; ///< per open bracket: minuses directly in front of it
    std::size_t braces_ = 0;
    std::size_t depth_ = 0;   ///< within the statement
    std::size_t minuses_ = 0; ///< length of the run of unary minuses that ends here
    bool after_operand_ = false;
};

} // namespace fusec::frontend
