// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/host_compute.hpp"

#include "perfmodel/routine_times.hpp"

#include <algorithm>

namespace fusec::perfmodel {

namespace {

using fusion::WorkStep;

/// Nanoseconds per element of so many vector instructions.
double instructions_ns(const Device& device, const fusion::KernelWork& work, double instructions) {
    const double lanes = static_cast<double>(device.limits.vector_bytes) / bytes_of(work.precision);
    return instructions / lanes / (device.issue_slots * device.clock_ghz * device.cores);
}

} // namespace

HostCompute host_compute(const Device& device, const fusion::KernelWork& work, bool waiting_results) {
    HostCompute result;
    const auto time_of = [&](const std::string& name) -> const double* {
        const auto found = device.routine_times->routines.find(name);
        return found == device.routine_times->routines.end() ? nullptr : &found->second.ns.front();
    };
    const auto count = [&](const WorkStep& step, double accesses = 1) {
        const double ns = instructions_ns(device, work, step.instructions / accesses); // as if its accesses were alike
        result.ns += ns;
        result.counted_ns += ns;
        ++result.counted;
    };
    for (const WorkStep& step : work.steps) {
        if (step.kind == WorkStep::Kind::load || step.kind == WorkStep::Kind::store) {
            for (const fusion::GlobalAccess& access : step.accesses) {
                if (const double* ns = time_of(cached_transfer(access))) {
                    result.ns += *ns;
                } else {
                    count(step, static_cast<double>(step.accesses.size()));
                }
                if (waiting_results && access.store && access.streaming && work.results_wait()) {
                    const double registers = access.count * access.bytes / bytes_of(work.precision); // of a tile
                    const double ns = instructions_ns(device, work, 2 * registers);
                    result.ns += ns;
                    result.waiting_ns += ns;
                }
            }
        } else if (step.kind == WorkStep::Kind::compute && step.routine != nullptr && step.instructions > 0) {
            // Of floats beside doubles a register has half as many.
            const bool half = work.precision == Precision::f64 && step.in_float.flops > 0;
            const double* const ns = time_of(*step.routine + (half ? half_registers : ""));
            if (ns != nullptr && *ns > 0) {
                result.ns += *ns;
            } else {
                count(step);
            }
        }
    }
    return result;
}

double host_overlap_exponent(const Device& device, const fusion::KernelWork& work) {
    const auto window = device.optional_figures.find("compute.window");
    return device.routine_times != nullptr && window != device.optional_figures.end()
        ? 1 + window->second / std::max(1.0, work.instructions_of_tile())
        : device.overlap_exponent;
}

} // namespace fusec::perfmodel
