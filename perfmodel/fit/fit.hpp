// SPDX-License-Identifier: Apache-2.0
// Fitting figures of a device to measurements, for any predictor. The minimiser is NLopt's subplex without derivatives: deterministic, and
// at home with residuals that have kinks.
#pragma once

#include "perfmodel/fit/point.hpp"
#include "perfmodel/predictor.hpp"
#include "support/diagnostics.hpp"

#include <span>
#include <string_view>

namespace fusec::perfmodel {

struct FittedFigure {
    std::string key;
    double before = 0, after = 0;
    double least = 0, most = 0; ///< bounds of the search; both 0 where there was none
    /// Some point's prediction depends on it: by a thousandth or more on a tenth of it. Where none does it keeps its value.
    bool determined = false;
    bool at_bound() const { return determined && least < most && (after <= least || after >= most); }
};

struct Fit {
    Device device; ///< with the fitted figures
    std::vector<FittedFigure> figures;
    std::vector<double> predicted; ///< seconds of each point, of all roles
    double error = 0;              ///< what was minimised: the mean over kernels of the mean of |predicted / measured - 1|
    double error_before = 0;
    int evaluations = 0;
};

/// Predicted seconds of each point on the device, at the point's clock where it has one. Infinite where the predictor says that the kernel
/// cannot run. Pre: the device has what the kind needs.
std::vector<double> predictions(const PredictorKind& kind, const Device& device, std::span<const Point> points);

/// Fits the figures that `kind` names as determined by measurements to the points of role `fit`; others are passed over. Every kernel weighs the
/// same, however many points it has.
/// A figure is searched within a tenth to ten times its value, one that is an assumption or that no description has within a hundredth to hundred
/// times, one of zero up to `most_of_zero` of its unit, each within what is possible for it, peaks of streams up to the data sheet's bandwidth, those of
/// a host up to `host_peak_over_stream` of their value;
/// a figure that the description does not have is left alone.
/// Pre: the device has what the kind needs. Deterministic. O(evaluations * points), some thousand evaluations.
Fit fit_figures(const PredictorKind& kind, const Device& device, std::span<const Point> points);
inline constexpr double most_of_zero = 1000;
/// Where bandwidth changes between measurements, as on virtual machines, kernels of few mixes ask for any peak at all.
inline constexpr double host_peak_over_stream = 1.5;

/// As above from each of these values of one figure, for errors that have several minima: the fit of the least error, of several the first. Pre: the
/// device has the figure; there is a value.
Fit fit_figures_from(
    const PredictorKind& kind, const Device& device, std::span<const Point> points, std::string_view key, std::span<const double> starts);

/// Warns (`poor-fit`) of the figures that ended at a bound of their search, with what was searched: measurements asked for more, and the
/// value is that of the bound. At most one report. Pre: figures of the target.
void warn_of_bounds(const Fit& fit, fusion::Target target, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
