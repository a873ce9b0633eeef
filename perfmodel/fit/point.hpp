// SPDX-License-Identifier: Apache-2.0
// One measurement of one kernel on one device, in the form in which every predictor sees kernels.
#pragma once

#include "fusion/cost_model.hpp"

#include <cstdint>
#include <string>

namespace fusec::perfmodel {

/// What a measurement is for: figures of the device may be fitted to it, or predictions are judged by it; never both.
enum class Role {
    fit,
    held_out
};

struct Point {
    std::string device; ///< name of the device's description
    std::string kernel; ///< "read", "triad", ...
    fusion::KernelWork work;
    std::uint64_t elements = 0;
    double seconds = 0;  ///< of one launch
    bool inside = false; ///< measured by the kernel's own clock: a launch of no elements is not part of it
    Role role = Role::held_out;
    double clock_ghz = 0; ///< at which it ran, where it was recorded; 0: that of the description
    /// Where it is from, for whoever reads a report: FILE:LINE of public data, the probe's name of a GPU's measurements, "group: data stored"
    /// of a host's calibration, the program's path in an audit of a host. Nothing is computed from it, and several points may share one.
    std::string place;
};

} // namespace fusec::perfmodel
