// SPDX-License-Identifier: Apache-2.0
// What ends the run of generated code: an access outside of every list, a bad instruction, a launch without end. Each becomes a text that
// names the kernel and the launch, and ends the process.
#pragma once

#include "elementary-lib/emulation/device.hpp"
#include "execute/guarded_list.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fusec::execute {

/// What the handlers may look at while generated code runs.
struct FaultScene {
    const std::vector<std::unique_ptr<GuardedList>>* lists = nullptr; ///< null while they are set up
    const emulation::Device* device = nullptr;                        ///< null for host code
    const void* code = nullptr;                                       ///< a function of the library that holds host code
    std::string launch;
};

/// Installs handlers that speak of this scene, which must outlive the runs: call in a child (process.hpp, end_child).
void catch_faults(const FaultScene& scene);

/// From now on the launch that runs has so much processor time; 0: no limit. Pre: catch_faults was called.
void limit_launch(double seconds);

} // namespace fusec::execute
