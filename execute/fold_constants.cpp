// SPDX-License-Identifier: Apache-2.0
#include "execute/fold_constants.hpp"

#include "execute/compacted.hpp"
#include "execute/constant_domains.hpp"
#include "execute/reference.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::execute {

using frontend::Call;
using frontend::CheckedProgram;
using frontend::Datum;
using frontend::DatumKind;

namespace {

double rounded(double value, Precision precision) {
    return precision == Precision::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

class Folding {
public:
    Folding(const CheckedProgram& program, const library::Catalog& catalog, GroupedMessages& messages)
        : program_(program), catalog_(catalog), messages_(messages), exact_(program.data.size()), folded_(program.calls.size(), false) {
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            for (const double value : program_.data[i].values) {
                exact_[i].push_back({value, 0});
            }
        }
    }

    CheckedProgram run() {
        for (std::size_t i = 0; i < program_.calls.size(); ++i) {
            visit(i);
        }
        return compacted(program_, folded_);
    }

private:
    void visit(std::size_t number) {
        const Call& call = program_.calls[number];
        Datum& result = program_.data[call.result.index()];
        const bool constant =
            std::all_of(call.operands.begin(), call.operands.end(), [&](DataId id) { return !exact_[id.index()].empty(); });
        std::vector<Bounded> exact;
        std::vector<double> values;
        if (constant) {
            exact = evaluated(call);
            for (const Bounded component : exact) {
                values.push_back(rounded(component.value, result.type.precision));
            }
        }
        const bool finite = constant && std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
        warn_outside_domains(program_, call, catalog_.function(call.instance.function), finite, messages_);
        if (!finite || result.output) {
            return;
        }
        if (!builds_table(call)) {
            messages_.add(
                kind::folded_call, call.span, result.name, "`" + result.name + "` has constant operands only: computed by the compiler");
        }
        if (converts(call)) { // that is what it is for
            std::transform(values.begin(), values.end(), exact.begin(), [](double value) { return Bounded{value, 0}; });
        }
        exact_[call.result.index()] = std::move(exact);
        result.kind = DatumKind::constant;
        result.type.shape = result.type.shape.full(); // no list
        result.values = std::move(values);
        folded_[number] = true;
    }

    bool converts(const Call& call) const { return library::conversion_of(catalog_.function(call.instance.function)) != nullptr; }

    /// Arithmetic of numbers and what puts their results together: how programs write tables.
    bool builds_table(const Call& call) const {
        return std::holds_alternative<library::ComponentMap>(catalog_.function(call.instance.function).reference) ||
            (call.instance.result.shape.size() == 1 && std::all_of(call.operands.begin(), call.operands.end(), [&](DataId operand) {
                return program_.datum(operand).type.shape.size() == 1;
            }));
    }

    std::vector<Bounded> evaluated(const Call& call) const {
        std::vector<Shape> shapes;
        std::vector<const Bounded*> operands;
        for (const DataId operand : call.operands) {
            shapes.push_back(program_.datum(operand).type.shape);
            operands.push_back(exact_[operand.index()].data());
        }
        std::vector<Bounded> kept; // a value of its precision is converted, not what it was rounded from
        if (converts(call)) {
            for (const double value : program_.datum(call.operands.front()).values) {
                kept.push_back({value, 0});
            }
            operands.front() = kept.data();
        }
        library::Instance instance = call.instance;
        instance.result.shape = instance.result.shape.full();
        std::vector<Bounded> result(static_cast<std::size_t>(instance.result.shape.size()));
        InstanceReference(catalog_, instance, shapes).evaluate(operands, result.data());
        return result;
    }

    CheckedProgram program_;
    const library::Catalog& catalog_;
    GroupedMessages& messages_;
    std::vector<std::vector<Bounded>> exact_; ///< by datum: a constant before its rounding, so that a chain is rounded once; else empty
    std::vector<bool> folded_;                ///< by call
};

} // namespace

CheckedProgram fold_constants(const CheckedProgram& program, const library::Catalog& catalog, GroupedMessages& messages) {
    return Folding(program, catalog, messages).run();
}

} // namespace fusec::execute
