// SPDX-License-Identifier: Apache-2.0
#include "frontend/call_resolution.hpp"
#include "frontend/callee.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>

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

std::vector<Type> types_of(const std::vector<Operand>& operands) {
    std::vector<Type> types;
    for (const Operand& operand : operands) {
        types.push_back(operand.type);
    }
    return types;
}

} // namespace

bool CallResolution::arity_fits(const CallSite& site, FunctionId function, std::size_t operands) {
    if (operands == catalog_.function(function).inputs.size()) {
        return true;
    }
    const auto mismatch = catalog_.match(function, std::vector<Type>(operands));
    report_mismatch(site, std::get<library::Mismatch>(mismatch), {});
    return false;
}

std::optional<library::Instance> CallResolution::named(
    const CallSite& site, FunctionId function, const std::string& suffix, const std::vector<Operand>& operands) {
    if (!suffix.empty() && !suffix_fits(site, catalog_.function(function).name, suffix, operands)) {
        return std::nullopt;
    }
    auto match = catalog_.match(function, types_of(operands));
    if (const auto* mismatch = std::get_if<library::Mismatch>(&match)) {
        report_mismatch(site, *mismatch, operands);
        return std::nullopt;
    }
    return std::get<library::Instance>(std::move(match));
}

std::optional<library::Instance> CallResolution::operation(
    const CallSite& site, std::string_view symbol, const std::vector<Operand>& operands) {
    std::vector<library::Instance> fitting;
    std::optional<library::Mismatch> nearest_mismatch;
    for (const FunctionId function : catalog_.with_operator(symbol)) {
        auto match = catalog_.match(function, types_of(operands));
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
        diagnostics_.report(kind::ambiguous_operator, site.head, "`" + site.text + "` fits several functions here: " + names).hint =
            "call the one that is meant by its name";
        return std::nullopt;
    }
    if (!fitting.empty()) {
        return std::move(fitting.front());
    }
    if (nearest_mismatch && nearness(nearest_mismatch->reason) >= nearness(library::Mismatch::Reason::dimension)) {
        report_mismatch(site, *nearest_mismatch, operands);
    } else {
        report_no_operator(site, operands);
    }
    return std::nullopt;
}

bool CallResolution::suffix_fits(
    const CallSite& site, const std::string& function, const std::string& suffix, const std::vector<Operand>& operands) {
    const auto first_of = [&](Form form) {
        return std::find_if(operands.begin(), operands.end(), [&](const Operand& operand) { return operand.type.shape.form == form; });
    };
    auto checked = first_of(Form::matrix);
    if (checked == operands.end()) {
        checked = first_of(Form::vector);
    }
    if (checked == operands.end()) {
        diagnostics_
            .report(kind::suffix_mismatch, site.head,
                "suffix `" + suffix + "` of " + in_backticks(site.text) + ", but no operand is a matrix or a vector")
            .hint = "write `" + function + "`";
        return false;
    }
    const std::vector<std::string> right = suffixes_of(checked->type.shape);
    if (std::find(right.begin(), right.end(), suffix) != right.end()) {
        return true;
    }
    Diagnostic& d = diagnostics_.report(kind::suffix_mismatch, site.head,
        "suffix " + in_backticks(suffix) + " of " + in_backticks(site.text) + ", but " + described(*checked));
    note_operand(d, *checked);
    d.hint = "write `" + function + right.front() + "`, or `" + function + "` for any shape";
    return false;
}

void CallResolution::report_mismatch(const CallSite& site, const library::Mismatch& mismatch, const std::vector<Operand>& operands) {
    const bool one_operand = mismatch.operand < operands.size();
    const std::string message = one_operand ? described(operands[mismatch.operand]) + ": " : "";
    Diagnostic& d = diagnostics_.report(
        kind_of(mismatch.reason), one_operand ? operands[mismatch.operand].span : site.span, message + mismatch.message);
    for (const Operand& operand : operands) {
        note_operand(d, operand);
    }
    if (mismatch.reason == library::Mismatch::Reason::precision) {
        d.hint = one_precision_hint;
    }
}

void CallResolution::report_no_operator(const CallSite& site, const std::vector<Operand>& operands) {
    std::string types;
    for (const Operand& operand : operands) {
        types += (types.empty() ? "`" : " and `") + to_string(operand.type) + "`";
    }
    const std::string name = site.prefix ? "unary `-`" : in_backticks(site.text);
    Diagnostic& d = diagnostics_.report(kind::no_such_operator, site.head, "no operator " + name + " for " + types);
    for (const Operand& operand : operands) {
        note_operand(d, operand);
    }
    std::string fitting;
    for (const std::string& other : catalog_.names()) {
        const library::Function& function = catalog_.function(*catalog_.find(other));
        if (!function.operator_symbol &&
            std::holds_alternative<library::Instance>(catalog_.match(*catalog_.find(other), types_of(operands)))) {
            fitting += (fitting.empty() ? "`" : ", `") + other + "`";
        }
    }
    d.hint = fitting.empty() ? "" : "functions that take " + std::string(operands.size() == 1 ? "it" : "these operands") + ": " + fitting;
}

std::string described(const Operand& operand) {
    return in_backticks(operand.span.text()) + " is `" + to_string(operand.type) + "`";
}

void note_operand(Diagnostic& diagnostic, const Operand& operand) {
    if (!operand.defined) {
        return;
    }
    const Span& place = *operand.defined;
    const bool said = std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(),
        [&](const DiagnosticNote& note) { return note.span.begin == place.begin && note.span.source == place.source; });
    if (!said) {
        diagnostic.notes.push_back({place, described(operand) + ", defined here"});
    }
}

} // namespace fusec::frontend
