// SPDX-License-Identifier: Apache-2.0
// What divisions, roots and functions of the library cost a GPU, from probe 9.
#pragma once

#include "perfmodel/device.hpp"
#include "perfmodel/fit/gpu_figures.hpp"

namespace fusec::perfmodel {

/// Operations per clock of a multiprocessor, at the best number of warps and chains; 0: no row of `pipe` has that operation.
double pipe_rate(const GpuMeasurements& measured, std::string_view operation);

/// operation.*: slots of the FMA pipe, by the rate of the function and of FMAs on the device: so many that the soft maximum of their time, of
/// issuing the counted instructions (fusion::long_operations, with fusion::instruction_overhead as kernels have it) and of the
/// special-function unit is the time measured, with the device's exponent of overlap. Where the latter two take as long as the function does,
/// they are what bounds it, and nothing is measured of the FMA pipe: the slots of the opcodes stay, which `impossible` says, as it does where the function takes less. A function
/// of the library is the mean of exponential, logarithm and sine of ordinary arguments, all three measured. What the probe's argument
/// takes, an FMA, is subtracted. Powers and sines of large arguments are measured and no figure: a power counts as four exponentials, and
/// kernels are priced for ordinary arguments.
MeasuredFigures function_figures(const GpuMeasurements& measured, const Device& device);

} // namespace fusec::perfmodel
