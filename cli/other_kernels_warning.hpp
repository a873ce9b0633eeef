// SPDX-License-Identifier: Apache-2.0
// Warns where a host was measured with kernels that are emitted no longer.
#pragma once

#include "perfmodel/device.hpp"

namespace fusec::cli {

/// An `other-kernels` warning where the host's times are those of kernels that load, store or loop otherwise than those of this compiler, or where
/// its calibration does not say. None of a description, nor of a GPU.
void warn_of_other_kernels(const perfmodel::Device& device, Diagnostics& diagnostics);

} // namespace fusec::cli
