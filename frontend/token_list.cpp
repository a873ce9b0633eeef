// SPDX-License-Identifier: Apache-2.0
#include "frontend/token_list.hpp"
#include "frontend/nesting.hpp"
#include "frontend/syntax_messages.hpp"
#include "frontend/text_encoding.hpp"

#include "FusecLexer.h"

#include <antlr4-runtime.h>

namespace fusec::frontend {

using generated::FusecLexer;

namespace {

/// Lexical and syntax errors after which the rest of a file is not looked at.
constexpr std::size_t most_errors = 100;

class TokenReader {
public:
    TokenReader(const SourcePtr& source, Diagnostics& diagnostics)
        : source_(source),
          diagnostics_(diagnostics),
          skipped_(byte_order_mark_length(source->text())),
          offsets_(code_point_offsets(source->text(), skipped_)) {}

    /// Reads to the end of the file; nothing if the nesting limit or the number of errors stopped it.
    std::optional<TokenList> read() {
        antlr4::ANTLRInputStream characters{std::string(source_->text().substr(skipped_))};
        FusecLexer lexer(&characters);
        lexer.removeErrorListeners();
        NestingGuard nesting;
        TokenList list;
        for (;;) {
            std::unique_ptr<antlr4::Token> token = lexer.nextToken();
            Token own{kind_of(token->getType()), offset_of(token->getStartIndex()), offset_of(token->getStopIndex() + 1)};
            if (own.kind == TokenKind::end) {
                own = {TokenKind::end, source_->text().size(), source_->text().size()};
            } else if (!accept(own, list)) {
                if (report_too_many(span_of(own), diagnostics_)) {
                    return std::nullopt;
                }
                continue;
            }
            if (const std::size_t depth = nesting.depth_after(own.kind); depth > max_nesting) {
                diagnostics_
                    .report(kind::nesting_limit, span_of(own),
                        "nesting of " + std::to_string(depth) + " brackets and signs, the limit is " + std::to_string(max_nesting))
                    .hint = "give an inner expression a name of its own";
                return std::nullopt;
            }
            if (token->getType() == FusecLexer::RANGE_START) {
                split_range_start(std::move(token), own, list);
                continue;
            }
            if (own.kind == TokenKind::malformed_number) { // reported; the parser goes on as if it were one
                static_cast<antlr4::CommonToken&>(*token).setType(FusecLexer::NUMBER);
            }
            list.own.push_back(own);
            list.generated.push_back(std::move(token));
            if (own.kind == TokenKind::end) {
                return list;
            }
        }
    }

private:
    Span span_of(const Token& token) const { return {source_, token.begin, token.end}; }
    std::size_t offset_of(std::size_t index) const {
        return offsets_.empty() ? skipped_ + index : offsets_.at(std::min(index, offsets_.size() - 1));
    }

    /// `0..` as a number and dots.
    static void split_range_start(std::unique_ptr<antlr4::Token> token, const Token& own, TokenList& list) {
        constexpr std::size_t dots = 2;
        auto number = std::make_unique<antlr4::CommonToken>(token.get());
        number->setType(FusecLexer::NUMBER);
        number->setStopIndex(number->getStopIndex() - dots);
        auto& rest = static_cast<antlr4::CommonToken&>(*token);
        rest.setType(FusecLexer::DOTS);
        rest.setStartIndex(number->getStopIndex() + 1);
        list.own.push_back({TokenKind::number, own.begin, own.end - dots});
        list.generated.push_back(std::move(number));
        list.own.push_back({TokenKind::dots, own.end - dots, own.end});
        list.generated.push_back(std::move(token));
    }

    /// Of operators of other languages.
    std::string hint_of(const Token& token) const {
        const std::string_view rest = source_->text().substr(token.begin);
        switch (rest.front()) {
        case '?':
        case '&':
        case '|':
        case '!':
            return only_branch;
        case '^':
            return "there is no operator for powers: `A * A`, or `spow(s, 2)` of scalars; the transpose is `A'`";
        case '.':
            return rest.starts_with(".*") || rest.starts_with("./")
                ? "there is no operator by components: a loop makes a value of them, `for i in 0..3 { c[i] = a[i] * b[i]; }`, `mddot(A, "
                  "B)` and `vdot(a, b)` their sum"
                : "";
        default:
            return "";
        }
    }

    /// Reports a token that is none; returns whether the parser shall see it.
    bool accept(const Token& token, TokenList& list) {
        switch (token.kind) {
        case TokenKind::unexpected:
            if (token.begin != unexpected_end_) { // one report for a run of them
                list.errors.push_back(token.begin);
                diagnostics_.report(kind::syntax_error, span_of(token), "unexpected character " + in_backticks(span_of(token).text()))
                    .hint = hint_of(token);
            }
            unexpected_end_ = token.end;
            return false;
        case TokenKind::open_comment:
            list.errors.push_back(token.begin);
            diagnostics_.report(kind::syntax_error, span_of(token), "comment is not closed").hint = "close it with `*/`";
            comment_open_ = true;
            return false;
        case TokenKind::malformed_number:
            list.errors.push_back(token.begin);
            diagnostics_.report(kind::syntax_error, span_of(token), in_backticks(span_of(token).text()) + " is not a number").hint =
                "numbers are written `2`, `0.5` or `1e-3`; the precision follows from the other operands";
            return true;
        default:
            return !comment_open_;
        }
    }

    SourcePtr source_;
    Diagnostics& diagnostics_;
    std::size_t skipped_;
    std::vector<std::size_t> offsets_;
    std::size_t unexpected_end_ = std::string_view::npos;
    bool comment_open_ = false; ///< what follows an unclosed `/*` is comment
};

} // namespace

TokenKind kind_of(std::size_t type) {
    switch (type) {
    case FusecLexer::PROGRAM:
        return TokenKind::keyword_program;
    case FusecLexer::INPUT:
        return TokenKind::keyword_input;
    case FusecLexer::INOUT:
        return TokenKind::keyword_inout;
    case FusecLexer::RETURN:
        return TokenKind::keyword_return;
    case FusecLexer::UNIFORM:
        return TokenKind::keyword_uniform;
    case FusecLexer::CONST:
        return TokenKind::keyword_const;
    case FusecLexer::INCLUDE:
        return TokenKind::keyword_include;
    case FusecLexer::DEF:
        return TokenKind::keyword_def;
    case FusecLexer::BLOCK:
        return TokenKind::keyword_block;
    case FusecLexer::FOR:
        return TokenKind::keyword_for;
    case FusecLexer::IN:
        return TokenKind::keyword_in;
    case FusecLexer::ALTERNATIVES:
        return TokenKind::keyword_alternatives;
    case FusecLexer::OR:
        return TokenKind::keyword_or;
    case FusecLexer::ASSERT:
        return TokenKind::keyword_assert;
    case FusecLexer::FLOAT:
        return TokenKind::keyword_float;
    case FusecLexer::STORE:
        return TokenKind::keyword_store;
    case FusecLexer::DOUBLE:
        return TokenKind::keyword_double;
    case FusecLexer::SCALAR:
        return TokenKind::scalar;
    case FusecLexer::VECTOR:
        return TokenKind::vector;
    case FusecLexer::MATRIX:
        return TokenKind::matrix;
    case FusecLexer::SYMMETRIC:
        return TokenKind::symmetric;
    case FusecLexer::NAME:
        return TokenKind::name;
    case FusecLexer::NUMBER:
        return TokenKind::number;
    case FusecLexer::STRING:
        return TokenKind::string;
    case FusecLexer::PLUS_EQUALS:
        return TokenKind::plus_equals;
    case FusecLexer::MINUS_EQUALS:
        return TokenKind::minus_equals;
    case FusecLexer::EQUALS:
        return TokenKind::equals;
    case FusecLexer::LESS:
    case FusecLexer::LESS_EQUAL:
    case FusecLexer::GREATER:
    case FusecLexer::GREATER_EQUAL:
    case FusecLexer::EQUAL:
    case FusecLexer::NOT_EQUAL:
        return TokenKind::comparison;
    case FusecLexer::COMMA:
        return TokenKind::comma;
    case FusecLexer::COLON:
        return TokenKind::colon;
    case FusecLexer::SEMICOLON:
        return TokenKind::semicolon;
    case FusecLexer::PLUS:
        return TokenKind::plus;
    case FusecLexer::MINUS:
        return TokenKind::minus;
    case FusecLexer::STAR:
        return TokenKind::star;
    case FusecLexer::SLASH:
        return TokenKind::slash;
    case FusecLexer::PERCENT:
        return TokenKind::percent;
    case FusecLexer::DOTS:
    case FusecLexer::RANGE_START: // is split
        return TokenKind::dots;
    case FusecLexer::APOSTROPHE:
        return TokenKind::apostrophe;
    case FusecLexer::LEFT_PARENTHESIS:
        return TokenKind::left_parenthesis;
    case FusecLexer::RIGHT_PARENTHESIS:
        return TokenKind::right_parenthesis;
    case FusecLexer::LEFT_BRACKET:
        return TokenKind::left_bracket;
    case FusecLexer::RIGHT_BRACKET:
        return TokenKind::right_bracket;
    case FusecLexer::LEFT_BRACE:
        return TokenKind::left_brace;
    case FusecLexer::RIGHT_BRACE:
        return TokenKind::right_brace;
    case FusecLexer::OPEN_COMMENT:
        return TokenKind::open_comment;
    case FusecLexer::MALFORMED_NUMBER:
        return TokenKind::malformed_number;
    case antlr4::Token::EOF:
        return TokenKind::end;
    default:
        return TokenKind::unexpected;
    }
}

TokenList::TokenList() = default;
TokenList::TokenList(TokenList&&) noexcept = default;
TokenList& TokenList::operator=(TokenList&&) noexcept = default;
TokenList::~TokenList() = default;

std::optional<TokenList> read_tokens(const SourcePtr& source, Diagnostics& diagnostics) {
    return TokenReader(source, diagnostics).read();
}

bool report_too_many(const Span& span, Diagnostics& diagnostics) {
    if (diagnostics.error_count() < most_errors) {
        return false;
    }
    diagnostics.report(kind::too_many_errors, span,
        std::to_string(diagnostics.error_count()) + " errors so far, the limit is " + std::to_string(most_errors) +
            ": the rest of the file was not looked at");
    return true;
}

} // namespace fusec::frontend
