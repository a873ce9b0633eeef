// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/compiled_work.hpp"

#include "fusion/instruction_rates.hpp"

#include <algorithm>

namespace fusec::perfmodel::analysis {

namespace {

using enum InstructionClass;
using fusion::Arithmetic;
using fusion::KernelWork;

constexpr double steps_of_power = 4; // a power counts as four exponentials: elementary-lib/scalar/spow.toml has the table that says so

/// The classes of one precision.
struct ClassesOf {
    InstructionClass fma, add, mul, division;
    std::array<InstructionClass, 2> roots;
    std::array<InstructionClass, 4> functions;
    InstructionClass power;
};
constexpr ClassesOf of_floats{fma_f32, add_f32, mul_f32, division_f32, {square_root_f32, reciprocal_square_root_f32},
    {exponential_f32, logarithm_f32, sine_f32, cosine_f32}, power_f32};
constexpr ClassesOf of_doubles{fma_f64, add_f64, mul_f64, division_f64, {square_root_f64, reciprocal_square_root_f64},
    {exponential_f64, logarithm_f64, sine_f64, cosine_f64}, power_f64};

template <std::size_t Count>
double sum_of(const ByClass& counts, const std::array<InstructionClass, Count>& classes) {
    double sum = 0;
    for (const InstructionClass each : classes) {
        sum += counts[each];
    }
    return sum;
}

/// As KernelWork counts: each division, root and step of a function is a flop too.
Arithmetic arithmetic_of(const ByClass& counts, const ClassesOf& classes, double elements) {
    Arithmetic result;
    result.divisions = counts[classes.division] / elements;
    result.square_roots = sum_of(counts, classes.roots) / elements;
    result.transcendentals = (sum_of(counts, classes.functions) + steps_of_power * counts[classes.power]) / elements;
    result.flops = (2 * counts[classes.fma] + counts[classes.add] + counts[classes.mul]) / elements + result.divisions +
        result.square_roots + result.transcendentals;
    return result;
}

/// Instructions on the device of one of the class: sequences in the place of what is one instruction of LLVM.
ByClass lengths() {
    ByClass length;
    length.values.fill(1);
    for (const auto& [classes, precision] : {std::pair(of_floats, Precision::f32), std::pair(of_doubles, Precision::f64)}) {
        const fusion::LongOperations each = fusion::long_operations(precision, fusion::Target::cuda);
        length[classes.division] = each.division;
        for (const InstructionClass root : classes.roots) {
            length[root] = each.square_root;
        }
        for (const InstructionClass function : classes.functions) {
            length[function] = each.transcendental;
        }
        length[classes.power] = steps_of_power * each.transcendental;
    }
    length[constant_division] = instructions_of_constant_division;
    length[integer_division] = instructions_of_integer_division;
    return length;
}

double instructions_of(const ByClass& counts) {
    static const ByClass length = lengths();
    double sum = 0;
    for (std::size_t c = 0; c < instruction_class_count; ++c) {
        sum += counts.values[c] * length.values[c];
    }
    return sum;
}

/// Those of the floating-point and special-function pipes alone.
double arithmetic_instructions_of(ByClass counts) {
    for (std::size_t c = static_cast<std::size_t>(integer); c < instruction_class_count; ++c) {
        counts.values[c] = 0;
    }
    return instructions_of(counts);
}

/// Lanes that warps issue per lane that works.
double slots(double by_warps, double by_threads) {
    return by_threads == 0 ? 1 : std::max(1.0, 32 * by_warps / by_threads);
}

/// Of the pipe that shared memory, L1 and shuffles share, per block.
struct DataPasses {
    double shared = 0; ///< shared memory; a pass of each exchanged word; 128 bytes a pass of what is stored to global memory in order
    double loads = 0;  ///< from global memory to registers
    double store_requests = 0; ///< sectors of strided stores beyond the full ones
};

DataPasses data_passes(const KernelProfile& profile) {
    DataPasses passes{profile.warps[shuffle], 0, 0};
    for (const AccessProfile& access : profile.accesses) {
        if (access.space == Space::shared) {
            passes.shared += access.transactions * access.warp_accesses;
        } else if (access.space != Space::global || access.async) {
            continue;
        } else if (access.store) {
            passes.shared += access.pattern == Pattern::unit ? access.count * access.bytes / 128 : 0;
            passes.store_requests += std::max(0.0, access.transactions * access.warp_accesses - access.count * access.bytes / 32);
        } else {
            passes.loads += access.pattern == Pattern::unit ? access.count * access.bytes / 128 : access.l1_passes * access.warp_accesses;
        }
    }
    return passes;
}

/// KernelWork tells loads in place from tiles that are staged through registers by whether it has the former.
void set_passes(const DataPasses& passes, const KernelWork& estimate, KernelWork& work) {
    const double elements = estimate.elements_per_block;
    const bool in_place = estimate.l1_wavefronts > 0;
    work.shared_wavefronts = (passes.shared + (in_place ? 0 : passes.loads)) / elements;
    work.l1_wavefronts = in_place ? passes.loads / elements : 0;
    work.store_requests = passes.store_requests / elements;
}

/// Bytes that the block moves to and from arrays of its threads in local memory. nvcc knows whether it has kept them in registers.
double local_bytes(const KernelProfile& profile, const std::optional<AssembledKernel>& assembled, Analysis::By by) {
    const bool none = assembled && by == Analysis::By::nvcc && assembled->stack_bytes == 0;
    return none ? 0 : profile.bytes(Space::local, false) + profile.bytes(Space::local, true);
}

bool calls_functions(const ByClass& counts) {
    double functions = counts[call];
    for (const ClassesOf& classes : {of_floats, of_doubles}) {
        functions += sum_of(counts, classes.functions) + counts[classes.power];
    }
    return functions > 0;
}

using Steps = std::vector<fusion::WorkStep>;
using Shares = std::vector<double>; ///< of each step, 1 together

/// Of a count that no step has, `otherwise`.
template <typename Count>
Shares shares_of(const Steps& steps, Count count, const Shares& otherwise) {
    double sum = 0;
    Shares shares;
    for (const fusion::WorkStep& step : steps) {
        shares.push_back(count(step));
        sum += shares.back();
    }
    if (sum == 0) {
        return otherwise;
    }
    for (double& share : shares) {
        share /= sum;
    }
    return shares;
}

/// Gives the steps an amount by the shares that they have of the count; of what the estimate has nothing of, by `otherwise`.
template <typename Count>
void distribute(double amount, Steps& steps, Count count, const Shares& otherwise) {
    const Shares shares = shares_of(steps, count, otherwise);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        count(steps[i]) = amount * shares[i];
    }
}

/// Floats of a kernel of doubles and all else apart: a step's floats are a part of its arithmetic.
void distribute_arithmetic(const Arithmetic& all, const Arithmetic& floats, Steps& steps, const Shares& otherwise) {
    for (const auto count : {&Arithmetic::flops, &Arithmetic::divisions, &Arithmetic::square_roots, &Arithmetic::transcendentals}) {
        for (fusion::WorkStep& step : steps) {
            step.arithmetic.*count = std::max(0.0, step.arithmetic.*count - step.in_float.*count);
        }
        const double rest = std::max(0.0, all.*count - floats.*count);
        distribute(rest, steps, [count](auto& step) -> auto& { return step.arithmetic.*count; }, otherwise);
        distribute(floats.*count, steps, [count](auto& step) -> auto& { return step.in_float.*count; }, otherwise);
        for (fusion::WorkStep& step : steps) {
            step.arithmetic.*count += step.in_float.*count;
        }
    }
}

/// So that these counts of the work stay the sums over its steps. What only the compiled code has belongs to those that have its instructions:
/// arithmetic to calls and derivations, sectors of strided stores to what stores so, or else to what stores.
void distribute_to_steps(KernelWork& work) {
    using Kind = fusion::WorkStep::Kind;
    const auto strided = [](const fusion::GlobalAccess& access) {
        return access.store && access.addressing == fusion::Addressing::strided;
    };
    Steps& steps = work.steps;
    const Shares equal(steps.size(), 1.0 / static_cast<double>(steps.size()));
    const Shares instructions = shares_of(steps, [](const auto& step) { return step.instructions; }, equal);
    const Shares computing = shares_of(
        steps, [](const auto& step) { return step.kind == Kind::compute || step.kind == Kind::derive ? step.instructions : 0; },
        instructions);
    const Shares any_store = shares_of(steps, [](const auto& step) { return step.kind == Kind::store ? 1.0 : 0.0; }, instructions);
    const Shares storing =
        shares_of(steps, [&](const auto& step) { return std::ranges::any_of(step.accesses, strided) ? step.write_bytes : 0; }, any_store);
    distribute(32 * work.instructions, steps, [](auto& step) -> auto& { return step.instructions; }, equal);
    distribute(work.shared_wavefronts, steps, [](auto& step) -> auto& { return step.shared_wavefronts; }, instructions);
    distribute(work.l1_wavefronts, steps, [](auto& step) -> auto& { return step.l1_wavefronts; }, instructions);
    distribute(work.store_requests, steps, [](auto& step) -> auto& { return step.store_requests; }, storing);
    distribute_arithmetic({work.flops, work.divisions, work.square_roots, work.transcendentals}, work.in_float, steps, computing);
}

} // namespace

CompiledWork compiled_work(
    const KernelWork& estimate, const AnalysedKernel& kernel, Analysis::By assembled_by, const DeviceLatencies& latencies) {
    const KernelProfile& profile = kernel.profile;
    CompiledWork result{estimate, false, {}, profile};
    KernelWork& work = result.work;
    const double elements = estimate.elements_per_block;
    const Arithmetic floats = arithmetic_of(profile.block, of_floats, elements);
    const Arithmetic doubles = arithmetic_of(profile.block, of_doubles, elements);
    const bool both = floats.flops > 0 && doubles.flops > 0;
    work.flops = floats.flops + doubles.flops;
    work.divisions = floats.divisions + doubles.divisions;
    work.square_roots = floats.square_roots + doubles.square_roots;
    work.transcendentals = floats.transcendentals + doubles.transcendentals;
    work.in_float = work.precision == Precision::f64 ? floats : Arithmetic{};
    work.fused = (profile.block[fma_f32] + profile.block[fma_f64]) / elements;
    if (both) {
        work.fused = 0;
        result.estimated.emplace_back("which additions and products of a kernel of both precisions are one instruction");
    }
    work.instructions = instructions_of(profile.block) / 32 / elements;
    work.path_instructions = instructions_of(profile.longest.counts);
    work.lane_slots = slots(instructions_of(profile.warps), instructions_of(profile.block));
    work.arithmetic_lane_slots = slots(arithmetic_instructions_of(profile.warps), arithmetic_instructions_of(profile.block));
    work.critical_path_cycles = profile.critical_path_cycles;
    set_passes(data_passes(profile), estimate, work);
    work.block_barriers = profile.block_barriers;
    work.warp_barriers = profile.warp_barriers;
    if (kernel.assembled && (assembled_by == Analysis::By::nvcc || !calls_functions(profile.block))) {
        const AssembledKernel& assembled = *kernel.assembled;
        result.registers_known = true;
        work.registers = assembled.registers;
        work.shared_bytes += assembled.shared_bytes;
        work.registers_needed = std::max(work.registers, assembled.spill_store_bytes > 0 ? estimate.registers_needed : 0);
        work.spill_bytes =
            static_cast<double>(assembled.spill_store_bytes + assembled.spill_load_bytes) * estimate.threads_per_block / elements;
    } else if (kernel.assembled) {
        result.estimated.emplace_back("registers: the text calls functions that ptxas has not seen");
    } else if (assembled_by != Analysis::By::none) {
        result.estimated.emplace_back("registers: the report does not have them");
    }
    work.spill_bytes += local_bytes(profile, kernel.assembled, assembled_by) / elements;
    for (const std::string& unknown : profile.unknowns) {
        result.estimated.push_back(unknown);
    }
    for (const auto& [borrowed, why] : latencies.borrowed) {
        if (profile.block[borrowed] > 0) {
            result.estimated.push_back(why);
        }
    }
    distribute_to_steps(work);
    return result;
}

} // namespace fusec::perfmodel::analysis
