// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/analyser_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace fusec::perfmodel::analysis {

namespace {

using Json = nlohmann::json;

Json accesses_json(const std::vector<AccessProfile>& accesses) {
    Json list = Json::array();
    for (const AccessProfile& each : accesses) {
        list.push_back({{"space", static_cast<int>(each.space)}, {"store", each.store}, {"async", each.async}, {"bytes", each.bytes},
            {"count", each.count}, {"warp_accesses", each.warp_accesses}, {"pattern", static_cast<int>(each.pattern)},
            {"stride_bytes", each.stride_bytes}, {"transactions", each.transactions}, {"least_transactions", each.least_transactions},
            {"l1_passes", each.l1_passes}, {"known", each.known}, {"base", each.base}, {"where", each.where}});
    }
    return list;
}

AccessProfile read_access(const Json& entry) {
    AccessProfile access;
    access.space = static_cast<Space>(entry.at("space").get<int>());
    access.store = entry.at("store").get<bool>();
    access.async = entry.at("async").get<bool>();
    access.bytes = entry.at("bytes").get<int>();
    access.count = entry.at("count").get<double>();
    access.warp_accesses = entry.at("warp_accesses").get<double>();
    access.pattern = static_cast<Pattern>(entry.at("pattern").get<int>());
    access.stride_bytes = entry.at("stride_bytes").get<std::int64_t>();
    access.transactions = entry.at("transactions").get<double>();
    access.least_transactions = entry.at("least_transactions").get<double>();
    access.l1_passes = entry.at("l1_passes").get<double>();
    access.known = entry.at("known").get<bool>();
    access.base = entry.at("base").get<std::string>();
    access.where = entry.at("where").get<std::string>();
    return access;
}

Json profile_json(const KernelProfile& profile) {
    return {{"kernel", profile.kernel}, {"block", profile.block.values}, {"warps", profile.warps.values},
        {"longest", profile.longest.counts.values}, {"critical_path_cycles", profile.critical_path_cycles},
        {"dependency_depth", profile.longest.dependency_depth}, {"accesses", accesses_json(profile.accesses)},
        {"live_registers", profile.live_registers}, {"block_barriers", profile.block_barriers}, {"warp_barriers", profile.warp_barriers},
        {"unknowns", profile.unknowns}, {"source", profile.source}};
}

KernelProfile read_profile(const Json& entry) {
    KernelProfile profile;
    profile.kernel = entry.at("kernel").get<std::string>();
    entry.at("block").get_to(profile.block.values);
    entry.at("warps").get_to(profile.warps.values);
    entry.at("longest").get_to(profile.longest.counts.values);
    profile.critical_path_cycles = entry.at("critical_path_cycles").get<double>();
    profile.longest.dependency_depth = entry.at("dependency_depth").get<int>();
    for (const Json& access : entry.at("accesses")) {
        profile.accesses.push_back(read_access(access));
    }
    profile.live_registers = entry.at("live_registers").get<int>();
    profile.block_barriers = entry.at("block_barriers").get<int>();
    profile.warp_barriers = entry.at("warp_barriers").get<int>();
    entry.at("unknowns").get_to(profile.unknowns);
    profile.source = entry.at("source").get<std::string>();
    return profile;
}

Json assembled_json(const AssembledKernel& kernel) {
    return {{"symbol", kernel.symbol}, {"kernel", kernel.kernel}, {"registers", kernel.registers},
        {"spill_store_bytes", kernel.spill_store_bytes}, {"spill_load_bytes", kernel.spill_load_bytes}, {"stack_bytes", kernel.stack_bytes},
        {"shared_bytes", kernel.shared_bytes}};
}

AssembledKernel read_assembled(const Json& entry) {
    return {entry.at("symbol").get<std::string>(), entry.at("kernel").get<std::string>(), entry.at("registers").get<int>(),
        entry.at("spill_store_bytes").get<int>(), entry.at("spill_load_bytes").get<int>(), entry.at("stack_bytes").get<int>(),
        entry.at("shared_bytes").get<int>()};
}

/// The declared kind of that name. Pre: there is one.
const DiagnosticKind& kind_named(const std::string& name) {
    const auto& all = all_diagnostic_kinds();
    const auto found = std::find_if(all.begin(), all.end(), [&](const DiagnosticKind& each) { return each.name == name; });
    internal_check(found != all.end(), "an answer with an unknown kind of diagnostic");
    return *found;
}

} // namespace

std::string to_json(const AnalysisRequest& request) {
    Json files = Json::array(), folders = Json::array(), kernels = Json::array();
    for (const DeviceText::File& file : request.text.files) {
        files.push_back({{"name", file.name}, {"text", file.text}});
    }
    for (const std::filesystem::path& folder : request.text.include_folders) {
        folders.push_back(folder.string());
    }
    for (const AnalysisRequest::Kernel& kernel : request.kernels) {
        kernels.push_back({{"name", kernel.name}, {"threads", kernel.threads}, {"elements", kernel.elements}});
    }
    return Json{{"files", files}, {"include_folders", folders}, {"architecture", request.text.architecture},
        {"contract", request.text.contract}, {"cache", request.cache.string()}, {"assemble", request.assemble},
        {"latencies", request.latencies.cycles.values}, {"kernels", kernels}}
        .dump();
}

AnalysisRequest read_request(const std::string& text) {
    const Json root = Json::parse(text);
    AnalysisRequest request;
    for (const Json& file : root.at("files")) {
        request.text.files.push_back({file.at("name").get<std::string>(), file.at("text").get<std::string>()});
    }
    for (const Json& folder : root.at("include_folders")) {
        request.text.include_folders.emplace_back(folder.get<std::string>());
    }
    request.text.architecture = root.at("architecture").get<std::string>();
    request.text.contract = root.at("contract").get<bool>();
    request.cache = root.at("cache").get<std::string>();
    request.assemble = root.at("assemble").get<bool>();
    root.at("latencies").get_to(request.latencies.cycles.values);
    for (const Json& kernel : root.at("kernels")) {
        request.kernels.push_back(
            {kernel.at("name").get<std::string>(), kernel.at("threads").get<unsigned>(), kernel.at("elements").get<std::int64_t>()});
    }
    return request;
}

std::string to_json(const std::optional<Analysis>& analysis, const Diagnostics& diagnostics) {
    Json said = Json::array();
    for (const Diagnostic& each : diagnostics.all()) {
        said.push_back({{"kind", each.kind.name}, {"message", each.message}, {"hint", each.hint}});
    }
    Json root{{"diagnostics", said}};
    if (analysis) {
        Json kernels = Json::array();
        for (const AnalysedKernel& kernel : analysis->kernels) {
            kernels.push_back({{"profile", profile_json(kernel.profile)},
                {"assembled", kernel.assembled ? assembled_json(*kernel.assembled) : Json(nullptr)}});
        }
        root["analysis"] = {{"source", analysis->source}, {"assembler", analysis->assembler},
            {"assembled", static_cast<int>(analysis->assembled)}, {"kernels", kernels}};
    }
    return root.dump();
}

std::optional<Analysis> read_answer(const std::string& text, Diagnostics& diagnostics) {
    const Json root = Json::parse(text);
    for (const Json& each : root.at("diagnostics")) {
        diagnostics.report(kind_named(each.at("kind").get<std::string>()), {}, each.at("message").get<std::string>()).hint =
            each.at("hint").get<std::string>();
    }
    if (!root.contains("analysis")) {
        return std::nullopt;
    }
    const Json& found = root.at("analysis");
    Analysis analysis{found.at("source").get<std::string>(), found.at("assembler").get<std::string>(),
        static_cast<Analysis::By>(found.at("assembled").get<int>()), {}};
    for (const Json& kernel : found.at("kernels")) {
        AnalysedKernel& added = analysis.kernels.emplace_back();
        added.profile = read_profile(kernel.at("profile"));
        if (const Json& assembled = kernel.at("assembled"); !assembled.is_null()) {
            added.assembled = read_assembled(assembled);
        }
    }
    return analysis;
}

} // namespace fusec::perfmodel::analysis
