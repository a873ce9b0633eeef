// SPDX-License-Identifier: Apache-2.0
// Program blocks: their names, which become parts of names of C, and those that compute nothing. What they compute is checked as if
// there were none; calls remember the block they are made for.
#include "frontend/checker.hpp"
#include "frontend/syntax_messages.hpp"

#include <set>

namespace fusec::frontend {

namespace {

/// Why `NAME_launch_BLOCK` would be no name of its own; empty if it is one.
std::string wrong_name(const std::string& name) {
    if (name == "range" || name.ends_with("_range")) {
        return "functions of the interface end so";
    }
    if (name.starts_with('_') || name.ends_with('_') || name.find("__") != std::string::npos) {
        return "the names of C that are made of it would have `_` twice";
    }
    return {};
}

} // namespace

void Checker::add(const ast::ProgramBlock& form) {
    const std::string& name = form.name.text;
    if (const std::string why = wrong_name(name); !why.empty()) {
        messages_.report(kind::block_name, form.name.span, in_backticks(name) + " cannot be the name of a block: " + why).hint =
            "`--entries` makes `launch_" + name + "` and `launch_" + name + "_range` of it";
    }
    if (const auto [first, inserted] = block_names_.emplace(name, form.name.span); !inserted) {
        messages_.report(kind::declared_twice, form.name.span, "two blocks are called " + in_backticks(name))
            .notes.push_back({first->second, "the first one"});
    }
    draft_.blocks.push_back(form.name);
}

void Checker::report_empty_blocks(const CheckedProgram& program) {
    std::set<std::string> computing;
    for (const Call& call : program.calls) {
        computing.insert(program.blocks.empty() ? std::string() : program.blocks[call.block]);
    }
    for (const std::string& name : program.blocks) {
        if (!computing.contains(name)) {
            diagnostics_
                .report(kind::empty_block, block_names_.at(name),
                    "block " + in_backticks(name) + " computes nothing that an output needs and no block before has")
                .hint = "it has no kernel; its function of `--entries` does nothing";
        }
    }
}

} // namespace fusec::frontend
