// SPDX-License-Identifier: Apache-2.0
#include "execute/decide_checks.hpp"

#include "elementary-lib/selection.hpp"
#include "execute/compacted.hpp"
#include "execute/simplify.hpp"

#include <set>
#include <utility>

namespace fusec::execute {

using frontend::Call;
using frontend::Check;
using frontend::CheckedProgram;
using frontend::Datum;
using frontend::DatumKind;

namespace {

/// Whether the check fails in every element, or in none; nothing where elements decide.
std::optional<bool> outcome(const CheckedProgram& program, const library::Catalog& catalog, const Check& check) {
    const Call& call = program.call(program.datum(program.outputs.at(check.output)).producer.value());
    const auto selection = library::selection_of(catalog.function(call.instance.function));
    internal_check(selection.has_value(), "a flag that is no selection");
    const auto datum = [&](std::size_t operand) -> const Datum& { return program.datum(call.operands[operand]); };
    const Datum &left = datum(selection->left), &right = datum(selection->right);
    if (left.kind != DatumKind::constant || right.kind != DatumKind::constant) {
        return std::nullopt;
    }
    const bool holds = library::holds(selection->comparison, left.values.front(), right.values.front());
    return datum(holds ? selection->chosen : selection->otherwise).values.at(0) != 0;
}

} // namespace

std::optional<CheckedProgram> without_decided_checks(
    const CheckedProgram& program, const library::Catalog& catalog, Diagnostics& diagnostics) {
    if (program.checks.empty()) {
        return program;
    }
    Diagnostics unsaid; // the program that is left is simplified with its remarks
    const CheckedProgram simple = simplified(program, catalog, unsaid);
    CheckedProgram left = program;
    left.checks.clear();
    left.outputs.resize(program.listed_outputs());
    std::set<std::pair<const SourceText*, std::size_t>> reported;
    bool good = true;
    for (const Check& check : program.checks) {
        const DataId flag = program.outputs[check.output];
        const std::optional<bool> fails = outcome(simple, catalog, check);
        if (!fails) {
            left.checks.push_back({left.outputs.size(), check.text, check.span});
            left.outputs.push_back(flag);
            continue;
        }
        left.data[flag.index()].output = left.data[flag.index()].flag = false;
        good = good && !*fails;
        if (*fails && reported.emplace(check.span.source.get(), check.span.begin).second) {
            diagnostics.report(kind::failed_assertion, check.span, "assertion fails in every element: " + check.text);
        }
    }
    if (!good) {
        return std::nullopt;
    }
    return left.checks.size() == program.checks.size() ? program : compacted(left, std::vector<bool>(left.calls.size(), false));
}

} // namespace fusec::execute
