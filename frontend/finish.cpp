// SPDX-License-Identifier: Apache-2.0
// From everything a program computes to what it needs: identical calls merged, dead ones removed, identifiers chosen.
#include "frontend/draft.hpp"
#include "frontend/identifiers.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <map>

namespace fusec::frontend {

namespace {

class Finisher {
public:
    Finisher(Draft draft, const SourcePtr& source, const library::Catalog& catalog, Diagnostics& diagnostics)
        : draft_(std::move(draft)), source_(source), catalog_(catalog), diagnostics_(diagnostics) {}

    CheckedProgram finish(const std::string& name) {
        for (const Returned& returned : draft_.returned) {
            Datum& datum = draft_.datum(returned.datum);
            datum.output = true;
            datum.name = returned.name.text; // of two names for one value, the list in the interface has the returned one
        }
        merge();
        find_live();
        warn();
        CheckedProgram program = compacted();
        program.source = source_;
        choose_identifiers(program, name);
        return program;
    }

private:
    /// The function and the operands it is applied to, in an order that does not matter for commutative functions of equal types.
    using Key = std::pair<FunctionId, std::vector<DataId>>;

    Key key_of(const Call& call) const {
        Key key{call.instance.function, call.operands};
        if (catalog_.function(key.first).commutative && draft_.datum(key.second[0]).type == draft_.datum(key.second[1]).type) {
            std::sort(key.second.begin(), key.second.end());
        }
        return key;
    }

    /// Value numbering in order of definition. Two calls whose results are both returned stay: the interface has a list for each.
    void merge() {
        std::vector<DataId> same;
        for (std::size_t i = 0; i < draft_.data.size(); ++i) {
            same.push_back(DataId{i});
        }
        merged_.assign(draft_.calls.size(), false);
        std::map<Key, CallId> known;
        for (std::size_t i = 0; i < draft_.calls.size(); ++i) {
            Call& call = draft_.calls[i];
            for (DataId& operand : call.operands) {
                operand = same[operand.index()];
            }
            const auto [entry, inserted] = known.try_emplace(key_of(call), CallId{i});
            if (inserted) {
                continue;
            }
            const Call& first = draft_.calls[entry->second.index()];
            Datum& kept = draft_.datum(first.result);
            const Datum& repeated = draft_.datum(call.result);
            if (kept.output && repeated.output) {
                continue;
            }
            diagnostics_.report(kind::merged_call, call.span, "`" + repeated.name + "` is the same call as `" + kept.name + "`: computed once").notes.push_back({first.span, "the first call"});
            if (repeated.output || (!kept.output && is_nested_name(kept.name) && !is_nested_name(repeated.name))) {
                kept.name = repeated.name;
                kept.output = repeated.output;
                kept.span = repeated.span;
            }
            same[call.result.index()] = first.result;
            merged_[i] = true;
        }
        for (Returned& returned : draft_.returned) {
            returned.datum = same[returned.datum.index()];
        }
    }

    void find_live() {
        live_data_.assign(draft_.data.size(), false);
        used_data_.assign(draft_.data.size(), false);
        live_calls_.assign(draft_.calls.size(), false);
        for (const Returned& returned : draft_.returned) {
            live_data_[returned.datum.index()] = true;
        }
        for (std::size_t i = draft_.calls.size(); i-- > 0;) {
            const Call& call = draft_.calls[i];
            live_calls_[i] = !merged_[i] && live_data_[call.result.index()];
            for (const DataId operand : call.operands) {
                live_data_[operand.index()] = live_data_[operand.index()] || live_calls_[i];
                used_data_[operand.index()] = used_data_[operand.index()] || !merged_[i];
            }
        }
    }

    void warn() {
        for (std::size_t i = 0; i < draft_.data.size(); ++i) {
            const Datum& datum = draft_.data[i];
            if (live_data_[i] || datum.name.empty()) {
                continue;
            }
            const std::string how = used_data_[i] ? "` is used only by calls that reach no output" : "` is never used";
            if (datum.kind == DatumKind::input || datum.kind == DatumKind::uniform) {
                diagnostics_.report(kind::unused_input, datum.span, std::string(datum.kind == DatumKind::input ? "input `" : "uniform `") + datum.name + how).hint = "it stays in the interface";
            } else if (datum.kind == DatumKind::constant && !is_literal_name(datum.name)) {
                diagnostics_.report(kind::unused_constant, datum.span, "constant `" + datum.name + how);
            } else if (datum.kind == DatumKind::computed && !merged_[datum.producer->index()] && !is_nested_name(datum.name)) {
                diagnostics_.report(kind::dead_call, datum.span, "`" + datum.name + how + ": not compiled");
            }
        }
    }

    CheckedProgram compacted() {
        CheckedProgram program;
        std::vector<DataId> moved(draft_.data.size());
        for (std::size_t i = 0; i < draft_.data.size(); ++i) {
            const bool interface = draft_.data[i].kind == DatumKind::input || draft_.data[i].kind == DatumKind::uniform;
            if (live_data_[i] || interface) {
                moved[i] = DataId{program.data.size()};
                program.data.push_back(std::move(draft_.data[i]));
            }
        }
        for (std::size_t i = 0; i < draft_.calls.size(); ++i) {
            if (!live_calls_[i]) {
                continue;
            }
            Call call = std::move(draft_.calls[i]);
            for (DataId& operand : call.operands) {
                operand = moved[operand.index()];
            }
            call.result = moved[call.result.index()];
            program.data[call.result.index()].producer = CallId{program.calls.size()};
            program.calls.push_back(std::move(call));
        }
        for (const DataId input : draft_.interface) {
            program.inputs.push_back(moved[input.index()]);
        }
        for (const Returned& returned : draft_.returned) {
            program.outputs.push_back(moved[returned.datum.index()]);
        }
        return program;
    }

    /// `2.5`: literal_2_5, `-1`: literal_m1, `midentity(3)`: identity_3
    static std::string literal_identifier(std::string text) {
        constexpr std::string_view identity = "midentity(";
        if (text.starts_with(identity)) {
            return "identity_" + text.substr(identity.size(), text.size() - identity.size() - 1);
        }
        std::replace(text.begin(), text.end(), '-', 'm');
        std::string word = as_identifier("literal_" + text, "literal");
        word.erase(word.find_last_not_of('_') + 1);
        return word;
    }

    /// Names of the program come first, so that `F.1` yields to a name `F_1`; literals come last.
    static void choose_identifiers(CheckedProgram& program, const std::string& name) {
        const std::string wanted = without_implementation_form(as_identifier(name, "program"));
        program.name = IdentifierPool().take(is_global_name(wanted) ? wanted + "_" : wanted);
        IdentifierPool pool;
        for (const char* suffix : {"", "_arguments", "_kernels", "_launch", "_launch_range", "_workspace_bytes"}) {
            pool.reserve(program.name + suffix);
        }
        const auto rank = [](const Datum& datum) { return is_literal_name(datum.name) ? 2 : is_nested_name(datum.name) ? 1
                                                                                                                       : 0; };
        for (const int round : {0, 1, 2}) {
            for (Datum& datum : program.data) {
                if (rank(datum) != round) {
                    continue;
                }
                datum.identifier = pool.take(round == 2 ? literal_identifier(datum.name) : without_implementation_form(as_identifier(datum.name, "value")));
            }
        }
    }

    Draft draft_;
    SourcePtr source_;
    const library::Catalog& catalog_;
    Diagnostics& diagnostics_;
    std::vector<bool> merged_;     ///< calls replaced by an earlier one
    std::vector<bool> live_calls_; ///< calls an output needs
    std::vector<bool> live_data_;
    std::vector<bool> used_data_; ///< operand of any call that was not merged away
};

} // namespace

CheckedProgram finish(Draft draft, const std::string& name, const SourcePtr& source, const library::Catalog& catalog, Diagnostics& diagnostics) {
    return Finisher(std::move(draft), source, catalog, diagnostics).finish(name);
}

} // namespace fusec::frontend
