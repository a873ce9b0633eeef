// SPDX-License-Identifier: Apache-2.0
// Ablations: `composite` with one of its terms replaced by something simpler and fitted again to the same points, so that the remaining terms
// may make up for it. What it then loses on held-out points is what the term is worth.
//
// A term is taken away by changing figures of the device or counts of the kernels where that is possible, so that the equations judged are
// those that the compiler uses; else by a member of CompositeTerms.
#pragma once

#include "perfmodel/composite.hpp"
#include "perfmodel/fit/fit.hpp"

#include <optional>
#include <string_view>

namespace fusec::perfmodel {

/// What Filipovic (talk of 2011, seed 003) says that his predictor neglects.
enum class Neglected {
    overlap,       ///< imperfect overlap at low parallelism
    idle_threads,  ///< threads and processors that idle
    function_mix,  ///< mixes of functions that use different units
    single_kernel, ///< kernels that are measured alone are not what they are within others
    nothing        ///< none of the four
};

/// In words, as tables print it.
std::string_view to_string(Neglected neglected);

struct Ablation {
    const char* term;
    const char* instead; ///< what stands in its place, a clause
    Neglected neglected;
    bool cuda, host;                             ///< devices whose equations have the term
    void (*device)(Device&) = nullptr;           ///< after a fit set its figures; null: stays
    void (*work)(fusion::KernelWork&) = nullptr; ///< null: stays
    CompositeTerms terms = CompositeTerms();     ///< all, unless neither of the two can take it away
};

/// Every term of `composite`, those for the four neglected points first.
std::span<const Ablation> ablations();

/// The kind `composite` (with the figures that it fits) without the term. Pre: `ablation` is one of ablations(); points that it predicts went
/// through points_without.
PredictorKind kind_without(const Ablation& ablation, const PredictorKind& composite);
std::vector<Point> points_without(const Ablation& ablation, std::span<const Point> points);

struct AblatedFit {
    std::vector<bool> moved; ///< of each point: without the term, before anything is fitted again, its prediction is another
    std::size_t moved_fit = 0, moved_held_out = 0;
    std::optional<Fit> fit; ///< nothing where no point is moved: measurements say nothing of the term
};

/// A prediction that changes by no more than this share is the same.
inline constexpr double least_move = 0.001;

/// Takes the term away and fits again from `start`, the device from which `full` was fitted too. Pre: `full` is a fit of `composite` to
/// `points`, and the ablation serves the device's target.
AblatedFit fit_without(
    const Ablation& ablation, const PredictorKind& composite, const Fit& full, const Device& start, std::span<const Point> points);

} // namespace fusec::perfmodel
