// SPDX-License-Identifier: Apache-2.0
// The tokens of the language in the front end's own terms, so that only parse.cpp needs the parser generator's.
#pragma once

#include <cstddef>
#include <string>

namespace fusec::frontend {

enum class TokenKind {
    keyword_program,
    keyword_input,
    keyword_inout,
    keyword_return,
    keyword_uniform,
    keyword_const,
    keyword_include,
    keyword_def,
    keyword_block,
    keyword_for,
    keyword_in,
    keyword_alternatives,
    keyword_or,
    keyword_assert,
    keyword_float,
    keyword_store,
    keyword_double,
    scalar,
    vector,
    matrix,
    symmetric,
    name,
    number,
    string, ///< `"file.fus"`, or what an `assert` says
    equals,
    plus_equals,
    minus_equals,
    comparison, ///< `<`, `<=`, `>`, `>=`, `==` or `!=`
    comma,
    colon,
    semicolon,
    plus,
    minus,
    star,
    slash,
    percent,
    dots,
    apostrophe,
    left_parenthesis,
    right_parenthesis,
    left_bracket,
    right_bracket,
    left_brace,
    right_brace,
    open_comment,     ///< `/*` without its end
    malformed_number, ///< `2x`, `1.0f`
    unexpected,       ///< a character of no token
    end,              ///< of the file
};

/// A token and its byte range in the source.
struct Token {
    TokenKind kind = TokenKind::end;
    std::size_t begin = 0;
    std::size_t end = 0;
};

} // namespace fusec::frontend
