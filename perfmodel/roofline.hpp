// SPDX-License-Identifier: Apache-2.0
// The roofline model: the data sheet's bandwidth or the arithmetic pipe, whichever takes longer, after the launch.
#pragma once

#include "perfmodel/predictor.hpp"

namespace fusec::perfmodel {

/// Seconds of one launch: launch + elements max(bytes / bandwidth, flops / peak), of `bytes` moved and `flops` done for each element. A flop is
/// half an FMA. Its own greatest lower bound. Constant time. Pre: bytes, flops >= 0.
/// (Williams, Waterman and Patterson, "Roofline", 2009; bandwidth and peak are those of the device's description.)
Breakdown roofline(const Device& device, double bytes, double flops, Precision precision, std::uint64_t elements);

} // namespace fusec::perfmodel
