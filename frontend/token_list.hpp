// SPDX-License-Identifier: Apache-2.0
// Characters to tokens: the lexer with what it cannot know about, lexical errors and the nesting limit.
#pragma once

#include "frontend/tokens.hpp"
#include "support/diagnostics.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace antlr4 {
class Token;
}

namespace fusec::frontend {

/// The kind of a token of the generated lexer.
TokenKind kind_of(std::size_t generated_type);

/// The tokens that the parser gets, in the runtime's terms and in ours, index by index.
struct TokenList {
    TokenList();
    TokenList(TokenList&&) noexcept;
    TokenList& operator=(TokenList&&) noexcept;
    ~TokenList();

    std::vector<std::unique_ptr<antlr4::Token>> generated;
    std::vector<Token> own;
    std::vector<std::size_t> errors; ///< offsets of lexical errors, ascending
};

/// Reads to the end of the file; nothing if the nesting limit or the number of errors stopped it. Pre: valid UTF-8.
std::optional<TokenList> read_tokens(const SourcePtr& source, Diagnostics& diagnostics);

/// Reports `too-many-errors` at the place and returns true when 100 errors were reported: the rest of a file is not looked at.
bool report_too_many(const Span& span, Diagnostics& diagnostics);

} // namespace fusec::frontend
