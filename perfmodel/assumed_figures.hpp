// SPDX-License-Identifier: Apache-2.0
// What stands for figures that a description does not give: so that every figure of a device that prices a kernel can be listed with where it is
// from. Constants of `composite` that are the same for all devices are in docs/model.md.
#pragma once

#include "perfmodel/device.hpp"

#include <vector>

namespace fusec::perfmodel {

/// The figures that `composite` goes by and that neither the description nor a calibration of this device gives, each with the value that it takes
/// in their place and why. In the order of device_fields(). None of a host: its descriptions give all that is needed, and terms without a figure
/// are left out. A figure set to that value (set_figure) changes no prediction of `composite`.
std::vector<Figure> assumed_figures(const Device& device);

} // namespace fusec::perfmodel
