// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/host_compute.hpp"

#include "fusion/instruction_rates.hpp"
#include "perfmodel/composite.hpp"
#include "perfmodel/routine_times.hpp"
#include "support/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace fusec::perfmodel {

namespace {

using fusion::WorkStep;

/// Elements of a tile.
double lanes(const Device& device, const fusion::KernelWork& work) {
    return static_cast<double>(device.limits.vector_bytes) / bytes_of(work.precision);
}

/// Nanoseconds per element of so many vector instructions.
double instructions_ns(const Device& device, const fusion::KernelWork& work, double instructions) {
    return instructions / lanes(device, work) / (device.issue_slots * device.clock_ghz * device.cores);
}

/// Vector instructions of a tile, without those that the kernel's compiler takes away.
double instructions_left(const fusion::KernelWork& work) {
    double instructions = work.instructions_of_tile();
    for (const WorkStep& step : work.steps) {
        instructions -= (1 - step.remaining) * step.instructions;
    }
    return std::max(1.0, instructions);
}

/// What lists that do not fit the registers take in the first level, of a tile: registers of all components, and what is loaded as it lies in memory.
double bytes_of_long_lists(const Device& device, const fusion::KernelWork& work) {
    double bytes = 0;
    for (const WorkStep& step : work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            if (access.count > fusion::most_words_transposed_at_once && access.addressing != fusion::Addressing::broadcast) {
                bytes += access.count * access.registers * device.limits.vector_bytes;
                bytes += access.store ? 0 : access.count * access.bytes * lanes(device, work);
            }
        }
    }
    return bytes;
}

/// A cache that drops what was used least recently has nothing left of lists that it meets in turns once they do not fit. Sets fill unevenly, and
/// processors' rules are not quite that one: so the share that is missing grows from 1/17 at half of the figure to 16/17 at twice of it.
double beyond_first_level_ns(const Device& device, const fusion::KernelWork& work) {
    const auto half_missing = figure(device, "compute.first_level");
    const double bytes = bytes_of_long_lists(device, work);
    return half_missing && bytes > 0 ? bytes / (1 + std::pow(*half_missing / bytes, 4)) / lanes(device, work) / device.l2_gb_per_s : 0;
}

/// How long a step's routine takes, and how long where it waits for the one before.
struct RoutineStep {
    double alone = 0, in_turn = 0;
};

/// The longest path through the steps, of which the first takes what it takes alone; what made an operand stands before the step that reads it.
double longest_chain(const std::vector<WorkStep>& steps, const std::vector<RoutineStep>& routines) {
    std::vector<double> until(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        double before = 0;
        for (const int step : steps[i].after) {
            before = std::max(before, until.at(static_cast<std::size_t>(step)));
        }
        until[i] = before > 0 ? before + routines[i].in_turn : routines[i].alone;
    }
    return until.empty() ? 0 : std::ranges::max(until);
}

/// The share of a tile's waiting in which no later tile is under way; 0 where nothing tells.
double alone_in_window(const Device& device, const fusion::KernelWork& work) {
    const auto window = device.optional_figures.find("compute.window");
    return window == device.optional_figures.end() ? 0 : std::min(1.0, instructions_left(work) / window->second);
}

} // namespace

HostCompute host_compute(const Device& device, const fusion::KernelWork& work, bool waiting_results) {
    internal_check(device.routine_times != nullptr, "a core's times are asked of a device that has none of routines");
    HostCompute result;
    const auto time_of = [&](const std::string& name) -> const double* {
        const auto found = device.routine_times->routines.find(name);
        return found == device.routine_times->routines.end() ? nullptr : &found->second.ns.front();
    };
    const auto count = [&](double& sum, const WorkStep& step, double accesses = 1) {
        const double ns = instructions_ns(device, work, step.remaining * step.instructions / accesses); // as if its accesses were alike
        sum += ns;
        result.counted_ns += ns;
        ++result.counted;
    };
    std::vector<RoutineStep> routines(work.steps.size());
    bool chained = false;
    const double waiting = alone_in_window(device, work);
    for (std::size_t i = 0; i < work.steps.size(); ++i) {
        const WorkStep& step = work.steps[i];
        if (step.kind == WorkStep::Kind::load || step.kind == WorkStep::Kind::store) {
            for (const fusion::GlobalAccess& access : step.accesses) {
                if (const double* ns = time_of(cached_transfer(access))) {
                    result.transfers_ns += *ns;
                } else if (const auto by_size = cached_transfer_by_size(*device.routine_times, access)) {
                    result.transfers_ns += *by_size;
                    ++result.between_sizes;
                } else {
                    count(result.transfers_ns, step, static_cast<double>(step.accesses.size()));
                }
                if (waiting_results && access.store && access.streaming && work.results_wait()) {
                    const double registers = access.count * access.bytes / bytes_of(work.precision); // of a tile
                    const double ns = instructions_ns(device, work, 2 * registers);
                    result.transfers_ns += ns;
                    result.waiting_ns += ns;
                }
            }
        } else if (step.kind == WorkStep::Kind::compute && step.routine != nullptr && step.instructions > 0 && step.remaining > 0) {
            // Of floats beside doubles a register has half as many.
            const bool half = work.precision == Precision::f64 && step.in_float.flops > 0;
            const std::string name = *step.routine + (half ? half_registers : "");
            const double before = result.routines_ns;
            const double* const ns = time_of(name);
            if (ns != nullptr && *ns > 0) {
                result.routines_ns += step.remaining * *ns;
                result.removed_ns += (1 - step.remaining) * *ns;
            } else {
                count(result.routines_ns, step);
            }
            routines[i].alone = routines[i].in_turn = result.routines_ns - before;
            if (const double* const in_turn = waiting > 0 && !half ? time_of(name + in_chain) : nullptr) {
                routines[i].in_turn = std::max(routines[i].alone, *in_turn);
                chained = true;
            }
        }
    }
    result.chained_ns = chained ? longest_chain(work.steps, routines) * waiting : 0;
    const double exponent = figure(device, "compute.overlap").value_or(1);
    result.beyond_ns = beyond_first_level_ns(device, work);
    result.ns = result.beyond_ns +
        soft_maximum({{fusion::Bound::issue, result.transfers_ns}, {fusion::Bound::issue, std::max(result.routines_ns, result.chained_ns)}},
            exponent);
    return result;
}

double host_overlap_exponent(const Device& device, const fusion::KernelWork& work) {
    const auto window = device.optional_figures.find("compute.window");
    return device.routine_times != nullptr && window != device.optional_figures.end() ? 1 + window->second / instructions_left(work)
                                                                                      : device.overlap_exponent;
}

} // namespace fusec::perfmodel
