// SPDX-License-Identifier: Apache-2.0
#include "frontend/expression_check.hpp"
#include "frontend/callee.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <bit>

namespace fusec::frontend {

namespace {

const DiagnosticKind& kind_of(library::Mismatch::Reason reason) {
    switch (reason) {
    case library::Mismatch::Reason::arity:
        return kind::wrong_arity;
    case library::Mismatch::Reason::form:
    case library::Mismatch::Reason::dimension:
        return kind::operand_mismatch;
    case library::Mismatch::Reason::precision:
        return kind::precision_mismatch;
    case library::Mismatch::Reason::outside_where:
        return kind::unsupported_shape;
    }
    return kind::operand_mismatch;
}

/// How much a mismatch knows about what was meant: an operator's message comes from the function that came nearest.
int nearness(library::Mismatch::Reason reason) {
    switch (reason) {
    case library::Mismatch::Reason::outside_where:
        return 4;
    case library::Mismatch::Reason::precision:
        return 3;
    case library::Mismatch::Reason::dimension:
        return 2;
    case library::Mismatch::Reason::form:
        return 1;
    case library::Mismatch::Reason::arity:
        return 0;
    }
    return 0;
}

} // namespace

std::optional<DataId> ExpressionChecker::check(const ast::Name& target, const ast::Tree& tree, const std::optional<Type>& declared) {
    first_ = tree.first;
    values_.clear();
    precision_ = precision_of(tree, declared);
    const std::size_t calls_before = draft_.calls.size();
    for (std::size_t i = tree.first.index(); i <= tree.root.index(); ++i) {
        values_.push_back(node(program_.expressions[i]));
    }
    Value& root = values_.back();
    if (root.constant) {
        if (!round_to(precision_, *root.constant, program_.expression(tree.root).span, diagnostics_)) {
            return std::nullopt;
        }
        return draft_.add({target.text, {}, {root.constant->shape, precision_}, DatumKind::constant, std::move(root.constant->values), {}, false, target.span});
    }
    for (std::size_t i = calls_before; i < draft_.calls.size(); ++i) {
        const bool outermost = i + 1 == draft_.calls.size();
        Datum& result = draft_.datum(draft_.calls[i].result);
        result.name = outermost ? target.text : target.text + "." + std::to_string(i - calls_before + 1);
        result.span = outermost ? target.span : draft_.calls[i].span;
    }
    return root.datum;
}

Precision ExpressionChecker::precision_of(const ast::Tree& tree, const std::optional<Type>& declared) const {
    for (std::size_t i = tree.first.index(); i <= tree.root.index(); ++i) {
        if (program_.expressions[i].kind != ast::ExpressionKind::name) {
            continue;
        }
        const Defined* defined = scope_.definition(program_.expressions[i].text);
        if (defined && defined->datum) {
            return draft_.datum(*defined->datum).type.precision;
        }
    }
    return declared ? declared->precision : default_precision_;
}

ExpressionChecker::Value ExpressionChecker::node(const ast::Expression& e) {
    switch (e.kind) {
    case ast::ExpressionKind::name:
        return {scope_.use(e.text, e.head), std::nullopt};
    case ast::ExpressionKind::number:
        return {std::nullopt, number_constant(e, diagnostics_)};
    case ast::ExpressionKind::call:
        return call(e);
    case ast::ExpressionKind::prefix:
        if (value(e.operands[0]).constant) {
            return {std::nullopt, negated(*value(e.operands[0]).constant)};
        }
        return operator_call(e, "neg");
    case ast::ExpressionKind::infix: {
        const auto& left = value(e.operands[0]).constant;
        const auto& right = value(e.operands[1]).constant;
        if (left && right && left->shape.form == Form::scalar && right->shape.form == Form::scalar) {
            return {std::nullopt, folded(e, *left, *right, diagnostics_)};
        }
        return operator_call(e, e.text);
    }
    case ast::ExpressionKind::suffix:
        return operator_call(e, e.text);
    case ast::ExpressionKind::table:
        break; // the grammar allows tables in constants only
    }
    throw InternalError("a table outside a constant");
}

ExpressionChecker::Value ExpressionChecker::call(const ast::Expression& e) {
    if (e.text == "midentity") {
        std::vector<std::optional<Constant>> operands;
        for (const ast::ExpressionId id : e.operands) {
            if (!value(id).good()) {
                return {};
            }
            operands.push_back(value(id).constant);
        }
        return {std::nullopt, identity_constant(e, operands, diagnostics_)};
    }
    if (const std::optional<Callee> callee = find_callee(e.text, catalog_)) {
        return named_call(e, callee->function, callee->suffix);
    }
    Diagnostic& d = diagnostics_.report(kind::unknown_function, e.head, "no function " + in_backticks(e.text) + " in the library");
    if (const Defined* defined = scope_.definition(e.text)) {
        d.notes.push_back({defined->span, in_backticks(e.text) + " is " + defined->how});
        d.hint = "write `*` between the factors of a product";
    } else if (const std::string near = nearest_callee(e.text, catalog_); !near.empty()) {
        d.hint = "did you mean `" + near + "`?";
    }
    return {};
}

ExpressionChecker::Value ExpressionChecker::named_call(const ast::Expression& e, FunctionId function, const std::string& suffix) {
    const library::Function& applied = catalog_.function(function);
    if (e.operands.size() != applied.inputs.size()) { // said even when an operand is in error
        const auto mismatch = catalog_.match(function, std::vector<Type>(e.operands.size()));
        report_mismatch(e, std::get<library::Mismatch>(mismatch), {});
        return {};
    }
    const std::optional<Operands> operands = operands_of(e);
    if (!operands || (!suffix.empty() && !suffix_fits(e, applied.name, suffix, *operands))) {
        return {};
    }
    const auto match = catalog_.match(function, operands->types);
    if (const auto* mismatch = std::get_if<library::Mismatch>(&match)) {
        report_mismatch(e, *mismatch, *operands);
        return {};
    }
    return add_call(e, std::get<library::Instance>(match), *operands);
}

ExpressionChecker::Value ExpressionChecker::operator_call(const ast::Expression& e, std::string_view symbol) {
    const std::optional<Operands> operands = operands_of(e);
    if (!operands) {
        return {};
    }
    std::vector<library::Instance> fitting;
    std::optional<library::Mismatch> nearest_mismatch;
    for (const FunctionId function : catalog_.with_operator(symbol)) {
        auto match = catalog_.match(function, operands->types);
        if (auto* instance = std::get_if<library::Instance>(&match)) {
            fitting.push_back(std::move(*instance));
            continue;
        }
        auto& mismatch = std::get<library::Mismatch>(match);
        if (!nearest_mismatch || nearness(mismatch.reason) > nearness(nearest_mismatch->reason)) {
            nearest_mismatch = std::move(mismatch);
        }
    }
    if (std::any_of(fitting.begin(), fitting.end(), [](const library::Instance& i) { return !i.swapped; })) {
        std::erase_if(fitting, [](const library::Instance& i) { return i.swapped; }); // as written goes before swapped
    }
    if (fitting.size() > 1) {
        std::string names;
        for (const library::Instance& instance : fitting) {
            names += (names.empty() ? "`" : ", `") + catalog_.function(instance.function).name + "`";
        }
        diagnostics_.report(kind::ambiguous_operator, e.head, "`" + e.text + "` fits several functions here: " + names).hint = "call the one that is meant by its name";
        return {};
    }
    if (!fitting.empty()) {
        return add_call(e, fitting.front(), *operands);
    }
    if (nearest_mismatch && nearness(nearest_mismatch->reason) >= nearness(library::Mismatch::Reason::dimension)) {
        report_mismatch(e, *nearest_mismatch, *operands);
    } else {
        report_no_operator(e, *operands);
    }
    return {};
}

ExpressionChecker::Value ExpressionChecker::add_call(const ast::Expression& e, const library::Instance& instance, const Operands& operands) {
    const CallId id{draft_.calls.size()};
    const DataId result = draft_.add({{}, {}, instance.result, DatumKind::computed, {}, id, false, e.span});
    std::vector<DataId> data = operands.data;
    if (instance.swapped) {
        std::swap(data.at(0), data.at(1));
    }
    draft_.calls.push_back({instance, std::move(data), result, e.span});
    return {result, std::nullopt};
}

std::optional<ExpressionChecker::Operands> ExpressionChecker::operands_of(const ast::Expression& e) {
    Operands operands;
    bool good = true;
    for (const ast::ExpressionId id : e.operands) {
        Value& v = value(id);
        const std::optional<DataId> datum = v.constant ? literal(*v.constant, program_.expression(id).span) : v.datum;
        good = good && datum;
        if (datum) {
            operands.data.push_back(*datum);
            operands.types.push_back(draft_.datum(*datum).type);
            operands.nodes.push_back(id);
        }
    }
    return good ? std::optional(std::move(operands)) : std::nullopt;
}

std::optional<DataId> ExpressionChecker::literal(Constant constant, const Span& span) {
    if (!round_to(precision_, constant, span, diagnostics_)) {
        return std::nullopt;
    }
    std::vector<std::uint64_t> bits; // the numbers themselves would not tell -0 from 0
    for (const double component : constant.values) {
        bits.push_back(std::bit_cast<std::uint64_t>(component));
    }
    const auto [entry, inserted] = literals_.try_emplace({precision_, constant.shape, std::move(bits)});
    if (inserted) {
        entry->second = draft_.add({constant.name, {}, {constant.shape, precision_}, DatumKind::constant, constant.values, {}, false, span});
    }
    return entry->second;
}

bool ExpressionChecker::suffix_fits(const ast::Expression& e, const std::string& function, const std::string& suffix, const Operands& operands) {
    const auto first_of = [&](Form form) {
        return std::find_if(operands.types.begin(), operands.types.end(), [&](const Type& type) { return type.shape.form == form; });
    };
    auto checked = first_of(Form::matrix);
    if (checked == operands.types.end()) {
        checked = first_of(Form::vector);
    }
    if (checked == operands.types.end()) {
        diagnostics_.report(kind::suffix_mismatch, e.head, "suffix `" + suffix + "` of " + in_backticks(e.text) + ", but no operand is a matrix or a vector").hint = "write `" + function + "`";
        return false;
    }
    const std::vector<std::string> right = suffixes_of(checked->shape);
    if (std::find(right.begin(), right.end(), suffix) != right.end()) {
        return true;
    }
    const auto index = static_cast<std::size_t>(checked - operands.types.begin());
    Diagnostic& d = diagnostics_.report(kind::suffix_mismatch, e.head, "suffix " + in_backticks(suffix) + " of " + in_backticks(e.text) + ", but " + described(operands.nodes[index], *checked));
    note_operand(d, operands, index);
    d.hint = "write `" + function + right.front() + "`, or `" + function + "` for any shape";
    return false;
}

std::string ExpressionChecker::described(ast::ExpressionId node, const Type& type) const {
    return in_backticks(program_.expression(node).span.text()) + " is `" + to_string(type) + "`";
}

void ExpressionChecker::note_operand(Diagnostic& diagnostic, const Operands& operands, std::size_t index) const {
    const ast::Expression& written = program_.expression(operands.nodes[index]);
    const Datum& datum = draft_.datum(operands.data[index]);
    if (written.kind == ast::ExpressionKind::name) {
        const Defined* defined = scope_.definition(written.text);
        const Span place = defined ? defined->span : datum.span;
        const bool said = std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(), [&](const DiagnosticNote& note) { return note.span.begin == place.begin; });
        if (!said) {
            diagnostic.notes.push_back({place, described(operands.nodes[index], datum.type) + ", defined here"});
        }
    }
}

void ExpressionChecker::report_mismatch(const ast::Expression& e, const library::Mismatch& mismatch, const Operands& operands) {
    const bool one_operand = mismatch.operand < operands.nodes.size();
    const Span at = one_operand ? program_.expression(operands.nodes[mismatch.operand]).span : e.span;
    std::string message = one_operand ? described(operands.nodes[mismatch.operand], operands.types[mismatch.operand]) + ": " : "";
    Diagnostic& d = diagnostics_.report(kind_of(mismatch.reason), at, message + mismatch.message);
    for (std::size_t i = 0; i < operands.nodes.size(); ++i) {
        note_operand(d, operands, i);
    }
    if (mismatch.reason == library::Mismatch::Reason::precision) {
        d.hint = "all operands of a call have one precision; declare both `float` or both `double`";
    }
}

void ExpressionChecker::report_no_operator(const ast::Expression& e, const Operands& operands) {
    std::string types;
    for (const Type& type : operands.types) {
        types += (types.empty() ? "`" : " and `") + to_string(type) + "`";
    }
    const std::string name = e.kind == ast::ExpressionKind::prefix ? "unary `-`" : in_backticks(e.text);
    Diagnostic& d = diagnostics_.report(kind::no_such_operator, e.head, "no operator " + name + " for " + types);
    for (std::size_t i = 0; i < operands.nodes.size(); ++i) {
        note_operand(d, operands, i);
    }
    std::string fitting;
    for (const std::string& other : catalog_.names()) {
        const library::Function& function = catalog_.function(*catalog_.find(other));
        if (!function.operator_symbol && std::holds_alternative<library::Instance>(catalog_.match(*catalog_.find(other), operands.types))) {
            fitting += (fitting.empty() ? "`" : ", `") + other + "`";
        }
    }
    d.hint = fitting.empty() ? "" : "functions that take " + std::string(operands.types.size() == 1 ? "it" : "these operands") + ": " + fitting;
}

} // namespace fusec::frontend
