// SPDX-License-Identifier: Apache-2.0
// The correction of `pipeline` learned from measured points: the last step, when its other figures are fitted.
#pragma once

#include "perfmodel/fit/point.hpp"
#include "perfmodel/pipeline.hpp"

#include <optional>
#include <span>
#include <string>

namespace fusec::perfmodel {

/// What weights are held back by (pipeline::train).
inline constexpr double correction_ridge = 0.1;

/// Trained on the points of role fit alone, at each point's clock where it has one; a point that was measured without its launch counts
/// with that of no elements. `data` names them. Nothing where there is none that a block of fits the device.
/// Pre: the device has what `pipeline` needs; its own correction, if it has one, is not used.
std::optional<pipeline::Training> train_correction(const Device& device, std::span<const Point> points, std::string data);

} // namespace fusec::perfmodel
