// SPDX-License-Identifier: Apache-2.0
#include "execute/simplify.hpp"

#include "elementary-lib/selection.hpp"
#include "execute/compacted.hpp"
#include "execute/fold_constants.hpp"
#include "execute/transposed_factors.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace fusec::execute {

using frontend::Call;
using frontend::CheckedProgram;
using frontend::Datum;
using frontend::DatumKind;

namespace {

/// What the result of a call is, and by which fact.
struct Equal {
    DataId datum;
    std::string why;
};

/// One pass in order of definition: operands have their final values when a call is looked at.
class Pass {
public:
    Pass(CheckedProgram program, const library::Catalog& catalog, GroupedMessages& messages)
        : program_(std::move(program)), catalog_(catalog), messages_(messages), removed_(program_.calls.size(), false) {
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            same_.emplace_back(i);
        }
    }

    /// Whether anything changed.
    bool run() {
        for (std::size_t i = 0; i < program_.calls.size(); ++i) {
            Call& call = program_.calls[i];
            for (DataId& operand : call.operands) {
                changed_ = changed_ || same_[operand.index()] != operand;
                operand = same_[operand.index()];
            }
            const auto type = [&](DataId id) -> const Type& { return program_.datum(id).type; };
            if (const auto equal = equal_of(call); equal && type(equal->datum) == type(call.result)) { // else it stores it otherwise
                if (replace(i, equal->datum) && !is_unnamed_scalar(call)) {
                    messages_.add(kind::simplified_call, call.span, replaced_name_, equal->why);
                }
            } else {
                merge(i);
            }
        }
        return changed_;
    }
    CheckedProgram take() const { return compacted(program_, removed_); }

private:
    /// The function and its operands, in an order that does not matter where they may be exchanged.
    struct Key {
        FunctionId function;
        std::vector<DataId> operands;
        bool packed = false; ///< how the result is stored
        std::uint32_t block = 0;
        auto operator<=>(const Key&) const = default;
    };

    /// A scalar that the program has no name for, as `B[i, j] += x` makes them by the hundred: nothing to tell.
    bool is_unnamed_scalar(const Call& call) const {
        return call.instance.result.shape.form == Form::scalar && replaced_name_.find('.') != std::string::npos;
    }

    const library::Function& function_of(const Call& call) const { return catalog_.function(call.instance.function); }

    std::optional<Equal> equal_of(const Call& call) const {
        const library::Function& function = function_of(call);
        const auto quoted = [&](DataId id) { return "`" + program_.datum(id).name + "`"; };
        const std::string is = quoted(call.result) + " is ";
        for (std::size_t i = 0; i < function.inputs.size(); ++i) {
            const Datum& operand = program_.datum(call.operands[i]);
            if (function.inputs[i].neutral && operand.kind == DatumKind::constant &&
                is_value(*function.inputs[i].neutral, operand.type.shape, operand.values)) {
                const DataId other = call.operands[1 - i];
                return Equal{other,
                    is + quoted(other) + ": operand `" + function.inputs[i].name + "` of `" + function.name + "` is " +
                        value_text(*function.inputs[i].neutral)};
            }
        }
        if (const auto selection = library::selection_of(function)) {
            return equal_of_selection(call, *selection);
        }
        const bool narrows = library::conversion_of(function) != nullptr && library::conversion_of(function)->to == Precision::f32;
        if (!function.involution && !function.idempotent && !narrows) {
            return std::nullopt;
        }
        const std::optional<CallId> inner = program_.datum(call.operands[0]).producer;
        if (inner && narrows) { // every float is a double
            const Call& widening = program_.call(*inner);
            return library::conversion_of(function_of(widening)) == nullptr
                ? std::nullopt
                : std::optional(Equal{widening.operands[0], is + quoted(widening.operands[0]) + ": `float` of `double`"});
        }
        if (!inner || program_.call(*inner).instance.function != call.instance.function) {
            return std::nullopt;
        }
        const DataId equal = function.involution ? program_.call(*inner).operands[0] : call.operands[0];
        return Equal{equal, is + quoted(equal) + ": `" + function.name + "` of `" + function.name + "`"};
    }

    /// A comparison of constants is decided; between a value and itself there is nothing to choose.
    std::optional<Equal> equal_of_selection(const Call& call, const library::Selection& selection) const {
        const auto datum = [&](std::size_t operand) -> const Datum& { return program_.datum(call.operands[operand]); };
        const auto is = [&](std::size_t operand) {
            return "`" + program_.datum(call.result).name + "` is `" + datum(operand).name + "`: ";
        };
        if (call.operands[selection.chosen] == call.operands[selection.otherwise]) {
            return Equal{call.operands[selection.chosen], is(selection.chosen) + "`select` chooses between it and itself"};
        }
        const Datum &left = datum(selection.left), &right = datum(selection.right);
        if (left.kind != DatumKind::constant || right.kind != DatumKind::constant) {
            return std::nullopt;
        }
        const bool holds = library::holds(selection.comparison, left.values.front(), right.values.front());
        const std::size_t taken = holds ? selection.chosen : selection.otherwise;
        return Equal{call.operands[taken],
            is(taken) + "`" + left.name + " " + selection.comparison + " " + right.name + "` " + (holds ? "holds" : "does not hold")};
    }

    static std::string value_text(library::Neutral value) {
        switch (value) {
        case library::Neutral::zero:
            return "0";
        case library::Neutral::one:
            return "1";
        case library::Neutral::identity:
            return "the identity";
        }
        return {};
    }

    /// Uses of the call's result become uses of `equal`. The call goes, unless its result is an output whose name `equal` cannot take.
    bool replace(std::size_t number, DataId equal) {
        const Call& call = program_.calls[number];
        Datum& result = program_.data[call.result.index()];
        Datum& kept = program_.data[equal.index()];
        internal_check(result.type == kept.type, "a call is simplified to a value of another type");
        same_[call.result.index()] = equal;
        if (result.output && (kept.kind != DatumKind::computed || kept.output)) {
            return false;
        }
        replaced_name_ = result.name;
        if (result.output) {
            std::swap(kept.name, result.name);
            std::swap(kept.identifier, result.identifier);
            std::swap(kept.span, result.span);
            std::swap(kept.output, result.output);
            std::swap(kept.storage, result.storage);
            std::replace(program_.outputs.begin(), program_.outputs.end(), call.result, equal);
        }
        removed_[number] = true;
        changed_ = true;
        return true;
    }

    /// Identical calls on identical operands are one, also those that became so. Where both results are outputs, both stay.
    void merge(std::size_t number) {
        const Call& call = program_.calls[number];
        if (program_.datum(call.result).flag) {
            return; // it has no memory that others could load it from
        }
        // Those of two program blocks stay, as in finish.cpp, but for those on an old value, which is gone behind its block.
        const bool once = std::ranges::any_of(call.operands, [this](DataId operand) { return program_.new_value(operand).has_value(); });
        Key key{call.instance.function, call.operands, call.instance.result.shape.packed, once ? 0 : call.block};
        if (function_of(call).commutative && program_.datum(key.operands[0]).type == program_.datum(key.operands[1]).type) {
            std::sort(key.operands.begin(), key.operands.end());
        }
        const auto [known, first] = known_.try_emplace(std::move(key), number);
        if (first || (program_.datum(call.result).output && program_.datum(program_.calls[known->second].result).output)) {
            return;
        }
        const Call& earlier = program_.calls[known->second];
        const std::string name = program_.datum(earlier.result).name;
        replace(number, earlier.result);
        if (call.instance.function.index() < catalog_.library_size()) {
            messages_.add(kind::merged_call, call.span, replaced_name_,
                "`" + replaced_name_ + "` is the same call as `" + name + "`: computed once", {{earlier.span, "the first call"}});
        }
    }

    CheckedProgram program_;
    const library::Catalog& catalog_;
    GroupedMessages& messages_;
    std::vector<DataId> same_;  ///< per datum: the value it is, else itself
    std::vector<bool> removed_; ///< per call
    std::map<Key, std::size_t> known_;
    std::string replaced_name_; ///< of the call that was replaced last
    bool changed_ = false;
};

} // namespace

CheckedProgram simplified(const CheckedProgram& program, const library::Catalog& catalog, Diagnostics& diagnostics) {
    GroupedMessages messages;
    CheckedProgram result = fold_constants(program, catalog, messages);
    bool changed = result.calls.size() != program.calls.size();
    for (;;) {
        Pass pass(result, catalog, messages);
        const bool replaced = pass.run();
        if (replaced) {
            result = fold_constants(pass.take(), catalog, messages); // a use of an output may have become one of a constant
        }
        if (!replaced && !read_through_transposes(result, catalog, messages)) {
            break;
        }
        changed = true;
        if (!replaced) {
            result = compacted(result, std::vector<bool>(result.calls.size(), false));
        }
    }
    messages.report(diagnostics);
    if (changed) {
        result.written = std::make_shared<const CheckedProgram>(program);
    }
    return result;
}

} // namespace fusec::execute
