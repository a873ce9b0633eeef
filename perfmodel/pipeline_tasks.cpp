// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/pipeline_tasks.hpp"

#include "perfmodel/step_mix.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel::pipeline {

using fusion::WorkStep;

namespace {

/// Registers of a list.
enum Register {
    chain = 0,
    address = chain + chains,
    loaded = address + chains,
    passed,
};

constexpr double access_bytes = 128;

bool asynchronous(const WorkStep& step) {
    return std::any_of(step.accesses.begin(), step.accesses.end(), [](const fusion::GlobalAccess& access) { return access.asynchronous; });
}

} // namespace

bool Run::always() const {
    switch (role) {
    case Role::load:
    case Role::asynchronous_load:
    case Role::wait:
    case Role::store:
    case Role::barrier:
        return true;
    case Role::other:
    case Role::pass:
    case Role::arithmetic:
        break;
    }
    return false;
}

std::vector<Run> runs(
    const fusion::KernelWork& work, const fusion::DeviceLimits& limits, const Latencies& latencies, const FunctionSlots& slots) {
    std::vector<Run> result;
    int block = 0, threads = 0;
    const int all = (work.threads_per_block + limits.warp_size - 1) / limits.warp_size;
    for (const WorkStep& step : work.steps) {
        const StepMix mix = step_mix(work, step, limits, slots);
        const bool barrier = step.kind == WorkStep::Kind::block_barrier;
        if (threads != 0 && (step.threads != threads || barrier)) {
            ++block;
        }
        threads = barrier ? 0 : step.threads;
        const auto add = [&](Run::Role role, Unit unit, int latency, double count) {
            if (count > 0) {
                result.push_back({role, unit, latency, count, std::min(all, static_cast<int>(mix.warps)), block});
            }
        };
        const bool async = asynchronous(step);
        if (step.kind == WorkStep::Kind::wait) {
            add(Run::Role::wait, Unit::sp, latencies.integer, 1);
        }
        add(Run::Role::other, Unit::sp, latencies.integer, mix.other);
        add(async ? Run::Role::asynchronous_load : Run::Role::load, Unit::memory, latencies.global,
            mix.loads == 0 ? 0 : std::max(mix.loads, mix.load_bytes / access_bytes));
        add(Run::Role::pass, Unit::shared, latencies.shared, mix.shared);
        add(Run::Role::arithmetic, Unit::dp, latencies.arithmetic_f64, mix.f64);
        add(Run::Role::arithmetic, Unit::sp, latencies.arithmetic_f32, mix.f32);
        add(Run::Role::arithmetic, Unit::sfu, latencies.special, mix.special);
        add(Run::Role::store, Unit::memory, latencies.global, mix.stores == 0 ? 0 : std::max(mix.stores, mix.store_bytes / access_bytes));
        if (barrier) {
            result.push_back({Run::Role::barrier, Unit::barrier, 1, 1, all, block++});
        }
    }
    return result;
}

double tasks(const std::vector<Run>& runs) {
    double sum = 0;
    for (const Run& run : runs) {
        sum += run.always() ? std::max(1.0, run.count) : run.count;
    }
    return sum;
}

double share_of(const std::vector<Run>& runs, double most) {
    double fixed = 0;
    for (const Run& run : runs) {
        fixed += run.always() ? 1 : 0;
    }
    const double variable = tasks(runs) - fixed;
    // A quarter of the tasks at least are for what varies, or nothing could be extrapolated.
    return variable <= 0 ? 1 : std::min(1.0, std::max(most - fixed, most / 4) / variable);
}

std::vector<Task> tasks_of(const std::vector<Run>& runs, int warp, double share) {
    std::vector<Task> result;
    std::array<double, units + 1> owed{}; // per sub-pipe
    int turn = 0;
    bool fresh_loads = false, fresh_passes = false; // of the step, which arithmetic waits for
    for (const Run& run : runs) {
        if (warp >= run.warps) {
            continue;
        }
        double& left = owed[static_cast<std::size_t>(run.unit)];
        int count = 0;
        if (run.always()) {
            const double wanted = 1 + share * std::max(0.0, run.count - 1) + left;
            count = std::max(1, static_cast<int>(std::floor(wanted + 1e-9)));
            left = wanted - count;
        } else {
            const double wanted = share * run.count + left;
            count = std::max(0, static_cast<int>(std::floor(wanted + 1e-9)));
            left = wanted - count;
        }
        for (int i = 0; i < count; ++i, ++turn) {
            Task task{static_cast<int>(result.size()), warp, run.unit, run.latency, -1, {-1, -1}, run.block};
            const int place = turn % chains;
            switch (run.role) {
            case Run::Role::other:
                task.destination = task.sources[0] = address + place;
                break;
            case Run::Role::load:
            case Run::Role::asynchronous_load:
                task.destination = i + 1 == count ? loaded : -1;
                task.sources[0] = address + place;
                break;
            case Run::Role::wait:
                task.destination = address + place;
                task.sources[0] = loaded;
                break;
            case Run::Role::pass:
                task.destination = i + 1 == count ? passed : -1;
                task.sources[0] = fresh_loads ? loaded : chain + place;
                break;
            case Run::Role::arithmetic:
                task.destination = task.sources[0] = chain + place;
                task.sources[1] = fresh_passes ? passed : fresh_loads ? loaded : -1;
                break;
            case Run::Role::store:
                task.sources[0] = chain + place;
                task.sources[1] = fresh_passes ? passed : fresh_loads ? loaded : -1;
                break;
            case Run::Role::barrier:
                task.sources[0] = passed;
                break;
            }
            result.push_back(task);
        }
        fresh_loads = run.role == Run::Role::load || (fresh_loads && run.role != Run::Role::barrier);
        fresh_passes = run.role == Run::Role::pass || (fresh_passes && run.role != Run::Role::barrier);
    }
    return result;
}

} // namespace fusec::perfmodel::pipeline
