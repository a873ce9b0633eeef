// SPDX-License-Identifier: Apache-2.0
// How far predictors are from points of a GPU, kernel by kernel.
#pragma once

#include "perfmodel/fit/point.hpp"
#include "perfmodel/fit/statistics.hpp"
#include "perfmodel/predictor.hpp"

#include <span>
#include <string>
#include <vector>

namespace fusec::perfmodel {

/// One predictor on the points of one kernel in one role.
struct Judged {
    std::string predictor;
    std::string kernel; ///< "read", "width", ... (gpu_points.hpp)
    bool held_out = false;
    Accuracy accuracy;          ///< over the points that the predictor answers
    std::size_t unanswered = 0; ///< the others: a kernel that it has no time of
};

/// By kernel and role, in the order in which the pairs first appear. Pre: the device has what the kind needs.
std::vector<Judged> judge_kernels(const PredictorKind& kind, const Device& device, std::span<const Point> points);

/// All points, which are of one role, as those of one kernel of that name.
Judged judge_together(const PredictorKind& kind, const Device& device, std::span<const Point> points, std::string name);

} // namespace fusec::perfmodel
