// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/pipeline.hpp"

#include "perfmodel/occupancy.hpp"
#include "perfmodel/step_mix.hpp"
#include "perfmodel/warp_work.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel {

using fusion::Bound;
using fusion::KernelWork;
using pipeline::Unit;

namespace pipeline {

double uncoalesced_accesses(const KernelWork& work, const fusion::DeviceLimits& limits) {
    return warp_work(work, limits).uncoalesced;
}

double steady_cost(const Run& run, const Sm& sm, int warps) {
    if (run.unit == Unit::barrier) {
        return 0;
    }
    const bool chained = run.role == Run::Role::other || run.role == Run::Role::arithmetic;
    const double alone = chained ? static_cast<double>(run.latency) / chains : 1.0;
    const double turns = std::ceil(static_cast<double>(warps) / sm.schedulers);
    const double lost = chained && run.latency > chains && turns > 1 ? 1.0 / chains : 0;
    const double places = sm.capacity[static_cast<std::size_t>(run.unit)];
    return std::max({alone, turns * (1 + lost), warps * run.latency / places});
}

} // namespace pipeline

namespace {

int whole(double cycles) {
    return std::max(1, static_cast<int>(std::lround(cycles)));
}

} // namespace

PipelinePredictor::PipelinePredictor(Device device) : device_(std::move(device)) {
    const auto needed = [&](const char* key) { return needed_figure(device_, key, "pipeline"); };
    latencies_ = {whole(needed("latency.arithmetic_f32")), whole(needed("latency.arithmetic_f64")), whole(needed("latency.integer")),
        whole(needed("latency.special")), whole(device_.dram_latency_ns * device_.clock_ghz), whole(device_.shared_latency_cycles)};
    sm_.schedulers = schedulers(device_);
    const auto place = [&](Unit unit) -> int& { return sm_.capacity[static_cast<std::size_t>(unit)]; };
    const double warp = device_.limits.warp_size;
    place(Unit::sp) = whole(device_.fma_f32 / warp * latencies_.arithmetic_f32);
    place(Unit::dp) = whole(device_.fma_f64 / warp * latencies_.arithmetic_f64);
    place(Unit::sfu) = whole(device_.special / warp * latencies_.special);
    place(Unit::shared) = whole(device_.shared_wavefronts * latencies_.shared);
    place(Unit::memory) = whole(needed("pipeline.memory_capacity"));
    law_ = {needed("pipeline.launch_per_thread") * 1e-6, needed("pipeline.launch")};
    corrected_ = pipeline::correction_of(device_);
}

pipeline::Simulation PipelinePredictor::simulate(const std::vector<pipeline::Run>& runs, int warps, int blocks, double share) const {
    // Warps of a block take part in fewer and fewer runs: neighbours mostly have the same list.
    std::vector<std::vector<pipeline::Task>> lists;
    std::vector<std::size_t> list_of;
    for (int warp = 0; warp < warps; ++warp) {
        const auto ends = [&](const pipeline::Run& run) { return run.warps == warp; };
        if (warp == 0 || std::any_of(runs.begin(), runs.end(), ends)) {
            lists.push_back(pipeline::tasks_of(runs, warp, share));
        }
        list_of.push_back(lists.size() - 1);
    }
    std::vector<pipeline::Warp> resident;
    for (int block = 0; block < blocks; ++block) {
        for (int warp = 0; warp < warps; ++warp) {
            resident.push_back({lists[list_of[static_cast<std::size_t>(warp)]], block});
        }
    }
    return pipeline::simulate(sm_, resident);
}

PipelinePredictor::Cycles PipelinePredictor::run(const std::vector<pipeline::Run>& runs, int warps, int blocks) const {
    const double share = pipeline::share_of(runs, most_tasks / (warps * blocks));
    const pipeline::Simulation simulation = simulate(runs, warps, blocks, share);
    Cycles result;
    result.cycles = static_cast<double>(simulation.cycles);
    result.simulated = static_cast<double>(simulation.issued);
    double warps_at = 0, memory_at = 0; // cycles, of what is left out: where the warps are, and the memory
    for (const pipeline::Run& run : runs) {
        const int active = run.warps * blocks;
        const double count = run.always() ? std::max(1.0, run.count) : run.count;
        const double left_out = (1 - share) * (run.always() ? count - 1 : count);
        const double cost = left_out * pipeline::steady_cost(run, sm_, active);
        using Role = pipeline::Run::Role;
        if (run.unit == Unit::memory) {
            memory_at = std::max(memory_at, warps_at) + cost;
            const double issue = left_out * active / sm_.schedulers;
            warps_at = run.role == Role::load ? memory_at : warps_at + issue;
        } else {
            warps_at = (run.role == Role::wait ? std::max(warps_at, memory_at) : warps_at) + cost;
        }
        result.issued += count * active;
        if (run.unit != Unit::barrier) {
            result.occupied[static_cast<std::size_t>(run.unit)] += count * active * run.latency;
        }
    }
    result.extrapolated = std::max(warps_at, memory_at);
    if (share < 1) {
        const std::int64_t growth = simulation.cycles - simulate(runs, warps, blocks, share / 2).cycles;
        const double grown = std::max(0.0, static_cast<double>(growth)) * (1 - share) / (share / 2);
        const double weight = std::min(0.5, 4 * share); // of a small share the ends are most, and what grows is rounding
        result.extrapolated = weight * grown + (1 - weight) * result.extrapolated;
    }
    result.cycles += result.extrapolated;
    return result;
}

PipelinePredictor::Launch PipelinePredictor::launch_of(const KernelWork& work, std::uint64_t elements, int resident) const {
    internal_check(!work.steps.empty(), "pipeline: a kernel without its steps");
    Launch result;
    const double grid = std::ceil(static_cast<double>(elements) / work.elements_per_block);
    result.nt = grid * work.threads_per_block;
    result.launch = law_.at(result.nt) * 1e-6;
    const int warps = (work.threads_per_block + device_.limits.warp_size - 1) / device_.limits.warp_size;
    const double blocks = grid / device_.limits.sm_count; // of a multiprocessor, divided evenly
    result.at_a_time = static_cast<int>(std::min<double>(resident, std::ceil(blocks)));
    const std::vector<pipeline::Run> runs = pipeline::runs(work, device_.limits, latencies_, device_.function_slots);
    result.tasks = pipeline::tasks(runs);
    result.wave = run(runs, warps, result.at_a_time);
    result.waves = std::max(1.0, blocks / result.at_a_time);
    result.cycles = result.wave.cycles * result.waves;
    const double second = 1 / (device_.clock_ghz * 1e9);
    result.uncorrected = result.launch + result.cycles * second;
    result.features = {result.launch * 1e6, std::max(1.0, result.cycles),
        pipeline::uncoalesced_accesses(work, device_.limits) * warps * std::max(1.0, blocks), runs.empty() ? 1.0 : runs.back().block + 1.0};
    return result;
}

pipeline::Sample PipelinePredictor::sample(const KernelWork& work, std::uint64_t elements) const {
    const Launch l = launch_of(work, elements, resident_blocks(device_.limits, work));
    return {l.features, l.uncorrected, 0};
}

std::string PipelinePredictor::label() const {
    if (!corrected_.trained) {
        return "correction: uncorrected";
    }
    return "correction: log-linear, " + (corrected_.data.empty() ? "of unknown data" : corrected_.data);
}

Breakdown PipelinePredictor::explain(const KernelWork& work, std::uint64_t elements) const {
    const int resident = resident_blocks(device_.limits, work);
    if (resident == 0) {
        return Breakdown::never();
    }
    if (elements == 0) {
        const double launch = law_.at(0) * 1e-6;
        return {{launch, Bound::launch}, {{Bound::launch, launch}}};
    }
    const Launch l = launch_of(work, elements, resident);
    const Cycles& wave = l.wave;
    const double second = 1 / (device_.clock_ghz * 1e9);
    const double factor = corrected_.trained ? corrected_.correction.factor(l.features) : 1;

    Breakdown result;
    result.cost.seconds = l.uncorrected * factor;
    std::array<double, pipeline::units> busy{}; // cycles that each sub-pipe takes at least
    double busiest = 0;
    for (std::size_t i = 0; i < busy.size(); ++i) {
        busy[i] = std::min(wave.cycles, wave.occupied[i] / sm_.capacity[i]);
        busiest = std::max(busiest, busy[i]);
    }
    const double issue = std::min(wave.cycles, wave.issued / sm_.schedulers);
    busiest = std::max(busiest, issue);
    const auto bound = [&](double of_wave) { return of_wave * l.waves * second * factor; };
    const auto of = [&](Unit unit) { return busy[static_cast<std::size_t>(unit)]; };
    result.bounds = {{Bound::dram, bound(of(Unit::memory))}, {Bound::shared, bound(of(Unit::shared))}, {Bound::issue, bound(issue)},
        {Bound::fma, bound(std::max(of(Unit::sp), of(Unit::dp)))}, {Bound::sfu, bound(of(Unit::sfu))},
        {Bound::latency, bound(wave.cycles - busiest)}, {Bound::launch, l.launch * factor}};
    result.cost.bound_by = greatest_bound(result.bounds);
    result.quantities = {{"nt", l.nt, "threads"}, {"l", l.launch, "s"}, {"tasks of a warp", l.tasks, "tasks"},
        {"tasks simulated", wave.simulated, "tasks of all warps"}, {"cycles extrapolated", wave.extrapolated, "cycles"},
        {"blocks at a time", static_cast<double>(l.at_a_time), "blocks"}, {"cycles of a wave", wave.cycles, "cycles"},
        {"waves", l.waves, ""}, {"cycles", l.cycles, "cycles"},
        {"uncoalesced", l.features.uncoalesced, "warp accesses of a multiprocessor"}, {"basic blocks", l.features.blocks, ""},
        {"time before correction", l.uncorrected, "s"}};
    say_uncounted(result, work, device_.limits);
    result.quantities.push_back({label(), factor, ""}); // the last: whoever reads it looks there
    return result;
}

bool pipeline_ready(const Device& device, Diagnostics& diagnostics) {
    return pipeline::correction_complete(device, diagnostics);
}

} // namespace fusec::perfmodel
