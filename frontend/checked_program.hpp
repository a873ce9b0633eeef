// SPDX-License-Identifier: Apache-2.0
// What the front end guarantees: a type-checked program in single assignment, nested calls flattened and named, identical calls
// merged, dead calls removed. Everything after the front end works on this; errors found later are limits or internal.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "elementary-lib/storage.hpp"
#include "support/ids.hpp"
#include "support/source.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

enum class DatumKind {
    input,    ///< a list with one entry per element
    uniform,  ///< one value for all elements, given at launch by pointer
    constant, ///< a table or literal of the program
    computed, ///< the result of a call: one entry per element
    derived,  ///< the result of a uniform call: one value for all elements, which every kernel that reads it computes
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
    std::optional<std::size_t> uniform_call = std::nullopt; ///< derived: which of the program's `uniform_calls` makes it
    /// The result of a check (`CheckedProgram::checks`): an output without a list, since it is reported in place of being stored.
    bool flag = false;
    Storage storage = std::nullopt; ///< of its list: inputs with an entry per element, and outputs

    /// Whether each element has a value of its own.
    bool per_element() const { return kind == DatumKind::input || kind == DatumKind::computed; }
    /// The type of its list.
    Type list_type() const { return in_memory(type, storage); }
    /// Bytes of one element in its list; of a flag, which has none, 0.
    int list_bytes() const { return flag ? 0 : list_type().bytes(); }
};

struct Call {
    library::Instance instance;
    std::vector<DataId> operands; ///< in the function's declared order
    DataId result;
    Span span;                            ///< the call's expression
    std::vector<Span> operand_spans = {}; ///< as `operands`; empty for calls that the text does not write
    std::uint32_t block = 0;              ///< of `CheckedProgram::blocks`; 0 where the program has none
};

/// A list that is updated in place (`inout`): the caller gives one pointer, behind which each element's entry has its old value before and
/// its new one after. Both values are data of their own, an input and an output; indices, since passes renumber data but keep the lists.
struct Update {
    std::size_t input = 0;  ///< into CheckedProgram::inputs: the old value, `y:0`
    std::size_t output = 0; ///< into CheckedProgram::outputs: the new value, `y`
};

/// An assertion that is compiled in (`--checked`). Its flag is 1 in an element in which it fails, else 0; nothing uses it.
struct Check {
    std::size_t output = 0; ///< into CheckedProgram::outputs: the flag
    std::string text;       ///< what to say where it fails
    Span span;              ///< the statement
};

/// Elements of a launch, and checks of a program, that fit the word in which kernels report the first failure (DESIGN.md: n is at most 2^40).
inline constexpr std::size_t most_checks = 65536;

/// Invariants: data and calls are in topological order of definition (a call's operands precede its result); every call is live;
/// every datum is an input/uniform of the interface, or used by a call (of either kind), or an output.
struct CheckedProgram {
    std::string name; ///< first part of names in the output, `demo` of `demo_launch`: an identifier, maybe a keyword
    SourcePtr source;
    std::vector<Datum> data;
    std::vector<Call> calls;
    /// Calls whose results are derived, in order of definition; operands are uniforms, constants and derived (uniform_calls.hpp).
    std::vector<Call> uniform_calls = {};
    std::vector<library::Function>
        functions;              ///< that the program defines by slices and assemblies; their ids follow the library's (`Catalog::with`)
    std::vector<DataId> inputs; ///< interface order: `input` and `uniform` declarations as they stand in the program
    std::vector<DataId>
        outputs; ///< `return` order, then the new values of updated lists, then flags; never an input, no repeats, at least one
    std::vector<Update> updates = {}; ///< ascending by input and by output
    /// The last outputs are their flags, in this order: that of the text and of the iterations. Their places are their numbers.
    std::vector<Check> checks = {};
    /// As it was before it was simplified and condensed, with the same inputs and outputs: what verification compares it with. Null: it is as written.
    std::shared_ptr<const CheckedProgram> written = nullptr;
    /// Names of calls as written that are steps of another call (condense.hpp), with the result of that call.
    std::map<std::string, DataId> steps;
    /// Names of the program blocks in order; calls stand by block, and no kernel has calls of two. Empty: all is one.
    std::vector<std::string> blocks = {};

    const Datum& datum(DataId id) const { return data.at(id.index()); }
    const Call& call(CallId id) const { return calls.at(id.index()); }
    /// The name of a call is the name of its result.
    const std::string& name_of(CallId id) const { return datum(call(id).result).name; }
    /// The outputs that are lists of the interface.
    std::size_t listed_outputs() const { return outputs.size() - checks.size(); }
    /// The new value of what is an updated list's old one.
    std::optional<DataId> new_value(DataId old) const {
        const auto update = std::find_if(updates.begin(), updates.end(), [&](const Update& u) { return inputs.at(u.input) == old; });
        return update == updates.end() ? std::nullopt : std::optional(outputs.at(update->output));
    }
    /// The old value of what is an updated list's new one.
    std::optional<DataId> old_value(DataId updated) const {
        const auto update = std::find_if(updates.begin(), updates.end(), [&](const Update& u) { return outputs.at(u.output) == updated; });
        return update == updates.end() ? std::nullopt : std::optional(inputs.at(update->input));
    }
    /// What the interface calls the list: of an updated one's old value, the name of the new.
    const std::string& list_name(DataId id) const { return datum(new_value(id).value_or(id)).name; }
    const std::string& list_identifier(DataId id) const { return datum(new_value(id).value_or(id)).identifier; }
    /// The call that makes a derived datum.
    const Call& derivation(DataId id) const { return uniform_calls.at(datum(id).uniform_call.value()); }
    /// Of the call's block; empty where the program has none.
    std::string block_name(CallId id) const { return blocks.empty() ? std::string() : blocks.at(call(id).block); }
    /// "`s` is computed within `K`", for a name that is a step's; the like for a derived datum; empty for others.
    std::string within(const std::string& wanted) const {
        if (const auto step = steps.find(wanted); step != steps.end()) {
            return "`" + wanted + "` is computed within `" + datum(step->second).name + "`";
        }
        const bool derived = std::any_of(
            data.begin(), data.end(), [&](const Datum& datum) { return datum.kind == DatumKind::derived && datum.name == wanted; });
        return derived ? "`" + wanted + "` has one value for all elements: every kernel that uses it computes it" : "";
    }
};

} // namespace fusec::frontend
