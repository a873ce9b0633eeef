// SPDX-License-Identifier: Apache-2.0
// A program with its expectation inside: everything from the first line that begins `// CHECK:` on is what the front end must say
// about the text before it. A first line `// OPTIONS: ...` takes `double` (as `--real double`), `ast` (show the tree, do not check)
// `ambiguous` (with the functions of tests/frontend/library), `reassociate` (as `--reassociate`) and `tail` (the expectation is the
// last eight lines).
#pragma once

#include "elementary-lib/catalog.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace fusec::frontend::testing {

struct ProgramCase {
    std::filesystem::path path;
    std::string program;               ///< the text before the expectation, byte for byte
    std::vector<std::string> expected; ///< without `// CHECK:`
    bool is_double = false;
    bool shows_tree = false;
    bool is_ambiguous = false;
    bool is_reassociated = false;
    bool is_tail = false;
};

/// All `.fus` files of a folder, sorted.
std::vector<std::filesystem::path> program_files(const std::filesystem::path& folder);
ProgramCase read_case(const std::filesystem::path& path);

/// What the front end says: diagnostics as rendered, then `exit CODE`, or the checked program. `verify` is run on it.
std::vector<std::string> outcome(const ProgramCase& program_case);

/// Rewrites the expectation.
void write_case(const ProgramCase& program_case, const std::vector<std::string>& expected);

/// The compiler's own library; with `ambiguous`, plus tests/frontend/library.
const library::Catalog& catalog(bool ambiguous = false);

} // namespace fusec::frontend::testing
