// SPDX-License-Identifier: Apache-2.0
// Warns where the figures of another machine stand for this one.
#pragma once

#include "perfmodel/device.hpp"

namespace fusec::cli {

/// What has to be the same for figures to be those of this machine.
enum class Same {
    processor,           ///< its name: plans are chosen, and how many processors a program gets is decided when it runs
    processor_and_number ///< of those that a launch may use, too: times are compared
};

/// One `other-machine` warning where the device was measured on another machine; none where there is one already. A description is of no machine.
void warn_of_other_machine(const perfmodel::Device& device, Same same, Diagnostics& diagnostics);

} // namespace fusec::cli
