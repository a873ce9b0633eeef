// SPDX-License-Identifier: Apache-2.0
// Data movement with indices known when the program is compiled: slices, `rows`, `columns`, `diag`, `full`, `symmetric`, and values
// assembled from parts. Each is one map of components from the data that hold them, however many slices and assemblies lie between.
#include "frontend/callee.hpp"
#include "frontend/expression_check.hpp"
#include "frontend/selection.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fusec::frontend {

namespace {

/// `[2,1]`
std::string component_text(const Shape& shape, int component) {
    const std::string row = std::to_string(component / shape.columns);
    return shape.form == Form::matrix ? "[" + row + "," + std::to_string(component % shape.columns) + "]" : "[" + row + "]";
}

bool is_positive_zero(double value) {
    return value == 0 && !std::signbit(value);
}

} // namespace

Component ExpressionChecker::origin(const Component& component) {
    if (!component.datum) {
        return component;
    }
    const std::optional<CallId> producer = draft_.datum(*component.datum).producer;
    const library::ComponentMap* map = producer ? draft_.map_of(*producer, catalog_) : nullptr;
    if (!map) {
        return component;
    }
    draft_.read[component.datum->index()] = true;
    const int stored = draft_.datum(*component.datum).type.shape.stored(component.component);
    const library::ComponentSource& source = map->sources.at(static_cast<std::size_t>(stored));
    if (source.operand == library::ComponentSource::zero) {
        return {};
    }
    return {draft_.calls[producer->index()].operands.at(static_cast<std::size_t>(source.operand)), source.component};
}

std::optional<Value> ExpressionChecker::moved_constant(
    const Type& type, const std::vector<Component>& components, const std::string& name, const Span& span) {
    std::vector<double> values;
    std::optional<DataId> owner;
    bool one_owner = true;
    for (const Component& component : components) {
        if (!component.datum) {
            values.push_back(0);
            continue;
        }
        const Datum& datum = draft_.datum(*component.datum);
        if (datum.kind != DatumKind::constant) {
            return std::nullopt;
        }
        one_owner = one_owner && (!owner || owner == component.datum);
        owner = component.datum;
        draft_.read[component.datum->index()] = true;
        values.push_back(datum.values.at(static_cast<std::size_t>(component.component)));
    }
    const Type full{type.shape.full(), type.precision};
    return Value{draft_.shared_constant({name, {}, full, DatumKind::constant, std::move(values), {}, false, span}, NameKind::entry,
                     one_owner ? owner : std::nullopt),
        std::nullopt};
}

Value ExpressionChecker::moved(
    Evaluated& evaluated, const Type& type, std::vector<Component> components, const std::string& name, const Span& span) {
    expansion_.spend(components.size(), span, true);
    if (expansion_.stopped()) {
        return {};
    }
    std::transform(
        components.begin(), components.end(), components.begin(), [this](const Component& component) { return origin(component); });
    const std::optional<DataId> first = components.front().datum;
    const auto in_place = [&](const Component& component) {
        return component.datum == first && component.component == static_cast<int>(&component - components.data());
    };
    if (first && draft_.datum(*first).type == type && std::all_of(components.begin(), components.end(), in_place)) {
        return {*first, std::nullopt};
    }
    if (std::optional<Value> constant = moved_constant(type, components, name, span)) {
        return std::move(*constant);
    }
    library::ComponentMap map{{}, type.shape.full(), {}};
    std::vector<Operand> operands;
    std::map<DataId, int> numbers;
    for (std::size_t i = 0; i < components.size(); ++i) {
        const Component& component = components[i];
        if (const int number = static_cast<int>(i); type.shape.stored(number) != number) {
            map.sources.emplace_back(); // above the diagonal of what is packed: dropped
            continue;
        }
        const Datum* datum = component.datum ? &draft_.datum(*component.datum) : nullptr;
        if (!datum ||
            (datum->kind == DatumKind::constant && is_positive_zero(datum->values.at(static_cast<std::size_t>(component.component))))) {
            if (datum) {
                draft_.read[component.datum->index()] = true;
            }
            map.sources.emplace_back();
            continue;
        }
        const auto [number, inserted] = numbers.try_emplace(*component.datum, static_cast<int>(operands.size()));
        if (inserted) {
            map.operands.push_back(datum->type.shape.full());
            operands.push_back({*component.datum, datum->type, span, std::nullopt});
        }
        map.sources.push_back({number->second, component.component});
    }
    const FunctionId function(catalog_.library_size() + draft_.own.number(map));
    return add_call(evaluated, {function, {}, false, type}, operands, span);
}

Value ExpressionChecker::slice(Evaluation& evaluation, const ast::Expression& e) {
    const ast::Expression& whole = program_.expression(e.operands.front());
    const Value& value = evaluation.value(e.operands.front());
    const Defined* defined = whole.kind == ast::ExpressionKind::name ? std::as_const(scope_).definition(whole.text) : nullptr;
    const Assembly* assembly = defined && defined->assembly && !defined->value.good() ? &*defined->assembly : nullptr;
    if (!value.good() && !assembly) {
        return {};
    }
    const Type type = assembly ? assembly->type
        : value.datum          ? draft_.datum(*value.datum).type
                               : Type{value.constant->shape, evaluation.precision(e.operands.front())};
    const auto integer_of = [this](const ast::IndexTree& tree) { return integer(tree); };
    std::optional<Selection> selection =
        selected(e.slices, {type.shape, e.head, whole.span, definition_place(whole)}, integer_of, diagnostics_);
    if (!selection) {
        return {};
    }
    if (selection->all && !assembly) {
        return value;
    }
    list_all(*selection);
    if (selection->shape.form == Form::scalar) {
        selection->components.front() = type.shape.stored(selection->components.front()); // `S[0,1]` is the same as `S[1,0]`
    }
    if (value.constant) {
        std::vector<double> values;
        for (const int component : selection->components) {
            values.push_back(value.constant->values.at(static_cast<std::size_t>(component)));
        }
        return {std::nullopt,
            selection->shape.form == Form::scalar
                ? scalar_constant(values.front())
                : Constant{selection->shape, std::move(values), value.constant->name + "[" + selection->text + "]"}};
    }
    std::vector<Component> components;
    for (const int component : selection->components) {
        if (!assembly) {
            components.push_back({value.datum, component});
        } else if (const std::optional<Component>& part = assembly->at(component)) {
            components.push_back(*part);
        } else {
            report_gap(whole.text, e.span);
            return {};
        }
    }
    if (assembly) {
        scope_.definition(whole.text)->assembly->read = true;
    }
    const std::string name = (assembly ? defined->name : draft_.datum(*value.datum).name) + "[" + selection->text + "]";
    return moved(evaluation.result, {selection->shape, type.precision}, std::move(components), name, e.span);
}

void ExpressionChecker::report_gap(const std::string& name, const Span& place) {
    Defined& defined = *scope_.definition(name);
    Assembly& assembly = *defined.assembly;
    if (assembly.wrong) {
        return;
    }
    assembly.wrong = true;
    const std::string of = assembly.missing == 1 ? "" : ", one of " + std::to_string(assembly.missing) + " components";
    Diagnostic& d = diagnostics_.report(kind::incomplete_value, place,
        in_backticks(name) + " is a `" + to_string(assembly.type.shape) + "` without a value in " +
            component_text(assembly.type.shape, assembly.gap()) + of);
    d.notes.push_back({defined.span, "its first part is assigned here"});
}

void ExpressionChecker::complete(const std::string& name, const Span& place) {
    Defined* defined = scope_.definition(name);
    if (!defined || !defined->assembly || defined->value.good() || defined->assembly->wrong) {
        return;
    }
    Assembly& assembly = *defined->assembly;
    if (assembly.missing != 0) {
        report_gap(name, place);
        return;
    }
    std::vector<Component> components;
    for (int component = 0; component < assembly.type.shape.components(); ++component) {
        components.push_back(*assembly.at(component));
    }
    Evaluated own;
    own.calls_before = draft_.calls.size();
    defined->value = moved(own, assembly.type, std::move(components), defined->name, defined->span);
    defined->values += 1;
    for (const CallId made : own.calls) {
        draft_.put_behind_operands(made);
    }
    if (!own.calls.empty()) {
        const DataId datum = *defined->value.datum;
        draft_.rename(datum, defined->name, defined->name == name ? NameKind::written : NameKind::expanded);
        draft_.datum(datum).span = defined->span;
    }
    assembly.wrong = !defined->value.good(); // a limit
}

void ExpressionChecker::complete_names(const ast::Tree& tree) {
    for (std::size_t i = tree.first.index(); i <= tree.root.index(); ++i) {
        const ast::Expression& e = program_.expressions[i];
        const bool indexed =
            i < tree.root.index() && program_.expressions[i + 1].kind == ast::ExpressionKind::index; // its operand stands before it
        if (e.kind == ast::ExpressionKind::name && !indexed) {
            complete(e.text, e.span);
        }
    }
}

std::optional<Value> ExpressionChecker::movement(Evaluation& evaluation, const ast::Expression& e) {
    if (!is_movement(e.text)) {
        return std::nullopt;
    }
    const std::optional<std::vector<Operand>> operands = operands_of(evaluation, e);
    if (!operands) {
        return Value{};
    }
    const std::size_t count = operands->size();
    const bool one = e.text != "rows" && e.text != "columns";
    if (count == 0 || (one && count != 1)) {
        diagnostics_.report(kind::wrong_arity, e.span,
            in_backticks(e.text) + " takes " + (one ? "1 operand" : "1 operand or more") + ", but " + std::to_string(count) +
                (count == 1 ? " is" : " are") + " given");
        return Value{};
    }
    for (const Operand& operand : *operands) {
        if (operand.type.precision != operands->front().type.precision) {
            Diagnostic& d =
                diagnostics_.report(kind::precision_mismatch, operand.span, described(operand) + ", but " + described(operands->front()));
            note_operand(d, operand);
            note_operand(d, operands->front());
            d.hint = one_precision_hint;
            return Value{};
        }
    }
    return e.text == "diag" ? diagonal(evaluation.result, e, operands->front())
        : one               ? stored_otherwise(evaluation.result, e, operands->front())
                            : stacked(evaluation.result, e, *operands);
}

Value ExpressionChecker::diagonal(Evaluated& evaluated, const ast::Expression& e, const Operand& vector) {
    if (vector.type.shape.form != Form::vector) {
        Diagnostic& d =
            diagnostics_.report(kind::operand_mismatch, vector.span, described(vector) + ": `diag` makes a diagonal matrix of a vector");
        note_operand(d, vector);
        return {};
    }
    const int n = vector.type.shape.rows;
    std::vector<Component> components(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        components[static_cast<std::size_t>(i) * static_cast<std::size_t>(n + 1)] = {vector.datum, i};
    }
    return moved(evaluated, {{Form::matrix, n, n}, vector.type.precision}, std::move(components), "diag", e.span);
}

Value ExpressionChecker::stacked(Evaluated& evaluated, const ast::Expression& e, const std::vector<Operand>& operands) {
    const bool down = e.text == "rows";
    const Operand& first = operands.front();
    const bool scalars = first.type.shape.form == Form::scalar;
    // What an operand adds in the direction in which they are put together, and its length across.
    const auto added = [&](const Shape& shape) { return shape.form != Form::matrix ? 1 : down ? shape.rows : shape.columns; };
    const auto across = [&](const Shape& shape) { return shape.form != Form::matrix ? shape.rows : down ? shape.columns : shape.rows; };
    const char* lengths = down ? "of one number of columns, a vector as a row" : "of one number of rows, a vector as a column";
    int total = 0;
    for (const Operand& operand : operands) {
        const bool scalar = operand.type.shape.form == Form::scalar;
        if (scalar != scalars || (scalar && !down) || across(operand.type.shape) != across(first.type.shape)) {
            const bool differ = scalar == scalars && !scalar;
            Diagnostic& d = diagnostics_.report(kind::operand_mismatch, operand.span,
                described(operand) + (&operand == &first ? "" : ", but " + described(first)) + ": " + in_backticks(e.text) +
                    " takes vectors and matrices " + lengths + (down && !differ ? ", or scalars only" : ""));
            note_operand(d, operand);
            note_operand(d, first);
            d.hint = scalar && !down ? "`rows(...)` makes a vector of scalars" : "";
            return {};
        }
        total += added(operand.type.shape);
        if (total > max_dimension) {
            diagnostics_.report(kind::dimension_limit, e.span,
                in_backticks(e.text) + " makes a dimension of " + std::to_string(total) +
                    (&operand == &operands.back() ? "" : " and more") + ", the limit is " + std::to_string(max_dimension));
            return {};
        }
    }
    const int length = across(first.type.shape);
    const Shape shape = scalars ? Shape{Form::vector, total, 1}
        : down                  ? Shape{Form::matrix, total, length}
                                : Shape{Form::matrix, length, total};
    std::vector<Component> components(static_cast<std::size_t>(shape.size()));
    int before = 0;
    for (const Operand& operand : operands) {
        const int more = added(operand.type.shape);
        for (int k = 0; k < operand.type.shape.components(); ++k) {
            // Row-major within the operand: a row is all of a vector for `rows`, and a component of it for `columns`.
            const int place = down ? before * length + k : k / more * total + before + k % more;
            components[static_cast<std::size_t>(place)] = {operand.datum, k};
        }
        before += more;
    }
    return moved(evaluated, {shape, first.type.precision}, std::move(components), e.text, e.span);
}

} // namespace fusec::frontend
