// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/host_compute.hpp"

#include "perfmodel/routine_times.hpp"

namespace fusec::perfmodel {

namespace {

using fusion::WorkStep;

/// Operands and results of routines that have so many components at most stay in registers within a kernel: sixteen or thirty-two are there, and
/// not all components are needed at a time. That of a product of 4x4 matrices.
constexpr double words_in_registers = 48;

/// Nanoseconds per element of so many vector instructions.
double instructions_ns(const Device& device, const fusion::KernelWork& work, double instructions) {
    const double lanes = static_cast<double>(device.limits.vector_bytes) / bytes_of(work.precision);
    return instructions / lanes / (device.issue_slots * device.clock_ghz * device.cores);
}

} // namespace

HostCompute host_compute(const Device& device, const fusion::KernelWork& work) {
    HostCompute result;
    const double fused_share = figure(device, "compute.fused_share").value_or(1);
    const double transfer_share = figure(device, "compute.transfer_share").value_or(1);
    const auto time_of = [&](const std::string& name) -> const double* {
        const auto found = device.routine_times->routines.find(name);
        return found == device.routine_times->routines.end() ? nullptr : &found->second.ns.front();
    };
    const auto count = [&](const WorkStep& step, double share) {
        const double ns = share * instructions_ns(device, work, step.instructions);
        result.ns += ns;
        result.counted_ns += ns;
        ++result.counted;
    };
    for (const WorkStep& step : work.steps) {
        if (step.kind == WorkStep::Kind::load || step.kind == WorkStep::Kind::store) {
            for (const fusion::GlobalAccess& access : step.accesses) {
                if (const double* ns = time_of(cached_transfer(access))) {
                    result.ns += transfer_share * *ns;
                } else {
                    count(step, transfer_share);
                }
            }
        } else if (step.kind == WorkStep::Kind::compute && step.routine != nullptr && step.instructions > 0) {
            const double share = step.words <= words_in_registers ? fused_share : 1;
            const double* const ns = time_of(*step.routine);
            if (ns != nullptr && *ns > 0) {
                result.ns += share * *ns;
            } else {
                count(step, share);
            }
        }
    }
    return result;
}

} // namespace fusec::perfmodel
