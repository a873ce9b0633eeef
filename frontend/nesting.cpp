// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesting.hpp"

namespace fusec::frontend {

std::size_t NestingGuard::depth_after(TokenKind kind) {
    switch (kind) {
    case TokenKind::left_parenthesis:
    case TokenKind::left_bracket:
        open_.push_back(minuses_);
        depth_ += 1;
        minuses_ = 0;
        after_operand_ = false;
        break;
    case TokenKind::right_parenthesis:
    case TokenKind::right_bracket:
        depth_ -= minuses_;
        if (!open_.empty()) {
            depth_ -= 1 + open_.back();
            open_.pop_back();
        }
        minuses_ = 0;
        after_operand_ = true;
        break;
    case TokenKind::minus:
        if (after_operand_) { // infix: the operand in front of it is complete
            depth_ -= minuses_;
            minuses_ = 0;
        } else {
            minuses_ += 1;
            depth_ += 1;
        }
        after_operand_ = false;
        break;
    case TokenKind::left_brace:
        braces_ += 1;
        end_statement();
        break;
    case TokenKind::right_brace:
        braces_ -= braces_ > 0 ? 1 : 0;
        end_statement();
        break;
    case TokenKind::semicolon:
        end_statement();
        break;
    case TokenKind::name:
        // The minuses wait until it is known whether the name is a callee: they still stand in front of its `(`.
        after_operand_ = true;
        break;
    case TokenKind::number:
    case TokenKind::malformed_number:
    case TokenKind::apostrophe:
        after_operand_ = true;
        break;
    default:
        depth_ -= minuses_;
        minuses_ = 0;
        after_operand_ = false;
        break;
    }
    return braces_ + depth_;
}

void NestingGuard::end_statement() {
    open_.clear();
    depth_ = 0;
    minuses_ = 0;
    after_operand_ = false;
}

} // namespace fusec::frontend
