// SPDX-License-Identifier: Apache-2.0
#include "fusion/remaining_arithmetic.hpp"

#include "fusion/instruction_rates.hpp"
#include "fusion/joined_sums.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace fusec::fusion {

namespace {

using library::ComponentValue;

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

/// A multiply-add is what is left of a product and a sum, so neither counts as part of one by itself here.
ScalarOperation operation_of(const library::Catalog& catalog, FunctionId function, Precision precision) {
    const library::Function& of = catalog.function(function);
    const library::OperationCounts counts = catalog.operations({function, {}, false, {{}, precision}});
    const bool plain = counts.divisions + counts.square_roots + counts.transcendentals == 0;
    const bool product = is_product(of.reference), sum = is_sum(of.reference);
    return {static_cast<int>(function.index()), is_commutative(of.reference),
        product   ? ScalarOperation::Part::product
            : sum ? ScalarOperation::Part::sum
                  : ScalarOperation::Part::none,
        plain ? counts.flops : arithmetic_instructions(counts, precision, Target::host)};
}

/// Of what only moves components, compilers know each.
bool stays_in_loops(const library::ComponentProgram& program) {
    const auto is_long = [](const Shape& shape) { return std::max(shape.rows, shape.columns) > longest_unrolled_loop; };
    return !program.steps.empty() &&
        (is_long(program.result) || std::ranges::any_of(program.operands, is_long) ||
            program.result.components() > RemainingArithmetic::most_components_followed ||
            program.steps.size() > RemainingArithmetic::most_operations_followed);
}

} // namespace

RemainingArithmetic::RemainingArithmetic(const dag::CallGraph& graph, const library::Catalog& catalog)
    : graph_(graph), catalog_(catalog), evaluator_(catalog), calls_(graph.calls()) {}

RemainingArithmetic::Kind RemainingArithmetic::kind_of(CallId id) const {
    const frontend::Call& call = graph_.call(id);
    std::vector<int> constants;
    std::vector<std::size_t> same;
    for (const DataId operand : call.operands) {
        const frontend::Datum& datum = graph_.datum(operand);
        const int no_constant = datum.type.shape.packed ? -2 : -1;
        constants.push_back(datum.kind == frontend::DatumKind::constant ? static_cast<int>(operand.index()) : no_constant);
        same.push_back(static_cast<std::size_t>(std::ranges::find(call.operands, operand) - call.operands.begin()));
    }
    const library::Instance& instance = call.instance;
    return {
        instance.function, instance.shape, instance.result.shape.packed, instance.result.precision, std::move(constants), std::move(same)};
}

const RemainingArithmetic::OfCall& RemainingArithmetic::of_call(CallId id) {
    const OfCall*& known = calls_[id.index()];
    if (known == nullptr) {
        const auto [entry, is_new] = kinds_.try_emplace(kind_of(id));
        OfCall& call = entry->second;
        if (is_new) {
            call = evaluated(id);
            call.instructions = instructions_alone(id, call, true);
            call.alone = call.instructions > 0 ? instructions_alone(id, call, false) / call.instructions : 1;
        }
        known = &call;
    }
    return *known;
}

RemainingArithmetic::OfCall RemainingArithmetic::evaluated(CallId id) const {
    const frontend::Call& call = graph_.call(id);
    const library::Function& function = catalog_.function(call.instance.function);
    OfCall result;
    std::vector<Shape> operands;
    std::vector<library::KnownComponents> known;
    for (const DataId operand : call.operands) {
        const frontend::Datum& datum = graph_.datum(operand);
        operands.push_back(datum.type.shape.full());
        known.emplace_back();
        if (datum.kind == frontend::DatumKind::constant) {
            known.back().assign(datum.values.begin(), datum.values.end());
        }
    }
    result.reads_part.assign(operands.size(), false);
    result.program.operands = operands;
    result.program.result = call.instance.result.shape.full();
    if (std::holds_alternative<library::Conversion>(function.reference)) {
        result.form = OfCall::Form::conversion;
        return result;
    }
    const bool by_computed_components =
        !function.base.empty() && std::ranges::all_of(known, [](const auto& components) { return components.empty(); });
    auto partial = evaluator_.evaluate(function, call.instance.shape, operands, result.program.result, known);
    if (by_computed_components || !partial || !partial->program || stays_in_loops(*partial->program)) {
        return result;
    }
    result.form = OfCall::Form::steps;
    result.program.steps = std::move(partial->program->steps);
    std::vector<std::set<int>> read(operands.size());
    const auto renumber = [&](ComponentValue& value) {
        if (value.kind == ComponentValue::Kind::component) {
            value.source.operand = static_cast<int>(partial->read[at(value.source.operand)]);
            read[at(value.source.operand)].insert(value.source.component);
        }
    };
    for (library::ScalarStep& step : result.program.steps) {
        std::ranges::for_each(step.operands, renumber);
        result.operations.push_back(operation_of(catalog_, step.function, call.instance.result.precision));
    }
    std::vector<ComponentValue>& values = partial->program->values;
    std::ranges::for_each(values, renumber);
    for (int component = 0; component < static_cast<int>(values.size());
        ++component) { // above a packed result's diagonal stands what is below
        result.program.values.push_back(values[at(call.instance.result.shape.stored(component))]);
    }
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        result.reads_part[operand] = static_cast<int>(read[operand].size()) < operands[operand].components();
    }
    return result;
}

RemainingArithmetic::Numbers RemainingArithmetic::numbers_given(DataId id) {
    const frontend::Datum& datum = graph_.datum(id);
    Numbers result;
    if (datum.kind == frontend::DatumKind::constant) {
        const auto [entry, is_new] = constants_.try_emplace(id);
        if (is_new) {
            std::ranges::transform(
                datum.values, std::back_inserter(entry->second), [&](double value) { return numbering_.constant(value); });
        }
        return entry->second;
    }
    for (int component = 0; component < datum.type.shape.components(); ++component) {
        result.push_back(numbering_.given());
    }
    const Numbers all = result;
    for (std::size_t component = 0; component < all.size(); ++component) {
        result[component] = all[at(datum.type.shape.stored(static_cast<int>(component)))];
    }
    return result;
}

RemainingArithmetic::Numbers RemainingArithmetic::numbers_made(int place, const OfCall& call, const std::vector<const Numbers*>& operands) {
    Numbers result, made, all;
    const int size = call.program.result.components();
    if (call.form == OfCall::Form::steps) {
        const auto number_of = [&](const ComponentValue& value) {
            switch (value.kind) {
            case ComponentValue::Kind::component:
                return (*operands[at(value.source.operand)])[at(value.source.component)];
            case ComponentValue::Kind::step:
                return made[at(value.step)];
            case ComponentValue::Kind::zero:
                break;
            }
            return numbering_.constant(0);
        };
        for (std::size_t step = 0; step < call.program.steps.size(); ++step) {
            std::vector<int> of;
            std::ranges::transform(call.program.steps[step].operands, std::back_inserter(of), number_of);
            made.push_back(numbering_.operation(place, call.operations[step], std::move(of)));
        }
        std::ranges::transform(call.program.values, std::back_inserter(result), number_of);
        return result;
    }
    if (call.form == OfCall::Form::conversion) {
        for (int component = 0; component < size; ++component) {
            result.push_back(numbering_.operation(place, {}, {(*operands.front())[at(component)]}));
        }
        return result;
    }
    for (const Numbers* operand : operands) {
        std::ranges::copy_if(*operand, std::back_inserter(all), [](int number) { return !ValueNumbering::is_constant(number); });
    }
    ScalarOperation free;
    free.instructions = 0;
    const int whole = numbering_.operation(place, {}, std::move(all));
    for (int component = 0; component < size; ++component) {
        result.push_back(numbering_.operation(place, free, {whole}));
    }
    return result;
}

/// Instructions of the call in a kernel of its own. Operands that are one value have the same components, unless they are to be `unlike`.
double RemainingArithmetic::instructions_alone(CallId id, const OfCall& call, bool unlike) {
    numbering_.clear();
    const std::vector<DataId>& operands = graph_.call(id).operands;
    std::vector<Numbers> given(operands.size());
    std::vector<const Numbers*> numbers;
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
        const auto same = std::ranges::find(operands, operands[operand]) - operands.begin();
        const std::size_t first = unlike ? operand : static_cast<std::size_t>(same);
        if (first == operand) {
            given[operand] = numbers_given(operands[operand]);
        }
        numbers.push_back(&given[first]);
    }
    for (const int number : numbers_made(0, call, numbers)) {
        numbering_.need(number);
    }
    numbering_.need_operands_of(0);
    return numbering_.instructions(1).front();
}

bool RemainingArithmetic::may_remove(const KernelOutline& kernel) {
    // Two calls of one value may compute the same.
    bool may = std::ranges::any_of(kernel.data,
        [](const KernelOutline::Datum& datum) { return datum.uses.size() > 1 && datum.uses.front().call != datum.uses.back().call; });
    for (const KernelOutline::Call& call : kernel.calls) {
        const OfCall& of = of_call(call.id);
        may = may || of.alone < 1;
        for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
            may = may || (of.reads_part[operand] && kernel.data[at(call.operands[operand])].producer >= 0);
        }
    }
    return may;
}

void RemainingArithmetic::find(KernelOutline& kernel) {
    const bool may = may_remove(kernel);
    for (KernelOutline::Call& call : kernel.calls) {
        call.remaining = call.alone = of_call(call.id).alone;
    }
    if (!may) {
        return;
    }
    numbering_.clear();
    std::vector<Numbers> numbers(kernel.data.size());
    for (std::size_t datum = 0; datum < kernel.data.size(); ++datum) {
        if (kernel.data[datum].producer < 0) {
            numbers[datum] = numbers_given(kernel.data[datum].id);
        }
    }
    const int calls = static_cast<int>(kernel.calls.size());
    for (int place = 0; place < calls; ++place) {
        const KernelOutline::Call& call = kernel.calls[at(place)];
        std::vector<const Numbers*> operands;
        std::ranges::transform(call.operands, std::back_inserter(operands), [&](int operand) { return &numbers[at(operand)]; });
        numbers[at(call.result)] = numbers_made(place, of_call(call.id), operands);
    }
    const auto need = [&](int number) { numbering_.need(number); };
    for (std::size_t datum = 0; datum < kernel.data.size(); ++datum) {
        if (kernel.data[datum].stored || kernel.data[datum].flag) {
            std::ranges::for_each(numbers[datum], need);
        }
    }
    for (int place = calls; place-- > 0;) {
        const Numbers& result = numbers[at(kernel.calls[at(place)].result)];
        const bool followed = static_cast<int>(result.size()) <= most_components_followed;
        if (!followed && std::ranges::any_of(result, [&](int number) { return numbering_.is_needed(number); })) {
            std::ranges::for_each(result, need);
        }
        numbering_.need_operands_of(place);
    }
    const std::vector<double> left = numbering_.instructions(calls);
    for (std::size_t place = 0; place < kernel.calls.size(); ++place) {
        const double all = of_call(kernel.calls[place].id).instructions;
        kernel.calls[place].remaining = all > 0 ? std::min(1.0, left[place] / all) : 1;
    }
}

} // namespace fusec::fusion
