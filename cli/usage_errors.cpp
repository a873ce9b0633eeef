// SPDX-License-Identifier: Apache-2.0
#include "cli/usage_errors.hpp"

#include "support/diagnostics.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <set>

namespace fusec::cli {

namespace {

/// A first argument without ending or folder is rather a command than a program.
bool looks_like_command(const std::filesystem::path& program) {
    return !program.empty() && !program.has_extension() && !program.has_parent_path();
}

/// The long names of an app's options and the names of its subcommands.
std::vector<std::string> words_of(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            words.push_back("--" + name);
        }
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        words.push_back(command->get_name());
    }
    return words;
}

/// The innermost command that was named: its --help is the one to read.
const CLI::App& innermost(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : innermost(*parsed.front());
}

std::string full_name(const CLI::App& app) {
    return app.get_parent() == nullptr ? "fusec" : full_name(*app.get_parent()) + " " + app.get_name();
}

/// Commands of the design that this version does not have yet.
bool is_planned(const std::string& word) {
    static const std::set<std::string> planned{"init", "tune"};
    return planned.contains(word);
}

} // namespace

int usage_errors(const CLI::App& app, const std::vector<std::string>& texts, const std::string& wrong_word) {
    const CLI::App& command = innermost(app);
    const std::string near = wrong_word.empty() ? "" : nearest(wrong_word, words_of(command));
    for (const std::string& text : texts) {
        std::cerr << "fusec: error: " << text << " [usage]\n";
    }
    std::cerr << "  hint: ";
    if (!near.empty()) {
        std::cerr << "did you mean `" << (near.starts_with('-') ? near : full_name(command) + " " + near) << "`?\n";
    } else {
        std::cerr << full_name(command) << " --help\n";
    }
    return 2;
}

int usage_error(const CLI::App& app, const std::string& text, const std::string& wrong_word) {
    return usage_errors(app, {text}, wrong_word);
}

int unknown_command(const CLI::App& app, const std::filesystem::path& word) {
    const std::string text = word.string();
    return usage_error(app,
        is_planned(text) ? "`fusec " + text + "` is not part of fusec " FUSEC_VERSION : "unknown command `" + text + "`",
        is_planned(text) ? "" : text);
}

int unexpected_argument(const CLI::App& app, const std::filesystem::path& program) {
    const std::vector<std::string> words = app.remaining(true);
    const bool options_ended = words.front() == "--" && words.size() > 1; // what follows is no option, whatever it begins with
    const std::string& word = words.at(options_ended ? 1 : 0);
    if (word.starts_with('-') && options_ended) {
        return usage_error(app, "unexpected argument `" + word + "`: what stands behind `--` is no option");
    }
    if (word.starts_with('-')) {
        return usage_error(
            app, "unknown option `" + word + "`" + (word.ends_with(".fus") ? "; behind `--` it is the name of a program" : ""), word);
    }
    const CLI::App& command = innermost(app);
    if (&command == &app && looks_like_command(program)) {
        return unknown_command(app, program);
    }
    if (&command != &app && !nearest(word, words_of(command)).empty()) {
        return usage_error(app, "unknown command `" + full_name(command).substr(full_name(app).size() + 1) + " " + word + "`", word);
    }
    return usage_error(app, "unexpected argument `" + word + "`");
}

bool is_misspelt_command(const CLI::App& app, const std::filesystem::path& word) {
    return looks_like_command(word) && (is_planned(word.string()) || !nearest(word.string(), words_of(app)).empty());
}

} // namespace fusec::cli
