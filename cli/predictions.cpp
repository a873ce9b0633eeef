// SPDX-License-Identifier: Apache-2.0
#include "cli/predictions.hpp"

#include "cli/breakdown.hpp"
#include "cli/report_text.hpp"
#include "fusion/workers.hpp"
#include "support/counted.hpp"
#include "support/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

namespace fusec::cli {

namespace {

/// The predictors that can be had, and what is said of the others.
std::vector<std::unique_ptr<perfmodel::Predictor>> available(const perfmodel::Device& device, Predictions& result) {
    std::vector<std::unique_ptr<perfmodel::Predictor>> predictors;
    for (const std::string& name : perfmodel::predictor_names()) {
        Diagnostics refusal;
        if (auto predictor = perfmodel::make_predictor(name, device, refusal)) {
            predictors.push_back(std::move(predictor));
            continue;
        }
        std::string reason;
        for (const Diagnostic& each : refusal.all()) {
            reason += (reason.empty() ? "" : "; ") + each.message;
        }
        result.unavailable.push_back({name, reason});
    }
    return predictors;
}

std::string bound_text(const perfmodel::Breakdown& breakdown) {
    if (std::isinf(breakdown.cost.seconds)) {
        return time_text(breakdown.cost.seconds); // bound by nothing
    }
    return fmt::format("{} ({})", time_text(breakdown.cost.seconds), fusion::to_string(breakdown.cost.bound_by));
}

/// Of how many elements on which device, and by whose figures: a calibration of the user's may stand in for the device's name.
std::string head(const Compilation& c) {
    const perfmodel::Device& device = *c.device;
    return fmt::format("{} {} on {}, {}", grouped(c.options.elements), plural(c.options.elements, "element"), device.name,
        device.calibration.empty() ? "by its description" : "by the calibration " + device.calibration);
}

std::vector<std::string> unanswered_lines(const Predictions& predictions) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < predictions.predictors.size(); ++i) {
        const auto unanswered = static_cast<std::size_t>(std::ranges::count_if(
            predictions.kernels, [i](const Predictions::Kernel& kernel) { return !std::isfinite(kernel.by_predictor[i].cost.seconds); }));
        if (unanswered != 0) {
            lines.push_back(fmt::format("{}: no answer for {}{}", predictions.predictors[i],
                unanswered == predictions.kernels.size() ? "any kernel" : counted(unanswered, "kernel"),
                predictions.predictors[i] == "benchmark" ? std::string(", ") + want_of_times : std::string()));
        }
    }
    for (const Predictions::Unavailable& missing : predictions.unavailable) {
        lines.push_back(fmt::format("{}: {}", missing.name, missing.reason));
    }
    return lines;
}

/// What each element of a compiled kernel has of its instructions by class, and of its bytes by space.
std::vector<std::string> mix_of(const CompiledPlans::Kernel& kernel) {
    const auto mix = mix_per_element(kernel.compiled.profile, kernel.compiled.work.elements_per_block);
    std::vector<std::string> parts;
    for (const auto& [each, number] : mix.instructions) {
        parts.push_back(fmt::format("{} {:.4g}", to_string(each), number));
    }
    for (const auto& moved : mix.moved) {
        parts.push_back(fmt::format("{} {:.4g} B read and {:.4g} B written", to_string(moved.space), moved.loaded, moved.stored));
    }
    return parts;
}

} // namespace

std::vector<fusion::Candidate> kept_candidates(Compilation& c) {
    std::vector<fusion::Candidate> candidates;
    for (std::size_t i = 0; i < c.space->columns().size(); ++i) {
        const auto& kept = c.space->front(ColumnId(i)).kept;
        candidates.insert(candidates.end(), kept.begin(), kept.end());
    }
    return candidates;
}

std::optional<Predictions> predict(const Compilation& c, const std::vector<fusion::Candidate>& kernels,
    const std::optional<std::string>& only, Diagnostics& diagnostics, const std::optional<CompiledKernels>& compiled) {
    Predictions result;
    if (compiled) {
        result.source = compiled->source;
        result.registers = compiled->registers;
    }
    std::vector<std::unique_ptr<perfmodel::Predictor>> predictors;
    if (only) {
        auto predictor = perfmodel::make_predictor(*only, *c.device, diagnostics);
        if (!predictor) {
            return std::nullopt;
        }
        predictors.push_back(std::move(predictor));
    } else {
        predictors = available(*c.device, result);
    }
    for (const auto& predictor : predictors) {
        result.predictors.push_back(predictor->name());
    }
    result.kernels.resize(kernels.size());
    fusion::Workers::shared().run(kernels.size(), 8, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Predictions::Kernel& kernel = result.kernels[i];
            kernel.candidate = kernels[i];
            if (compiled) {
                kernel.compiled = {compiled->kernels[i], c.predictor->cost(compiled->kernels[i].work, c.options.elements)};
            }
            const fusion::KernelWork& work = compiled ? compiled->kernels[i].work : kernels[i].work;
            for (const auto& predictor : predictors) {
                kernel.by_predictor.push_back(predictor->explain(work, c.options.elements));
            }
        }
    });
    return result;
}

bool report_no_answer(const Predictions& predictions, const Compilation& c, Diagnostics& diagnostics) {
    if (predictions.kernels.empty()) {
        return false;
    }
    std::vector<std::string> lacking; // each once
    for (const Predictions::Kernel& kernel : predictions.kernels) {
        const perfmodel::Breakdown& said = kernel.by_predictor.front();
        if (std::isfinite(said.cost.seconds)) {
            return false;
        }
        for (const perfmodel::Quantity& quantity : said.quantities) {
            if (!std::isfinite(quantity.value) && std::ranges::find(lacking, quantity.name) == lacking.end()) {
                lacking.push_back(quantity.name);
            }
        }
    }
    Diagnostic& error = diagnostics.report(kind::missing_figure, {},
        fmt::format("`{}` has no answer on `{}` for {}", predictions.predictors.front(), c.device->name,
            predictions.kernels.size() == 1 ? "the kernel" : fmt::format("any of {}", counted(predictions.kernels.size(), "kernel"))));
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, lacking.size()); ++i) {
        error.note({}, lacking[i]);
    }
    if (lacking.size() > most) {
        error.note({}, fmt::format("and {} more", lacking.size() - most));
    }
    if (predictions.predictors.front() == "benchmark") {
        error.hint = "`fusec calibrate --for` measures the routines and lists of a program";
    }
    return true;
}

std::string predictions_text(const Predictions& predictions, const Compilation& c) {
    Writer out;
    out.line(head(c));
    for (const Predictions::Kernel& kernel : predictions.kernels) {
        out.line(kernel_line(kernel.candidate, *c.graph));
        out.indent();
        if (kernel.compiled) {
            for (const std::string& line : in_lines(mix_of(*kernel.compiled), 120)) {
                out.line("compiled, per element: " + line);
            }
        }
        for (std::size_t i = 0; i < predictions.predictors.size(); ++i) {
            const perfmodel::Breakdown& said = kernel.by_predictor[i];
            out.line(fmt::format("{:10} {:>20}  {}", predictions.predictors[i], bound_text(said), bound_times_text(said)));
            for (const std::string& line : quantity_lines(said, 100)) {
                out.line(fmt::format("{:33}{}", "", line));
            }
        }
        out.dedent();
    }
    for (const std::string& line : unanswered_lines(predictions)) {
        out.line(line);
    }
    return out.take();
}

std::string predictions_table(const Predictions& predictions, const Compilation& c) {
    Writer out;
    out.line(head(c));
    std::string names;
    for (const std::string& name : predictions.predictors) {
        names += fmt::format("{:>14}", name);
    }
    out.line(names + "  kernel");
    for (const Predictions::Kernel& kernel : predictions.kernels) {
        std::string line;
        for (const perfmodel::Breakdown& said : kernel.by_predictor) {
            line += fmt::format("{:>14}", time_text(said.cost.seconds));
        }
        const fusion::Candidate& candidate = kernel.candidate;
        out.line(fmt::format("{}  {{{}}} -> {} {} T={}", line, call_names(candidate.calls, *c.graph),
            data_names(candidate.stores, *c.graph), fusion::granularity_text(candidate), candidate.instances_per_block));
    }
    for (const std::string& line : unanswered_lines(predictions)) {
        out.line(line);
    }
    return out.take();
}

} // namespace fusec::cli
