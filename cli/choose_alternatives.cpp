// SPDX-License-Identifier: Apache-2.0
#include "cli/choose_alternatives.hpp"

#include "cli/agree_alternatives.hpp"
#include "cli/choose_plan.hpp"
#include "cli/report_text.hpp"
#include "support/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fusec::cli {

namespace {

/// Nothing when it has no plan; then `messages` say why.
std::shared_ptr<Compilation> compiled(const Compilation& c, const frontend::CheckedCombination& combination, Diagnostics& messages) {
    auto one = std::make_shared<Compilation>();
    one->options = c.options;
    one->options.dump.clear();
    one->source = c.source;
    one->ast = c.ast;
    one->plan_file = c.plan_file;
    one->device = c.device;
    one->predictor = perfmodel::make_predictor(c.options.predictor, *one->device, messages);
    one->program = combination.program;
    one->catalog = c.catalog->with(combination.program.functions);
    return one->predictor && run_stages(*one, messages, "fold", "plan") ? one : nullptr;
}

/// The number of the combination that the plan file takes; nothing after reporting.
std::optional<std::size_t> named_by_file(const Compilation& c, Diagnostics& diagnostics) {
    const auto found = std::ranges::find(c.combinations, c.plan_file->alternatives, &frontend::CheckedCombination::taken);
    if (found != c.combinations.end()) {
        return static_cast<std::size_t>(found - c.combinations.begin());
    }
    const bool one_more = c.plan_file->alternatives.size() == c.combinations.front().taken.size() + 1;
    const std::string of = fmt::format("which has {} of them", counted(c.combinations.size(), "combination"));
    diagnostics
        .report(kind::plan_file, c.plan_file->span,
            c.plan_file->alternatives.empty()
                ? fmt::format("the plan says nothing about the alternatives of `{}`, {}", c.program->name, of)
                : fmt::format("`alternatives` {} are none of `{}`, {}", fmt::join(c.plan_file->alternatives, ", "), c.program->name, of))
        .hint = one_more && !c.options.reassociate ? "the last one is an order of products, which `--reassociate` asks for"
                                                   : "write the plan again with `--save-plan`";
    return std::nullopt;
}

void pass_on(const Diagnostics& messages, Diagnostics& diagnostics) {
    for (const Diagnostic& message : messages.all()) {
        Diagnostic& passed = diagnostics.report(message.kind, message.span, message.message);
        passed.notes = message.notes;
        passed.hint = message.hint;
    }
}

bool fails_assertion(const Diagnostics& messages) {
    return std::ranges::any_of(messages.all(), [](const Diagnostic& m) { return m.kind.name == kind::failed_assertion.name; });
}

} // namespace

double PlannedCombination::seconds() const {
    return compiled ? compiled->plans.front().seconds : std::numeric_limits<double>::infinity();
}

bool choose_alternatives(Compilation& c, Diagnostics& diagnostics) {
    if (c.combinations.size() == 1) {
        return true;
    }
    std::optional<std::size_t> named;
    if (!mode_of(c.options.plan)) {
        if (!read_plan_file(c, diagnostics)) {
            return false;
        }
        named = named_by_file(c, diagnostics);
        if (!named) {
            return false;
        }
    }
    std::optional<Diagnostics> why_not;
    for (std::size_t i = 0; i < c.combinations.size(); ++i) {
        if (named && i != *named) {
            continue;
        }
        const frontend::CheckedCombination& combination = c.combinations[i];
        Diagnostics messages;
        auto one = compiled(c, combination, messages);
        if (!one && (!why_not || fails_assertion(messages))) {
            why_not = messages;
        }
        if (!one && fails_assertion(messages)) { // that it is wrong is not passed over
            pass_on(*why_not, diagnostics);
            return false;
        }
        c.planned.push_back({combination.taken, combination_text(c, combination.taken), std::move(one)});
    }
    std::ranges::stable_sort(c.planned, {}, &PlannedCombination::seconds);
    const PlannedCombination& best = c.planned.front();
    if (!best.compiled) {
        pass_on(*why_not, diagnostics);
        return false;
    }
    const auto taken = std::ranges::find(c.combinations, best.taken, &frontend::CheckedCombination::taken);
    c.program = taken->program;
    c.catalog = c.catalog->with(c.program->functions);
    return true;
}

std::vector<std::string> left_out(const Compilation& c) {
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < c.planned.size(); ++i) {
        const PlannedCombination& one = c.planned[i];
        texts.push_back("left out: " + one.text +
            (one.compiled ? fmt::format(", predicted {} ({:+.2f} %)", time_text(one.seconds()),
                                (one.seconds() / c.planned.front().seconds() - 1) * 100)
                          : ", which has no plan"));
    }
    return texts;
}

} // namespace fusec::cli
