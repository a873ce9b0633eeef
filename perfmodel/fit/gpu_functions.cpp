// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_functions.hpp"

#include "fusion/instruction_rates.hpp"
#include "perfmodel/device_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace fusec::perfmodel {

namespace {

constexpr double warp = 32;

struct Function {
    const char* key;
    std::vector<const char*> operations; ///< of the probe; the figure is of their mean
    Precision precision;
    double instructions, special; ///< that an operation is counted as
};

std::vector<Function> functions() {
    const fusion::LongOperations f32 = fusion::long_operations(Precision::f32, fusion::Target::cuda),
                                 f64 = fusion::long_operations(Precision::f64, fusion::Target::cuda);
    return {{"operation.division_f32", {"division_f32"}, Precision::f32, f32.division, 1},
        {"operation.square_root_f32", {"sqrtf_near_1"}, Precision::f32, f32.square_root, 1},
        {"operation.transcendental_f32", {"expf_near_1", "logf_near_1", "sinf_near_1"}, Precision::f32, f32.transcendental, 1},
        {"operation.division_f64", {"division_f64"}, Precision::f64, f64.division, 1},
        {"operation.square_root_f64", {"sqrt_near_1"}, Precision::f64, f64.square_root, 1},
        {"operation.transcendental_f64", {"exp_near_1", "log_near_1", "sin_near_1"}, Precision::f64, f64.transcendental, 0.33}};
}

} // namespace

double pipe_rate(const GpuMeasurements& measured, std::string_view operation) {
    double best = 0;
    for (const ProbeRow* row : measured.of("pipe")) {
        if (row->text("operation") == operation) {
            best = std::max(best, warp * row->number("warps") / row->number("cycles"));
        }
    }
    return best;
}

MeasuredFigures function_figures(const GpuMeasurements& measured, const Device& device) {
    MeasuredFigures result;
    for (const Function& each : functions()) {
        double clocks = 0; // of a multiprocessor, per operation
        bool all = true;
        for (const char* operation : each.operations) {
            const double rate = pipe_rate(measured, operation);
            all = all && rate > 0;
            clocks += rate > 0 ? 1 / rate / static_cast<double>(each.operations.size()) : 0;
        }
        if (!all) {
            continue;
        }
        const double fma = each.precision == Precision::f32 ? device.fma_f32 : device.fma_f64;
        const double argument = 1; // x * 0 + c
        const double issue = fusion::instruction_overhead * (each.instructions + argument) / (warp * device.issue_slots);
        const double others = std::max(issue, each.special / device.special); // the slowest unit decides, as in `composite`
        const double slots = clocks * fma - argument;
        constexpr double as_long = 1.05;
        if (clocks <= as_long * others) {
            result.impossible.push_back(fmt::format("`{}` stays that of counted opcodes: the function takes {:.3g} clocks, and its "
                                                    "instructions and special functions {:.3g}",
                each.key, clocks, others));
            continue;
        }
        const Field& field = *find_field(each.key, fusion::Target::cuda);
        if (!field.possible(slots)) {
            result.impossible.push_back(fmt::format("`{}` was measured as {:.6g} {}, which it cannot be", each.key, slots, field.unit));
            continue;
        }
        result.figures.push_back({each.key, slots, field.unit, static_cast<int>(each.operations.size()), 0,
            fmt::format(
                "FMAs that take the time of {}, the best of warps and chains; its instructions and special functions alone take less",
                each.operations.size() == 1 ? each.operations.front() : "exponential, logarithm and sine, the mean")});
    }
    return result;
}

} // namespace fusec::perfmodel
