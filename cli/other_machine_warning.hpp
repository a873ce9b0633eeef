// SPDX-License-Identifier: Apache-2.0
// Warns where the figures of another machine stand for this one.
#pragma once

#include "perfmodel/device.hpp"

namespace fusec::cli {

/// One `other-machine` warning where the device was measured, and not on a processor of this name, or, with `same_number`, with another number of
/// processors than a launch may use here; none where there is one already. A description is of no machine.
void warn_of_other_machine(const perfmodel::Device& device, bool same_number, Diagnostics& diagnostics);

} // namespace fusec::cli
