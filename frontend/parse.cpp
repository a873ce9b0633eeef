// SPDX-License-Identifier: Apache-2.0
// The facade of the generated parser: the only file that sees ANTLR. Characters to tokens, tokens to trees, trees to the AST.
#include "frontend/ast.hpp"
#include "frontend/frontend.hpp"
#include "frontend/nesting.hpp"
#include "frontend/syntax_messages.hpp"
#include "frontend/text_encoding.hpp"

#include "FusecLexer.h"
#include "FusecParser.h"

#include <antlr4-runtime.h>

namespace fusec::frontend {

namespace {

using generated::FusecLexer;
using generated::FusecParser;

/// Lexical and syntax errors after which the rest of a file is not looked at.
constexpr std::size_t most_errors = 100;

TokenKind kind_of(std::size_t type) {
    switch (type) {
    case FusecLexer::PROGRAM:
        return TokenKind::keyword_program;
    case FusecLexer::INPUT:
        return TokenKind::keyword_input;
    case FusecLexer::RETURN:
        return TokenKind::keyword_return;
    case FusecLexer::UNIFORM:
        return TokenKind::keyword_uniform;
    case FusecLexer::CONST:
        return TokenKind::keyword_const;
    case FusecLexer::FLOAT:
        return TokenKind::keyword_float;
    case FusecLexer::DOUBLE:
        return TokenKind::keyword_double;
    case FusecLexer::SCALAR:
        return TokenKind::scalar;
    case FusecLexer::VECTOR:
        return TokenKind::vector;
    case FusecLexer::MATRIX:
        return TokenKind::matrix;
    case FusecLexer::NAME:
        return TokenKind::name;
    case FusecLexer::NUMBER:
        return TokenKind::number;
    case FusecLexer::EQUALS:
        return TokenKind::equals;
    case FusecLexer::COMMA:
        return TokenKind::comma;
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

/// The tokens that the parser gets, in the runtime's terms and in ours, index by index.
struct TokenList {
    std::vector<std::unique_ptr<antlr4::Token>> generated;
    std::vector<Token> own;
    std::vector<std::size_t> errors; ///< offsets of lexical errors, ascending
};

bool report_too_many(const Span& span, Diagnostics& diagnostics) {
    if (diagnostics.error_count() < most_errors) {
        return false;
    }
    diagnostics.report(kind::too_many_errors, span, std::to_string(diagnostics.error_count()) + " errors so far, the limit is " + std::to_string(most_errors) + ": the rest of the file was not looked at");
    return true;
}

class TokenReader {
public:
    TokenReader(const SourcePtr& source, Diagnostics& diagnostics)
        : source_(source), diagnostics_(diagnostics), skipped_(byte_order_mark_length(source->text())),
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
                diagnostics_.report(kind::nesting_limit, span_of(own), "nesting of " + std::to_string(depth) + " brackets and signs, the limit is " + std::to_string(max_nesting)).hint = "give an inner expression a name of its own";
                return std::nullopt;
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
    std::size_t offset_of(std::size_t index) const { return offsets_.empty() ? skipped_ + index : offsets_.at(std::min(index, offsets_.size() - 1)); }

    /// Reports a token that is none; returns whether the parser shall see it.
    bool accept(const Token& token, TokenList& list) {
        switch (token.kind) {
        case TokenKind::unexpected:
            if (token.begin != unexpected_end_) { // one report for a run of them
                list.errors.push_back(token.begin);
                diagnostics_.report(kind::syntax_error, span_of(token), "unexpected character " + in_backticks(span_of(token).text()));
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
            diagnostics_.report(kind::syntax_error, span_of(token), in_backticks(span_of(token).text()) + " is not a number").hint = "numbers are written `2`, `0.5` or `1e-3`; the precision follows from the other operands";
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

/// Leaves the statement at its first error and remembers where that was.
class StopAtError final : public antlr4::DefaultErrorStrategy {
public:
    void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}
    void sync(antlr4::Parser*) override {}
    void recover(antlr4::Parser* parser, std::exception_ptr) override { stop(parser); }
    antlr4::Token* recoverInline(antlr4::Parser* parser) override { stop(parser); }

    SyntaxProblem problem;

private:
    [[noreturn]] void stop(antlr4::Parser* parser) {
        problem.found = parser->getCurrentToken()->getTokenIndex();
        problem.rule = parser->getRuleNames().at(parser->getContext()->getRuleIndex());
        problem.expected.clear();
        for (const ssize_t type : parser->getExpectedTokens().toList()) {
            problem.expected.push_back(kind_of(static_cast<std::size_t>(type)));
        }
        throw antlr4::ParseCancellationException();
    }
};

/// Parse trees to AST nodes. Recursion follows nesting only, which is bounded; chains are loops.
class TreeBuilder {
public:
    TreeBuilder(const SourcePtr& source, const std::vector<Token>& tokens, ast::Program& program)
        : source_(source), tokens_(tokens), program_(program) {}

    void add(FusecParser::StatementContext* statement) {
        ast::Statement built{{}, span_of(statement)};
        if (auto* name = statement->programName()) {
            built.form = ast::ProgramName{name_of(name->NAME())};
        } else if (auto* declaration = statement->declaration()) {
            built.form = ast::Declaration{declaration->UNIFORM() != nullptr, precision_of(declaration->precision()), shape_of(declaration->shape()), names_of(declaration->NAME())};
        } else if (auto* constants = statement->constantDeclaration()) {
            ast::ConstantDeclaration form{precision_of(constants->precision()), shape_of(constants->shape()), {}};
            for (auto* definition : constants->constantDefinition()) {
                form.definitions.push_back({name_of(definition->NAME()), definition->table() ? tree_of([&] { return table(definition->table()); }) : tree_of([&] { return expression(definition->expression()); })});
            }
            built.form = std::move(form);
        } else if (auto* inputs = statement->inputList()) {
            built.form = ast::InputList{names_of(inputs->NAME())};
        } else if (auto* assignment = statement->assignment()) {
            built.form = ast::Assignment{name_of(assignment->NAME()), tree_of([&] { return expression(assignment->expression()); })};
        } else {
            built.form = ast::ReturnList{names_of(statement->returnList()->NAME())};
        }
        program_.statements.push_back(std::move(built));
    }

private:
    using Node = antlr4::tree::ParseTree;
    using Leaf = antlr4::tree::TerminalNode;

    Span span_of(antlr4::Token* first, antlr4::Token* last) const { return {source_, tokens_.at(first->getTokenIndex()).begin, tokens_.at(last->getTokenIndex()).end}; }
    Span span_of(antlr4::ParserRuleContext* context) const { return span_of(context->getStart(), context->getStop()); }
    Span span_of(Leaf* leaf) const { return span_of(leaf->getSymbol(), leaf->getSymbol()); }
    ast::Name name_of(Leaf* leaf) const { return {std::string(span_of(leaf).text()), span_of(leaf)}; }

    std::vector<ast::Name> names_of(const std::vector<Leaf*>& leaves) const {
        std::vector<ast::Name> names;
        for (Leaf* leaf : leaves) {
            names.push_back(name_of(leaf));
        }
        return names;
    }

    static std::optional<Precision> precision_of(FusecParser::PrecisionContext* context) {
        if (!context) {
            return std::nullopt;
        }
        return context->DOUBLE() ? Precision::f64 : Precision::f32;
    }

    ast::WrittenShape shape_of(FusecParser::ShapeContext* context) const {
        ast::WrittenShape shape{Form::scalar, {}, {}, span_of(context)};
        const std::string_view text = shape.span.text();
        constexpr std::size_t letters = 6; // of VECTOR and of MATRIX
        if (context->VECTOR()) {
            shape.form = Form::vector;
            shape.rows = text.substr(letters);
        } else if (context->MATRIX()) {
            const std::size_t cross = text.find('x');
            shape.form = Form::matrix;
            shape.rows = text.substr(letters, cross - letters);
            shape.columns = text.substr(cross + 1);
        }
        return shape;
    }

    template <class Build>
    ast::Tree tree_of(Build build) {
        const ast::ExpressionId first{program_.expressions.size()};
        return {first, build()};
    }

    ast::ExpressionId node(ast::ExpressionKind kind, std::vector<ast::ExpressionId> operands, Span span, Span head) {
        const ast::ExpressionId id{program_.expressions.size()};
        std::string text(kind == ast::ExpressionKind::table ? "[]" : head.text());
        program_.expressions.push_back({kind, std::move(text), std::move(operands), std::move(span), std::move(head)});
        return id;
    }
    Span whole(ast::ExpressionId id) const { return program_.expression(id).span; }

    /// `operand (operator operand)*`, left-associative.
    template <class Operand>
    ast::ExpressionId chain(const std::vector<Node*>& children, Operand operand) {
        ast::ExpressionId left = operand(children.front());
        for (std::size_t i = 2; i < children.size(); i += 2) {
            const ast::ExpressionId right = operand(children[i]);
            const Span span = whole(left).to(whole(right));
            left = node(ast::ExpressionKind::infix, {left, right}, span, span_of(static_cast<Leaf*>(children[i - 1])));
        }
        return left;
    }

    ast::ExpressionId expression(FusecParser::ExpressionContext* context) {
        return chain(context->children, [&](Node* child) { return product(static_cast<FusecParser::ProductContext*>(child)); });
    }

    ast::ExpressionId product(FusecParser::ProductContext* context) {
        return chain(context->children, [&](Node* child) { return signed_operand(static_cast<FusecParser::SignedOperandContext*>(child)); });
    }

    ast::ExpressionId signed_operand(FusecParser::SignedOperandContext* context) {
        ast::ExpressionId value = transposed(context->transposed());
        for (std::size_t i = context->children.size() - 1; i-- > 0;) {
            const Span sign = span_of(static_cast<Leaf*>(context->children[i]));
            value = node(ast::ExpressionKind::prefix, {value}, sign.to(whole(value)), sign);
        }
        return value;
    }

    ast::ExpressionId transposed(FusecParser::TransposedContext* context) {
        ast::ExpressionId value = primary(context->primary());
        for (std::size_t i = 1; i < context->children.size(); ++i) {
            const Span mark = span_of(static_cast<Leaf*>(context->children[i]));
            value = node(ast::ExpressionKind::suffix, {value}, whole(value).to(mark), mark);
        }
        return value;
    }

    ast::ExpressionId primary(FusecParser::PrimaryContext* context) {
        if (Leaf* number = context->NUMBER()) {
            return node(ast::ExpressionKind::number, {}, span_of(number), span_of(number));
        }
        if (Leaf* name = context->NAME()) {
            if (!context->arguments()) {
                return node(ast::ExpressionKind::name, {}, span_of(name), span_of(name));
            }
            std::vector<ast::ExpressionId> arguments;
            for (auto* argument : context->arguments()->expression()) {
                arguments.push_back(expression(argument));
            }
            return node(ast::ExpressionKind::call, std::move(arguments), span_of(context), span_of(name));
        }
        const ast::ExpressionId inner = expression(context->expression());
        program_.expressions.back().span = span_of(context);
        return inner;
    }

    ast::ExpressionId table(FusecParser::TableContext* context) {
        std::vector<ast::ExpressionId> entries;
        for (auto* entry : context->tableEntry()) {
            entries.push_back(entry->table() ? table(entry->table()) : expression(entry->expression()));
        }
        return node(ast::ExpressionKind::table, std::move(entries), span_of(context), span_of(context));
    }

    const SourcePtr& source_;
    const std::vector<Token>& tokens_;
    ast::Program& program_;
};

/// Index of the first token of the next statement: behind the next `;`, or at a word that can only begin one, on a new line.
std::size_t next_statement(const SourceText& source, const std::vector<Token>& tokens, const SyntaxProblem& problem) {
    for (std::size_t i = std::max(problem.found, problem.statement + 1); i + 1 < tokens.size(); ++i) {
        if (tokens[i - 1].kind == TokenKind::semicolon && i > problem.found) {
            return i;
        }
        if (begins_statement(tokens[i].kind) && source.line(tokens[i - 1].begin) < source.line(tokens[i].begin)) {
            return i;
        }
    }
    return tokens.size() - 1;
}

/// Whether a lexical error inside the statement already explains the problem.
bool explained(const TokenList& list, const SyntaxProblem& problem) {
    const auto error = std::lower_bound(list.errors.begin(), list.errors.end(), problem.statement == 0 ? 0 : list.own[problem.statement - 1].end);
    return error != list.errors.end() && *error <= list.own[problem.found].begin;
}

} // namespace

std::shared_ptr<const ast::Program> parse(const SourcePtr& source, Diagnostics& diagnostics) {
    const std::size_t errors_before = diagnostics.error_count();
    if (!check_encoding(source, diagnostics)) {
        return nullptr;
    }
    std::optional<TokenList> list = TokenReader(source, diagnostics).read();
    if (!list) {
        return nullptr;
    }
    antlr4::ListTokenSource token_source(std::move(list->generated));
    antlr4::CommonTokenStream stream(&token_source);
    FusecParser parser(&stream);
    parser.removeErrorListeners();
    const auto strategy = std::make_shared<StopAtError>();
    parser.setErrorHandler(strategy);

    auto program = std::make_shared<ast::Program>();
    program->source = source;
    TreeBuilder builder(source, list->own, *program);
    while (stream.LA(1) != antlr4::Token::EOF) {
        SyntaxProblem& problem = strategy->problem;
        problem.statement = stream.index();
        try {
            builder.add(parser.statement());
        } catch (const antlr4::ParseCancellationException&) {
            bool resume = false;
            if (!explained(*list, problem)) {
                resume = report_syntax_problem(source, list->own, problem, diagnostics);
                if (report_too_many({source, list->own[problem.found].begin, list->own[problem.found].end}, diagnostics)) {
                    return nullptr;
                }
            }
            const std::size_t next = resume ? problem.found : next_statement(*source, list->own, problem);
            parser.reset();
            stream.seek(next);
        }
    }
    return diagnostics.error_count() == errors_before ? program : nullptr;
}

} // namespace fusec::frontend
