// SPDX-License-Identifier: Apache-2.0
// The names of a program: declared, then defined once, then used; in a scope per iteration of a loop and per call of a definition.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "frontend/assembly.hpp"
#include "frontend/ast.hpp"
#include "frontend/constants.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
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

/// What an expression or a name stands for; both empty: an error was reported.
struct Value {
    std::optional<DataId> datum;
    std::optional<Constant> constant; ///< known when the program is compiled, its precision not chosen
    bool good() const { return datum || constant; }
};

enum class Role {
    input,
    updated, ///< by `inout`: a list whose entries get new values, and this is the old one
    uniform,
    constant,
    computed,
    variable, ///< of a loop
    parameter ///< of a definition
};

/// "an input", "computed", ...
std::string_view described(Role role);

struct Defined {
    Span span;
    Role role = Role::computed;
    Value value;                         ///< not good when the definition was wrong; uses are then silent
    std::optional<std::int64_t> integer; ///< of a loop variable
    std::string name;                    ///< of the value in the checked program: `K`, `g[3]`, `stress(1).P`
    std::size_t values = 1;              ///< how many `=`, `+=` and `-=` have made so far
    std::vector<CallId> nested;          ///< calls inside the first value, to be renamed when a second comes
    std::optional<Assembly> assembly{};  ///< when parts were assigned; `value` is then good once it has been used as a whole
};

/// Names in the order in which they are elaborated. A name is visible where no name of the same text is, so nothing is ever hidden
/// but by the call of a definition, which sees its own names and the constants and uniforms above it. Looking up is O(log names).
class Scope {
public:
    Scope(const ast::Program& program, const library::Catalog& catalog, Diagnostics& diagnostics);

    /// Opens the scope of one iteration: `block` is the index of the loop's statement.
    void enter_loop(std::size_t block);
    /// Opens the scope of a call of the definition that stands at `block`, which sees what was defined before `order()` was `above`.
    void enter_definition(std::size_t block, std::size_t above);
    /// Closes the last scope; reports declarations in it that were not needed.
    void leave();
    /// Grows with every definition.
    std::size_t order() const { return order_; }
    std::size_t depth() const { return frames_.size() - 1; }

    /// Reports `declared-twice` and returns false if the name has a declaration or a definition.
    bool declare(const ast::Name& name, std::optional<Type> type);
    /// Reports and returns false if the name has a definition, or is declared outside of the loop that is open.
    bool can_define(const ast::Name& name);
    /// As `can_define`, then defines: in the scope that is open or, for the first value of a sum, in that of the declaration.
    bool define(const ast::Name& name, Defined defined, bool where_declared = false);

    /// Defines in the scope that is open. A parameter may have the name of a constant or uniform above the definition.
    void define_parameter(const ast::Name& name, Defined defined);
    /// Gives an undefined name a wrong value for the rest of the program or of the call of a definition, so that uses of it are silent.
    void define_wrong(const ast::Name& name);
    /// Whether the visible definition belongs to the program or to the call of a definition that is being expanded.
    bool is_own(const std::string& name) const { return visible(name)->depth >= frames_.back().barrier; }

    /// Names with a definition in the scope that is open.
    std::vector<std::string> own_names() const;

    const Declared* declaration(const std::string& name) const;
    const Defined* definition(const std::string& name) const;
    /// To give a sum its next value.
    Defined* definition(const std::string& name);
    /// How many loops since the last call of a definition are around the declaration.
    std::size_t loops_around_declaration(const std::string& name) const;

    /// What a use of the name means; null when there is nothing, which is reported once per name.
    const Defined* use(const std::string& name, const Span& span);

    /// The nearest known name, or empty; gives up after 100 times, as it costs time linear in the program.
    std::string nearest_name(const std::string& name);

private:
    struct Binding {
        std::size_t depth = 0; ///< index of the frame
        std::size_t order = 0;
        std::optional<Declared> declared;
        std::optional<Defined> defined;
    };
    using Bindings = std::map<std::string, std::vector<Binding>>; ///< per name, innermost last
    struct Frame {
        std::size_t block = 0;
        std::size_t barrier = 0; ///< innermost frame of the call of a definition that this one belongs to; 0: the program
        std::size_t above = 0;   ///< names older than this are seen beyond the barrier, if they are constants or uniforms
        std::vector<Bindings::iterator> names;
    };
    struct Place {
        Span span;
        std::size_t block = 0; ///< innermost loop or definition around it; SIZE_MAX: none
    };

    const Binding* visible(const std::string& name) const;
    Binding* visible(const std::string& name);
    Binding& bind(const std::string& name, std::size_t depth);
    bool needs(const std::string& from, const std::string& name) const;
    void report_undefined(const std::string& name, const Span& span);
    bool report_hidden(const std::string& name, const Span& span);
    bool report_later(const std::string& name, const Span& span);
    void report_unused(const std::string& name, const Binding& binding);

    const library::Catalog& catalog_;
    Diagnostics& diagnostics_;
    Bindings names_;
    std::vector<Frame> frames_;
    std::size_t order_ = 0;
    std::size_t hints_ = 0;
    std::map<std::string, std::vector<Place>> assigned_;     ///< assignments of every name in the text
    std::map<std::string, std::vector<std::string>> reads_;  ///< names in the first value of every name that is assigned outside of blocks
    std::set<std::pair<std::size_t, std::string>> reported_; ///< undefined names already reported, with the definition they are used in
};

} // namespace fusec::frontend
