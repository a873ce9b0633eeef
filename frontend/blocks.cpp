// SPDX-License-Identifier: Apache-2.0
#include "frontend/blocks.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>

namespace fusec::frontend {

namespace {

/// The word for a statement that only a file's own level holds; empty for the others.
std::string_view file_level_word(const ast::Statement& statement) {
    if (std::holds_alternative<ast::ProgramName>(statement.form)) {
        return "`program`";
    }
    if (const auto* inputs = std::get_if<ast::InputList>(&statement.form)) {
        return inputs->updated ? "`inout`" : "`input`";
    }
    if (std::holds_alternative<ast::Include>(statement.form)) {
        return "`include`";
    }
    if (std::holds_alternative<ast::Definition>(statement.form)) {
        return "a definition";
    }
    if (std::holds_alternative<ast::ProgramBlock>(statement.form)) {
        return "`block`";
    }
    const auto* declaration = std::get_if<ast::Declaration>(&statement.form);
    return declaration && declaration->uniform ? "`uniform`" : "";
}

bool may_be_included(const ast::Statement& statement) {
    return std::holds_alternative<ast::Definition>(statement.form) || std::holds_alternative<ast::ConstantDeclaration>(statement.form) ||
        std::holds_alternative<ast::Include>(statement.form);
}

bool is_return(const ast::Statement& statement) {
    return std::holds_alternative<ast::ReturnList>(statement.form) || std::holds_alternative<ast::ReturnValue>(statement.form);
}

} // namespace

void Blocks::add(ast::Statement statement) {
    place(statement);
    const std::size_t index = program_.statements.size();
    if (const auto* alternative = std::get_if<ast::Alternative>(&statement.form)) {
        if (alternative->further && !alternative_closed_) {
            diagnostics_.report(kind::misplaced_statement, statement.span, "`or` that does not follow the `}` of an alternative").hint =
                "alternatives are written `alternatives { ... } or { ... }`";
        }
        open_.push_back({BlockKind::alternative, statement.span, index, false});
    }
    alternative_closed_ = false;
    if (std::holds_alternative<ast::Loop>(statement.form)) {
        open_.push_back({BlockKind::loop, statement.span, index, false});
    } else if (std::holds_alternative<ast::Definition>(statement.form)) {
        open_.push_back({BlockKind::definition, statement.span, index, false});
    } else if (std::holds_alternative<ast::ProgramBlock>(statement.form)) {
        open_.push_back({BlockKind::program, statement.span, index, false});
    }
    program_.statements.push_back(std::move(statement));
}

void Blocks::place(const ast::Statement& statement) {
    if (open_.empty()) {
        if (included_ && !may_be_included(statement)) {
            diagnostics_
                .report(kind::misplaced_statement, statement.span,
                    "an included file holds a statement that is none of `def`, `const` and `include`")
                .hint = "keep it in the program, or put it into a definition";
        } else {
            check_outside(statement);
        }
        return;
    }
    if (const std::string_view word = file_level_word(statement); !word.empty()) {
        report_misplaced(statement.span, std::string(word) + " inside a block").hint = "move it out of the braces";
        return;
    }
    check_return(statement);
}

void Blocks::check_outside(const ast::Statement& statement) {
    const auto* alternative = std::get_if<ast::Alternative>(&statement.form);
    const bool computes = std::holds_alternative<ast::Assignment>(statement.form) || std::holds_alternative<ast::Loop>(statement.form) ||
        std::holds_alternative<ast::Assertion>(statement.form) || (alternative && !alternative->further);
    const bool first_block = !block_ && std::holds_alternative<ast::ProgramBlock>(statement.form);
    if (first_block) {
        block_ = statement.span;
    }
    if (computes && !computes_) {
        computes_ = statement.span;
    }
    if ((computes && block_) || (first_block && computes_)) {
        Diagnostic& d = diagnostics_.report(kind::misplaced_statement, computes ? statement.span : *computes_,
            "a statement that computes stands outside of the program's blocks");
        d.notes.push_back({*block_, "the first block"});
        d.hint = "put it into a block; declarations and `return` stand outside";
    }
}

Diagnostic& Blocks::report_misplaced(const Span& span, const std::string& message) {
    Diagnostic& d = diagnostics_.report(kind::misplaced_statement, span, message);
    d.notes.push_back({open_.back().opening, "the block that is open"});
    return d;
}

void Blocks::check_return(const ast::Statement& statement) {
    Block& block = open_.back();
    if (block.kind == BlockKind::definition) {
        if (block.returned && !block.reported) {
            block.reported = true;
            diagnostics_.report(kind::statement_after_return, statement.span, "statement after `return`").hint =
                "`return` ends a definition";
        }
        block.returned = block.returned || is_return(statement);
    } else if (is_return(statement)) {
        const bool alternative = block.kind == BlockKind::alternative, part = block.kind == BlockKind::program;
        const std::string inside = alternative ? "an alternative" : part ? "a block" : "a loop";
        const std::string behind = alternative ? "alternatives" : part ? "last block" : "loop";
        report_misplaced(statement.span, "`return` inside " + inside).hint =
            in_definition() ? "return after the " + behind : "list the results after the " + behind;
        for (Block& outer : open_) {
            outer.returned = true;
        }
    }
}

void Blocks::skip_return() {
    if (!open_.empty()) {
        open_.back().returned = true;
    }
}

void Blocks::open_broken(BlockKind kind, const Span& brace) {
    open_.push_back({kind, brace, 0, true});
}

void Blocks::close(const Span& brace) {
    if (open_.empty()) {
        diagnostics_.report(kind::syntax_error, brace, "`}` without the `{` that it closes");
        return;
    }
    const Block block = open_.back();
    open_.pop_back();
    alternative_closed_ = block.kind == BlockKind::alternative;
    if (block.broken) {
        return;
    }
    auto& form = program_.statements[block.statement].form;
    const std::size_t end = program_.statements.size();
    if (auto* loop = std::get_if<ast::Loop>(&form)) {
        loop->end = end;
    } else if (auto* alternative = std::get_if<ast::Alternative>(&form)) {
        alternative->end = end;
    } else if (auto* part = std::get_if<ast::ProgramBlock>(&form)) {
        part->end = end;
    } else if (auto* definition = std::get_if<ast::Definition>(&form)) {
        definition->end = end;
        if (!block.returned) {
            diagnostics_.report(kind::missing_return, brace, "definition " + in_backticks(definition->name.text) + " has no `return`")
                .hint = "end it with its value: `return x * y;`";
        }
    }
}

void Blocks::finish(const Span& end) {
    if (open_.empty()) {
        return;
    }
    constexpr std::size_t most_notes = 4;
    Diagnostic& d = diagnostics_.report(kind::syntax_error, end, "missing `}` at the end of the file");
    for (std::size_t i = open_.size(); i-- > 0 && d.notes.size() < most_notes;) {
        d.notes.push_back({open_[i].opening, "the block that is open"});
    }
}

bool Blocks::in_definition() const {
    return std::any_of(open_.begin(), open_.end(), [](const Block& block) { return block.kind == BlockKind::definition; });
}

} // namespace fusec::frontend
