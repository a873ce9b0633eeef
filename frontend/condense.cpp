// SPDX-License-Identifier: Apache-2.0
// Calls of units: each is written as a component program over what the unit reads.
#include "frontend/condense.hpp"

#include "frontend/units.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fusec::frontend {

namespace {

using library::ComponentProgram;
using library::ComponentValue;

/// One unit as a component program, with the data that it reads.
class UnitProgram {
public:
    UnitProgram(const CheckedProgram& program, const Units& units, CallId root) : program_(program), units_(units), root_(root) {
        const Datum& result = program.datum(program.call(root).result);
        made_.result = result.type.shape.full();
        if (units.map_of(root) != nullptr) {
            for (int component = 0; component < made_.result.size(); ++component) {
                const bool dropped = result.type.shape.stored(component) != component; // above the diagonal of what is packed
                made_.values.push_back(dropped ? ComponentValue{} : value({program.call(root).result, component}));
            }
        } else {
            made_.values.push_back(step(root));
        }
    }

    const ComponentProgram& made() const { return made_; }
    const std::vector<DataId>& operands() const { return operands_; }

private:
    ComponentValue value(Units::Component component) {
        const std::optional<Units::Component> source = units_.source(component, root_);
        if (!source) {
            return {};
        }
        const std::optional<CallId> producer = program_.datum(source->datum).producer;
        if (producer && units_.root_of(*producer) == root_) {
            if (units_.is_scalar(*producer)) {
                return step(*producer);
            }
            if (units_.entry_wise_of(*producer) != nullptr) {
                return entry(*producer, source->component);
            }
        }
        return read(*source);
    }

    /// A zero that an assembly put in is read from the assembly: steps calculate with values of the program's precision.
    ComponentValue operand_value(const Units::Component& component) {
        const ComponentValue made = value(component);
        return made.kind == ComponentValue::Kind::zero ? read(component) : made;
    }

    ComponentValue read(const Units::Component& component) {
        const auto [number, inserted] = numbers_.try_emplace(component.datum, static_cast<int>(operands_.size()));
        if (inserted) {
            operands_.push_back(component.datum);
            made_.operands.push_back(program_.datum(component.datum).type.shape.full());
        }
        return {ComponentValue::Kind::component, {number->second, component.component}, 0};
    }

    /// Units are at most `deepest_unit` deep, and so is this recursion.
    ComponentValue step(CallId call) {
        if (const auto known = steps_.find({call, 0}); known != steps_.end()) {
            return made_by(known->second);
        }
        library::ScalarStep step{program_.call(call).instance.function, {}};
        for (const DataId operand : program_.call(call).operands) {
            step.operands.push_back(operand_value({operand, 0}));
        }
        return append(std::move(step), std::pair{call, 0});
    }

    /// A component of an entry-wise call.
    ComponentValue entry(CallId call, int component) {
        if (const auto known = steps_.find({call, component}); known != steps_.end()) {
            return made_by(known->second);
        }
        const std::vector<DataId>& operands = program_.call(call).operands;
        std::vector<ComponentValue> made;
        for (const library::EntryWise::Step& one : units_.entry_wise_of(call)->steps) {
            library::ScalarStep step{one.function, {}};
            for (const int operand : one.operands) {
                if (operand >= 0) {
                    step.operands.push_back(made[static_cast<std::size_t>(operand)]);
                    continue;
                }
                const DataId datum = operands[static_cast<std::size_t>(-1 - operand)];
                step.operands.push_back(operand_value({datum, program_.datum(datum).type.shape.form == Form::scalar ? 0 : component}));
            }
            made.push_back(append(std::move(step), std::nullopt));
        }
        steps_.emplace(std::pair{call, component}, made.back().step);
        return made.back();
    }

    static ComponentValue made_by(int step) { return {ComponentValue::Kind::step, {}, step}; }

    ComponentValue append(library::ScalarStep step, const std::optional<std::pair<CallId, int>>& of) {
        const int number = static_cast<int>(made_.steps.size());
        made_.steps.push_back(std::move(step));
        if (of) {
            steps_.emplace(*of, number);
        }
        return made_by(number);
    }

    const CheckedProgram& program_;
    const Units& units_;
    CallId root_;
    ComponentProgram made_;
    std::vector<DataId> operands_;
    std::map<DataId, int> numbers_;
    std::map<std::pair<CallId, int>, int> steps_; ///< by call and component
};

/// Builds the program of the calls that stay and those of units, in an order in which operands are made before they are used.
class Condenser {
public:
    Condenser(const CheckedProgram& program, const library::Catalog& catalog)
        : program_(program), catalog_(catalog), units_(program, catalog), moved_(program.data.size()) {}

    CheckedProgram run() {
        if (!units_.any_condensed()) {
            return program_;
        }
        result_.name = program_.name;
        result_.source = program_.source;
        result_.written = program_.written != nullptr ? program_.written : std::make_shared<const CheckedProgram>(program_);
        find_calls();
        for (const DataId input : program_.inputs) {
            result_.inputs.push_back(datum(input));
        }
        for (const auto& [call, planned] : calls_) { // in the program's order as far as units do not wait for later calls
            make(call);
        }
        for (const DataId output : program_.outputs) {
            result_.outputs.push_back(*moved_[output.index()]);
        }
        result_.updates = program_.updates;
        result_.blocks = program_.blocks;
        result_.checks = program_.checks;
        for (std::size_t i = 0; i < program_.calls.size(); ++i) {
            const CallId root = units_.root_of(CallId(i));
            const std::optional<DataId>& result = moved_[program_.call(root).result.index()];
            if (root != CallId(i) && result && units_.is_condensed(root)) {
                result_.steps.emplace(program_.name_of(CallId(i)), *result);
            }
        }
        return std::move(result_);
    }

private:
    struct NewCall {
        std::vector<DataId> operands; ///< of the old program
        std::optional<ComponentProgram> unit;
    };

    /// What each call becomes that is still needed, from the outputs on.
    void find_calls() {
        std::vector<CallId> open;
        const auto need = [&](DataId datum) {
            const std::optional<CallId> producer = program_.datum(datum).producer;
            if (producer && calls_.try_emplace(*producer).second) {
                open.push_back(*producer);
            }
        };
        std::for_each(program_.outputs.begin(), program_.outputs.end(), need);
        while (!open.empty()) {
            const CallId call = open.back();
            open.pop_back();
            NewCall& made = calls_.at(call);
            if (units_.is_condensed(call)) {
                UnitProgram unit(program_, units_, call);
                made = {unit.operands(), unit.made()};
            } else {
                made.operands = program_.call(call).operands;
            }
            std::for_each(made.operands.begin(), made.operands.end(), need);
        }
    }

    /// Appends the call after those that make its operands.
    void make(CallId last) {
        std::vector<CallId> open{last};
        while (!open.empty()) {
            const CallId call = open.back();
            const DataId made = program_.call(call).result;
            if (moved_[made.index()]) {
                open.pop_back();
                continue;
            }
            const NewCall& planned = calls_.at(call);
            const std::size_t before = open.size();
            for (auto operand = planned.operands.rbegin(); operand != planned.operands.rend(); ++operand) {
                const std::optional<CallId> producer = program_.datum(*operand).producer;
                if (producer && !moved_[operand->index()]) {
                    open.push_back(*producer);
                }
            }
            if (open.size() == before) {
                append(call, planned);
                open.pop_back();
            }
        }
    }

    void append(CallId call, const NewCall& planned) {
        Call made = program_.call(call);
        made.operands.clear();
        for (const DataId operand : planned.operands) {
            made.operands.push_back(datum(operand));
        }
        if (planned.unit) {
            made.instance = {function(own_function(*planned.unit, ""), &*planned.unit), {}, false, program_.datum(made.result).type};
        } else if (made.instance.function.index() >= catalog_.library_size()) {
            made.instance.function = function(catalog_.function(made.instance.function), nullptr);
        }
        made.result = datum(made.result);
        result_.data[made.result.index()].producer = CallId(result_.calls.size());
        result_.calls.push_back(std::move(made));
    }

    /// The id of a function of the program; one that is there already is not added again.
    FunctionId function(library::Function function, const ComponentProgram* unit) {
        const std::string name = function.name;
        for (int next = 2;; ++next) {
            const auto [entry, inserted] = functions_.try_emplace(function.name, result_.functions.size());
            const FunctionId id(catalog_.library_size() + entry->second);
            if (inserted) {
                result_.functions.push_back(std::move(function));
                return id;
            }
            if (result_.functions[entry->second].source == function.source) {
                return id;
            }
            internal_check(unit != nullptr, "two maps have one name");
            function = own_function(*unit, name + "_" + std::to_string(next)); // hashes collide
        }
    }

    /// A unit without steps only moves components.
    library::Function own_function(const ComponentProgram& unit, const std::string& name) const {
        if (!unit.steps.empty()) {
            return library::component_function(unit, catalog_, name);
        }
        library::ComponentMap map{unit.operands, unit.result, {}};
        for (const ComponentValue& value : unit.values) {
            map.sources.push_back(value.kind == ComponentValue::Kind::zero ? library::ComponentSource{} : value.source);
        }
        return library::moving_function(map, name);
    }

    DataId datum(DataId old) {
        std::optional<DataId>& moved = moved_[old.index()];
        if (!moved) {
            moved = DataId(result_.data.size());
            result_.data.push_back(program_.datum(old));
        }
        return *moved;
    }

    const CheckedProgram& program_;
    const library::Catalog& catalog_;
    Units units_;
    std::map<CallId, NewCall> calls_; ///< by old call
    std::vector<std::optional<DataId>> moved_;
    std::map<std::string, std::size_t> functions_;
    CheckedProgram result_;
};

} // namespace

CheckedProgram condense(const CheckedProgram& program, const library::Catalog& catalog) {
    return Condenser(program, catalog).run();
}

} // namespace fusec::frontend
