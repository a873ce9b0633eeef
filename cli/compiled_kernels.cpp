// SPDX-License-Identifier: Apache-2.0
#include "cli/compiled_kernels.hpp"

#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "codegen/interface_emission.hpp"
#include "execute/library_cache.hpp"
#include "perfmodel/analysis/device_latencies.hpp"
#include "perfmodel/occupancy.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace fusec::cli {

using perfmodel::analysis::Analysis;
using perfmodel::analysis::AnalysisRequest;

namespace {

/// The distinct kernels among some candidates.
class Distinct {
public:
    Distinct(const Compilation& c, const std::vector<fusion::Candidate>& candidates)
        : compilation_(c), latencies_(perfmodel::analysis::device_latencies(*c.device)) {
        std::map<std::string, std::size_t> known;
        const auto resident = [&](const fusion::KernelWork& work) { return perfmodel::promised_blocks(c.device->limits, work); };
        for (const fusion::Candidate& candidate : candidates) {
            codegen::Unit unit = codegen::lower(candidate, "kernel", *c.graph, *c.catalog, resident);
            const auto [place, added] = known.emplace(codegen::dump(unit), units_.size());
            if (added) {
                unit.name = "kernel" + std::to_string(units_.size());
                units_.push_back(std::move(unit));
                works_.push_back(candidate.work);
            }
            index_.push_back(place->second);
        }
    }

    std::size_t size() const { return units_.size(); }
    std::size_t of(std::size_t candidate) const { return index_[candidate]; }
    const fusion::KernelWork& work(std::size_t kernel) const { return works_[kernel]; }
    const perfmodel::analysis::DeviceLatencies& latencies() const { return latencies_; }

    /// One text with the kernels [begin, end).
    AnalysisRequest request(std::size_t begin, std::size_t end) const {
        const Compilation& c = compilation_;
        AnalysisRequest request;
        request.latencies = latencies_.table;
        request.cache = execute::device_code_folder(execute::default_cache_folder());
        codegen::EmitOptions options = emit_options(c);
        options.embed_runtime = true;
        options.entries = false;
        options.options_text.clear(); // neither belongs to what is compiled
        options.summary.clear();
        request.text.architecture = "sm_" + std::to_string(options.arch);
        std::string all;
        for (std::size_t i = begin; i < end; ++i) {
            const codegen::Unit& unit = units_[i];
            options.header_name = unit.name + ".h";
            const codegen::Emitted emitted = codegen::emit(unit, *c.graph, *c.catalog, options);
            request.text.files.push_back({unit.name + ".cu", emitted.source});
            request.text.files.push_back({options.header_name, emitted.header});
            all += "#include \"" + unit.name + ".cu\"\n";
            const codegen::Kernel& kernel = unit.kernels.front();
            request.kernels.push_back({codegen::kernel_namespace(unit) + "::" + codegen::kernel_names(unit).front(),
                static_cast<unsigned>(kernel.threads), kernel.tile_elements});
        }
        request.text.files.insert(request.text.files.begin(), {"all.cu", all});
        return request;
    }

private:
    const Compilation& compilation_;
    perfmodel::analysis::DeviceLatencies latencies_;
    std::vector<codegen::Unit> units_; ///< of one kernel each
    std::vector<fusion::KernelWork> works_;
    std::vector<std::size_t> index_; ///< by candidate
};

} // namespace

std::string RegisterSource::text() const {
    return reported ? "`" + assembler + "`" : "estimated, without " + assembler;
}

std::string RegisterSource::sentence() const {
    return (reported ? "registers by " : "registers ") + text();
}

std::optional<CompiledKernels> compile_kernels(
    const Compilation& c, const std::vector<fusion::Candidate>& candidates, Diagnostics& diagnostics) {
    if (!check_emittable(*c.device, diagnostics)) {
        return std::nullopt;
    }
    constexpr std::size_t batch = 32; // kernels of one text
    const Distinct distinct(c, candidates);
    CompiledKernels result;
    std::vector<perfmodel::analysis::CompiledWork> works;
    for (std::size_t begin = 0; begin < distinct.size(); begin += batch) {
        const std::size_t end = std::min(begin + batch, distinct.size());
        const std::optional<Analysis> analysis = perfmodel::analysis::analyse(distinct.request(begin, end), diagnostics);
        if (!analysis) {
            return std::nullopt;
        }
        result.source = analysis->source;
        result.registers = {analysis->assembled != Analysis::By::none, analysis->assembler};
        for (std::size_t i = begin; i < end; ++i) {
            works.push_back(perfmodel::analysis::compiled_work(
                distinct.work(i), analysis->kernels[i - begin], analysis->assembled, distinct.latencies()));
        }
    }
    execute::evict(execute::default_cache_folder());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        result.kernels.push_back(works[distinct.of(i)]);
    }
    return result;
}

bool refine_plans(Compilation& c, Diagnostics& diagnostics) {
    if (!c.options.compiled_prices) {
        return true;
    }
    std::vector<fusion::Candidate> candidates;
    for (const fusion::Plan& plan : c.plans) {
        candidates.insert(candidates.end(), plan.kernels.begin(), plan.kernels.end());
    }
    const std::optional<CompiledKernels> compiled = compile_kernels(c, candidates, diagnostics);
    if (!compiled) {
        return false;
    }
    std::vector<CompiledPlans::Plan> priced;
    std::size_t next = 0;
    for (const fusion::Plan& plan : c.plans) {
        CompiledPlans::Plan& of = priced.emplace_back();
        for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
            const perfmodel::analysis::CompiledWork& work = compiled->kernels[next++];
            of.kernels.push_back({work, c.predictor->cost(work.work, c.options.elements)});
            of.seconds += of.kernels.back().cost.seconds;
        }
    }
    std::vector<std::size_t> order(c.plans.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return fusion::rounded_prediction(priced[i].seconds); });
    c.compiled.emplace(CompiledPlans{compiled->source, compiled->registers, {}});
    std::vector<fusion::Plan> plans;
    for (const std::size_t i : order) {
        plans.push_back(std::move(c.plans[i]));
        c.compiled->plans.push_back(std::move(priced[i]));
    }
    c.plans = std::move(plans);
    return true;
}

} // namespace fusec::cli
