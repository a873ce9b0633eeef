// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/analyser.hpp"
#include "perfmodel/analysis/device_module.hpp"
#include "support/counted.hpp"

#include <algorithm>

namespace fusec::perfmodel::analysis {

namespace {

/// The first kernel of the module whose name, without template arguments, is this; the name itself if there is none, which is then reported.
std::string first_form(const std::vector<std::string>& kernels, const std::string& name) {
    const auto found =
        std::find_if(kernels.begin(), kernels.end(), [&](const std::string& each) { return each == name || each.starts_with(name + "<"); });
    return found == kernels.end() ? name : *found;
}

/// Per block, as many blocks as a large launch has.
Launch launch_of(const AnalysisRequest::Kernel& kernel) {
    Launch launch;
    launch.threads = kernel.threads;
    launch.arguments = {{"first", 0}, {"n", kernel.elements * launch.blocks}};
    return launch;
}

/// Gives each kernel what is reported of it; false where that is nothing of any.
bool take(const std::vector<AssembledKernel>& assembled, Analysis& analysis) {
    bool any = false;
    for (AnalysedKernel& kernel : analysis.kernels) {
        const auto found = std::find_if(assembled.begin(), assembled.end(),
            [&](const AssembledKernel& each) { return each.kernel == kernel.profile.kernel && each.registers > 0; });
        if (found != assembled.end()) {
            kernel.assembled = *found;
            any = true;
        }
    }
    return any;
}

/// Programs that succeed and say nothing of some kernels: what is used instead.
void report_silent(const std::vector<std::string>& silent, const Analysis& analysis, Diagnostics& diagnostics) {
    const bool known = analysis.assembled != Analysis::By::none;
    for (const std::string& program : silent) {
        diagnostics.report(kind::silent_assembler, {}, "`" + program + "` succeeds and reports the registers of no kernel").hint =
            known ? "those that `" + analysis.assembler + "` reports are taken" : "registers are estimated";
    }
    const auto missing = std::count_if(
        analysis.kernels.begin(), analysis.kernels.end(), [](const AnalysedKernel& kernel) { return !kernel.assembled.has_value(); });
    if (known && missing > 0) {
        diagnostics
            .report(kind::silent_assembler, {},
                "`" + analysis.assembler + "` does not report the registers of " + std::to_string(missing) + " of " +
                    counted(analysis.kernels.size(), "kernel"))
            .hint = "of these they are estimated";
    }
}

/// By nvcc where it is installed, which is what builds the text; else by ptxas from clang's PTX.
bool ask_assembler(const AnalysisRequest& request, const DeviceModule& module, Analysis& analysis, Diagnostics& diagnostics) {
    if (!named_assemblers_exist(diagnostics)) {
        return false;
    }
    std::vector<std::string> silent;
    std::string without;
    const auto asked = [&](Analysis::By by, const std::filesystem::path& program, const std::vector<AssembledKernel>& assembled) {
        if (take(assembled, analysis)) {
            analysis.assembled = by;
            analysis.assembler = program.string();
        } else {
            silent.push_back(program.string());
            without += (without.empty() ? "an answer of `" : ", an answer of `") + program.string() + "`";
        }
    };
    if (const auto nvcc = find_nvcc(&without)) {
        const auto assembled = compile_by_nvcc(request.text, *nvcc, request.cache, diagnostics);
        if (!assembled) {
            return false;
        }
        asked(Analysis::By::nvcc, *nvcc, *assembled);
    }
    if (analysis.assembled == Analysis::By::none) {
        if (const auto ptxas = find_ptxas(&without)) {
            const auto ptx = module.ptx(diagnostics);
            const auto assembled = ptx ? assemble(*ptx, request.text.architecture, *ptxas, diagnostics) : std::nullopt;
            if (!assembled) {
                return false;
            }
            asked(Analysis::By::ptxas, *ptxas, *assembled);
        }
    }
    if (analysis.assembled == Analysis::By::none) {
        analysis.assembler = without;
    }
    report_silent(silent, analysis, diagnostics);
    return true;
}

} // namespace

std::optional<Analysis> analyse_here(const AnalysisRequest& request, Diagnostics& diagnostics) {
    const auto compiler = find_device_compiler(diagnostics);
    const auto code = compiler ? compile_device_text(request.text, *compiler, request.cache, diagnostics) : std::nullopt;
    const auto module = code ? DeviceModule::read(*code, diagnostics) : nullptr;
    if (!module) {
        return std::nullopt;
    }
    Analysis analysis;
    analysis.source = code->source;
    const std::vector<std::string> names = module->kernels();
    for (const AnalysisRequest::Kernel& kernel : request.kernels) {
        auto profile = module->profile(first_form(names, kernel.name), launch_of(kernel), request.latencies, diagnostics);
        if (!profile) {
            return std::nullopt;
        }
        analysis.kernels.push_back({std::move(*profile), std::nullopt});
    }
    if (request.assemble && !ask_assembler(request, *module, analysis, diagnostics)) {
        return std::nullopt;
    }
    return analysis;
}

} // namespace fusec::perfmodel::analysis
