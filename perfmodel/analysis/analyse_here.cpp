// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/analyser.hpp"
#include "perfmodel/analysis/device_module.hpp"

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

/// By nvcc where it is installed, which is what builds the text; else by ptxas from clang's PTX.
bool ask_assembler(const AnalysisRequest& request, const DeviceModule& module, Analysis& analysis, Diagnostics& diagnostics) {
    std::optional<std::vector<AssembledKernel>> assembled;
    if (const auto nvcc = find_nvcc(&analysis.assembler)) {
        analysis.assembler = nvcc->string();
        analysis.assembled = Analysis::By::nvcc;
        assembled = compile_by_nvcc(request.text, *nvcc, request.cache, diagnostics);
    } else if (const auto ptxas = find_ptxas(&analysis.assembler)) {
        analysis.assembler = ptxas->string();
        analysis.assembled = Analysis::By::ptxas;
        const auto ptx = module.ptx(diagnostics);
        assembled = ptx ? assemble(*ptx, request.text.architecture, *ptxas, diagnostics) : std::nullopt;
    } else {
        return true;
    }
    if (!assembled) {
        return false;
    }
    for (AnalysedKernel& kernel : analysis.kernels) {
        const auto found = std::find_if(
            assembled->begin(), assembled->end(), [&](const AssembledKernel& each) { return each.kernel == kernel.profile.kernel; });
        if (found != assembled->end()) {
            kernel.assembled = *found;
        }
    }
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
