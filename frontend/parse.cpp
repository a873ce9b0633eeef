// SPDX-License-Identifier: Apache-2.0
// The facade of the generated parser: files to statements, with recovery at statement ends and included files in their place.
#include "frontend/ast.hpp"
#include "frontend/blocks.hpp"
#include "frontend/file_reader.hpp"
#include "frontend/frontend.hpp"
#include "frontend/nesting.hpp"
#include "frontend/syntax_messages.hpp"
#include "frontend/text_encoding.hpp"
#include "frontend/token_list.hpp"
#include "frontend/tree_builder.hpp"

#include "FusecParser.h"

#include <antlr4-runtime.h>

#include <algorithm>
#include <set>

namespace fusec::frontend {

namespace {

using generated::FusecParser;

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

/// Index of the first token of the next statement: behind the next `;` or `{`, at the next `}`, or at a word that can only begin one, on a
/// new line.
std::size_t next_statement(const SourceText& source, const std::vector<Token>& tokens, const SyntaxProblem& problem) {
    for (std::size_t i = std::max(problem.found, problem.statement + 1); i + 1 < tokens.size(); ++i) {
        const TokenKind before = tokens[i - 1].kind;
        if ((before == TokenKind::semicolon || before == TokenKind::left_brace) && i > problem.found) {
            return i;
        }
        if (tokens[i].kind == TokenKind::right_brace) {
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
    const auto error =
        std::lower_bound(list.errors.begin(), list.errors.end(), problem.statement == 0 ? 0 : list.own[problem.statement - 1].end);
    return error != list.errors.end() && *error <= list.own[problem.found].begin;
}

BlockKind block_opened_by(TokenKind kind) {
    switch (kind) {
    case TokenKind::keyword_block:
        return BlockKind::program;
    case TokenKind::keyword_for:
        return BlockKind::loop;
    case TokenKind::keyword_def:
        return BlockKind::definition;
    case TokenKind::keyword_alternatives:
    case TokenKind::keyword_or:
        return BlockKind::alternative;
    default:
        return BlockKind::unknown;
    }
}

/// A program with the files it includes.
class ProgramParser {
public:
    ProgramParser(ast::Program& program, FileReader* reader, Diagnostics& diagnostics)
        : program_(program), reader_(reader), diagnostics_(diagnostics) {}

    void parse() {
        if (reader_) {
            open_.push_back({reader_->identity(program_.source->path()), program_.source->path()});
            taken_.insert(open_.back().identity);
        }
        file(program_.source);
    }

private:
    struct OpenFile {
        std::string identity;
        std::string path;
    };

    /// Adds the statements of one file; false when there are too many errors to go on.
    bool file(const SourcePtr& source) {
        if (!check_encoding(source, diagnostics_)) {
            return true;
        }
        std::optional<TokenList> list = read_tokens(source, diagnostics_);
        if (!list) {
            return false;
        }
        antlr4::ListTokenSource token_source(std::move(list->generated));
        antlr4::CommonTokenStream stream(&token_source);
        FusecParser parser(&stream);
        parser.removeErrorListeners();
        const auto strategy = std::make_shared<StopAtError>();
        parser.setErrorHandler(strategy);
        const auto span_of = [&](std::size_t token) { return Span{source, list->own[token].begin, list->own[token].end}; };

        TreeBuilder builder(source, list->own, program_);
        Blocks blocks(program_, source != program_.source, diagnostics_);
        while (stream.LA(1) != antlr4::Token::EOF) {
            SyntaxProblem& problem = strategy->problem;
            problem.statement = stream.index();
            try {
                if (list->own[problem.statement].kind == TokenKind::right_brace) {
                    parser.statement();
                    blocks.close(span_of(problem.statement));
                } else if (list->own[problem.statement].kind == TokenKind::keyword_return && blocks.in_definition()) {
                    blocks.add(builder.build(parser.returnValue()));
                } else {
                    blocks.add(builder.build(parser.statement()));
                    if (!include(blocks)) {
                        return false;
                    }
                }
                if (report_too_many(span_of(problem.statement), diagnostics_)) {
                    return false;
                }
            } catch (const antlr4::ParseCancellationException&) {
                bool resume = false;
                if (!explained(*list, problem)) {
                    resume = report_syntax_problem(source, list->own, problem, diagnostics_);
                    if (report_too_many(span_of(problem.found), diagnostics_)) {
                        return false;
                    }
                }
                if (list->own[problem.statement].kind == TokenKind::keyword_return) {
                    blocks.skip_return();
                }
                const std::size_t next = resume ? problem.found : next_statement(*source, list->own, problem);
                if (!resume && list->own[next - 1].kind == TokenKind::left_brace && next - 1 >= problem.statement) {
                    blocks.open_broken(block_opened_by(list->own[problem.statement].kind), span_of(next - 1));
                }
                parser.reset();
                stream.seek(next);
            }
        }
        blocks.finish({source, source->text().size(), source->text().size()});
        return true;
    }

    /// Takes the file that the last statement names, if that is an `include`.
    bool include(const Blocks& blocks) {
        const std::size_t index = program_.statements.size() - 1;
        const auto* form = std::get_if<ast::Include>(&program_.statements[index].form);
        if (!form) {
            return true;
        }
        const bool go_on = !blocks.at_top() || included_file(form->path);
        std::get<ast::Include>(program_.statements[index].form).end = program_.statements.size();
        return go_on;
    }

    bool included_file(const ast::Name& written) {
        if (!reader_) {
            diagnostics_.report(
                kind::unreadable_file, written.span, "cannot read " + in_backticks(written.text) + ": the program is not in a file");
            return true;
        }
        if (written.text.empty()) {
            diagnostics_.report(kind::unreadable_file, written.span, "`include` of a file without a name");
            return true;
        }
        const std::filesystem::path including(written.span.source->path());
        const std::string path = (including.parent_path() / written.text).lexically_normal().string();
        const std::string identity = reader_->identity(path);
        const auto same = [&](const OpenFile& file) { return file.identity == identity; };
        if (const auto cycle = std::find_if(open_.begin(), open_.end(), same); cycle != open_.end()) {
            report_cycle(written, {cycle, open_.end()});
            return true;
        }
        if (!taken_.insert(identity).second) {
            return true;
        }
        if (open_.size() >= max_nesting) {
            diagnostics_.report(kind::nesting_limit, written.span,
                "nesting of " + std::to_string(open_.size() + 1) + " files, the limit is " + std::to_string(max_nesting));
            return true;
        }
        std::optional<std::string> text = reader_->read(path, written.span, diagnostics_);
        if (!text) {
            return true;
        }
        open_.push_back({identity, path});
        const bool go_on = file(std::make_shared<const SourceText>(path, std::move(*text)));
        open_.pop_back();
        return go_on;
    }

    void report_cycle(const ast::Name& written, const std::vector<OpenFile>& cycle) {
        constexpr std::size_t most_files = 8; // shown
        std::string chain;
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            if (i < most_files || i + 1 == cycle.size()) {
                chain += std::filesystem::path(cycle[i].path).filename().string() + " -> ";
            } else if (i == most_files) {
                chain += "... -> ";
            }
        }
        const std::string first = std::filesystem::path(cycle.front().path).filename().string();
        diagnostics_.report(kind::include_cycle, written.span, "`" + first + "` includes itself: " + chain + first).hint =
            "move what both need to a file of its own";
    }

    ast::Program& program_;
    FileReader* reader_;
    Diagnostics& diagnostics_;
    std::vector<OpenFile> open_;
    std::set<std::string> taken_; ///< identities of the files that are in the program
};

} // namespace

std::shared_ptr<const ast::Program> parse(const SourcePtr& source, Diagnostics& diagnostics, FileReader* reader) {
    const std::size_t errors_before = diagnostics.error_count();
    auto program = std::make_shared<ast::Program>();
    program->source = source;
    ProgramParser(*program, reader, diagnostics).parse();
    return diagnostics.error_count() == errors_before ? program : nullptr;
}

} // namespace fusec::frontend
