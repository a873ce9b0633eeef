// SPDX-License-Identifier: Apache-2.0
// What arithmetic takes at the least: no measured time of a routine can be below it.
#pragma once

#include "fusion/cost_model.hpp"
#include "perfmodel/device.hpp"

namespace fusec::perfmodel {

/// Nanoseconds per element that the steps of the work that compute take of the whole device at `clock_ghz`, were every addition joined with a
/// product, every unit always at work, and every function no more than one slot of the FMA pipe and its operations of the special-function
/// unit: the longest of the pipes of floats, of doubles and of special functions at the device's peak rates. 0 where nothing is computed.
/// Pre: a device of cuda, clock_ghz > 0.
double least_compute_ns(const fusion::KernelWork& work, const Device& device, double clock_ghz);

} // namespace fusec::perfmodel
