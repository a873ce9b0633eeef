// SPDX-License-Identifier: Apache-2.0
// Turns what the parser knows at an error into a message in the words of the language.
#pragma once

#include "frontend/tokens.hpp"
#include "support/diagnostics.hpp"

#include <string_view>
#include <vector>

namespace fusec::frontend {

/// What there is in place of `if`, `?`, `&&` and `or`.
inline constexpr const char* only_branch = "no other branch than `select(a < b, x, y)`; nest it for several conditions";

/// Where and in what rule of the grammar the parser stopped.
struct SyntaxProblem {
    std::size_t statement = 0;       ///< index of the statement's first token
    std::size_t found = 0;           ///< index of the token that does not fit
    std::vector<TokenKind> expected; ///< what the grammar allows there
    std::string_view rule;           ///< name of the innermost rule, as in grammar/Fusec.g4
};

/// Reports the problem as `syntax-error`. Returns whether it is a `;` forgotten at the end of a line, so that the parser can go on
/// at the token it found. Pre: `tokens` ends with an `end` token.
bool report_syntax_problem(
    const SourcePtr& source, const std::vector<Token>& tokens, const SyntaxProblem& problem, Diagnostics& diagnostics);

/// Text of the program in backticks, cut after 40 bytes.
std::string in_backticks(std::string_view text);

/// Whether a token can only begin a statement, wherever it stands.
bool begins_statement(TokenKind kind);

} // namespace fusec::frontend
