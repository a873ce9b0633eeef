// SPDX-License-Identifier: Apache-2.0
// From everything a program computes to what it needs: identical calls merged, dead ones removed, identifiers chosen.
#include "frontend/draft.hpp"
#include "frontend/identifiers.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

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
            draft_.rename(returned.datum, returned.name.text,
                NameKind::written); // of two names for one value, the list in the interface has the returned one
        }
        for (const DraftCheck& check : draft_.checks) {
            Datum& flag = draft_.datum(check.flag);
            flag.output = true;
            flag.flag = true;
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
    using Place = std::tuple<const SourceText*, std::size_t, std::size_t>;

    static Place place_of(const Datum& datum) { return {datum.span.source.get(), datum.span.begin, datum.span.end}; }

    /// The function and the operands it is applied to, in an order that does not matter for commutative functions of equal types.
    /// How the result is stored tells calls apart too, and the program block: what two blocks compute alike would have to be stored between
    /// them. The old value of an updated list is gone behind its block, so what is computed of it is computed once.
    struct Key {
        FunctionId function;
        std::vector<DataId> operands;
        bool packed = false;
        std::uint32_t block = 0;
        auto operator<=>(const Key&) const = default;
    };

    Key key_of(const Call& call) const {
        const auto updated = [this](DataId operand) {
            return std::any_of(draft_.updates.begin(), draft_.updates.end(), [&](const auto& update) { return update.first == operand; });
        };
        const bool once = std::any_of(call.operands.begin(), call.operands.end(), updated);
        Key key{call.instance.function, call.operands, call.instance.result.shape.packed, once ? 0 : call.block};
        if (!is_own(call) && catalog_.function(key.function).commutative &&
            draft_.datum(key.operands[0]).type == draft_.datum(key.operands[1]).type) {
            std::sort(key.operands.begin(), key.operands.end());
        }
        return key;
    }

    /// Whether the program defines the function.
    bool is_own(const Call& call) const { return call.instance.function.index() >= catalog_.library_size(); }
    /// Whether the call only moves data.
    bool moves(const Call& call) const {
        return is_own(call) && draft_.own.map(call.instance.function.index() - catalog_.library_size()) != nullptr;
    }

    /// Value numbering in order of definition. Two calls whose results are both returned stay: the interface has a list for each.
    void merge() {
        for (std::size_t i = 0; i < draft_.data.size(); ++i) {
            same_.push_back(DataId{i});
        }
        merged_.assign(draft_.calls.size(), false);
        for (const Call& call : draft_.calls) {
            ++calls_at_[{call.span.source.get(), call.span.begin, call.span.end}];
        }
        std::map<Key, CallId> known;
        for (std::size_t i = 0; i < draft_.calls.size(); ++i) {
            Call& call = draft_.calls[i];
            for (DataId& operand : call.operands) {
                operand = same_[operand.index()];
                const std::optional<CallId>& producer = draft_.datum(operand).producer;
                call.block = producer ? std::max(call.block, draft_.calls[producer->index()].block) : call.block;
            }
            if (draft_.datum(call.result).flag) {
                continue; // it has no memory that others could load it from
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
            report_merged(call, first);
            if (repeated.output ||
                (!kept.output && name_kind(first.result) == NameKind::nested && name_kind(call.result) != NameKind::nested)) {
                draft_.rename(first.result, repeated.name, name_kind(call.result));
                kept.output = repeated.output;
                kept.storage = repeated.storage;
                kept.span = repeated.span;
            }
            same_[call.result.index()] = first.result;
            merged_[i] = true;
        }
        for (Returned& returned : draft_.returned) {
            returned.datum = same_[returned.datum.index()];
        }
    }

    NameKind name_kind(DataId id) const { return draft_.name_kinds[id.index()]; }

    /// Says so once for two places of the text. Scalar arithmetic in loops meets itself all the time: nobody wrote that twice.
    void report_merged(const Call& call, const Call& first) {
        const auto place = [](const Span& span) { return std::tuple(span.source.get(), span.begin, span.end); };
        const auto repeated = [&](const Call& one) {
            return one.instance.result.shape.form == Form::scalar && calls_at_.at(place(one.span)) > 1;
        };
        if (!moves(call) && place(call.span) != place(first.span) && !repeated(call) && !repeated(first) &&
            reported_.emplace(place(call.span), place(first.span)).second) {
            diagnostics_
                .report(kind::merged_call, call.span,
                    "`" + draft_.datum(call.result).name + "` is the same call as `" + draft_.datum(first.result).name + "`: computed once")
                .notes.push_back({first.span, "the first call"});
        }
    }

    void find_live() {
        live_data_.assign(draft_.data.size(), false);
        used_data_.assign(draft_.data.size(), false);
        live_calls_.assign(draft_.calls.size(), false);
        for (const Returned& returned : draft_.returned) {
            live_data_[returned.datum.index()] = true;
        }
        for (const DraftCheck& check : draft_.checks) {
            live_data_[check.flag.index()] = true;
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

    /// A place of the text that stands for several values is dead if all of them are.
    void warn() {
        std::set<Place> needed;
        for (std::size_t i = 0; i < draft_.data.size(); ++i) {
            const Datum& datum = draft_.data[i];
            if (live_data_[same_[i].index()] || draft_.read[i]) {
                needed.insert(place_of(datum));
            }
        }
        std::set<Place> warned;
        for (std::size_t i = 0; i < draft_.data.size(); ++i) {
            const Datum& datum = draft_.data[i];
            const NameKind kind = draft_.name_kinds[i];
            const bool named = kind == NameKind::written || kind == NameKind::expanded;
            const bool merged = same_[i] != DataId{i}; // the first of the identical calls speaks for it
            if (!named || merged || needed.contains(place_of(datum)) || !warned.insert(place_of(datum)).second) {
                continue;
            }
            const std::string name(kind == NameKind::written ? datum.name : datum.span.text());
            const std::string how = used_data_[i] ? "` is used only by calls that reach no output" : "` is never used";
            if (datum.kind == DatumKind::input || datum.kind == DatumKind::uniform) {
                diagnostics_
                    .report(
                        kind::unused_input, datum.span, std::string(datum.kind == DatumKind::input ? "input `" : "uniform `") + name + how)
                    .hint = "it stays in the interface";
            } else if (datum.kind == DatumKind::constant) {
                report_unused_constant(datum, name + how);
            } else {
                diagnostics_.report(kind::dead_call, datum.span, "`" + name + how + ": not compiled");
            }
        }
    }

    /// An included file offers more than one program needs.
    void report_unused_constant(const Datum& datum, const std::string& what) {
        if (datum.span.source == source_) {
            diagnostics_.report(kind::unused_constant, datum.span, "constant `" + what);
        }
    }

    std::uint32_t block_of(const Datum& datum) const { return datum.producer ? blocks_[datum.producer->index()] : 0; }

    /// 0 .. count - 1, earlier blocks first: what is put together for `return` is made in the block of its last part.
    template <class Block>
    static std::vector<std::size_t> by_block(std::size_t count, Block block) {
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return block(a) < block(b); });
        return order;
    }

    CheckedProgram compacted() {
        CheckedProgram program;
        for (const Call& call : draft_.calls) {
            blocks_.push_back(call.block);
        }
        std::vector<DataId> moved(draft_.data.size());
        for (const ast::Name& block : draft_.blocks) {
            program.blocks.push_back(block.text);
        }
        for (const std::size_t i : by_block(draft_.data.size(), [&](std::size_t datum) { return block_of(draft_.data[datum]); })) {
            const bool interface = draft_.data[i].kind == DatumKind::input || draft_.data[i].kind == DatumKind::uniform;
            if (live_data_[i] || interface) {
                moved[i] = DataId{program.data.size()};
                kept_kinds_.push_back(draft_.name_kinds[i]);
                program.data.push_back(std::move(draft_.data[i]));
            }
        }
        for (const std::size_t i : by_block(draft_.calls.size(), [&](std::size_t call) { return blocks_[call]; })) {
            if (!live_calls_[i]) {
                continue;
            }
            Call call = std::move(draft_.calls[i]);
            for (DataId& operand : call.operands) {
                operand = moved[operand.index()];
            }
            call.result = moved[call.result.index()];
            if (is_own(call)) {
                define_function(program, call);
            }
            program.data[call.result.index()].producer = CallId{program.calls.size()};
            program.calls.push_back(std::move(call));
        }
        for (const DataId input : draft_.interface) {
            program.inputs.push_back(moved[input.index()]);
        }
        for (const Returned& returned : draft_.returned) {
            program.outputs.push_back(moved[returned.datum.index()]);
        }
        for (const auto& [old, output] : draft_.updates) {
            const auto place = std::find(draft_.interface.begin(), draft_.interface.end(), old);
            program.updates.push_back({static_cast<std::size_t>(place - draft_.interface.begin()), output});
        }
        for (const DraftCheck& check : draft_.checks) {
            program.checks.push_back({program.outputs.size(), check.text, check.span});
            program.outputs.push_back(moved[check.flag.index()]);
        }
        return program;
    }

    /// Gives the call the id that its function has in the program, made at the first call of it.
    void define_function(CheckedProgram& program, Call& call) {
        const std::size_t number = call.instance.function.index() - catalog_.library_size();
        const auto [entry, inserted] = own_functions_.try_emplace(number, program.functions.size());
        if (inserted) {
            library::Function function = draft_.own.function(number);
            const std::string name = function.name;
            for (int next = 2; !function_names_.insert(function.name).second; ++next) { // hashes collide
                function = draft_.own.function(number, name + "_" + std::to_string(next));
            }
            program.functions.push_back(std::move(function));
        }
        call.instance.function = FunctionId(catalog_.library_size() + entry->second);
    }

    /// `2.5`: literal_2_5, `-1`: literal_m1, `midentity(3)`: identity_3
    static std::string literal_identifier(std::string text) {
        constexpr std::string_view identity = "midentity(";
        if (text.starts_with(identity) && text.ends_with(')')) {
            return "identity_" + text.substr(identity.size(), text.size() - identity.size() - 1);
        }
        std::replace(text.begin(), text.end(), '-', 'm');
        std::string word = as_identifier("literal_" + text, "literal");
        word.erase(word.find_last_not_of('_') + 1);
        return word;
    }

    /// `g[3]`: g_3, `stress(1).P`: stress_1_P, `K:2`: K_2, `h[-1]`: h_m1
    static std::string expanded_identifier(std::string text) {
        const bool closed = text.ends_with(']') || text.ends_with(')');
        std::replace(text.begin(), text.end(), '-', 'm');
        std::string word = as_identifier(text, "value");
        word.erase(closed ? word.find_last_not_of('_') + 1 : word.size());
        return without_implementation_form(std::move(word));
    }

    /// Names of the program come first, so that `F.1` yields to a name `F_1`; literals come last.
    void choose_identifiers(CheckedProgram& program, const std::string& name) const {
        program.name = program_name(name);
        IdentifierPool pool;
        for (const char* suffix : {"", "_arguments", "_kernels", "_launch", "_launch_range", "_workspace_bytes", "_first_failure"}) {
            pool.reserve(program.name + suffix);
        }
        for (const std::string& block : program.blocks) {
            pool.reserve(program.name + "_launch_" + block);
            pool.reserve(program.name + "_launch_" + block + "_range");
        }
        const auto choose = [&](std::initializer_list<NameKind> kinds, auto identifier) {
            for (std::size_t i = 0; i < program.data.size(); ++i) {
                if (std::find(kinds.begin(), kinds.end(), kept_kinds_[i]) != kinds.end()) {
                    program.data[i].identifier = pool.take(identifier(program.data[i].name));
                }
            }
        };
        choose({NameKind::written}, [](const std::string& text) { return without_implementation_form(as_identifier(text, "value")); });
        choose({NameKind::expanded, NameKind::nested, NameKind::entry}, expanded_identifier);
        choose({NameKind::literal}, literal_identifier);
    }

    Draft draft_;
    SourcePtr source_;
    const library::Catalog& catalog_;
    Diagnostics& diagnostics_;
    std::vector<DataId> same_;          ///< per datum: what it was merged into, else itself
    std::vector<bool> merged_;          ///< calls replaced by an earlier one
    std::vector<bool> live_calls_;      ///< calls an output needs
    std::vector<std::uint32_t> blocks_; ///< of calls
    std::vector<bool> live_data_;
    std::vector<bool> used_data_;                      ///< operand of any call that was not merged away
    std::vector<NameKind> kept_kinds_;                 ///< of the data of the checked program
    std::map<std::size_t, std::size_t> own_functions_; ///< of the program, by number in the draft
    std::set<std::string> function_names_;
    std::map<Place, int> calls_at_;              ///< how many calls a place of the text stands for
    std::set<std::pair<Place, Place>> reported_; ///< merged calls
};

} // namespace

CheckedProgram finish(
    Draft draft, const std::string& name, const SourcePtr& source, const library::Catalog& catalog, Diagnostics& diagnostics) {
    return Finisher(std::move(draft), source, catalog, diagnostics).finish(name);
}

} // namespace fusec::frontend
