// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax_messages.hpp"

#include <algorithm>

namespace fusec::frontend {

namespace {

class Reporter {
public:
    Reporter(const SourcePtr& source, const std::vector<Token>& tokens, const SyntaxProblem& problem)
        : source_(source), tokens_(tokens), problem_(problem), found_(tokens.at(problem.found)) {}

    bool report(Diagnostics& diagnostics) const {
        if (misses_semicolon()) {
            const std::size_t end = previous().end;
            diagnostics.report(kind::syntax_error, {source_, end, end}, "missing `;` after " + described(previous()));
            return true;
        }
        Diagnostic& d = diagnostics.report(kind::syntax_error, span_of(found_), "expected " + expected() + ", found " + described(found_));
        if (const Token* opening = unclosed()) {
            d.notes.push_back({span_of(*opening), "the " + in_backticks(text_of(*opening)) + " that is open"});
        }
        d.hint = hint();
        return false;
    }

private:
    Span span_of(const Token& token) const { return {source_, token.begin, token.end}; }
    std::string_view text_of(const Token& token) const { return source_->text().substr(token.begin, token.end - token.begin); }
    const Token& previous() const { return tokens_.at(problem_.found - 1); }
    bool allows(TokenKind kind) const {
        return std::find(problem_.expected.begin(), problem_.expected.end(), kind) != problem_.expected.end();
    }

    std::string described(const Token& token) const {
        switch (token.kind) {
        case TokenKind::end:
            return "the end of the file";
        case TokenKind::name:
            return "the name " + in_backticks(text_of(token));
        case TokenKind::number:
        case TokenKind::malformed_number:
            return "the number " + in_backticks(text_of(token));
        case TokenKind::keyword_program:
        case TokenKind::keyword_input:
        case TokenKind::keyword_inout:
        case TokenKind::keyword_return:
        case TokenKind::keyword_uniform:
        case TokenKind::keyword_const:
        case TokenKind::keyword_include:
        case TokenKind::keyword_def:
        case TokenKind::keyword_block:
        case TokenKind::keyword_for:
        case TokenKind::keyword_in:
        case TokenKind::keyword_alternatives:
        case TokenKind::keyword_or:
        case TokenKind::keyword_assert:
        case TokenKind::keyword_float:
        case TokenKind::keyword_store:
        case TokenKind::keyword_double:
            return "the keyword " + in_backticks(text_of(token));
        case TokenKind::scalar:
        case TokenKind::vector:
        case TokenKind::matrix:
        case TokenKind::symmetric:
            return "the shape " + in_backticks(text_of(token));
        default:
            return in_backticks(text_of(token));
        }
    }

    /// The statement is complete but for its `;`, and what follows stands on a later line.
    bool misses_semicolon() const {
        if (!allows(TokenKind::semicolon) || problem_.found == problem_.statement) {
            return false;
        }
        const bool ends = found_.kind == TokenKind::end || found_.kind == TokenKind::right_brace;
        const bool could_go_on = found_.kind == TokenKind::name || begins_statement(found_.kind) || ends;
        return could_go_on && (ends || source_->line(previous().begin) < source_->line(found_.begin));
    }

    std::string expected() const {
        const bool expression = allows(TokenKind::number);
        if (lacks_operand_of_conversion()) {
            return "`(`";
        }
        if (allows(TokenKind::keyword_return)) {
            return "a statement";
        }
        if (problem_.rule == "alternativesOpening" || problem_.rule == "alternativeOpening") {
            return "`{`";
        }
        if (expression && is_index()) {
            return allows(TokenKind::colon) ? "an index or a range" : "a whole number or a name";
        }
        if (expression) {
            return allows(TokenKind::left_bracket)     ? "an expression or a table"
                : allows(TokenKind::right_parenthesis) ? "an argument or `)`"
                                                       : "an expression";
        }
        if (problem_.rule == "programBlockOpening") {
            return allows(TokenKind::name) ? "a name" : "`{`";
        }
        if (problem_.rule == "definitionOpening" || problem_.rule == "parameter") {
            return allows(TokenKind::left_brace)       ? "`{`"
                : allows(TokenKind::left_parenthesis)  ? "`(`"
                : allows(TokenKind::comma)             ? "`,` or `)`"
                : allows(TokenKind::right_parenthesis) ? "a parameter or `)`"
                : allows(TokenKind::matrix)            ? "a parameter"
                                                       : "a name";
        }
        if (allows(TokenKind::matrix)) {
            return allows(TokenKind::keyword_float) ? "a precision or a shape" : "a shape";
        }
        if (allows(TokenKind::keyword_float)) {
            return "`float` or `double`";
        }
        if (allows(TokenKind::name)) {
            return "a name";
        }
        if (allows(TokenKind::equals)) {
            return allows(TokenKind::plus_equals) ? "`=`, `+=` or `-=`" : "`=`";
        }
        if (problem_.rule == "assertion" && !expression && !allows(TokenKind::semicolon)) {
            return allows(TokenKind::string)          ? "what to say where it fails, in quotes"
                : allows(TokenKind::left_parenthesis) ? "`(`"
                : allows(TokenKind::comma)            ? "an operator or `,`"
                                                      : "`)`";
        }
        if (allows(TokenKind::string)) {
            return "the name of a file in quotes";
        }
        if (allows(TokenKind::keyword_in)) {
            return "`in`";
        }
        if (allows(TokenKind::dots)) {
            return "an operator or `..`";
        }
        if (allows(TokenKind::left_brace)) {
            return "an operator or `{`";
        }
        if (allows(TokenKind::right_bracket)) {
            return allows(TokenKind::colon) ? "an operator, `:`, `,` or `]`" : "an operator, `,` or `]`";
        }
        if (allows(TokenKind::right_parenthesis)) {
            return problem_.rule == "arguments" ? "an operator, `,` or `)`" : "an operator or `)`";
        }
        if (problem_.rule == "assignment" || problem_.rule == "returnValue") {
            return "an operator or `;`";
        }
        return problem_.rule == "programName" || problem_.rule == "includeFile" || problem_.rule == "assertion" ? "`;`" : "`,` or `;`";
    }

    /// Behind the `double` or `float` of an expression.
    bool lacks_operand_of_conversion() const {
        return problem_.rule == "arguments" && allows(TokenKind::left_parenthesis) && !allows(TokenKind::number);
    }

    /// Inside bounds or the brackets of an index, where only integers can be.
    bool is_index() const {
        return problem_.rule == "index" || problem_.rule == "indexProduct" || problem_.rule == "signedIndex" ||
            problem_.rule == "indexOperand" || problem_.rule == "slice" || problem_.rule == "subscript";
    }

    /// The innermost bracket still open at the token found, when the problem is that it is not closed.
    const Token* unclosed() const {
        if (!allows(TokenKind::right_parenthesis) && !allows(TokenKind::right_bracket)) {
            return nullptr;
        }
        int closed = 0;
        for (std::size_t i = problem_.found; i-- > problem_.statement;) {
            const TokenKind kind = tokens_[i].kind;
            if (kind == TokenKind::right_parenthesis || kind == TokenKind::right_bracket) {
                ++closed;
            } else if ((kind == TokenKind::left_parenthesis || kind == TokenKind::left_bracket) && closed-- == 0) {
                return &tokens_[i];
            }
        }
        return nullptr;
    }

    std::string hint() const {
        const Token& first = tokens_.at(problem_.statement);
        const std::string_view word = text_of(first);
        if (std::string of_misuse = hint_of_misuse(); !of_misuse.empty()) {
            return of_misuse;
        }
        if (first.kind == TokenKind::name && problem_.found == problem_.statement + 1) {
            if (word.starts_with("MATRIX") || word.starts_with("VECTOR") || word.starts_with("matrix") || word.starts_with("vector") ||
                word.starts_with("SYMMETRIC") || word.starts_with("symmetric") || word == "scalar" || word == "Scalar") {
                return "a shape is written `SCALAR`, `VECTOR3`, `MATRIX3x4` or `SYMMETRIC3`";
            }
            if (found_.kind == TokenKind::left_parenthesis) {
                return "give the result a name: `x = " + std::string(word) + "(...);`";
            }
        }
        if (lacks_operand_of_conversion()) {
            return in_backticks(text_of(previous())) + " is a keyword and cannot be a name; `" + std::string(text_of(previous())) +
                "(x)` converts x";
        }
        const bool converts = first.kind == TokenKind::keyword_float || first.kind == TokenKind::keyword_double;
        if (converts && found_.kind == TokenKind::left_parenthesis && problem_.found == problem_.statement + 1) {
            return "give the value a name: `x = " + std::string(word) + "(...);`";
        }
        if (allows(TokenKind::name) && found_.kind <= TokenKind::keyword_double &&
            (!allows(TokenKind::number) || !begins_statement(found_.kind) ||
                source_->line(previous().begin) == source_->line(found_.begin))) {
            return in_backticks(text_of(found_)) + " is a keyword and cannot be a name";
        }
        if (first.kind <= TokenKind::keyword_double && problem_.found == problem_.statement + 1 &&
            (found_.kind == TokenKind::equals || found_.kind == TokenKind::plus_equals || found_.kind == TokenKind::minus_equals)) {
            return in_backticks(word) + " is a keyword and cannot be a name";
        }
        if (found_.kind == TokenKind::percent) {
            return "`%` stands in bounds and indices only, as in `Y[a % 2]`; there `a` may be a parameter of a definition";
        }
        if (problem_.rule == "returnValue" && found_.kind == TokenKind::comma) {
            return "a definition returns one value";
        }
        if (problem_.rule == "declaration" && found_.kind == TokenKind::equals) {
            return "assign in a statement of its own, or begin the declaration with `const` for a table of numbers";
        }
        if (found_.kind == TokenKind::left_bracket && is_index()) {
            return "indices stand in one pair of brackets: `t[0, 1]`";
        }
        if (found_.kind == TokenKind::left_bracket) {
            return "a table can only be the value of a `const`";
        }
        if (found_.kind == TokenKind::semicolon && problem_.found == problem_.statement) {
            return "remove this `;`";
        }
        return {};
    }

    /// Of what other languages write so.
    std::string hint_of_misuse() const {
        const Token& first = tokens_.at(problem_.statement);
        const std::string_view word = text_of(first), found = text_of(found_);
        const bool branches = first.kind == TokenKind::name && (word == "if" || word == "else") &&
            problem_.found == problem_.statement + 1 &&
            (found_.kind == TokenKind::left_parenthesis || found_.kind == TokenKind::left_brace || found_.kind == TokenKind::name);
        const bool joins = problem_.found > problem_.statement && !allows(TokenKind::name) &&
            (found_.kind == TokenKind::keyword_or ||
                (found_.kind == TokenKind::name && (found == "and" || found == "if" || found == "else")));
        if (branches || joins) {
            return only_branch;
        }
        const bool behind_for = problem_.found == problem_.statement + 1;
        if (first.kind == TokenKind::keyword_for && problem_.found > problem_.statement &&
            (behind_for ? found_.kind == TokenKind::left_parenthesis
                        : found_.kind == TokenKind::colon || found_.kind == TokenKind::equals)) {
            const bool named = tokens_.at(problem_.statement + 1).kind == TokenKind::name;
            const std::string variable(named ? text_of(tokens_[problem_.statement + 1]) : std::string_view("q"));
            return "a loop over 0, 1 and 2 is written `for " + variable + " in 0..3 { ... }`";
        }
        if (problem_.rule == "assertion" && found_.kind == TokenKind::right_parenthesis && allows(TokenKind::comma)) {
            return "say what is wrong where it does not hold: `assert(a > 0, \"text\");`";
        }
        const bool given = first.kind == TokenKind::keyword_input || first.kind == TokenKind::keyword_inout;
        const bool shape = found_.kind == TokenKind::scalar || found_.kind == TokenKind::vector || found_.kind == TokenKind::matrix ||
            found_.kind == TokenKind::symmetric || found_.kind == TokenKind::keyword_float || found_.kind == TokenKind::keyword_double;
        if (given && shape) {
            return "declare the type in a statement of its own: `MATRIX3x3 A;`, then `" + std::string(word) + " A;`";
        }
        const bool goes_on = found_.kind != TokenKind::semicolon && found_.kind != TokenKind::end &&
            found_.kind != TokenKind::right_brace && found_.kind > TokenKind::keyword_double;
        if (problem_.rule == "returnList" && goes_on && !(found_.kind == TokenKind::name && !allows(TokenKind::name))) {
            return "`return` takes names: `F = ...;`, then `return F;`";
        }
        return {};
    }

    const SourcePtr& source_;
    const std::vector<Token>& tokens_;
    const SyntaxProblem& problem_;
    const Token& found_;
};

} // namespace

bool report_syntax_problem(
    const SourcePtr& source, const std::vector<Token>& tokens, const SyntaxProblem& problem, Diagnostics& diagnostics) {
    return Reporter(source, tokens, problem).report(diagnostics);
}

std::string in_backticks(std::string_view text) {
    constexpr std::size_t most = 40;
    if (text.size() <= most) {
        return "`" + std::string(text) + "`";
    }
    std::size_t cut = most;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) {
        --cut; // not inside a code point
    }
    return "`" + std::string(text.substr(0, cut)) + "...`";
}

bool begins_statement(TokenKind kind) {
    switch (kind) {
    case TokenKind::keyword_program:
    case TokenKind::keyword_input:
    case TokenKind::keyword_inout:
    case TokenKind::keyword_return:
    case TokenKind::keyword_uniform:
    case TokenKind::keyword_const:
    case TokenKind::keyword_include:
    case TokenKind::keyword_def:
    case TokenKind::keyword_block:
    case TokenKind::keyword_for:
    case TokenKind::keyword_alternatives:
    case TokenKind::keyword_or:
    case TokenKind::keyword_assert:
    case TokenKind::keyword_float:
    case TokenKind::keyword_store:
    case TokenKind::keyword_double:
    case TokenKind::scalar:
    case TokenKind::vector:
    case TokenKind::matrix:
        return true;
    default:
        return false;
    }
}

} // namespace fusec::frontend
