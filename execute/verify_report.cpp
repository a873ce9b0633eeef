// SPDX-License-Identifier: Apache-2.0
// What verification found, added up and told.
#include "execute/domains.hpp"
#include "execute/verify.hpp"
#include "support/counted.hpp"

#include <algorithm>

namespace fusec::execute {

void VerifyResult::merge(const VerifyResult& other) {
    fusions = std::max(fusions, other.fusions);
    candidates += other.candidates;
    checked += other.checked;
    texts += other.texts;
    launches += other.launches;
    components += other.components;
    product += other.product;
    mismatches += other.mismatches;
    redrawn += other.redrawn;
    still_ill += other.still_ill;
    ill_datum = ill_datum.empty() ? other.ill_datum : ill_datum;
    drawn += other.drawn;
    ill_conditioned = ill_conditioned || other.ill_conditioned;
    worst_ratio = std::max(worst_ratio, other.worst_ratio);
    failures.insert(failures.end(), other.failures.begin(), other.failures.end());
    one_sided = other.one_sided.empty() ? one_sided : other.one_sided;
}

void report(const VerifyResult& result, const std::string& program, Diagnostics& diagnostics) {
    for (const VerifyFailure& failure : result.failures) {
        std::string message = "`" + program + "`, " + failure.what + ": " + (failure.texts.empty() ? "no result" : failure.texts.front());
        Diagnostic& diagnostic = diagnostics.report(kind::verify_mismatch, {}, std::move(message));
        for (std::size_t i = 1; i < failure.texts.size(); ++i) {
            diagnostic.notes.push_back({{}, failure.texts[i]});
        }
    }
    if (result.mismatches > result.failures.size()) {
        diagnostics.report(kind::verify_mismatch, {},
            "`" + program + "`: " + std::to_string(result.mismatches - result.failures.size()) + " more of " +
                std::to_string(result.checked) + (result.mismatches - result.failures.size() == 1 ? " does" : " do") +
                " not agree with the reference");
    }
    if (result.ill_conditioned) {
        std::string message = "`" + program + "`: " + std::to_string(result.redrawn) + " of " + counted(result.drawn, "random element") +
            (result.redrawn == 1 ? " was" : " were") + " drawn again as ill conditioned, at most 5 % may be";
        if (result.still_ill != 0) {
            message += "; " + std::to_string(result.still_ill) + " stayed so in " + std::to_string(most_draws) + " draws";
        }
        Diagnostic& diagnostic = diagnostics.report(kind::ill_conditioned, {}, std::move(message));
        diagnostic.notes.push_back(
            {{}, "rounding alone may change `" + result.ill_datum + "` by more than a hundredth: little is shown by a comparison"});
    }
    for (const OneSidedSelection& selection : result.one_sided) {
        const auto said = [&](const Diagnostic& earlier) {
            return earlier.kind.name == kind::one_sided_selection.name && earlier.span.source &&
                earlier.span.source->path() == selection.place.source->path() && earlier.span.begin == selection.place.begin;
        };
        if (std::none_of(diagnostics.all().begin(), diagnostics.all().end(), said)) {
            diagnostics
                .report(kind::one_sided_selection, selection.place,
                    "the random inputs take the " + std::string(selection.first ? "first" : "second") +
                        " value in every element: the other one is not compared")
                .hint = "`--seed` draws other inputs; `fusec run` takes inputs of yours";
        }
    }
}

} // namespace fusec::execute
