// SPDX-License-Identifier: Apache-2.0
// Kernels that were measured, as the compiler of now counts them. Nothing is measured, and no plan is searched for: the same kernels are found again in
// the programs' spaces, by their structure (bench/kernel_structure.hpp).
// Usage: gpu_recount DEVICE KERNELS.json PROGRAM.fus...
// KERNELS.json: {"kernels": [{"program": NAME, "work": WORK}, ...]}, works as perfmodel/fit/kernel_work_json.hpp has them, of the programs named or of
// those that the compiler measures GPUs with (`staged`, `generated_1`, ...). Prints {"kernels": [[{"work": WORK, "text": TEXT, "same_accesses": BOOL},
// ...], ...]}: for each the kernels of now with its structure, what they do, what is emitted for them, and whether they access lists in the same ways.
#include "bench/kernel_structure.hpp"
#include "cli/gpu_kernels.hpp"
#include "codegen/codegen.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/fit/kernel_work_json.hpp"
#include "support/files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <compare>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace fusec::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Kernels of one program by their structure; of each structure that is looked for the texts, with the work.
using Found = std::map<std::string, std::map<std::string, fusion::KernelWork>>;

struct Asked {
    std::string program, structure, accesses;
};

/// How many calls a kernel executes by steps of its own and how many lists it stores: a column of the space with fewer calls, or other numbers of lists, has
/// no such kernel.
struct Outline {
    std::size_t calls = 0, stores = 0;
    auto operator<=>(const Outline&) const = default;
};

Outline outline_of(const fusion::KernelWork& work) {
    Outline outline;
    for (const fusion::WorkStep& step : work.steps) {
        outline.calls += step.kind == fusion::WorkStep::Kind::compute ? 1U : 0U;
        for (const fusion::GlobalAccess& access : step.accesses) {
            outline.stores += access.store ? 1U : 0U;
        }
    }
    return outline;
}

std::string text_of(const cli::Compilation& c, const fusion::Candidate& kernel) {
    const codegen::Unit unit = codegen::lower(kernel, "k", *c.graph, *c.catalog);
    codegen::EmitOptions options;
    options.arch = c.device->limits.arch;
    return codegen::emit(unit, *c.graph, *c.catalog, options).source;
}

void find(const cli::Compilation& c, const std::set<Outline>& outlines, Found& found) {
    for (std::size_t i = 0; i < c.space->columns().size(); ++i) {
        const fusion::Column& column = c.space->columns()[i];
        if (std::ranges::none_of(outlines,
                [&](const Outline& each) { return each.calls <= column.executes.size() && each.stores == column.stores.size(); })) {
            continue;
        }
        for (const fusion::Candidate& kernel : c.space->implementations(ColumnId(i))) {
            if (const auto like = found.find(structure_of(kernel.work)); like != found.end()) {
                like->second.emplace(text_of(c, kernel), kernel.work);
            }
        }
    }
}

int run(
    const std::string& device_name, const std::string& file, const std::vector<std::filesystem::path>& programs, Diagnostics& diagnostics) {
    auto content = read_text(file, diagnostics);
    if (!content) {
        return 1;
    }
    const auto root = parse_json(std::make_shared<const SourceText>(file, std::move(*content)), kind::invalid_measurement, diagnostics);
    if (!root) {
        return 1;
    }
    std::vector<Asked> asked;
    std::map<std::string, Found> found; // by program
    std::map<std::string, std::set<Outline>> outlines;
    try {
        JsonReader json(kind::invalid_measurement, diagnostics);
        for (const JsonValue& kernel : json.array(*root, "kernels")) {
            const fusion::KernelWork work = perfmodel::read_kernel_work(json, json.member(kernel, "work", JsonValue::Kind::object));
            asked.push_back({json.text(kernel, "program"), structure_of(work), accesses_of(work)});
            found[asked.back().program][asked.back().structure];
            outlines[asked.back().program].insert(outline_of(work));
        }
    } catch (const JsonReader::Failed&) {
        return 1;
    }
    const auto device = perfmodel::find_device(device_name, diagnostics);
    const auto all =
        device ? cli::choose_gpu_kernels(perfmodel::device_file(device_name), device->limits, programs, diagnostics) : std::nullopt;
    if (!all) {
        return 1;
    }
    for (const cli::Compilation& c : all->programs) {
        if (const auto of_program = found.find(c.program->name); of_program != found.end()) {
            find(c, outlines[c.program->name], of_program->second);
        }
    }
    Json kernels = Json::array();
    for (const Asked& each : asked) {
        Json like = Json::array();
        for (const auto& [text, work] : found[each.program][each.structure]) {
            like.push_back(
                {{"work", Json::parse(perfmodel::to_json(work))}, {"text", text}, {"same_accesses", accesses_of(work) == each.accesses}});
        }
        kernels.push_back(std::move(like));
    }
    std::cout << Json{{"kernels", std::move(kernels)}}.dump() << '\n';
    return 0;
}

} // namespace
} // namespace fusec::bench

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: gpu_recount DEVICE KERNELS.json PROGRAM.fus...\n";
        return 2;
    }
    fusec::Diagnostics diagnostics;
    const int code = fusec::bench::run(argv[1], argv[2], {argv + 3, argv + argc}, diagnostics);
    render(diagnostics, std::cerr, false);
    return code;
}
