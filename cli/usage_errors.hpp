// SPDX-License-Identifier: Apache-2.0
// What is said of a command line that is wrong, with the nearest word that would be right. What returns a number says it, and returns the exit code 2.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): CLI11 names it so
class App;
} // namespace CLI

namespace fusec::cli {

/// Prints all texts. `wrong_word`: what to look for a near word of.
int usage_errors(const CLI::App& app, const std::vector<std::string>& texts, const std::string& wrong_word = {});
int usage_error(const CLI::App& app, const std::string& text, const std::string& wrong_word = {});
/// An argument that no option takes: an unknown option, a misspelt command, or one argument too many. `program`: what was taken for the program. Pre: `app` has
/// parsed, and something remains.
int unexpected_argument(const CLI::App& app, const std::filesystem::path& program);
int unknown_command(const CLI::App& app, const std::filesystem::path& word);
/// The word stands for a command rather than for a program: no ending, no folder, and near to a command or one that is planned.
bool is_misspelt_command(const CLI::App& app, const std::filesystem::path& word);

} // namespace fusec::cli
