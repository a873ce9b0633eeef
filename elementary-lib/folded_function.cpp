// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/folded_function.hpp"

#include "elementary-lib/own_function.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <cstdio>

namespace fusec::library {

namespace {

constexpr int small_result = 36;
constexpr double worth_its_text = 1.0 / 8;

std::string name_of(
    const Function& function, const Instance& instance, const std::vector<Shape>& operands, const std::vector<KnownComponents>& known) {
    Fnv1a hash;
    hash.add(function.name);
    hash.add(to_string(instance.result));
    for (std::size_t i = 0; i < operands.size(); ++i) {
        hash.add(to_string(operands[i]));
        for (const std::optional<double>& value : known[i]) {
            char text[32] = "?";
            if (value) {
                std::snprintf(text, sizeof text, "%a", *value == 0 ? 0 : *value); // -0 is a zero
            }
            hash.add(text);
        }
    }
    constexpr std::size_t digits = 8;
    return function.name.substr(0, function.name.find("_folded_")) + "_folded_" + hexadecimal(mixed(hash.value())).substr(0, digits);
}

/// What is left, as a function of the operands that it reads.
Function remaining(const ComponentProgram& program, const Catalog& catalog, const std::string& name) {
    if (!program.steps.empty()) {
        return component_function(program, catalog, name);
    }
    // A map names its operands in the order in which components come.
    ComponentMap map{{}, program.result, {}};
    std::vector<int> numbers(program.operands.size(), ComponentSource::zero);
    for (const ComponentValue& value : program.values) {
        if (value.kind == ComponentValue::Kind::zero) {
            map.sources.emplace_back();
            continue;
        }
        const auto operand = static_cast<std::size_t>(value.source.operand);
        if (numbers[operand] == ComponentSource::zero) {
            numbers[operand] = static_cast<int>(map.operands.size());
            map.operands.push_back(program.operands[operand]);
        }
        map.sources.push_back({numbers[operand], value.source.component});
    }
    return moving_function(map, name);
}

/// The operands of a map in the order of remaining().
std::vector<std::size_t> order_of_operands(const ComponentProgram& program) {
    std::vector<std::size_t> order;
    for (const ComponentValue& value : program.values) {
        const auto operand = static_cast<std::size_t>(value.source.operand);
        if (value.kind == ComponentValue::Kind::component && std::find(order.begin(), order.end(), operand) == order.end()) {
            order.push_back(operand);
        }
    }
    return order;
}

} // namespace

std::optional<Function> folded_function(const Function& function, const Instance& instance, const std::vector<Shape>& operands,
    const std::vector<bool>& constants, const std::vector<KnownComponents>& known, const PartialResult& partial, const Catalog& catalog) {
    if (!partial.program) {
        return std::nullopt;
    }
    std::vector<bool> unread(operands.size(), true);
    for (const std::size_t operand : partial.read) {
        unread[operand] = false;
    }
    const bool rewritten = std::holds_alternative<ComponentProgram>(function.reference);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (unread[i] && !constants[i] && !rewritten) {
            return std::nullopt;
        }
    }
    const bool moves = partial.program->steps.empty();
    const std::vector<std::size_t> order = order_of_operands(*partial.program);
    if (moves && !std::is_sorted(order.begin(), order.end())) {
        return std::nullopt; // the template takes them in another order
    }
    const Function left = remaining(*partial.program, catalog, name_of(function, instance, operands, known));
    const auto count = [](const SizeExpression& expression) { return static_cast<double>(expression.evaluate({}).value_or(0)); };
    const OperationCounts before = catalog.operations(instance);
    const double flops = count(left.flops) - (rewritten ? 0 : partial.negations);
    const double saved = before.flops - flops;
    if (saved <= 0 || count(left.divisions) > before.divisions || count(left.square_roots) > before.square_roots ||
        count(left.transcendentals) > before.transcendentals ||
        (instance.result.shape.size() > small_result && saved < before.flops * worth_its_text)) {
        return std::nullopt;
    }
    if (rewritten) {
        return left;
    }

    Function made = function;
    made.name = left.name;
    made.base = function.name;
    made.source = left.source + "\n" + function.source;
    made.flops = whole_number(static_cast<std::int64_t>(flops));
    made.divisions = left.divisions;
    made.square_roots = left.square_roots;
    made.transcendentals = left.transcendentals;
    made.implementations.clear();
    for (Implementation implementation : left.implementations) {
        const std::vector<Touch> inputs = implementation.inputs;
        const std::vector<ThreadLoads> loads = implementation.loads;
        implementation.inputs.assign(operands.size(), Touch::all);
        const std::vector<std::vector<int>> components = implementation.components;
        implementation.loads.assign(operands.size(), {});
        implementation.components.assign(components.empty() ? 0 : operands.size(), {});
        const std::vector<int> waiting = implementation.waiting;
        implementation.waiting.assign(implementation.components.size(), 0);
        for (std::size_t i = 0; i < partial.read.size(); ++i) {
            implementation.inputs[partial.read[i]] = inputs[i];
            implementation.loads[partial.read[i]] = loads.empty() ? ThreadLoads() : loads[i];
            if (!components.empty()) {
                implementation.components[partial.read[i]] = components[i];
                implementation.waiting[partial.read[i]] = waiting[i];
            }
        }
        implementation.unread = unread;
        made.implementations.push_back(std::move(implementation));
    }
    for (Implementation implementation : function.implementations) {
        const bool replaced = std::any_of(left.implementations.begin(), left.implementations.end(),
            [&](const Implementation& other) { return other.name == implementation.name; });
        if (replaced || catalog.threads(instance, implementation).value_or(1) == 1) {
            continue;
        }
        const auto keep = [](std::optional<SizeExpression>& own, const SizeExpression& common) { own = own ? own : common; };
        keep(implementation.flops, function.flops);
        keep(implementation.divisions, function.divisions);
        keep(implementation.square_roots, function.square_roots);
        keep(implementation.transcendentals, function.transcendentals);
        implementation.of_base = true;
        made.implementations.push_back(std::move(implementation));
    }
    return made;
}

} // namespace fusec::library
