// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_host_judge.hpp"

#include "execute/timing.hpp"
#include "perfmodel/fit/kernel_work_json.hpp"
#include "support/diagnostics.hpp"
#include "support/median.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace fusec::bench {

namespace {

using Json = nlohmann::ordered_json;
using Works = std::vector<const TimedWork*>;

/// Half of the distance between the quartiles, over the median.
double spread_of(const std::vector<double>& samples) {
    return half_between_quartiles(samples) / median(samples);
}

double seconds_of(const TimedWork& work, Reading reading) {
    return reading == Reading::least ? work.least : work.median;
}

Json to_json(const std::vector<HostVerdict>& verdicts) {
    Json all = Json::array();
    for (const HostVerdict& verdict : verdicts) {
        all.push_back({{"predictor", verdict.predictor}, {"kernels", verdict.accuracy.points}, {"unanswered", verdict.unanswered},
            {"mape", verdict.accuracy.mape}, {"p90", verdict.accuracy.p90}, {"worst", verdict.accuracy.worst},
            {"bias", verdict.accuracy.bias}, {"spearman", verdict.spearman}, {"ranks_of_the_five_fastest", verdict.fastest}});
    }
    return all;
}

Json to_json(const TimedWork& work, const std::vector<std::string>& predictors) {
    Json said = Json::object();
    for (std::size_t p = 0; p < predictors.size(); ++p) {
        said[predictors[p]] = std::isfinite(work.predicted[p]) ? Json(work.predicted[p]) : Json();
    }
    Json json{{"least_seconds", work.least}, {"least_launch_seconds", work.least_launch}, {"median_seconds", work.median},
        {"spread", work.spread}, {"predicted", std::move(said)}};
    if (work.before > 0) {
        json["composite_before"] = work.before;
    }
    if (!work.same_as.empty()) {
        json["same_as"] = work.same_as;
    }
    if (!work.breakdown.empty()) {
        Json& breakdown = json["breakdown_of_composite"] = Json::object();
        for (const auto& [name, value] : work.breakdown) {
            breakdown[name] = value;
        }
    }
    return json;
}

/// Bytes of an element of each list that the kernel loads, or stores.
Json bytes_of_lists(const fusion::KernelWork& work, bool stored) {
    Json bytes = Json::array();
    for (const fusion::WorkStep& step : work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            if (access.store == stored && access.addressing != fusion::Addressing::broadcast) {
                bytes.push_back(access.count * access.bytes);
            }
        }
    }
    return bytes;
}

Works pointers(const std::vector<TimedWork>& works) {
    Works all;
    for (const TimedWork& work : works) {
        all.push_back(&work);
    }
    return all;
}

/// What counts of the kernels, or plans, of one half.
Works counted(const std::vector<MeasuredProgram>& programs, std::vector<TimedWork> MeasuredProgram::* list, bool held_out) {
    Works all;
    for (const MeasuredProgram& program : programs) {
        for (const TimedWork& work : program.*list) {
            if (program.held_out == held_out && work.same_as.empty()) {
                all.push_back(&work);
            }
        }
    }
    return all;
}

void mark(
    std::vector<MeasuredProgram>& programs, std::vector<TimedWork> MeasuredProgram::* list, std::map<std::string, std::string> fitted) {
    const auto mark_half = [&](bool held_out, std::map<std::string, std::string> seen) {
        for (MeasuredProgram& program : programs) {
            for (TimedWork& work : program.*list) {
                if (program.held_out == held_out) {
                    const auto [at, is_new] = seen.emplace(work.identity, program.program + ": " + work.name);
                    work.same_as = is_new ? "" : at->second;
                }
            }
        }
        return seen;
    };
    fitted.merge(mark_half(false, {}));
    mark_half(true, std::move(fitted));
}

/// Sixty kernels that take times within a factor of two: ranks over a wide span say little of a choice between kernels that are alike.
Json within_factor_of_two(const std::vector<std::string>& predictors, const Works& kernels) {
    constexpr std::size_t most = 60;
    std::vector<double> measured;
    for (const TimedWork* kernel : kernels) {
        measured.push_back(kernel->least);
    }
    Works sample;
    std::vector<double> sampled;
    for (const std::size_t place : perfmodel::sample_within_factor(measured, 2, most)) {
        sample.push_back(kernels[place]);
        sampled.push_back(measured[place]);
    }
    Json of_errors = Json::array(); // of the error that is asked for, and of its goal
    for (const double mape : {0.1, 0.05}) {
        of_errors.push_back({{"mape", mape}, {"spearman", perfmodel::spearman_of_errors(sampled, mape)}});
    }
    return {{"kernels", sample.size()}, {"least_seconds", sample.front()->least}, {"greatest_seconds", sample.back()->least},
        {"spearman_of_independent_errors", std::move(of_errors)}, {"verdicts", to_json(judge(predictors, sample))}};
}

} // namespace

std::string identity_of(const std::vector<const fusion::KernelWork*>& kernels) {
    std::vector<std::string> each;
    for (const fusion::KernelWork* kernel : kernels) {
        fusion::KernelWork work = *kernel;
        work.demand.call = 0; // where calls and lists stand in the program, which no predictor reads
        for (fusion::WorkStep& step : work.steps) {
            step.index = -1;
        }
        each.push_back(perfmodel::to_json(work));
    }
    std::ranges::sort(each);
    return std::accumulate(each.begin(), each.end(), std::string());
}

TimedWork timed(std::string name, std::string identity, std::vector<double> predicted, const execute::UnitTimes& times) {
    return {std::move(name), std::move(identity), std::move(predicted), times.undisturbed(), std::ranges::min(times.seconds),
        median(times.seconds), spread_of(times.seconds)};
}

void mark_repeated(std::vector<MeasuredProgram>& programs, const std::vector<perfmodel::Point>& fitted) {
    std::map<std::string, std::string> known;
    for (const perfmodel::Point& point : fitted) {
        if (point.role == perfmodel::Role::fit) {
            known.emplace(identity_of({&point.work}), "calibration: " + point.kernel);
        }
    }
    mark(programs, &MeasuredProgram::kernels, known);
    mark(programs, &MeasuredProgram::plans, known); // a plan of one kernel is that kernel
}

double loss_of_choice(const MeasuredProgram& program) {
    return program.plans.front().median / std::ranges::min_element(program.plans, {}, &TimedWork::median)->median - 1;
}

std::optional<double> loss_of_benchmark(const MeasuredProgram& program) {
    if (!program.planned_by_benchmark) {
        return std::nullopt;
    }
    return program.plans.back().median / std::ranges::min_element(program.plans, {}, &TimedWork::median)->median - 1;
}

std::vector<HostVerdict> judge(const std::vector<std::string>& predictors, const Works& works, Reading reading) {
    std::vector<HostVerdict> verdicts;
    for (std::size_t p = 0; p < predictors.size(); ++p) {
        HostVerdict verdict{predictors[p], {}, 0, {}, 0};
        std::vector<double> said, found, spread;
        for (const TimedWork* work : works) {
            if (std::isfinite(work->predicted[p])) {
                said.push_back(work->predicted[p]);
                found.push_back(seconds_of(*work, reading));
                spread.push_back(work->spread);
            } else {
                ++verdict.unanswered;
            }
        }
        verdict.accuracy = perfmodel::accuracy(said, found);
        verdict.spearman = perfmodel::merged_spearman(said, found, spread);
        verdict.fastest = perfmodel::ranks_of_least(said, found, 5);
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

Json to_json(const MeasuredProgram& program, const std::vector<std::string>& predictors) {
    Json kernels = Json::array(), plans = Json::array();
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
        const fusion::KernelWork& work = program.points[k].work;
        Json kernel{{"calls", program.kernels[k].name}, {"bytes_per_element", work.read_bytes + work.write_bytes},
            {"loads_bytes", bytes_of_lists(work, false)}, {"stores_bytes", bytes_of_lists(work, true)}};
        kernel.update(to_json(program.kernels[k], predictors));
        kernels.push_back(std::move(kernel));
    }
    for (const TimedWork& each : program.plans) {
        Json plan{{"plan", each.name}};
        plan.update(to_json(each, predictors));
        plans.push_back(std::move(plan));
    }
    const auto [fastest, slowest] = std::ranges::minmax_element(program.kernels, {}, &TimedWork::least);
    const std::optional<double> of_benchmark = loss_of_benchmark(program);
    return {{"program", program.program}, {"held_out", program.held_out}, {"elements", program.elements},
        {"slowest_over_fastest", slowest->least / fastest->least}, {"verdicts", to_json(judge(predictors, pointers(program.kernels)))},
        {"loss_of_the_chosen_plan", loss_of_choice(program)},
        {"loss_of_the_plan_of_benchmark", of_benchmark ? Json(*of_benchmark) : Json()},
        {"benchmark_refuses", program.planned_by_benchmark ? Json() : Json(program.refusal)}, {"plans", std::move(plans)},
        {"kernels", std::move(kernels)}};
}

Json judge_held_out(const std::vector<MeasuredProgram>& programs, const std::vector<double>& seconds) {
    const Works kernels = counted(programs, &MeasuredProgram::kernels, true);
    internal_check(kernels.size() == seconds.size(), "other kernels were predicted than are held out");
    if (kernels.empty()) {
        throw std::runtime_error("no kernel to judge");
    }
    std::vector<TimedWork> said;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        said.push_back(*kernels[k]);
        said.back().predicted = {seconds[k]};
    }
    const std::vector<std::string> composite{"composite"};
    return {{"verdicts", to_json(judge(composite, pointers(said)))},
        {"within_a_factor_of_two", within_factor_of_two(composite, pointers(said))}};
}

Json judge_before(const std::vector<MeasuredProgram>& programs) {
    std::vector<double> seconds;
    for (const TimedWork* kernel : counted(programs, &MeasuredProgram::kernels, true)) {
        seconds.push_back(kernel->before);
    }
    return judge_held_out(programs, seconds);
}

Json judge_half(const std::vector<MeasuredProgram>& programs, const std::vector<std::string>& predictors, bool held_out) {
    const Works kernels = counted(programs, &MeasuredProgram::kernels, held_out);
    const Works plans = counted(programs, &MeasuredProgram::plans, held_out);
    if (kernels.empty()) {
        throw std::runtime_error(
            held_out ? "every kernel of the programs held out is one that figures were fitted to" : "no kernel to judge");
    }
    std::vector<double> spreads, losses, losses_of_benchmark;
    std::ranges::transform(kernels, std::back_inserter(spreads), [](const TimedWork* kernel) { return kernel->spread; });
    Works chosen;
    for (const MeasuredProgram& program : programs) {
        if (program.held_out == held_out) {
            losses.push_back(loss_of_choice(program));
            if (const auto loss = loss_of_benchmark(program)) {
                losses_of_benchmark.push_back(*loss);
            }
            if (program.plans.front().same_as.empty()) {
                chosen.push_back(&program.plans.front());
            }
        }
    }
    return {{"verdicts", to_json(judge(predictors, kernels))}, {"within_a_factor_of_two", within_factor_of_two(predictors, kernels)},
        {"against_medians", to_json(judge(predictors, kernels, Reading::median))}, {"plans", to_json(judge(predictors, plans))},
        {"chosen_plans", to_json(judge(predictors, chosen))}, {"median_spread", median(spreads)},
        {"median_loss_of_chosen_plans", median(losses)}, {"greatest_loss_of_a_chosen_plan", *std::ranges::max_element(losses)},
        {"plans_of_benchmark", losses_of_benchmark.size()},
        {"greatest_loss_of_a_plan_of_benchmark",
            losses_of_benchmark.empty() ? Json() : Json(*std::ranges::max_element(losses_of_benchmark))}};
}

} // namespace fusec::bench
