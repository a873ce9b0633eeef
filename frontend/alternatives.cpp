// SPDX-License-Identifier: Apache-2.0
#include "frontend/alternatives.hpp"

#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <set>

namespace fusec::frontend {

namespace {

using ast::Program;
using ast::Statement;

/// The statements of one alternative: from `first` to before `end`.
struct Branch {
    std::size_t first = 0, end = 0;
};

/// A block with its alternatives; `statement` is that of the first one's opening.
struct Block {
    std::size_t statement = 0;
    std::vector<Branch> branches;
    std::size_t end() const { return branches.back().end; }
};

/// All blocks in the order of the text.
std::vector<Block> blocks_of(const Program& program) {
    std::vector<Block> blocks;
    std::map<std::size_t, std::size_t> ending; // statement behind an alternative: its block
    for (std::size_t i = 0; i < program.statements.size(); ++i) {
        const auto* alternative = std::get_if<ast::Alternative>(&program.statements[i].form);
        if (alternative == nullptr) {
            continue;
        }
        if (!alternative->further) {
            ending.try_emplace(alternative->end, blocks.size()); // what opens first ends last: an `or` continues the outer one
            blocks.push_back({i, {{i + 1, alternative->end}}});
            continue;
        }
        const std::size_t block = ending.at(i);
        blocks[block].branches.push_back({i + 1, alternative->end});
        ending.try_emplace(alternative->end, block);
    }
    return blocks;
}

/// Names that statements give a value: those of the block's own level and of what is inside.
std::map<std::string, Span> names_given(const Program& program, const Branch& branch) {
    std::map<std::string, Span> names;
    for (std::size_t i = branch.first; i < branch.end; ++i) {
        if (const auto* assignment = std::get_if<ast::Assignment>(&program.statements[i].form)) {
            names.emplace(assignment->target.text, assignment->target.span);
        } else if (const auto* constants = std::get_if<ast::ConstantDeclaration>(&program.statements[i].form)) {
            for (const auto& definition : constants->definitions) {
                names.emplace(definition.name.text, definition.name.span);
            }
        }
    }
    return names;
}

/// The first use of each of the names in the statements. O(nodes log names).
std::map<std::string, Span> uses_of(const Program& program, const std::set<std::string>& names, std::size_t first, std::size_t end) {
    std::map<std::string, Span> uses;
    const auto use = [&](const std::string& name, const Span& place) {
        if (names.contains(name)) {
            uses.emplace(name, place);
        }
    };
    const auto use_tree = [&](const ast::Tree& tree) {
        for (std::size_t i = tree.first.index(); i <= tree.root.index(); ++i) {
            const ast::Expression& e = program.expressions[i];
            if (e.kind == ast::ExpressionKind::name) {
                use(e.text, e.head);
            }
        }
    };
    for (std::size_t i = first; i < end; ++i) {
        const Statement& statement = program.statements[i];
        if (const auto* assignment = std::get_if<ast::Assignment>(&statement.form)) {
            use_tree(assignment->value);
            if (assignment->form != ast::Assignment::Form::defines || !assignment->slices.empty()) {
                use(assignment->target.text, assignment->target.span);
            }
        } else if (const auto* assertion = std::get_if<ast::Assertion>(&statement.form)) {
            use_tree(assertion->flag);
        } else if (const auto* value = std::get_if<ast::ReturnValue>(&statement.form)) {
            use_tree(value->value);
        } else if (const auto* list = std::get_if<ast::ReturnList>(&statement.form)) {
            std::for_each(list->names.begin(), list->names.end(), [&](const ast::Name& name) { use(name.text, name.span); });
        } else if (const auto* definition = std::get_if<ast::Definition>(&statement.form)) {
            i = std::max(i, definition->end - 1); // sees names of its own
        }
    }
    return uses;
}

/// The end of the innermost loop or definition around the statement; else that of the program.
std::size_t end_around(const Program& program, std::size_t statement) {
    std::size_t end = program.statements.size();
    for (std::size_t i = 0; i < statement; ++i) {
        const auto* loop = std::get_if<ast::Loop>(&program.statements[i].form);
        const auto* definition = std::get_if<ast::Definition>(&program.statements[i].form);
        const std::size_t last = loop ? loop->end : definition ? definition->end : 0;
        if (last > statement) {
            end = std::min(end, last);
        }
    }
    return end;
}

/// Where the program declares these names `inout`: their new values are used at its end. None inside of a definition, which has names of its
/// own. O(statements).
std::map<std::string, Span> updates_of(const Program& program, const std::set<std::string>& names, std::size_t statement) {
    std::map<std::string, Span> updates;
    for (std::size_t i = 0; i < program.statements.size(); ++i) {
        const auto* definition = std::get_if<ast::Definition>(&program.statements[i].form);
        if (definition && i < statement && statement < definition->end) {
            return {};
        }
        const auto* list = std::get_if<ast::InputList>(&program.statements[i].form);
        for (std::size_t k = 0; list && list->updated && k < list->names.size(); ++k) {
            if (names.contains(list->names[k].text)) {
                updates.emplace(list->names[k].text, list->names[k].span);
            }
        }
    }
    return updates;
}

/// "the first alternative", for messages.
std::string ordinal(std::size_t branch) {
    return "alternative " + std::to_string(branch + 1);
}

class NameCheck {
public:
    NameCheck(const Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {}

    void check(const Block& block) {
        std::vector<std::map<std::string, Span>> given;
        std::map<std::string, std::size_t> count;
        for (const Branch& branch : block.branches) {
            given.push_back(names_given(program_, branch));
            for (const auto& [name, span] : given.back()) {
                ++count[name];
            }
        }
        const auto common = [&](const auto& entry) { return entry.second == given.size(); };
        if (std::none_of(count.begin(), count.end(), common)) {
            diagnostics_
                .report(
                    kind::alternatives_differ, program_.statements[block.statement].span, "the alternatives give no name in common a value")
                .hint = "each of them has to give the values that are used behind the block";
            return;
        }
        std::set<std::string> others;
        for (const auto& [name, times] : count) {
            if (times != given.size()) {
                others.insert(name);
            }
        }
        if (others.empty()) {
            return;
        }
        for (const auto& [name, place] : uses_of(program_, others, block.end(), end_around(program_, block.statement))) {
            report(name, given, place, "is used here");
            others.erase(name);
        }
        for (const auto& [name, place] : updates_of(program_, others, block.statement)) {
            report(name, given, place, "is `inout`");
        }
    }

private:
    void report(const std::string& name, const std::vector<std::map<std::string, Span>>& given, const Span& use, std::string_view how) {
        const auto has = [&](const auto& names) { return names.contains(name); };
        const auto with = std::find_if(given.begin(), given.end(), has);
        const auto without = std::find_if_not(given.begin(), given.end(), has);
        Diagnostic& d = diagnostics_.report(kind::alternatives_differ, use,
            in_backticks(name) + " " + std::string(how) + ", but " + ordinal(static_cast<std::size_t>(without - given.begin())) +
                " gives it no value");
        d.notes.push_back({with->at(name), ordinal(static_cast<std::size_t>(with - given.begin())) + " does"});
        d.hint = "what all alternatives give can be used behind them; other names end with their alternative";
    }

    const Program& program_;
    Diagnostics& diagnostics_;
};

/// Names that every alternative of the block gives.
std::vector<ast::Name> common_names(const Program& program, const Block& block) {
    std::map<std::string, Span> common = names_given(program, block.branches.front());
    for (const Branch& branch : block.branches) {
        const std::map<std::string, Span> names = names_given(program, branch);
        std::erase_if(common, [&](const auto& name) { return !names.contains(name.first); });
    }
    std::vector<ast::Name> names;
    for (const auto& [name, span] : common) {
        names.push_back({name, span});
    }
    return names;
}

/// Writes the statements of a combination; spans of blocks are those of the new list.
class Chooser {
public:
    Chooser(const Program& program, const std::vector<Block>& blocks, const Combination& combination)
        : program_(program), combination_(combination), made_(std::make_shared<Program>()) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            blocks_.emplace(blocks[i].statement, std::pair{i, &blocks[i]});
        }
        made_->source = program.source;
        made_->expressions = program.expressions;
        made_->indices = program.indices;
    }

    std::shared_ptr<const Program> run() {
        copy(0, program_.statements.size());
        return made_;
    }

private:
    /// Recursion follows braces, of which 256 nest at most.
    void copy(std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end;) {
            if (const auto found = blocks_.find(i); found != blocks_.end()) {
                const auto& [number, block] = found->second;
                const Branch& taken = block->branches.at(combination_.at(number) - 1);
                copy(taken.first, taken.end);
                made_->statements.push_back(
                    {ast::AlternativesEnd{number, common_names(program_, *block)}, program_.statements[block->statement].span});
                i = block->end();
                continue;
            }
            const std::size_t inside = end_of(program_.statements[i]);
            const std::size_t place = made_->statements.size();
            made_->statements.push_back(program_.statements[i++]);
            if (inside > i) {
                copy(i, inside);
                i = inside;
            }
            set_end(made_->statements[place], made_->statements.size());
        }
    }

    static std::size_t end_of(const Statement& statement) {
        if (const auto* loop = std::get_if<ast::Loop>(&statement.form)) {
            return loop->end;
        }
        if (const auto* definition = std::get_if<ast::Definition>(&statement.form)) {
            return definition->end;
        }
        if (const auto* block = std::get_if<ast::ProgramBlock>(&statement.form)) {
            return block->end;
        }
        const auto* include = std::get_if<ast::Include>(&statement.form);
        return include ? include->end : 0;
    }
    static void set_end(Statement& statement, std::size_t end) {
        if (auto* loop = std::get_if<ast::Loop>(&statement.form)) {
            loop->end = end;
        } else if (auto* definition = std::get_if<ast::Definition>(&statement.form)) {
            definition->end = end;
        } else if (auto* include = std::get_if<ast::Include>(&statement.form)) {
            include->end = end;
        } else if (auto* block = std::get_if<ast::ProgramBlock>(&statement.form)) {
            block->end = end;
        }
    }

    const Program& program_;
    const Combination& combination_;
    std::map<std::size_t, std::pair<std::size_t, const Block*>> blocks_; ///< by the statement that opens them, with their number
    std::shared_ptr<Program> made_;
};

/// Combinations of the blocks from `next` on that begin before `end`, appended to what is chosen so far. False above the limit.
class Combinations {
public:
    explicit Combinations(const std::vector<Block>& blocks) : blocks_(blocks), current_(blocks.size(), 0) {}

    /// Up to one more than the limit.
    std::vector<Combination> run() {
        choose(0);
        return std::move(found_);
    }

private:
    void choose(std::size_t block) {
        if (found_.size() > most_combinations) {
            return;
        }
        if (block == blocks_.size()) {
            found_.push_back(current_);
            return;
        }
        if (!reached(block)) {
            choose(block + 1);
            return;
        }
        for (std::size_t branch = 1; branch <= blocks_[block].branches.size(); ++branch) {
            current_[block] = branch;
            choose(block + 1);
        }
        current_[block] = 0;
    }
    /// Whether the alternatives around the block are taken.
    bool reached(std::size_t block) const {
        const std::size_t at = blocks_[block].statement;
        for (std::size_t outer = 0; outer < block; ++outer) {
            for (std::size_t branch = 0; branch < blocks_[outer].branches.size(); ++branch) {
                const Branch& one = blocks_[outer].branches[branch];
                if (one.first <= at && at < one.end && current_[outer] != branch + 1) {
                    return false;
                }
            }
        }
        return true;
    }

    const std::vector<Block>& blocks_;
    Combination current_;
    std::vector<Combination> found_;
};

} // namespace

std::optional<std::vector<Combination>> combinations(const Program& program, Diagnostics& diagnostics) {
    const std::vector<Block> blocks = blocks_of(program);
    const std::size_t errors = diagnostics.error_count();
    for (const Block& block : blocks) {
        if (block.branches.size() == 1) {
            diagnostics
                .report(kind::syntax_error, program.statements[block.statement].span,
                    "`alternatives` with one alternative only: `or` is missing")
                .hint = "write `alternatives { ... } or { ... }`, or remove the word and its braces";
            return std::nullopt;
        }
    }
    // One block too many is found soon: the first blocks alone have more combinations than the limit.
    for (std::size_t count = 1; count <= blocks.size(); ++count) {
        const std::vector<Block> first(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(count));
        if (Combinations(first).run().size() > most_combinations) {
            diagnostics
                .report(kind::alternatives_limit, program.statements[first.back().statement].span,
                    "with these alternatives the program has more than " + std::to_string(most_combinations) +
                        " combinations, the limit is " + std::to_string(most_combinations))
                .hint = "decide some of them, by `fusec explore` of a part of the program";
            return std::nullopt;
        }
    }
    NameCheck names(program, diagnostics); // of at most as many blocks as there are combinations
    for (const Block& block : blocks) {
        names.check(block);
    }
    return diagnostics.error_count() == errors ? std::optional(Combinations(blocks).run()) : std::nullopt;
}

std::shared_ptr<const Program> chosen(const Program& program, const Combination& combination) {
    return Chooser(program, blocks_of(program), combination).run();
}

bool types_agree(const std::vector<AlternativeTypes>& types, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    std::set<std::pair<std::string, std::size_t>> reported; // by name and block
    std::map<std::pair<std::size_t, std::size_t>, std::map<std::string, AlternativeTypes::Found>> first;
    for (const AlternativeTypes& combination : types) {
        for (const auto& [place, names] : combination.found) {
            for (const auto& [name, found] : names) {
                const auto [before, inserted] = first[place].try_emplace(name, found);
                if (inserted || before->second.type == found.type || !reported.emplace(name, place.first).second) {
                    continue;
                }
                Diagnostic& d = diagnostics.report(kind::alternatives_differ, found.span,
                    in_backticks(name) + " is `" + to_string(found.type) + "` here, but `" + to_string(before->second.type) +
                        "` in another alternative");
                d.notes.push_back({before->second.span, "that one"});
            }
        }
    }
    return diagnostics.error_count() == errors;
}

Span first_difference(const Program& program, const Combination& one, const Combination& other) {
    const std::vector<Block> blocks = blocks_of(program);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (one.at(i) != other.at(i)) {
            return program.statements[blocks[i].statement].span;
        }
    }
    throw InternalError("two combinations of alternatives are one");
}

std::vector<std::pair<Span, std::string>> described(const Program& program, const Combination& combination) {
    const std::vector<Block> blocks = blocks_of(program);
    std::vector<std::pair<Span, std::string>> texts;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (combination.at(i) != 0) {
            texts.emplace_back(program.statements[blocks[i].statement].span,
                "alternative " + std::to_string(combination[i]) + " of " + std::to_string(blocks[i].branches.size()));
        }
    }
    return texts;
}

} // namespace fusec::frontend
