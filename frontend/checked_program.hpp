// SPDX-License-Identifier: Apache-2.0
// What the front end guarantees: a type-checked program in single assignment, nested calls flattened and named, identical calls
// merged, dead calls removed. Everything after the front end works on this; errors found later are limits or internal.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "support/ids.hpp"
#include "support/source.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

enum class DatumKind {
    input,    ///< a list with one entry per element
    uniform,  ///< one value for all elements, given at launch by pointer
    constant, ///< a table or literal of the program
    computed, ///< the result of a call: one entry per element
};

struct Datum {
    std::string name;       ///< as in the program; nested results `F.1`; literals by their text
    std::string identifier; ///< unique in the output: keywords and interface names escaped, `F.1` as `F_1`
    Type type;
    DatumKind kind = DatumKind::input;
    std::vector<double> values;     ///< constants: row-major, already rounded to the precision
    std::optional<CallId> producer; ///< computed
    bool output = false;            ///< listed in `return`
    Span span;
};

struct Call {
    library::Instance instance;
    std::vector<DataId> operands; ///< in the function's declared order
    DataId result;
    Span span; ///< the call's expression
};

/// Invariants: data and calls are in topological order of definition (a call's operands precede its result); every call is live;
/// every datum is an input/uniform of the interface, or used by a call, or an output.
struct CheckedProgram {
    std::string name; ///< an identifier
    SourcePtr source;
    std::vector<Datum> data;
    std::vector<Call> calls;
    std::vector<library::Function>
        functions;               ///< that the program defines by slices and assemblies; their ids follow the library's (`Catalog::with`)
    std::vector<DataId> inputs;  ///< interface order: `input` and `uniform` declarations as they stand in the program
    std::vector<DataId> outputs; ///< `return` order; never an input, no repeats, at least one
    /// Names of calls as written that are steps of another call (condense.hpp), with the result of that call.
    std::map<std::string, DataId> steps;

    const Datum& datum(DataId id) const { return data.at(id.index()); }
    const Call& call(CallId id) const { return calls.at(id.index()); }
    /// The name of a call is the name of its result.
    const std::string& name_of(CallId id) const { return datum(call(id).result).name; }
    /// "`s` is computed within `K`", for a name that is a step's; empty for others.
    std::string within(const std::string& step_name) const {
        const auto step = steps.find(step_name);
        return step == steps.end() ? "" : "`" + step_name + "` is computed within `" + datum(step->second).name + "`";
    }
};

} // namespace fusec::frontend
