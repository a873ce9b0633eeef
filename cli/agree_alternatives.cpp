// SPDX-License-Identifier: Apache-2.0
#include "cli/agree_alternatives.hpp"

#include "execute/agreement.hpp"
#include "frontend/alternatives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace fusec::cli {

namespace {

using Taken = std::vector<std::size_t>;

/// Where two combinations differ: at the first block, or else in products of which one has another order.
Span place_of_difference(const Compilation& c, const Taken& one, const Taken& other) {
    for (const frontend::CheckedCombination& combination : c.combinations) {
        const bool either = combination.taken == one || combination.taken == other;
        if (either && combination.reordered && std::ranges::mismatch(one, other).in1 + 1 == one.end()) {
            return *combination.reordered;
        }
    }
    return frontend::first_difference(*c.ast, one, other);
}

/// What the comparisons of two programs, with inputs drawn for either, come to.
struct Comparison {
    std::vector<std::string> differing; ///< texts about the outputs of `subject`; empty: they agree, if anything was compared
    bool compared = false;
    const ComparedCombination* subject = nullptr;
    const ComparedCombination* yardstick = nullptr;
};

/// Inputs that are drawn for the one may be ill conditioned in the other throughout, as matrices that are not positive definite are in a
/// factorization: what shows nothing has no say.
Comparison compare(const ComparedCombination& one, const execute::RandomCases& cases, const ComparedCombination& other, const Draw& draw) {
    execute::ProgramAgreement found = execute::compare_programs(*one.program, *one.catalog, cases, *other.program, *other.catalog);
    if (found.compared != 0 && found.differing.empty()) {
        return {{}, true, &other, &one};
    }
    execute::ProgramAgreement back = execute::compare_programs(
        *other.program, *other.catalog, draw.cases(*other.program, *other.catalog, cases.elements), *one.program, *one.catalog);
    if (found.compared == 0) {
        return {std::move(back.differing), back.compared != 0, &one, &other};
    }
    if (back.compared != 0 && back.differing.empty()) {
        found.differing.clear();
    }
    return {std::move(found.differing), true, &other, &one};
}

/// Of more elements if those few show nothing.
Comparison compare_some(
    const ComparedCombination& one, const execute::RandomCases& cases, const ComparedCombination& other, const Draw& draw) {
    constexpr std::size_t times = 16;
    const Comparison few = compare(one, cases, other, draw);
    return few.compared ? few : compare(one, draw.cases(*one.program, *one.catalog, times * cases.elements), other, draw);
}

/// Whether it takes one of these alternatives: a block and what is taken there.
bool takes_one_of(const Taken& taken, const std::set<std::pair<std::size_t, std::size_t>>& alternatives) {
    for (std::size_t block = 0; block < taken.size(); ++block) {
        if (alternatives.contains({block, taken[block]})) {
            return true;
        }
    }
    return false;
}

} // namespace

std::string combination_text(const Compilation& c, const std::vector<std::size_t>& taken) {
    std::vector<std::string> texts;
    for (const auto& [place, text] : frontend::described(*c.ast, taken)) {
        const std::string file = std::filesystem::path(place.source->path()).filename().string();
        texts.push_back(fmt::format("{} at {}:{}", text, file, place.source->line(place.begin)));
    }
    if (std::ranges::any_of(c.combinations, [](const frontend::CheckedCombination& one) { return one.reordered.has_value(); })) {
        texts.push_back(taken.back() == 1 ? "products as written" : "products reordered");
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

bool check_agreement(Compilation& c, Diagnostics& diagnostics) {
    constexpr std::size_t elements = 4;
    if (c.combinations.size() == 1) {
        return true;
    }
    std::vector<library::Catalog> catalogs;
    std::vector<ComparedCombination> compared;
    catalogs.reserve(c.combinations.size());
    for (const frontend::CheckedCombination& combination : c.combinations) {
        catalogs.push_back(c.catalog->with(combination.program.functions));
        compared.push_back({combination.taken, &combination.program, &catalogs.back()});
    }
    const auto cases = [](const frontend::CheckedProgram& program, const library::Catalog& catalog, std::size_t count) {
        return execute::draw_cases(program, catalog, count, 1, execute::demands(program, catalog));
    };
    return report_disagreement(c, compared, {elements, cases}, diagnostics);
}

bool report_disagreement(
    const Compilation& c, const std::vector<ComparedCombination>& combinations, const Draw& draw, Diagnostics& diagnostics) {
    const ComparedCombination& first = combinations.front();
    const execute::RandomCases cases = draw.cases(*first.program, *first.catalog, draw.elements);
    std::vector<std::pair<std::size_t, const ComparedCombination*>> others; // by the number of blocks that differ
    for (const ComparedCombination& one : combinations) {
        std::size_t blocks = 0;
        for (std::size_t block = 0; block < one.taken.size(); ++block) {
            blocks += one.taken[block] != first.taken[block] ? 1U : 0U;
        }
        if (blocks != 0) {
            others.emplace_back(blocks, &one);
        }
    }
    std::ranges::stable_sort(others, {}, &std::pair<std::size_t, const ComparedCombination*>::first);
    std::set<std::pair<std::size_t, std::size_t>> wrong, unknown; // block and alternative
    for (const auto& [blocks, other] : others) {
        const auto block = static_cast<std::size_t>(std::ranges::mismatch(other->taken, first.taken).in1 - other->taken.begin());
        if (takes_one_of(other->taken, wrong) || takes_one_of(other->taken, unknown)) {
            continue;
        }
        const Comparison found = compare_some(first, cases, *other, draw);
        const Span place = place_of_difference(c, first.taken, other->taken);
        if (!found.compared) {
            unknown.emplace(block, other->taken[block]);
            diagnostics
                .report(kind::alternatives_not_compared, place,
                    fmt::format("whether {} computes what {} computes was not seen: all random elements are ill conditioned in one of them",
                        combination_text(c, other->taken), combination_text(c, first.taken)))
                .hint = "`fusec verify --seed` draws other elements; `fusec run` takes inputs of yours";
        } else if (!found.differing.empty()) {
            wrong.emplace(block, other->taken[block]);
            Diagnostic& d = diagnostics.report(kind::alternatives_disagree, place,
                fmt::format("{} does not compute what {} computes: {}", combination_text(c, found.subject->taken),
                    combination_text(c, found.yardstick->taken), found.differing.front()));
            for (std::size_t k = 1; k < found.differing.size(); ++k) {
                d.notes.push_back({{}, found.differing[k]});
            }
        }
    }
    return wrong.empty();
}

} // namespace fusec::cli
