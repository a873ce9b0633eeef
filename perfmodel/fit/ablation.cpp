// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/ablation.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fusec::perfmodel {

using fusion::KernelWork;

namespace {

/// Rates and bandwidths (per clock, GB/s) at which nothing takes time.
constexpr double unlimited = 1e12;
/// The soft maximum of this exponent is the maximum; finite, because barriers interpolate between it and 1.
constexpr double maximum = 1e6;

constexpr Ablation all[] = {
    {"soft maximum", "the maximum of the bounds: units overlap perfectly", Neglected::overlap, true, true,
        [](Device& device) { device.overlap_exponent = maximum; }, nullptr, {.window = false}},
    {"overlap", "the sum of the bounds: units wait for each other", Neglected::overlap, true, true,
        [](Device& device) {
            device.overlap_exponent = 1;
            device.optional_figures.erase("compute.overlap");
        },
        nullptr, {.window = false}},
    {"window of instructions", "one exponent of overlap for kernels with few and with many instructions", Neglected::overlap, false, true,
        nullptr, nullptr, {.window = false}},
    {"transfers beside arithmetic", "lists that are transposed before or after all arithmetic of a tile", Neglected::overlap, false, true,
        [](Device& device) { device.optional_figures.erase("compute.overlap"); }},
    {"pacing", "memory that is as busy as streams make it, whatever the core does between them", Neglected::overlap, false, true,
        [](Device& device) { device.optional_figures.erase("compute.pacing"); }},
    {"lists followed together", "memory that gives as much for one list as for several", Neglected::overlap, false, true,
        [](Device& device) { device.optional_figures.erase("stream.lists"); }},
    {"queues of memory", "a latency that does not grow under load: bytes in flight over latency, at most the peak", Neglected::overlap,
        true, false,
        [](Device& device) {
            for (StreamLaw* law : {&device.read, &device.write, &device.copy, &device.mixed}) {
                law->c_ns = 0;
            }
        }},
    {"latency under load", "memory always at its peak, whatever is in flight", Neglected::overlap, true, false, nullptr, nullptr,
        {.memory_under_load = false}},
    {"arithmetic in a block", "blocks that keep their slot only while they wait", Neglected::overlap, true, false, nullptr, nullptr,
        {.block_arithmetic = false}},
    {"further round trips", "one round trip to memory per block", Neglected::overlap, true, false, nullptr,
        [](KernelWork& work) {
            work.dependent_phases = 1;
            work.async_copies = true; // which wait once
        }},
    {"barriers", "barriers and exchanges that take nothing and keep nothing from overlapping", Neglected::overlap, true, false, nullptr,
        [](KernelWork& work) { work.block_barriers = work.warp_barriers = work.exchanges = 0; }},
    {"idle lanes", "warps that issue for lanes at work alone", Neglected::idle_threads, true, false, nullptr,
        [](KernelWork& work) { work.lane_slots = work.arithmetic_lane_slots = 1; }},
    {"longest path", "the mean over a block's threads in place of its longest path", Neglected::idle_threads, true, false, nullptr,
        [](KernelWork& work) { work.path_instructions = 0; }},
    {"critical path", "blocks of compiled kernels that take what their instructions do, whichever wait for others", Neglected::overlap,
        true, false, nullptr, [](KernelWork& work) { work.critical_path_cycles = 0; }},
    {"busiest processor", "the same share of the elements for every processor", Neglected::idle_threads, true, true, nullptr, nullptr,
        {.uneven_blocks = false}},
    {"tail", "processors that are busy to the end", Neglected::idle_threads, true, false, nullptr, nullptr, {.tail = false}},
    {"mix of reads and writes", "the law of copies for every mix", Neglected::function_mix, true, true,
        [](Device& device) { device.read = device.write = device.mixed = device.copy; }},
    {"units beside each other", "the work of every unit a term of the soft maximum", Neglected::function_mix, true, false, nullptr, nullptr,
        {.units = CompositeTerms::Units::separate}},
    {"units of their own", "one pipe for the work of all units, beside memory", Neglected::function_mix, true, false, nullptr, nullptr,
        {.units = CompositeTerms::Units::one_after_other}},
    {"special functions", "special-function units that take no time", Neglected::function_mix, true, false,
        [](Device& device) { device.special = unlimited; }},
    {"launch", "no launch: times of single kernels are taken for those of their bodies", Neglected::single_kernel, true, true,
        [](Device& device) { device.launch_us = device.launch_overhead_us = 0; }},
    {"lists left in L2", "all lists from memory, as if another kernel had run before", Neglected::single_kernel, true, false, nullptr,
        [](KernelWork& work) { work.repeated = false; }},
    {"narrow pipes", "FMAs that keep no pipe for longer than another instruction", Neglected::nothing, true, false, nullptr, nullptr,
        {.narrow_pipes = false}},
    {"handing out of blocks", "blocks that all start as soon as there is room", Neglected::nothing, true, false, nullptr, nullptr,
        {.block_dispatch = false}},
    {"bandwidth of L2", "L2 without a limit", Neglected::nothing, true, false, [](Device& device) { device.l2_gb_per_s = unlimited; }},
    {"bandwidth of the second level", "memory that is reached past the second level", Neglected::nothing, false, true, nullptr, nullptr,
        {.second_level = false}},
    {"spills and strided stores", "none of either", Neglected::nothing, true, false, nullptr,
        [](KernelWork& work) { work.spill_bytes = work.store_requests = 0; }},
    {"reads before stores", "stores that read no lines", Neglected::nothing, false, true, nullptr,
        [](KernelWork& work) { work.allocated_bytes = 0; }},
    {"results that wait", "results of long tiles that are written once", Neglected::nothing, false, true, nullptr, nullptr,
        {.waiting_results = false}},
    {"chains of routines", "routines of a tile that wait for no other", Neglected::overlap, false, true, nullptr,
        [](KernelWork& work) { std::ranges::for_each(work.steps, [](fusion::WorkStep& step) { step.after.clear(); }); }},
    {"removed arithmetic", "routines of which the kernel's compiler leaves everything", Neglected::nothing, false, true, nullptr,
        [](KernelWork& work) { std::ranges::for_each(work.steps, [](fusion::WorkStep& step) { step.remaining = 1; }); }},
    {"first level", "long lists that stay in the first level", Neglected::nothing, false, true,
        [](Device& device) { device.optional_figures.erase("compute.first_level"); }},
    {"shared memory and L1", "a pipe that takes no time", Neglected::nothing, true, false,
        [](Device& device) { device.shared_wavefronts = unlimited; }},
    {"issue", "schedulers that take no time, but for changes of threads", Neglected::nothing, true, false, nullptr,
        [](KernelWork& work) { work.lane_slots = 0; }},
    {"changes of threads", "none", Neglected::nothing, true, false, nullptr, [](KernelWork& work) { work.remaps = 0; }},
    {"FMA", "FMAs that take no time but that of their registers' banks", Neglected::nothing, true, false,
        [](Device& device) { device.fma_f32 = device.fma_f64 = unlimited; }},
    {"banks of registers", "operands at any rate", Neglected::nothing, true, false, nullptr,
        [](KernelWork& work) { // as many slots of FMAs as before (pipe_work)
            work.flops = 1.5 * (work.flops - work.fused);
            work.fused = 0;
        }},
};
constexpr std::size_t count = std::size(all);

/// `composite` on the changed device, with the terms that are left.
class Ablated final : public StepPredictor {
public:
    Ablated(const Ablation& ablation, Device device) : terms_(ablation.terms), device_(std::move(device)) {
        if (ablation.device != nullptr) {
            ablation.device(device_);
        }
    }

    std::string name() const override { return "composite"; }
    Breakdown explain(const KernelWork& work, std::uint64_t elements) const override {
        return device_.limits.target == fusion::Target::host ? composite_host(device_, work, elements, terms_)
                                                             : composite_cuda(device_, work, elements, terms_);
    }
    double seconds(const KernelWork& work, std::uint64_t elements) const override {
        return device_.limits.target == fusion::Target::host ? cost(work, elements).seconds
                                                             : composite_cuda_seconds(device_, work, elements, terms_);
    }

private:
    CompositeTerms terms_;
    Device device_;
};

using Make = std::unique_ptr<Predictor> (*)(const Device&);

template <std::size_t Index>
std::unique_ptr<Predictor> make(const Device& device) {
    return std::make_unique<Ablated>(all[Index], device);
}

template <std::size_t... Indices>
constexpr std::array<Make, count> makers_of(std::index_sequence<Indices...>) {
    return {make<Indices>...};
}

constexpr std::array<Make, count> makers = makers_of(std::make_index_sequence<count>());

} // namespace

std::string_view to_string(Neglected neglected) {
    switch (neglected) {
    case Neglected::overlap:
        return "imperfect overlap";
    case Neglected::idle_threads:
        return "idle threads";
    case Neglected::function_mix:
        return "mix of functions";
    case Neglected::single_kernel:
        return "bias of single kernels";
    case Neglected::nothing:
        break;
    }
    return "none";
}

std::span<const Ablation> ablations() {
    return all;
}

PredictorKind kind_without(const Ablation& ablation, const PredictorKind& composite) {
    const auto index = static_cast<std::size_t>(&ablation - all);
    internal_check(index < count, "an ablation that is not in the list");
    PredictorKind kind = composite;
    kind.make = makers[index];
    return kind;
}

std::vector<Point> points_without(const Ablation& ablation, std::span<const Point> points) {
    std::vector<Point> changed(points.begin(), points.end());
    if (ablation.work != nullptr) {
        for (Point& point : changed) {
            ablation.work(point.work);
        }
    }
    return changed;
}

AblatedFit fit_without(
    const Ablation& ablation, const PredictorKind& composite, const Fit& full, const Device& start, std::span<const Point> points) {
    const PredictorKind kind = kind_without(ablation, composite);
    const std::vector<Point> changed = points_without(ablation, points);
    const std::vector<double> seconds = predictions(kind, full.device, changed);
    AblatedFit result;
    for (std::size_t i = 0; i < points.size(); ++i) {
        result.moved.push_back(std::abs(seconds[i] - full.predicted[i]) > least_move * full.predicted[i]);
        if (result.moved.back()) {
            ++(points[i].role == Role::fit ? result.moved_fit : result.moved_held_out);
        }
    }
    if (result.moved_fit + result.moved_held_out > 0) {
        result.fit = fit_figures(kind, start, changed);
    }
    return result;
}

} // namespace fusec::perfmodel
