// SPDX-License-Identifier: Apache-2.0
// Calibrations of hosts in tests: a test names the figures that it is about, and the others are those of host-generic.
#pragma once

#include "devices.hpp"
#include "perfmodel/calibration.hpp"
#include "perfmodel/device_figures.hpp"

#include <algorithm>
#include <utility>

namespace fusec::perfmodel {

/// With all that the calibration of a host has to have, behind what it has.
inline Calibration completed(Calibration calibration) {
    const Device plain = standard_device("host-generic");
    for (const char* key : figures_of_a_host()) {
        if (std::ranges::find(calibration.figures, key, &CalibratedFigure::key) == calibration.figures.end()) {
            const double least = find_field(key, fusion::Target::host)->least; // of what a description does not have
            calibration.figures.push_back(
                {key, figure(plain, key).value_or(least), find_field(key, fusion::Target::host)->unit, 1, 0, "a test"});
        }
    }
    if (calibration.routines.empty()) {
        calibration.routines["f(float SCALAR) -> float SCALAR"] = {0, {0}, {1}, {1}, 0};
    }
    return calibration;
}

} // namespace fusec::perfmodel
