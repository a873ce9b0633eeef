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

/// On inputs drawn for `one`, if they differ on inputs drawn for `other` as well.
std::vector<std::string> differences(
    const ComparedCombination& one, const execute::RandomCases& cases, const ComparedCombination& other, const DrawCases& draw) {
    std::vector<std::string> found = execute::disagreeing_outputs(*one.program, cases, *other.program, *other.catalog);
    if (!found.empty() &&
        execute::disagreeing_outputs(*other.program, draw(*other.program, *other.catalog), *one.program, *one.catalog).empty()) {
        found.clear();
    }
    return found;
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
    const auto draw = [](const frontend::CheckedProgram& program, const library::Catalog& catalog) {
        return execute::draw_cases(program, catalog, elements, 1, execute::demands(program, catalog));
    };
    return report_disagreement(c, compared, draw, diagnostics);
}

bool report_disagreement(
    const Compilation& c, const std::vector<ComparedCombination>& combinations, const DrawCases& draw, Diagnostics& diagnostics) {
    const ComparedCombination& first = combinations.front();
    const execute::RandomCases cases = draw(*first.program, *first.catalog);
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
    std::set<std::pair<std::size_t, std::size_t>> wrong; // block and alternative
    for (const auto& [blocks, other] : others) {
        const auto block = static_cast<std::size_t>(std::ranges::mismatch(other->taken, first.taken).in1 - other->taken.begin());
        bool known = false;
        for (std::size_t i = 0; i < other->taken.size(); ++i) {
            known = known || wrong.contains({i, other->taken[i]});
        }
        const std::vector<std::string> differing = known ? std::vector<std::string>{} : differences(first, cases, *other, draw);
        if (!differing.empty()) {
            wrong.emplace(block, other->taken[block]);
            Diagnostic& d = diagnostics.report(kind::alternatives_disagree, place_of_difference(c, first.taken, other->taken),
                fmt::format("{} does not compute what {} computes: {}", combination_text(c, other->taken), combination_text(c, first.taken),
                    differing.front()));
            for (std::size_t k = 1; k < differing.size(); ++k) {
                d.notes.push_back({{}, differing[k]});
            }
        }
    }
    return wrong.empty();
}

} // namespace fusec::cli
