// SPDX-License-Identifier: Apache-2.0
// The roofline model: the data sheet's bandwidth or the arithmetic pipe, whichever takes longer, after the launch.
#pragma once

#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

/// launch + max(bytes / bandwidth, flops / peak). A flop is half an FMA. Its own greatest lower bound.
Breakdown roofline(const Device& device, double bytes, double flops, Precision precision, std::uint64_t elements);

} // namespace fusec::perfmodel
