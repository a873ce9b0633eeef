// SPDX-License-Identifier: Apache-2.0
// The invariants of a checked program, proved again from the result alone.
#include "frontend/frontend.hpp"
#include "frontend/identifiers.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace fusec::frontend {

namespace {

class Verifier {
public:
    Verifier(const CheckedProgram& program, const library::Catalog& catalog)
        : program_(program), catalog_(catalog.with(program.functions)), used_(program.data.size(), false) {}

    void verify() {
        internal_check(program_.source != nullptr, "checked program without a source");
        names();
        for (const library::Function& function : program_.functions) {
            own_function(function);
        }
        for (std::size_t i = 0; i < program_.uniform_calls.size(); ++i) {
            uniform_call(i);
        }
        for (std::size_t i = 0; i < program_.calls.size(); ++i) {
            call(CallId{i});
        }
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            datum(DataId{i});
        }
        interface();
        updates();
        checks();
        liveness();
    }

private:
    void names() const {
        std::set<std::string> identifiers{program_.name};
        std::set<std::string> names;
        internal_check(program_name(program_.name) == program_.name, "the program's name is no first part of names of C");
        for (const Datum& datum : program_.data) {
            internal_check(is_identifier(datum.identifier), "a datum's identifier is not one");
            internal_check(identifiers.insert(datum.identifier).second, "two data have one identifier");
            internal_check(datum.kind == DatumKind::constant || names.insert(datum.name).second, "two data have one name");
        }
    }

    /// It only moves components that there are, and has no operand in vain.
    void own_function(const library::Function& function) const {
        if (const auto* components = std::get_if<library::ComponentProgram>(&function.reference)) {
            component_program(*components, function);
            return;
        }
        if (!function.base.empty()) {
            folded_function(function);
            return;
        }
        if (const library::Conversion* conversion = library::conversion_of(function)) {
            internal_check(!conversion->shape.packed && function.name == library::converting_function(*conversion).name,
                "a conversion that is another function's");
            return;
        }
        const auto* map = std::get_if<library::ComponentMap>(&function.reference);
        internal_check(map != nullptr, "a function of the program computes");
        internal_check(
            !map->operands.empty() && map->operands.size() == function.inputs.size(), "a map has other operands than its function");
        internal_check(map->sources.size() == static_cast<std::size_t>(map->result.size()), "a map leaves out components");
        std::size_t used = 0; // operands so far: they are numbered as they come
        for (const library::ComponentSource& source : map->sources) {
            if (source.operand == library::ComponentSource::zero) {
                continue;
            }
            const auto operand = static_cast<std::size_t>(source.operand);
            internal_check(operand <= used && operand < map->operands.size(), "a map numbers its operands in another order");
            used = std::max(used, operand + 1);
            internal_check(
                source.component >= 0 && source.component < map->operands[operand].size(), "a map moves a component that is none");
        }
        internal_check(used == map->operands.size(), "a map has an operand in vain");
    }

    /// It is a function of the library with other ways to compute it.
    void folded_function(const library::Function& function) const {
        const std::optional<FunctionId> base = catalog_.find(function.base);
        internal_check(base && std::holds_alternative<library::ReferenceExpression>(function.reference) &&
                catalog_.function(*base).reference_text == function.reference_text,
            "a folded function has another reference than the one it stands for");
        internal_check(!function.implementations.empty(), "a folded function without an implementation");
        for (const library::Implementation& implementation : function.implementations) {
            internal_check(implementation.of_base ? implementation.unread.empty() : implementation.unread.size() == function.inputs.size(),
                "a folded function does not say what its implementation reads");
        }
    }

    void component_program(const library::ComponentProgram& made, const library::Function& function) const {
        using Kind = library::ComponentValue::Kind;
        internal_check(!made.operands.empty() && made.operands.size() == function.inputs.size(),
            "a component program has other operands than its function");
        internal_check(made.values.size() == static_cast<std::size_t>(made.result.size()), "a component program leaves out components");
        std::vector<bool> operand_used(made.operands.size(), false), step_used(made.steps.size(), false);
        const auto value = [&](const library::ComponentValue& v, std::size_t steps) {
            if (v.kind == Kind::step) {
                internal_check(v.step >= 0 && static_cast<std::size_t>(v.step) < steps, "a step uses one that comes later");
                step_used[static_cast<std::size_t>(v.step)] = true;
            } else if (v.kind == Kind::component) {
                const auto operand = static_cast<std::size_t>(v.source.operand);
                internal_check(v.source.operand >= 0 && operand < made.operands.size() && v.source.component >= 0 &&
                        v.source.component < made.operands[operand].size(),
                    "a component program reads a component that is none");
                operand_used[operand] = true;
            }
        };
        for (std::size_t step = 0; step < made.steps.size(); ++step) {
            const library::Function& scalar = catalog_.function(made.steps[step].function);
            internal_check(made.steps[step].function.index() < catalog_.library_size() && library::may_be_step(scalar) &&
                    scalar.inputs.size() == made.steps[step].operands.size(),
                "a step is no scalar function");
            for (const library::ComponentValue& v : made.steps[step].operands) {
                internal_check(v.kind != Kind::zero, "a step has a zero for an operand");
                value(v, step);
            }
        }
        for (const library::ComponentValue& v : made.values) {
            value(v, made.steps.size());
        }
        internal_check(std::find(operand_used.begin(), operand_used.end(), false) == operand_used.end() &&
                std::find(step_used.begin(), step_used.end(), false) == step_used.end(),
            "a component program has an operand or a step in vain");
    }

    static bool is_identifier(const std::string& word) { return !word.empty() && as_identifier(word, "x") == word && !is_reserved(word); }

    void uniform_call(std::size_t number) {
        const Call& call = program_.uniform_calls[number];
        const Datum& result = program_.datum(call.result);
        fits_function(call);
        internal_check(result.kind == DatumKind::derived && result.uniform_call == number, "a uniform call's result does not name it");
        internal_check(number == 0 || program_.uniform_calls[number - 1].result < call.result, "uniform calls are not in order");
        for (const DataId operand : call.operands) {
            internal_check(!program_.datum(operand).per_element(), "a uniform call uses what differs between elements");
        }
    }

    void call(CallId id) {
        const Call& call = program_.call(id);
        const Datum& result = program_.datum(call.result);
        fits_function(call);
        internal_check(result.kind == DatumKind::computed && result.producer == id, "a call's result does not name it as producer");
        internal_check(
            id.index() == 0 || program_.call(CallId{id.index() - 1}).result < call.result, "calls are not in order of definition");
        internal_check(call.block < std::max<std::size_t>(program_.blocks.size(), 1), "a call of no block");
        internal_check(id.index() == 0 || program_.call(CallId{id.index() - 1}).block <= call.block, "calls do not stand by block");
    }

    void fits_function(const Call& call) {
        std::vector<Type> types;
        for (const DataId operand : call.operands) {
            internal_check(operand.index() < program_.data.size(), "operand out of range");
            internal_check(operand < call.result, "an operand is not defined before its use");
            used_[operand.index()] = true;
            types.push_back(program_.datum(operand).type);
        }
        internal_check(call.instance.function.index() < catalog_.size(), "a call has no function");
        const Datum& result = program_.datum(call.result);
        const auto match = catalog_.match(call.instance.function, types);
        const auto* instance = std::get_if<library::Instance>(&match);
        internal_check(instance && !instance->swapped, "operands do not fit the function in its declared order");
        const Type full{result.type.shape.full(), result.type.precision};
        internal_check(instance->result == full && call.instance.result == result.type && instance->shape == call.instance.shape,
            "a call's type is not its function's");
    }

    void datum(DataId id) const {
        const Datum& datum = program_.datum(id);
        const Shape& shape = datum.type.shape;
        internal_check(shape.rows >= 1 && shape.rows <= max_dimension && shape.columns >= 1 && shape.columns <= max_dimension,
            "dimension out of range");
        internal_check(!shape.packed || (shape.form == Form::matrix && shape.rows == shape.columns && datum.kind != DatumKind::constant),
            "a value that is no matrix in memory is packed");
        internal_check(datum.producer.has_value() == (datum.kind == DatumKind::computed), "a producer is missing or too many");
        internal_check(!datum.storage || (datum.storage != datum.type.precision && (datum.kind == DatumKind::input || datum.output)),
            "a storage of its own type, or of what has no list");
        internal_check(!datum.producer || program_.call(*datum.producer).result == id, "a producer does not make its datum");
        internal_check(datum.uniform_call.has_value() == (datum.kind == DatumKind::derived), "a uniform call is missing or too many");
        internal_check(!datum.uniform_call || program_.derivation(id).result == id, "a uniform call does not make its datum");
        const std::size_t values = datum.kind == DatumKind::constant ? static_cast<std::size_t>(shape.size()) : 0;
        internal_check(datum.values.size() == values, "a constant has the wrong number of values");
        for (const double value : datum.values) {
            internal_check(std::isfinite(value), "a constant is not finite");
            internal_check(datum.type.precision == Precision::f64 || static_cast<double>(static_cast<float>(value)) == value,
                "a constant is not rounded");
        }
    }

    void interface() const {
        std::size_t given = 0;
        for (const Datum& datum : program_.data) {
            given += datum.kind == DatumKind::input || datum.kind == DatumKind::uniform ? 1 : 0;
        }
        internal_check(given == program_.inputs.size() && std::set(program_.inputs.begin(), program_.inputs.end()).size() == given,
            "the inputs are not each datum given once");
        for (const DataId input : program_.inputs) {
            internal_check(program_.datum(input).kind == DatumKind::input || program_.datum(input).kind == DatumKind::uniform,
                "an input is not given");
        }
        internal_check(!program_.outputs.empty(), "no output");
        const std::set<DataId> outputs(program_.outputs.begin(), program_.outputs.end());
        internal_check(outputs.size() == program_.outputs.size(), "an output is repeated");
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            const bool listed = outputs.contains(DataId{i});
            internal_check(listed == program_.data[i].output, "the output flag differs from the list");
            internal_check(!listed || program_.data[i].kind == DatumKind::computed, "an output is not computed");
        }
    }

    /// Each old value is a list of the caller's, and no list is updated twice.
    void updates() const {
        std::set<std::size_t> given, made;
        for (const Update& update : program_.updates) {
            internal_check(update.input < program_.inputs.size() && update.output < program_.outputs.size(), "an update of no list");
            const Datum &old = program_.datum(program_.inputs[update.input]), &updated = program_.datum(program_.outputs[update.output]);
            internal_check(old.kind == DatumKind::input && old.type == updated.type && old.storage == updated.storage,
                "old and new value of a list differ in type");
            internal_check(given.insert(update.input).second && made.insert(update.output).second, "a list is updated twice");
            internal_check(given.size() == 1 || *given.rbegin() == update.input, "updates are not in order");
        }
    }

    /// The last outputs, nothing else is marked so, and nothing uses them.
    void checks() const {
        internal_check(program_.checks.size() < program_.outputs.size(), "a program of checks alone");
        for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
            internal_check(program_.datum(program_.outputs[i]).flag == (i >= program_.listed_outputs()), "flags are not the last outputs");
        }
        std::size_t next = program_.listed_outputs();
        for (const Check& check : program_.checks) {
            internal_check(check.output == next++, "checks are not in the order of the outputs");
        }
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            const Datum& datum = program_.data[i];
            internal_check(!datum.flag || (datum.output && datum.type.shape.form == Form::scalar && !used_[i]),
                "a flag is no output, no scalar, or used by a call");
        }
        for (const Update& update : program_.updates) {
            internal_check(update.output < program_.listed_outputs(), "a flag updates a list");
        }
    }

    /// Calls are in order and operands precede results, so "used by some call or an output" for every datum makes every call live.
    void liveness() const {
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            const Datum& datum = program_.data[i];
            const bool given = datum.kind == DatumKind::input || datum.kind == DatumKind::uniform;
            internal_check(given || datum.output || used_[i], "a datum is dead");
        }
    }

    const CheckedProgram& program_;
    library::Catalog catalog_; ///< with the functions of the program
    std::vector<bool> used_;   ///< operand of a call
};

} // namespace

void verify(const CheckedProgram& program, const library::Catalog& catalog) {
    Verifier(program, catalog).verify();
}

} // namespace fusec::frontend
