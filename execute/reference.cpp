// SPDX-License-Identifier: Apache-2.0
#include "execute/reference.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace fusec::execute {

using frontend::CheckedProgram;
using frontend::Datum;
using frontend::DatumKind;
using library::Algorithm;

namespace {

BoundedMatrix copied(const Bounded* first, int count) {
    return {first, first + count};
}

/// Constants are rounded to their precision already and inputs are stored in it, so both are exact.
std::vector<Bounded> exactly(const std::vector<double>& values) {
    std::vector<Bounded> out(values.size());
    std::transform(values.begin(), values.end(), out.begin(), [](double value) { return Bounded{value, 0}; });
    return out;
}

/// The value stays as it is; its bound counts roundoffs of the new precision. What is no float is rounded, or has no place among them.
Bounded converted(const Bounded& component, Precision to) {
    constexpr double most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::min();
    const double f32 = unit_roundoff(Precision::f32), f64 = unit_roundoff(Precision::f64);
    const double value = component.value, size = std::abs(value);
    if (to == Precision::f64) { // what was too small for a float may have been flushed to zero
        return {value, component.bound == 0 ? 0 : component.bound * (f32 / f64) + least / (4 * f64)};
    }
    if (size > most) {
        return {value, std::numeric_limits<double>::infinity()};
    }
    const bool is_float = size == 0 || (size >= least && static_cast<double>(static_cast<float>(value)) == value);
    return {value, component.bound * (f64 / f32) + (is_float && component.bound == 0 ? 0 : size + least / (4 * f32))};
}

std::vector<Bounded> unpacked(const Shape& shape, const Bounded* words) {
    std::vector<Bounded> components;
    for (int component = 0; component < shape.components(); ++component) {
        components.push_back(words[packed_word(component / shape.columns, component % shape.columns)]);
    }
    return components;
}

} // namespace

InstanceReference::InstanceReference(const library::Catalog& catalog, const library::Instance& instance, const std::vector<Shape>& operands)
    : how_(Named{}), operands_(operands), result_(instance.result.shape) {
    const library::Function& function = catalog.function(instance.function);
    if (const auto* expression = std::get_if<library::ReferenceExpression>(&function.reference)) {
        std::vector<Shape> full;
        std::transform(operands.begin(), operands.end(), std::back_inserter(full), [](const Shape& shape) { return shape.full(); });
        how_ = ExpressionReference(function, *expression, instance.shape, full, result_.full());
        return;
    }
    if (const auto* map = std::get_if<library::ComponentMap>(&function.reference)) {
        how_ = *map;
        return;
    }
    if (const auto* program = std::get_if<library::ComponentProgram>(&function.reference)) {
        how_ = steps(*program, catalog);
        return;
    }
    if (const library::Conversion* conversion = library::conversion_of(function)) {
        how_ = *conversion;
        return;
    }
    how_ = Named{std::get<Algorithm>(function.reference), operands.at(0).rows, instance.result.shape.columns,
        function.inputs.at(0).domain == library::Domain::spd};
}

InstanceReference::Steps InstanceReference::steps(const library::ComponentProgram& program, const library::Catalog& catalog) {
    Steps result{program, {}, {}};
    std::map<FunctionId, std::size_t> numbers;
    for (const library::ScalarStep& step : program.steps) {
        const auto [number, inserted] = numbers.try_emplace(step.function, result.functions.size());
        if (inserted) {
            const library::Function& function = catalog.function(step.function);
            result.functions.emplace_back(function, std::get<library::ReferenceExpression>(function.reference), library::ShapeValues{},
                std::vector<Shape>(step.operands.size()), Shape{});
        }
        result.function_of.push_back(number->second);
    }
    return result;
}

void InstanceReference::Steps::evaluate(const std::vector<const Bounded*>& operands, Bounded* result) const {
    std::vector<Bounded> made;
    made.reserve(program.steps.size());
    const auto value = [&](const library::ComponentValue& v) -> Bounded {
        switch (v.kind) {
        case library::ComponentValue::Kind::zero:
            return {0, 0};
        case library::ComponentValue::Kind::component:
            return operands.at(static_cast<std::size_t>(v.source.operand))[v.source.component];
        case library::ComponentValue::Kind::step:
            return made.at(static_cast<std::size_t>(v.step));
        }
        return {};
    };
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        std::vector<Bounded> values;
        std::transform(program.steps[i].operands.begin(), program.steps[i].operands.end(), std::back_inserter(values), value);
        std::vector<const Bounded*> pointers;
        for (const Bounded& one : values) {
            pointers.push_back(&one);
        }
        functions[function_of[i]].evaluate(pointers, &made.emplace_back());
    }
    std::transform(program.values.begin(), program.values.end(), result, value);
}

void InstanceReference::evaluate(const std::vector<const Bounded*>& operands, Bounded* result) const {
    std::vector<const Bounded*> full = operands;
    std::vector<std::vector<Bounded>> values; // of packed operands
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        if (operands_[i].packed) {
            full[i] = values.emplace_back(unpacked(operands_[i], operands[i])).data();
        }
    }
    if (!result_.packed) {
        return evaluate_full(full, result);
    }
    std::vector<Bounded> components(static_cast<std::size_t>(result_.components()));
    evaluate_full(full, components.data());
    for (int component = 0; component < result_.components(); ++component) {
        if (result_.stored(component) == component) {
            *result++ = components[static_cast<std::size_t>(component)];
        }
    }
}

void InstanceReference::evaluate_full(const std::vector<const Bounded*>& operands, Bounded* result) const {
    if (const auto* expression = std::get_if<ExpressionReference>(&how_)) {
        expression->evaluate(operands, result);
        return;
    }
    if (const auto* map = std::get_if<library::ComponentMap>(&how_)) {
        for (std::size_t i = 0; i < map->sources.size(); ++i) {
            const library::ComponentSource& source = map->sources[i];
            result[i] = source.operand == library::ComponentSource::zero
                ? Bounded{0, 0}
                : operands.at(static_cast<std::size_t>(source.operand))[source.component];
        }
        return;
    }
    if (const auto* steps = std::get_if<Steps>(&how_)) {
        steps->evaluate(operands, result);
        return;
    }
    if (const auto* conversion = std::get_if<library::Conversion>(&how_)) {
        std::transform(operands.at(0), operands.at(0) + conversion->shape.size(), result,
            [&](const Bounded& component) { return converted(component, conversion->to); });
        return;
    }
    const Named& named = std::get<Named>(how_);
    const BoundedMatrix a = copied(operands.at(0), named.n * named.n);
    BoundedMatrix made;
    switch (named.algorithm) {
    case Algorithm::determinant:
        made = {determinant(a, named.n)};
        break;
    case Algorithm::inverse:
        made = inverse(a, named.n);
        break;
    case Algorithm::cofactor:
        made = cofactor(a, named.n);
        break;
    case Algorithm::cholesky:
        made = cholesky(a, named.n);
        break;
    case Algorithm::solve:
        made = solve(a, copied(operands.at(1), named.n * named.columns), named.n, named.columns, named.positive_definite);
        break;
    }
    std::copy(made.begin(), made.end(), result);
}

bool per_element(const Datum& datum) {
    return datum.per_element();
}

namespace {

/// What other kernels load of a list that is stored in a coarser precision is rounded: the bounds, in units of the type's roundoff, get that
/// of the storage; infinite where the value has no place in it.
void round_in_list(const Datum& datum, std::vector<Bounded>& components) {
    if (kept_precision(datum.type, datum.storage) == datum.type.precision) {
        return;
    }
    constexpr double most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::min();
    const double u = unit_roundoff(datum.type.precision);
    for (Bounded& component : components) {
        const double size = std::abs(component.value);
        if (size > most) {
            component.bound = std::numeric_limits<double>::infinity();
        } else if (size != 0) { // compared is 4 u bound
            component.bound += (size * unit_roundoff(*datum.storage) + least / 4) / u;
        }
    }
}

/// Whether values go through another precision than theirs: lists are stored in a coarser one, or values are converted. Then bounds hold
/// the roundoffs of both.
bool mixes_precisions(const CheckedProgram& program) {
    return std::any_of(program.data.begin(), program.data.end(),
               [](const Datum& datum) { return kept_precision(datum.type, datum.storage) != datum.type.precision; }) ||
        std::any_of(program.functions.begin(), program.functions.end(),
            [](const library::Function& function) { return library::conversion_of(function) != nullptr; });
}

/// Which uniform calls the calls need.
std::vector<bool> derived_for(const CheckedProgram& program, std::span<const CallId> calls) {
    std::vector<bool> needed(program.uniform_calls.size(), false);
    const auto need = [&](const frontend::Call& call) {
        for (const DataId operand : call.operands) {
            if (const auto& made = program.datum(operand).uniform_call) {
                needed[*made] = true;
            }
        }
    };
    for (const CallId call : calls) {
        need(program.call(call));
    }
    for (std::size_t i = needed.size(); i-- > 0;) {
        if (needed[i]) {
            need(program.uniform_calls[i]);
        }
    }
    return needed;
}

} // namespace

ReferenceResult evaluate(const CheckedProgram& program, const library::Catalog& catalog, std::span<const CallId> calls,
    std::size_t elements, const DataValues& given) {
    std::vector<std::vector<Bounded>> data(program.data.size());
    for (std::size_t i = 0; i < program.data.size(); ++i) {
        const Datum& datum = program.data[i];
        if (i < given.size() && !given[i].empty()) {
            internal_check(given[i].size() == static_cast<std::size_t>(datum.type.shape.size()) * (per_element(datum) ? elements : 1),
                "a given datum has the wrong number of components");
            data[i] = exactly(given[i]);
        } else if (datum.kind == DatumKind::constant) {
            data[i] = exactly(datum.values);
        }
    }
    std::vector<bool> computed(program.data.size(), false);
    const bool mixes = mixes_precisions(program);
    const auto compute = [&](const frontend::Call& call) {
        std::vector<Shape> shapes;
        std::vector<std::size_t> strides; // components from one element to the next; 0 for uniforms and constants
        for (const DataId operand : call.operands) {
            const Datum& datum = program.datum(operand);
            shapes.push_back(datum.type.shape);
            strides.push_back(per_element(datum) ? static_cast<std::size_t>(datum.type.shape.size()) : 0);
            internal_check(elements == 0 || !data[operand.index()].empty(), "an operand of the reference is neither given nor computed");
        }
        const InstanceReference reference(catalog, call.instance, shapes);
        deciding_roundoff = mixes ? unit_roundoff(call.instance.result.precision) : coarsest_roundoff;
        const auto size = static_cast<std::size_t>(call.instance.result.shape.size());
        const std::size_t entries = per_element(program.datum(call.result)) ? elements : std::min<std::size_t>(elements, 1);
        std::vector<Bounded> result(size * entries);
        std::vector<const Bounded*> operands(call.operands.size());
        for (std::size_t element = 0; element < entries; ++element) {
            for (std::size_t i = 0; i < operands.size(); ++i) {
                operands[i] = data[call.operands[i].index()].data() + element * strides[i];
            }
            reference.evaluate(operands, result.data() + element * size);
        }
        round_in_list(program.datum(call.result), result);
        deciding_roundoff = coarsest_roundoff;
        data[call.result.index()] = std::move(result);
        computed[call.result.index()] = true;
    };
    const std::vector<bool> derived = derived_for(program, calls);
    for (std::size_t i = 0; i < program.uniform_calls.size(); ++i) {
        if (derived[i]) {
            compute(program.uniform_calls[i]);
        }
    }
    for (const CallId id : calls) {
        compute(program.call(id));
    }
    ReferenceResult out{DataValues(data.size()), DataValues(data.size())};
    for (std::size_t i = 0; i < data.size(); ++i) {
        for (const Bounded component : data[i]) {
            out.values[i].push_back(component.value);
            if (computed[i]) {
                out.bounds[i].push_back(component.bound);
            }
        }
    }
    return out;
}

ReferenceResult evaluate(const CheckedProgram& program, const library::Catalog& catalog, std::size_t elements, const DataValues& given) {
    std::vector<CallId> calls;
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        calls.emplace_back(i);
    }
    return evaluate(program, catalog, calls, elements, given);
}

double unit_roundoff(Precision precision) {
    return precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
}

double allowed_error(double bound, Precision precision) {
    const double least = precision == Precision::f32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
    return 4 * unit_roundoff(precision) * bound + least;
}

Agreement compare(std::span<const double> computed, std::span<const double> values, std::span<const double> bounds, Precision precision) {
    internal_check(computed.size() == values.size() && values.size() == bounds.size(), "lists of different lengths are compared");
    Agreement agreement;
    for (std::size_t i = 0; i < computed.size(); ++i) {
        if (bounds[i] == not_compared) {
            continue;
        }
        const double ratio = std::abs(computed[i] - values[i]) / allowed_error(bounds[i], precision);
        // A ratio that is no number comes from a value that is none: never an agreement.
        const double seen = ratio >= 0 && std::isfinite(computed[i]) ? ratio : std::numeric_limits<double>::infinity();
        ++agreement.compared;
        agreement.mismatches += seen > 1 ? 1 : 0;
        if (seen > agreement.worst_ratio) {
            agreement.worst_ratio = seen;
            agreement.worst = i;
        }
    }
    return agreement;
}

bool is_ill_conditioned(std::span<const double> values, std::span<const double> bounds, Precision precision) {
    double largest = 0;
    double widest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || !std::isfinite(bounds[i])) {
            return true;
        }
        largest = std::max(largest, std::abs(values[i]));
        widest = std::max(widest, bounds[i]);
    }
    return 4 * unit_roundoff(precision) * widest > 1e-2 * largest;
}

} // namespace fusec::execute
