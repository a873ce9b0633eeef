// SPDX-License-Identifier: Apache-2.0
#include "cli/other_kernels_warning.hpp"

#include "codegen/embedding.hpp"
#include "perfmodel/routine_times.hpp"

#include <fmt/format.h>

namespace fusec::cli {

void warn_of_other_kernels(const perfmodel::Device& device, Diagnostics& diagnostics) {
    if (device.limits.target != fusion::Target::host || device.routine_times == nullptr ||
        device.routine_times->kernels == codegen::name_of_host_runtime()) {
        return;
    }
    const char* const why = device.routine_times->kernels.empty()
        ? "does not say what its kernels load, store and loop with: those of this compiler may take other times"
        : "was measured with kernels that load, store or loop otherwise than those of this compiler";
    diagnostics.report(kind::other_kernels, {}, fmt::format("`{}` {}", device.name, why)).hint =
        "`fusec calibrate --target host -o FILE` measures them on this machine";
}

} // namespace fusec::cli
