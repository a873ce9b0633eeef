// SPDX-License-Identifier: Apache-2.0
#include "cli/measurements.hpp"

#include "cli/choose_plan.hpp"
#include "cli/host_machine.hpp"
#include "cli/report_text.hpp"
#include "execute/candidate_sample.hpp"
#include "execute/eviction.hpp"
#include "execute/reference.hpp"
#include "fusion/cost_model.hpp"
#include "perfmodel/fit/statistics.hpp"
#include "support/counted.hpp"
#include "support/median.hpp"
#include "support/processors.hpp"
#include "support/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

#include <unistd.h>

namespace fusec::cli {

namespace {

/// Bytes of all lists of the program, for one element.
double bytes_of_lists(const frontend::CheckedProgram& program) {
    double bytes = 0;
    for (const frontend::Datum& datum : program.data) {
        bytes += execute::per_element(datum) ? static_cast<double>(datum.list_bytes()) : 0;
    }
    return bytes;
}

/// Plans that are compared: the compiled one, those of the other modes, and its runners-up, each only if no plan before has its kernels.
std::vector<Measurements::Plan> plans_to_measure(Compilation& c) {
    std::vector<Measurements::Plan> plans;
    std::set<std::string> seen;
    const auto add_new = [&](std::string choice, const fusion::Plan& plan) {
        if (seen.insert(codegen::plan_id(codegen::lower(plan, *c.graph, *c.catalog))).second) {
            plans.push_back({std::move(choice), plan});
        }
    };
    add_new(c.options.plan, c.plans.front());
    for (const char* choice : {"auto", "none", "max", "greedy"}) {
        const fusion::PlanOptions options{.mode = *mode_of(choice), .recompute = c.options.recompute, .bound = false};
        const fusion::CoverResult result = fusion::solve_cover(*c.graph, *c.space, options);
        if (choice == c.options.plan || result.covers.empty()) {
            continue;
        }
        add_new(choice, make_plan(result.covers.front(), 0, *c.space, *c.graph));
    }
    for (std::size_t i = 1; i < c.plans.size(); ++i) {
        add_new(fmt::format("{} {}", c.options.plan, i + 1), c.plans[i]);
    }
    return plans;
}

/// What its own predictor says of a plan that is launched again and again: each kernel finds in the caches what it left there.
double seconds_in_a_row(const Compilation& c, const fusion::Plan& plan, Diagnostics& diagnostics) {
    const auto predictor = perfmodel::make_predictor(c.options.predictor, *c.device, diagnostics);
    internal_check(predictor != nullptr, "a plan was chosen by a predictor that the device does not have");
    double seconds = 0;
    for (const fusion::Candidate& kernel : plan.kernels) {
        fusion::KernelWork work = kernel.work;
        work.repeated = true;
        seconds += fusion::rounded_prediction(predictor->seconds(work, c.options.elements)); // as the search compares it
    }
    return seconds;
}

} // namespace

bool compile_to_measure(Compilation& c, std::optional<std::uint64_t> elements, Diagnostics& diagnostics, double share) {
    constexpr double bytes = 2.0 * 1024 * 1024 * 1024;
    constexpr double most = 1048576;
    constexpr std::uint64_t least = 1024;
    c.options.with_steps = true;
    c.options.elements = elements.value_or(most);
    if (!run_pipeline(c, diagnostics, "dag")) {
        return false;
    }
    if (!elements) {
        const double part = c.program->updates.empty() ? share : 1;
        const auto fitting = static_cast<std::uint64_t>(part * bytes / std::max(1.0, bytes_of_lists(*c.program)));
        c.options.elements = std::clamp(fitting / least * least, least, static_cast<std::uint64_t>(part * most));
    }
    return run_stages(c, diagnostics, "space", "plan");
}

std::vector<fusion::Candidate> kernels_to_measure(Compilation& c, const KernelSelection& selection) {
    if (selection.all) {
        return kept_candidates(c);
    }
    std::vector<fusion::Candidate> kernels = c.plans.front().kernels;
    if (selection.sample) {
        const auto id_of = [&](const fusion::Candidate& each) {
            return codegen::plan_id(codegen::lower(each, "kernel", *c.graph, *c.catalog));
        };
        std::set<std::string> seen;
        std::ranges::transform(kernels, std::inserter(seen, seen.end()), id_of);
        for (fusion::Candidate& each : execute::choose_candidates(*c.space, false, *selection.sample, selection.seed).chosen) {
            if (seen.insert(id_of(each)).second) {
                kernels.push_back(std::move(each));
            }
        }
    }
    return kernels;
}

UnitsToMeasure units_to_measure(Compilation& c, const KernelSelection& selection, const std::vector<RivalPlan>& rivals) {
    UnitsToMeasure result{.compilation = &c,
        .rivals = rivals,
        .plans = plans_to_measure(c),
        .kernels = kernels_to_measure(c, selection),
        .units = {},
        .units_of_plans = {}};
    const auto add = [&](codegen::Unit unit, const Compilation& of) {
        result.units.push_back({std::move(unit), &*of.graph, &*of.catalog, c.options.elements});
    };
    std::map<std::string, std::size_t> unit_of_plan; // by the plan's id: what has the same kernels is timed once
    const auto add_plan = [&](const fusion::Plan& plan, const Compilation& of) {
        codegen::Unit unit = codegen::lower(plan, *of.graph, *of.catalog);
        const auto [at, is_new] = unit_of_plan.emplace(codegen::plan_id(unit), result.units.size());
        if (is_new) {
            add(std::move(unit), of);
        }
        result.units_of_plans.push_back(at->second);
    };
    for (const Measurements::Plan& plan : result.plans) {
        add_plan(plan.plan, c);
    }
    for (const RivalPlan& rival : rivals) {
        add_plan(rival.compilation->plans.front(), *rival.compilation);
        result.plans.push_back({rival.choice, rival.compilation->plans.front()});
    }
    for (const fusion::Candidate& kernel : result.kernels) {
        add(codegen::lower(kernel, "kernel", *c.graph, *c.catalog), c);
    }
    return result;
}

std::optional<Measurements> measurements_of(
    UnitsToMeasure measured, const std::vector<execute::UnitTimes>& times, const execute::TimingSetup& setup, Diagnostics& diagnostics) {
    internal_check(times.size() == measured.units.size(), "times of other units than those that were to be measured");
    const Compilation& c = *measured.compilation;
    Measurements result;
    result.plans = std::move(measured.plans);
    const std::size_t first_kernel = times.size() - measured.kernels.size();
    for (std::size_t k = 0; k < measured.kernels.size(); ++k) {
        measured.kernels[k].work.repeated = times[first_kernel + k].launches > 1;
        result.kernels.push_back(times[first_kernel + k]);
    }
    auto predictions = predict(c, measured.kernels, std::nullopt, diagnostics);
    if (!predictions) {
        return std::nullopt;
    }
    result.predictions = std::move(*predictions);
    const std::size_t first_rival = result.plans.size() - measured.rivals.size();
    for (std::size_t i = 0; i < result.plans.size(); ++i) {
        Measurements::Plan& plan = result.plans[i];
        const execute::UnitTimes& of_plan = times[measured.units_of_plans[i]];
        plan.times = of_plan;
        plan.repeated = of_plan.launches > 1;
        plan.predicted_seconds = plan.plan.seconds;
        if (plan.repeated) {
            plan.predicted_seconds =
                seconds_in_a_row(i < first_rival ? c : *measured.rivals[i - first_rival].compilation, plan.plan, diagnostics);
        }
    }
    result.processors = usable_processors();
    result.compiler = setup.compiler.version.substr(0, setup.compiler.version.find('\n'));
    return result;
}

std::optional<Measurements> measure(
    Compilation& c, const KernelSelection& selection, const execute::TimingSetup& setup, Diagnostics& diagnostics) {
    UnitsToMeasure units = units_to_measure(c, selection);
    const auto times = execute::time_units(units.units, setup, diagnostics);
    return times ? measurements_of(std::move(units), *times, setup, diagnostics) : std::nullopt;
}

std::optional<execute::TimingSetup> timing_setup(std::optional<execute::BuildFolder>& folder, Diagnostics& diagnostics) {
    if (!execute::can_evict()) {
        diagnostics.report(kind::timing_failed, {},
            "kernels cannot be timed on this processor: fusec knows no instruction of it that drops lists from its caches");
        return std::nullopt;
    }
    const auto compiler = execute::find_host_compiler(diagnostics);
    if (!compiler) {
        return std::nullopt;
    }
    auto opened = execute::BuildFolder::open(execute::default_cache_folder(), diagnostics);
    if (!opened) {
        return std::nullopt;
    }
    folder.emplace(std::move(*opened));
    execute::TimingSetup setup{
        .compiler = *compiler, .cache = folder->path(), .library_folder = library::standard_library_folder(), .jobs = threads_at_once()};
    if (::isatty(STDERR_FILENO) == 1) {
        setup.progress = [](double share) {
            constexpr int width = 40;
            const auto full = static_cast<int>(share * width);
            std::cerr << fmt::format("\r[{:=<{}}{: <{}}] {:3.0f} %{}", "", full, "", width - full, 100 * share, share < 1 ? "" : "\n")
                      << std::flush;
        };
    }
    return setup;
}

std::string measurements_text(const Measurements& m, const Compilation& c) {
    Writer out;
    const double best =
        median(std::ranges::min_element(m.plans, {}, [](const auto& plan) { return median(plan.times.seconds); })->times.seconds);
    out.line(fmt::format("plans of {} for {} elements: median (least) of {}, over the fastest; predicted", c.program->name,
        grouped(c.options.elements), counted(m.plans.front().times.seconds.size(), "sample")));
    for (const Measurements::Plan& plan : m.plans) {
        const double typical = median(plan.times.seconds);
        out.line(fmt::format("{:8} {:>10} ({:>10})  {:5.2f}  {:>10}  {}", plan.choice, time_text(typical),
            time_text(*std::ranges::min_element(plan.times.seconds)), typical / best, time_text(plan.predicted_seconds),
            counted(plan.plan.kernels.size(), "kernel")));
    }
    std::string head = fmt::format("{:>12}{:>12}", "median", "least");
    for (const std::string& name : m.predictions.predictors) {
        head += fmt::format("{:>12}", name);
    }
    out.line(head + "  kernel");
    std::vector<double> measured;
    for (std::size_t k = 0; k < m.kernels.size(); ++k) {
        const Predictions::Kernel& kernel = m.predictions.kernels[k];
        measured.push_back(median(m.kernels[k].seconds));
        std::string line =
            fmt::format("{:>12}{:>12}", time_text(measured.back()), time_text(*std::ranges::min_element(m.kernels[k].seconds)));
        for (const perfmodel::Breakdown& said : kernel.by_predictor) {
            line += fmt::format("{:>12}", time_text(said.cost.seconds));
        }
        out.line(fmt::format(
            "{}  {{{}}} -> {}", line, call_names(kernel.candidate.calls, *c.graph), data_names(kernel.candidate.stores, *c.graph)));
    }
    for (std::size_t p = 0; p < m.predictions.predictors.size(); ++p) {
        std::vector<double> predicted, times;
        for (std::size_t k = 0; k < measured.size(); ++k) {
            if (const double said = m.predictions.kernels[k].by_predictor[p].cost.seconds; !std::isinf(said)) {
                predicted.push_back(said);
                times.push_back(measured[k]);
            }
        }
        const std::string& name = m.predictions.predictors[p];
        const std::size_t unanswered = measured.size() - predicted.size();
        if (predicted.empty()) {
            out.line(name + ": no answer for any kernel, " + want_of_times);
            continue;
        }
        const perfmodel::Accuracy accuracy = perfmodel::accuracy(predicted, times);
        out.line(fmt::format("{}: mean error {:.1f} %, 90th percentile {:.1f} %, greatest {:.1f} %, rank correlation {:.3f}{}", name,
            100 * accuracy.mape, 100 * accuracy.p90, 100 * accuracy.worst, accuracy.spearman,
            unanswered == 0 ? "" : "; no answer for " + counted(unanswered, "kernel")));
    }
    for (const Predictions::Unavailable& missing : m.predictions.unavailable) {
        out.line(fmt::format("{}: {}", missing.name, missing.reason));
    }
    return out.take();
}

} // namespace fusec::cli
