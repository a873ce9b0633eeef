// SPDX-License-Identifier: Apache-2.0
#include "cli/measurements.hpp"

#include "cli/choose_plan.hpp"
#include "cli/host_machine.hpp"
#include "cli/report_text.hpp"
#include "execute/candidate_sample.hpp"
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
            plans.push_back({std::move(choice), plan, {}});
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

bool compile_to_measure(Compilation& c, std::optional<std::uint64_t> elements, Diagnostics& diagnostics) {
    constexpr double bytes = 2.0 * 1024 * 1024 * 1024;
    constexpr std::uint64_t most = 1048576, least = 1024;
    c.options.with_steps = true;
    c.options.elements = elements.value_or(most);
    if (!run_pipeline(c, diagnostics, "dag")) {
        return false;
    }
    if (!elements) {
        const auto fitting = static_cast<std::uint64_t>(bytes / std::max(1.0, bytes_of_lists(*c.program)));
        c.options.elements = std::clamp(fitting / least * least, least, most);
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

std::optional<Measurements> measure(Compilation& c, const KernelSelection& selection, const execute::TimingSetup& setup,
    Diagnostics& diagnostics, const std::vector<RivalPlan>& rivals) {
    Measurements result;
    result.plans = plans_to_measure(c);
    std::vector<fusion::Candidate> kernels = kernels_to_measure(c, selection);
    std::vector<execute::TimedUnit> units;
    const auto add = [&](codegen::Unit unit, const Compilation& of) {
        units.push_back({std::move(unit), &*of.graph, &*of.catalog, c.options.elements});
    };
    std::map<std::string, std::size_t> unit_of_plan; // by the plan's id: what has the same kernels is timed once
    std::vector<std::size_t> units_of_plans;
    const auto add_plan = [&](const fusion::Plan& plan, const Compilation& of) {
        codegen::Unit unit = codegen::lower(plan, *of.graph, *of.catalog);
        const auto [at, is_new] = unit_of_plan.emplace(codegen::plan_id(unit), units.size());
        if (is_new) {
            add(std::move(unit), of);
        }
        units_of_plans.push_back(at->second);
    };
    for (const Measurements::Plan& plan : result.plans) {
        add_plan(plan.plan, c);
    }
    for (const RivalPlan& rival : rivals) {
        add_plan(rival.compilation->plans.front(), *rival.compilation);
        result.plans.push_back({rival.choice, rival.compilation->plans.front(), {}});
    }
    const std::size_t first_kernel = units.size();
    for (const fusion::Candidate& kernel : kernels) {
        add(codegen::lower(kernel, "kernel", *c.graph, *c.catalog), c);
    }
    const auto times = execute::time_units(units, setup, diagnostics);
    if (!times) {
        return std::nullopt;
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const execute::UnitTimes& measured = times->at(first_kernel + k);
        kernels[k].work.repeated = measured.launches > 1;
        result.kernels.push_back(measured.seconds);
    }
    auto predictions = predict(c, kernels, std::nullopt, diagnostics);
    if (!predictions) {
        return std::nullopt;
    }
    result.predictions = std::move(*predictions);
    for (std::size_t i = 0; i < result.plans.size(); ++i) {
        Measurements::Plan& plan = result.plans[i];
        const execute::UnitTimes& measured = times->at(units_of_plans[i]);
        plan.seconds = measured.seconds;
        plan.repeated = measured.launches > 1;
        plan.predicted_seconds = plan.plan.seconds;
        if (plan.repeated) {
            const bool is_rival = i + rivals.size() >= result.plans.size();
            plan.predicted_seconds =
                seconds_in_a_row(is_rival ? *rivals[i + rivals.size() - result.plans.size()].compilation : c, plan.plan, diagnostics);
        }
    }
    result.processors = usable_processors();
    result.compiler = setup.compiler.version.substr(0, setup.compiler.version.find('\n'));
    return result;
}

std::optional<execute::TimingSetup> timing_setup(std::optional<execute::BuildFolder>& folder, Diagnostics& diagnostics) {
    const auto compiler = execute::find_host_compiler(diagnostics);
    if (!compiler) {
        return std::nullopt;
    }
    auto opened = execute::BuildFolder::open(execute::default_cache_folder(), diagnostics);
    if (!opened) {
        return std::nullopt;
    }
    folder.emplace(std::move(*opened));
    execute::TimingSetup setup{.compiler = *compiler,
        .cache = folder->path(),
        .library_folder = library::standard_library_folder(),
        .jobs = threads_at_once(),
        .displaced_bytes = host_machine().displacing_bytes};
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
    const double best = median(std::ranges::min_element(m.plans, {}, [](const auto& plan) { return median(plan.seconds); })->seconds);
    out.line(fmt::format("plans of {} for {} elements: median (least) of {}, over the fastest; predicted", c.program->name,
        grouped(c.options.elements), counted(m.plans.front().seconds.size(), "sample")));
    for (const Measurements::Plan& plan : m.plans) {
        const double typical = median(plan.seconds);
        out.line(fmt::format("{:8} {:>10} ({:>10})  {:5.2f}  {:>10}  {}", plan.choice, time_text(typical),
            time_text(*std::ranges::min_element(plan.seconds)), typical / best, time_text(plan.predicted_seconds),
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
        measured.push_back(median(m.kernels[k]));
        std::string line = fmt::format("{:>12}{:>12}", time_text(measured.back()), time_text(*std::ranges::min_element(m.kernels[k])));
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
