// SPDX-License-Identifier: Apache-2.0
// Of what the probes of a GPU measure today, kinds of rows that measurements lack, as those of probes that an earlier compiler emitted do.
#pragma once

#include "perfmodel/fit/gpu_measurements.hpp"

#include <string>
#include <vector>

namespace fusec::perfmodel {

/// In words, nothing where nothing lacks: probes without a row (of copies past the registers only from sm_80 on, which alone has them; kernels that the
/// compiler emits depend on the description and on programs), operations, widths of accesses to shared memory, modes of a launch that were not
/// measured over the number of blocks, and clocks of an idle GPU. How densely a kind is covered (sizes of blocks, chains, pairs) is not looked at.
std::vector<std::string> missing_rows(const GpuMeasurements& measured);

} // namespace fusec::perfmodel
