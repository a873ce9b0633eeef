// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/fit.hpp"

#include "perfmodel/device_figures.hpp"

#include <fmt/format.h>
#include <nlopt.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace fusec::perfmodel {

namespace {

/// Error of a prediction that is no time at all: worse than any that is.
constexpr double hopeless = 1e6;

/// Points of role fit with the weight of each.
struct FitSet {
    std::vector<Point> points;
    std::vector<double> weights; ///< sum 1
};

FitSet fit_set(std::span<const Point> all) {
    FitSet set;
    std::map<std::string, double> count;
    for (const Point& point : all) {
        if (point.role == Role::fit) {
            set.points.push_back(point);
            count[point.kernel] += 1;
        }
    }
    for (const Point& point : set.points) {
        set.weights.push_back(1 / (count[point.kernel] * static_cast<double>(count.size())));
    }
    return set;
}

double error_of(const PredictorKind& kind, const Device& device, const FitSet& set) {
    const std::vector<double> seconds = predictions(kind, device, set.points);
    double sum = 0;
    for (std::size_t i = 0; i < set.points.size(); ++i) {
        const double error = std::abs(seconds[i] / set.points[i].seconds - 1);
        sum += set.weights[i] * (std::isfinite(error) ? std::min(error, hopeless) : hopeless);
    }
    return sum;
}

/// A figure is searched between its value over this and times this.
constexpr double range = 10, range_of_assumption = 100;

/// A figure of which a tenth moves no prediction by as much as this cannot be seen in measurements.
constexpr double least_effect = 0.001;

/// Whether some prediction changes with the figure: by a tenth of its value up or down, of its range where it is zero.
bool matters(const PredictorKind& kind, const Device& device, const FittedFigure& figure, const FitSet& set) {
    const std::vector<double> plain = predictions(kind, device, set.points);
    const double step = 0.1 * (figure.before == 0 ? figure.most : figure.before);
    for (const double value : {figure.before + step, figure.before - step}) {
        Device changed = device;
        set_figure(changed, figure.key, std::clamp(value, figure.least, figure.most));
        const std::vector<double> seconds = predictions(kind, changed, set.points);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            const bool answered = std::isfinite(seconds[i]) || std::isfinite(plain[i]);
            if (answered && !(std::abs(seconds[i] - plain[i]) < least_effect * plain[i])) {
                return true;
            }
        }
    }
    return false;
}

/// A figure whose description says that it is an assumption, or that no description has.
bool is_assumed(const Device& device, std::string_view key) {
    const auto described = std::ranges::find(device.figures, key, &Figure::key);
    return described == device.figures.end() || described->source.starts_with("assumption");
}

std::vector<FittedFigure> figures_of(const PredictorKind& kind, const Device& device, const FitSet& set) {
    std::vector<FittedFigure> figures;
    for (const char* key : kind.fits) {
        const std::optional<double> value = figure(device, key);
        const Field* field = find_field(key, device.limits.target);
        if (!value || field == nullptr || field->whole) {
            continue;
        }
        FittedFigure each{key, *value, *value, 0, 0, false};
        const double times = is_assumed(device, key) ? range_of_assumption : range;
        const double low = std::min(*value / times, *value * times), high = std::max(*value / times, *value * times);
        each.least = std::max(field->least, low);
        each.most = std::min(field->most, *value == 0 ? most_of_zero : high);
        if (std::string_view(key).starts_with("stream.") &&
            std::string_view(key).ends_with(".peak")) { // no stream is faster than the memory
            each.most = std::max(*value, std::min(each.most, device.dram_gb_per_s));
            if (device.limits.target == fusion::Target::host) { // which starts at what a stream of that mix reached
                each.most = std::min(each.most, *value * host_peak_over_stream);
            }
        }
        each.determined = matters(kind, device, each, set);
        figures.push_back(each);
    }
    return figures;
}

/// The search over the determined figures, with first steps of a tenth of each.
class Search {
public:
    Search(const PredictorKind& kind, const Device& device, const FitSet& set, std::vector<FittedFigure>& figures)
        : kind_(kind), device_(device), set_(set) {
        device_.figures.clear(); // copied often, and not what predictors read
        for (FittedFigure& figure : figures) {
            if (figure.determined) {
                free_.push_back(&figure);
            }
        }
    }

    bool empty() const { return free_.empty(); }
    int evaluations() const { return evaluations_; }

    /// From the figures' values on; leaves the best found in them.
    double run() {
        std::vector<double> x, step, least, most;
        for (const FittedFigure* figure : free_) {
            x.push_back(figure->after);
            least.push_back(figure->least);
            most.push_back(figure->most);
            step.push_back(figure->after == 0 ? 10 : 0.1 * std::abs(figure->after));
        }
        nlopt::opt search(nlopt::LN_SBPLX, static_cast<unsigned>(x.size()));
        search.set_lower_bounds(least);
        search.set_upper_bounds(most);
        search.set_initial_step(step);
        search.set_min_objective(
            [](const std::vector<double>& at, std::vector<double>&, void* self) { return static_cast<Search*>(self)->error(at); }, this);
        search.set_ftol_rel(1e-7);
        search.set_ftol_abs(1e-16);
        search.set_xtol_rel(1e-7);
        search.set_maxeval(1500 * static_cast<int>(x.size()));
        double best = 0;
        try {
            search.optimize(x, best);
        } catch (const nlopt::roundoff_limited&) { // x is the best found
            best = error(x);
        }
        for (std::size_t i = 0; i < free_.size(); ++i) {
            free_[i]->after = x[i];
        }
        return best;
    }

    Device at(const std::vector<double>& values) const {
        Device device = device_;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            set_figure(device, free_[i]->key, values[i]);
        }
        return device;
    }

private:
    double error(const std::vector<double>& values) {
        ++evaluations_;
        return error_of(kind_, at(values), set_);
    }

    const PredictorKind& kind_;
    Device device_;
    const FitSet& set_;
    std::vector<FittedFigure*> free_;
    int evaluations_ = 0;
};

} // namespace

std::vector<double> predictions(const PredictorKind& kind, const Device& device, std::span<const Point> points) {
    const std::unique_ptr<Predictor> plain = kind.make(device);
    std::vector<double> result;
    result.reserve(points.size());
    for (const Point& point : points) {
        if (point.clock_ghz == 0 && !point.inside) {
            result.push_back(plain->seconds(point.work, point.elements));
            continue;
        }
        Device as_measured = device;
        as_measured.clock_ghz = point.clock_ghz == 0 ? device.clock_ghz : point.clock_ghz;
        if (point.inside) { // no queue, behind whose launches it could hide
            as_measured.launch_overhead_us = 0;
        }
        const std::unique_ptr<Predictor> predictor = kind.make(as_measured);
        result.push_back(predictor->seconds(point.work, point.elements) - (point.inside ? predictor->seconds(point.work, 0) : 0));
    }
    return result;
}

Fit fit_figures(const PredictorKind& kind, const Device& device, std::span<const Point> points) {
    const FitSet set = fit_set(points);
    Fit fit{device, figures_of(kind, device, set), {}, 0, 0, 0};
    fit.error = fit.error_before = error_of(kind, device, set);
    Search search(kind, device, set, fit.figures);
    if (!search.empty()) {
        // Subplex shrinks its steps; another run from the best found starts with great ones, until that no longer helps.
        constexpr int most_runs = 6;
        for (int run = 0; run < most_runs; ++run) {
            const double error = search.run();
            const bool better = error < fit.error * (1 - 1e-4);
            fit.error = std::min(fit.error, error);
            if (!better) {
                break;
            }
        }
    }
    for (const FittedFigure& figure : fit.figures) {
        set_figure(fit.device, figure.key, figure.after);
    }
    fit.evaluations = search.evaluations();
    fit.predicted = predictions(kind, fit.device, points);
    return fit;
}

Fit fit_figures_from(
    const PredictorKind& kind, const Device& device, std::span<const Point> points, std::string_view key, std::span<const double> starts) {
    internal_check(!starts.empty(), "a fit starts nowhere");
    std::optional<Fit> best;
    for (const double start : starts) {
        Device from = device;
        internal_check(set_figure(from, key, start), "a fit starts at a value that the figure cannot have");
        Fit fit = fit_figures(kind, from, points);
        if (!best || fit.error < best->error) {
            best = std::move(fit);
        }
    }
    return *std::move(best);
}

void warn_of_bounds(const Fit& fit, fusion::Target target, Diagnostics& diagnostics) {
    std::string figures;
    int found = 0;
    for (const FittedFigure& figure : fit.figures) {
        if (figure.at_bound()) {
            const std::string unit = find_field(figure.key, target)->unit;
            figures += fmt::format("{}`{}` at {:.6g}{} (searched: {:.6g} to {:.6g})", found++ == 0 ? "" : ", ", figure.key, figure.after,
                unit.empty() ? "" : " " + unit, figure.least, figure.most);
        }
    }
    if (found == 0) {
        return;
    }
    diagnostics.report(kind::poor_fit, {}, fmt::format("{}: the search for {} ended at a bound", figures, found == 1 ? "it" : "them"))
        .hint = "the value is the bound's, and the measurements may ask for more: where the description is right, the model lacks what "
                "would take its place";
}

} // namespace fusec::perfmodel
