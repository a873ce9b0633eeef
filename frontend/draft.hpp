// SPDX-License-Identifier: Apache-2.0
// A program while it is checked: everything it computes, before merging identical calls and removing dead ones.
#pragma once

#include "frontend/ast.hpp"
#include "frontend/checked_program.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <string>
#include <vector>

namespace fusec::frontend {

/// `name` in `return` and the datum it stands for.
struct Returned {
    DataId datum;
    ast::Name name;
};

/// Data and calls in order of definition. `Datum::identifier` is not set yet.
struct Draft {
    std::vector<Datum> data;
    std::vector<Call> calls;
    std::vector<DataId> interface; ///< inputs and uniforms
    std::vector<Returned> returned;

    DataId add(Datum datum) {
        data.push_back(std::move(datum));
        return DataId{data.size() - 1};
    }
    Datum& datum(DataId id) { return data.at(id.index()); }
    const Datum& datum(DataId id) const { return data.at(id.index()); }
};

/// Whether the name of a datum is one that the front end made up for a nested call: `F.1`.
inline bool is_nested_name(const std::string& name) {
    return name.find('.') != std::string::npos;
}

/// Whether it is the text of a constant without a name in the program: `2.5`, `-1`, `midentity(3)`.
inline bool is_literal_name(const std::string& name) {
    const bool letter = (name.front() >= 'A' && name.front() <= 'Z') || (name.front() >= 'a' && name.front() <= 'z') || name.front() == '_';
    return !letter || name.find('(') != std::string::npos;
}

/// Merges identical calls (remark), removes dead ones (warning), reports unused inputs and constants (warning, inputs stay),
/// chooses identifiers. `name` is the program's as written. Pre: no errors; at least one output.
CheckedProgram finish(Draft draft, const std::string& name, const SourcePtr& source, const library::Catalog& catalog, Diagnostics& diagnostics);

} // namespace fusec::frontend
