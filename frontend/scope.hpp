// SPDX-License-Identifier: Apache-2.0
// The names of a program: declared, then defined once, then used.
#pragma once

#include "frontend/ast.hpp"
#include "elementary-lib/catalog.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fusec::frontend {

struct Declared {
    Span span;
    std::optional<Type> type; ///< nothing when the declaration itself was wrong
};

struct Defined {
    Span span;
    std::string how;             ///< "an input", "a uniform", "a constant", "computed"
    std::optional<DataId> datum; ///< nothing when the definition was wrong; uses are then silent
};

/// Names of one program in the order of its statements. Knows all assignments in advance, so that a use before the definition is
/// told from a name that is never defined.
class Scope {
public:
    Scope(const ast::Program& program, const library::Catalog& catalog, Diagnostics& diagnostics);

    /// Reports `declared-twice` and returns false if the name has a declaration or a definition.
    bool declare(const ast::Name& name, std::optional<Type> type);
    /// Reports `defined-twice` and returns false if the name has a definition.
    bool define(const ast::Name& name, std::string how, std::optional<DataId> datum);
    /// Reports `defined-twice` if the name has a definition; returns whether it has none.
    bool can_define(const ast::Name& name);

    const Declared* declaration(const std::string& name) const;
    const Defined* definition(const std::string& name) const;

    /// The datum a use of the name means; nothing when there is none, which is reported once per name.
    std::optional<DataId> use(const std::string& name, const Span& span);

    /// Reports `unused-declaration` for declared names that were neither defined nor used.
    void report_unused_declarations();

    /// The nearest known name, or empty; gives up after 100 errors, as it costs time linear in the program.
    std::string nearest_name(const std::string& name) const;

private:
    bool needs(const std::string& from, const std::string& name) const;

    const library::Catalog& catalog_;
    Diagnostics& diagnostics_;
    std::map<std::string, Declared> declared_;
    std::map<std::string, Defined> defined_;
    std::map<std::string, Span> assigned_later_;                 ///< first assignment of every assigned name
    std::map<std::string, std::vector<std::string>> reads_;      ///< names in the value of every assigned name
    std::set<std::string> reported_;                             ///< undefined names already reported
};

} // namespace fusec::frontend
