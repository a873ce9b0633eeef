// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/pipeline_correction.hpp"

#include "perfmodel/device_figures.hpp"
#include "support/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace fusec::perfmodel::pipeline {

namespace {

constexpr std::size_t weights = 4;
using Row = std::array<double, weights>;

Row logarithms(const Features& of) {
    return {std::log(of.launch_us), std::log(of.cycles), std::log(1 + of.uncoalesced), std::log(of.blocks)};
}

/// Solves a x = b for a symmetric positive definite matrix, by elimination.
Row solve(std::array<Row, weights> a, Row b) {
    for (std::size_t i = 0; i < weights; ++i) {
        for (std::size_t j = i + 1; j < weights; ++j) {
            const double factor = a[j][i] / a[i][i];
            for (std::size_t k = i; k < weights; ++k) {
                a[j][k] -= factor * a[i][k];
            }
            b[j] -= factor * b[i];
        }
    }
    for (std::size_t i = weights; i-- > 0;) {
        for (std::size_t k = i + 1; k < weights; ++k) {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    return b;
}

constexpr double Correction::* weight_of[weights] = {
    &Correction::launch, &Correction::cycles, &Correction::uncoalesced, &Correction::blocks};

struct Fitted {
    Correction correction;
    std::vector<double Correction::*> undetermined = {};
};

Fitted fit(std::span<const Sample> samples, double ridge) {
    const auto n = static_cast<double>(samples.size());
    Row mean{}, deviation{};
    double mean_target = 0;
    const auto target = [](const Sample& sample) { return std::log(sample.measured / sample.uncorrected); };
    for (const Sample& sample : samples) {
        const Row row = logarithms(sample.features);
        for (std::size_t i = 0; i < weights; ++i) {
            mean[i] += row[i] / n;
        }
        mean_target += target(sample) / n;
    }
    for (const Sample& sample : samples) {
        const Row row = logarithms(sample.features);
        for (std::size_t i = 0; i < weights; ++i) {
            deviation[i] += (row[i] - mean[i]) * (row[i] - mean[i]) / n;
        }
    }
    constexpr double varies = 0.01; // of the logarithm; what hardly varies would have a weight that runs wild elsewhere
    for (double& each : deviation) {
        each = std::sqrt(each);
    }
    std::array<Row, weights> a{};
    Row b{};
    for (const Sample& sample : samples) {
        Row row = logarithms(sample.features);
        for (std::size_t i = 0; i < weights; ++i) {
            row[i] = deviation[i] > varies ? (row[i] - mean[i]) / deviation[i] : 0;
        }
        for (std::size_t i = 0; i < weights; ++i) {
            for (std::size_t k = 0; k < weights; ++k) {
                a[i][k] += row[i] * row[k];
            }
            b[i] += row[i] * (target(sample) - mean_target);
        }
    }
    for (std::size_t i = 0; i < weights; ++i) {
        a[i][i] += ridge * n;
    }
    Row w = solve(a, b);
    Fitted result{{.intercept = mean_target}};
    for (std::size_t i = 0; i < weights; ++i) {
        w[i] = deviation[i] > varies ? w[i] / deviation[i] : 0;
        result.correction.*weight_of[i] = w[i];
        result.correction.intercept -= w[i] * mean[i];
        if (deviation[i] <= varies) {
            result.undetermined.push_back(weight_of[i]);
        }
    }
    return result;
}

double error(const Sample& sample, const Correction& correction) {
    return std::abs(sample.uncorrected * correction.factor(sample.features) / sample.measured - 1);
}

constexpr CorrectionFigure figures[] = {{"pipeline.correction_intercept", &Correction::intercept},
    {"pipeline.correction_launch", &Correction::launch}, {"pipeline.correction_cycles", &Correction::cycles},
    {"pipeline.correction_uncoalesced", &Correction::uncoalesced}, {"pipeline.correction_blocks", &Correction::blocks}};

} // namespace

double Correction::factor(const Features& of) const {
    const Row row = logarithms(of);
    return std::exp(intercept + launch * row[0] + cycles * row[1] + uncoalesced * row[2] + blocks * row[3]);
}

bool Training::determines(double Correction::* weight) const {
    return std::ranges::find(undetermined, weight) == undetermined.end();
}

Training train(std::span<const Sample> samples, double ridge, std::string data) {
    Fitted fitted = fit(samples, ridge);
    Training result{fitted.correction, std::move(data), samples.size()};
    result.undetermined = std::move(fitted.undetermined);
    const auto n = static_cast<double>(samples.size());
    std::map<std::string, std::vector<Sample>> others; // of each kernel
    for (const Sample& sample : samples) {
        result.mape_before += error(sample, {}) / n;
        result.mape_after += error(sample, result.correction) / n;
        others[sample.kernel];
    }
    result.kernels = others.size();
    for (auto& [kernel, rest] : others) {
        std::ranges::copy_if(samples, std::back_inserter(rest), [&](const Sample& sample) { return sample.kernel != kernel; });
        if (rest.empty()) {
            continue;
        }
        const Correction of_others = fit(rest, ridge).correction;
        for (const Sample& sample : samples) {
            result.mape_left_out += sample.kernel == kernel ? error(sample, of_others) / n : 0;
        }
    }
    return result;
}

std::span<const CorrectionFigure> correction_figures() {
    return figures;
}

Corrected correction_of(const Device& device) {
    Corrected result;
    for (const auto& [key, weight] : figures) {
        if (const std::optional<double> value = figure(device, key)) {
            result.correction.*weight = *value;
            result.trained = true;
        }
    }
    if (result.trained) {
        const auto described = std::ranges::find(device.figures, std::string_view(figures[0].key), &Figure::key);
        result.data = described == device.figures.end() ? "" : described->source;
    }
    return result;
}

bool correction_complete(const Device& device, Diagnostics& diagnostics) {
    const auto has = [&](const CorrectionFigure& each) { return figure(device, each.key).has_value(); };
    const auto missing = std::ranges::find_if_not(figures, has);
    if (missing == std::end(figures) || std::ranges::none_of(figures, has)) {
        return true;
    }
    diagnostics.report(kind::missing_figure, {},
        fmt::format(
            "`{}` of `{}` is missing beside others of the correction, which has all of its figures or none", missing->key, device.name));
    return false;
}

std::string described(const Training& training) {
    return fmt::format("trained on {}: {} of {}, mean error {:.3g} % before and {:.3g} % after, {:.3g} % of kernels left out",
        training.data, counted(training.samples, "sample"), counted(training.kernels, "kernel"), 100 * training.mape_before,
        100 * training.mape_after, 100 * training.mape_left_out);
}

std::string described(const Training& training, double Correction::* weight) {
    return (training.determines(weight) ? "" : "undetermined, as it hardly varies among the samples; ") + described(training);
}

bool store(const Training& training, Device& device) {
    Device changed = device;
    for (const auto& [key, weight] : figures) {
        if (!set_figure(changed, key, training.correction.*weight)) {
            return false;
        }
        std::erase_if(changed.figures, [&](const Figure& each) { return each.key == key; });
        changed.figures.push_back(
            {key, training.correction.*weight, find_field(key, fusion::Target::cuda)->unit, described(training, weight)});
    }
    device = std::move(changed);
    return true;
}

} // namespace fusec::perfmodel::pipeline
