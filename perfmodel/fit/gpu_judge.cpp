// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_judge.hpp"

#include "perfmodel/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fusec::perfmodel {

namespace {

struct Said {
    Judged judged;
    std::vector<double> predicted = {}, measured = {}; ///< seconds
};

void add(Said& said, const Point& point, double predicted) {
    if (std::isfinite(predicted)) {
        said.predicted.push_back(predicted);
        said.measured.push_back(point.seconds);
    } else {
        ++said.judged.unanswered;
    }
}

Judged with_accuracy(Said said) {
    said.judged.accuracy = accuracy(said.predicted, said.measured);
    return std::move(said.judged);
}

} // namespace

std::vector<Judged> judge_kernels(const PredictorKind& kind, const Device& device, std::span<const Point> points) {
    const std::vector<double> predicted = predictions(kind, device, points);
    std::vector<Said> all;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool held_out = points[i].role == Role::held_out;
        auto of = std::ranges::find_if(
            all, [&](const Said& each) { return each.judged.kernel == points[i].kernel && each.judged.held_out == held_out; });
        if (of == all.end()) {
            of = all.insert(of, Said{{kind.name, points[i].kernel, held_out, {}, 0}});
        }
        add(*of, points[i], predicted[i]);
    }
    std::vector<Judged> result;
    std::ranges::transform(all, std::back_inserter(result), with_accuracy);
    return result;
}

Judged judge_together(const PredictorKind& kind, const Device& device, std::span<const Point> points, std::string name) {
    const std::vector<double> predicted = predictions(kind, device, points);
    Said said{{kind.name, std::move(name), !points.empty() && points.front().role == Role::held_out, {}, 0}};
    for (std::size_t i = 0; i < points.size(); ++i) {
        internal_check((points[i].role == Role::held_out) == said.judged.held_out, "points of both roles are judged together");
        add(said, points[i], predicted[i]);
    }
    return with_accuracy(std::move(said));
}

} // namespace fusec::perfmodel
