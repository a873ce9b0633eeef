// SPDX-License-Identifier: Apache-2.0
// A program while it is checked: everything it computes, before merging identical calls and removing dead ones.
#pragma once

#include "frontend/ast.hpp"
#include "frontend/checked_program.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace fusec::frontend {

/// `name` in `return` and the datum it stands for.
struct Returned {
    DataId datum;
    ast::Name name;
};

/// Where the name of a datum comes from.
enum class NameKind {
    written,  ///< by the program: `F`
    expanded, ///< a value of a loop, a definition or a sum: `g[3]`, `stress(1).P`, `K:2`
    nested,   ///< a call inside an expression: `F.1`
    entry,    ///< of a table: `w[3]`
    literal,  ///< the text of a constant: `2.5`, `-1`, `midentity(3)`
};

/// One `+=` or `-=`: the call that adds a term to the value before it.
struct SumStep {
    CallId call;
    DataId before;
    DataId term;
    bool subtracts = false;
};

/// The maps of components and the conversions of a program, each once. Their functions are made when the program is finished.
class OwnFunctions {
public:
    /// The number of what it defines.
    std::size_t number(const library::ComponentMap& map);
    std::size_t number(const library::Conversion& conversion);
    /// The map; null for a conversion.
    const library::ComponentMap* map(std::size_t number) const { return std::get_if<library::ComponentMap>(&all_.at(number)); }
    /// The function; under this name, if one is given.
    library::Function function(std::size_t number, const std::string& name = {}) const;

private:
    std::vector<std::variant<library::ComponentMap, library::Conversion>> all_;
    std::map<std::tuple<std::vector<Shape>, Shape, std::vector<library::ComponentSource>>, std::size_t> maps_;
    std::map<std::pair<Shape, Precision>, std::size_t> conversions_;
};

/// Whether the components of a constant are those of a symmetric matrix; false without components.
bool is_symmetric(const Shape& shape, const std::vector<double>& components);

/// The result of an assertion: 1 where it fails.
struct DraftCheck {
    DataId flag;
    std::string text;
    Span span; ///< the statement
};

/// Data and calls in order of definition. `Datum::identifier` is not set yet.
struct Draft {
    std::vector<Datum> data;
    std::vector<NameKind> name_kinds; ///< per datum
    std::vector<bool> read;           ///< per datum: its value was read while compiling, as a bound, an index or a table
    std::vector<bool> symmetric;      ///< per datum: a square matrix that is known to be symmetric, however it is stored
    std::vector<Call> calls;
    std::vector<DataId> interface; ///< inputs and uniforms
    std::vector<Returned> returned;
    std::vector<std::pair<DataId, std::size_t>> updates; ///< old value of an updated list, index of the new one in `returned`
    std::vector<DraftCheck> checks;                      ///< in the order of the text and of the iterations
    std::vector<SumStep> sums;                           ///< in order of their calls
    OwnFunctions own;                                    ///< whose ids follow the library's
    std::vector<ast::Name> blocks;                       ///< so far; calls are made for the last one

    DataId add(Datum datum, NameKind name_kind) {
        data.push_back(std::move(datum));
        name_kinds.push_back(name_kind);
        read.push_back(false);
        symmetric.push_back(data.back().type.shape.packed || is_symmetric(data.back().type.shape, data.back().values));
        return DataId{data.size() - 1};
    }
    Datum& datum(DataId id) { return data.at(id.index()); }
    const Datum& datum(DataId id) const { return data.at(id.index()); }
    void rename(DataId id, std::string name, NameKind name_kind) {
        datum(id).name = std::move(name);
        name_kinds.at(id.index()) = name_kind;
    }
    /// The block that calls are made for.
    std::uint32_t block() const { return blocks.empty() ? 0 : static_cast<std::uint32_t>(blocks.size() - 1); }
    /// The map of a call that only moves data; else null.
    const library::ComponentMap* map_of(CallId call, const library::Catalog& catalog) const {
        const std::size_t function = calls.at(call.index()).instance.function.index();
        return function < catalog.library_size() ? nullptr : own.map(function - catalog.library_size());
    }
    /// Moves a call to the block in which the last of its operands is computed, if any is.
    void put_behind_operands(CallId call);
    /// A constant of an expansion, or an entry of a table: one datum for all of the same `owner` with the same type and bits, with the
    /// first one's name. The owner of an entry is its table.
    DataId shared_constant(Datum datum, NameKind name_kind, std::optional<DataId> owner = std::nullopt);

private:
    std::map<std::tuple<std::optional<DataId>, Precision, Shape, std::vector<std::uint64_t>>, DataId> shared_;
};

/// The bits of the components; the numbers themselves would not tell -0 from 0.
std::vector<std::uint64_t> bits_of(const std::vector<double>& values);

/// With every chain of steps of a sum, whose values between are used by nothing else, as a tree of the same number of calls and of
/// logarithmic depth; the order of the terms stays.
Draft reassociated(Draft draft, const library::Catalog& catalog);

/// Merges identical calls (remark), removes dead ones (warning), reports unused inputs and constants (warning, inputs stay),
/// chooses identifiers. `name` is the program's as written. Pre: no errors; at least one output.
CheckedProgram finish(
    Draft draft, const std::string& name, const SourcePtr& source, const library::Catalog& catalog, Diagnostics& diagnostics);

} // namespace fusec::frontend
