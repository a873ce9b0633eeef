// SPDX-License-Identifier: Apache-2.0
// Registers and spills of emitted kernels, as predicted and as ptxas reports them, for the plans of each program in all four modes
// and for candidates with a high demand, which the plans rarely contain.
// Usage: ptxas_registers RESULT.json CANDIDATES_PER_PROGRAM PROGRAM.fus...
// Needs nvcc in $PATH; runs nothing on a GPU.
#include "bench/run_record.hpp"
#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "codegen/interface_emission.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <regex>

namespace fusec::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Compiled {
    int registers = 0;
    int spill_store_bytes = 0; ///< per thread
    int spill_load_bytes = 0;
    bool warning = false;
};

/// What ptxas says of each kernel by name; of the variants for aligned and unaligned lists the worse.
std::map<std::string, Compiled> compile(const std::string& text, const std::string& header, int arch, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "fused.cu") << text;
    std::ofstream(folder / "fused.h") << header;
    const std::string command =
        "nvcc -std=c++17 -arch=sm_" + std::to_string(arch) + " -Xptxas -v -c " + (folder / "fused.cu").string() + " -o /dev/null 2>&1";
    static const std::regex entry("Compiling entry function '_ZN[0-9]+[A-Za-z0-9_]+_kernels([0-9]+)(\\w+)'");
    static const std::regex spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
    static const std::regex used("Used ([0-9]+) registers");
    std::map<std::string, Compiled> kernels;
    Compiled* current = nullptr;
    bool warning = false;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
        const std::string line = buffer.data();
        std::smatch found;
        warning = warning || line.find("warning") != std::string::npos;
        if (std::regex_search(line, found, entry)) {
            current = &kernels[found[2].str().substr(0, std::stoul(found[1]))];
        } else if (current != nullptr && std::regex_search(line, found, spills)) {
            current->spill_store_bytes = std::max(current->spill_store_bytes, std::stoi(found[1]));
            current->spill_load_bytes = std::max(current->spill_load_bytes, std::stoi(found[2]));
        } else if (current != nullptr && std::regex_search(line, found, used)) {
            current->registers = std::max(current->registers, std::stoi(found[1]));
        }
    }
    if (pipe == nullptr || pclose(pipe) != 0) {
        std::cerr << "nvcc failed: " << command << '\n';
        std::exit(1);
    }
    for (auto& [name, kernel] : kernels) {
        kernel.warning = warning;
    }
    return kernels;
}

Json row(const std::string& program, const std::string& choice, int arch, const std::string& name, const fusion::Candidate& candidate,
    const Compiled& compiled) {
    return {{"program", program}, {"choice", choice}, {"arch", arch}, {"kernel", name},
        {"granularity", fusion::granularity_text(candidate)}, {"threads_per_block", candidate.threads_per_block},
        {"shared_bytes", candidate.shared_bytes}, {"registers_predicted", candidate.work.registers},
        {"spill_bytes_per_element_predicted", candidate.work.spill_bytes}, {"registers", compiled.registers},
        {"spill_store_bytes_per_thread", compiled.spill_store_bytes}, {"spill_load_bytes_per_thread", compiled.spill_load_bytes},
        {"warning", compiled.warning}};
}

bool compile_program(cli::Compilation& c, const std::string& file, const std::string& plan, int arch, std::string_view last = "emit") {
    c.options.program = file;
    c.options.device = "h200";
    c.options.plan = plan;
    c.options.arch = arch;
    Diagnostics diagnostics;
    const bool good = cli::run_pipeline(c, diagnostics, last);
    if (!good) {
        std::cerr << file << ": the pipeline reported an error\n";
        std::exit(1);
    }
    return good;
}

void measure_plans(Json& rows, const std::string& file, int arch, const std::filesystem::path& folder) {
    std::map<std::string, std::map<std::string, Compiled>> known; // modes often choose the same plan
    for (const std::string mode : {"auto", "none", "max", "greedy"}) {
        cli::Compilation c;
        compile_program(c, file, mode, arch);
        std::string kernels_only = c.emitted.source.substr(c.emitted.source.find("#include"));
        auto found = known.find(kernels_only);
        if (found == known.end()) {
            found = known.emplace(kernels_only, compile(c.emitted.source, c.emitted.header, arch, folder)).first;
        }
        const std::vector<std::string> names = codegen::kernel_names(*c.unit);
        for (std::size_t k = 0; k < names.size(); ++k) {
            rows.push_back(
                row(c.program->name, mode, arch, c.unit->kernels[k].name, c.plans.front().kernels[k], found->second.at(names[k])));
        }
        std::cerr << c.program->name << ' ' << mode << " sm_" << arch << '\n';
    }
}

/// Kept candidates of all columns, those with the highest predicted demand first.
void measure_candidates(Json& rows, const std::string& file, std::size_t most, int arch, const std::filesystem::path& folder) {
    cli::Compilation c;
    compile_program(c, file, "auto", arch, "plan");
    std::vector<const fusion::Candidate*> candidates;
    for (std::size_t column = 0; column < c.space->columns().size(); ++column) {
        for (const fusion::Candidate& candidate : c.space->front(ColumnId(column)).kept) {
            candidates.push_back(&candidate);
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
        [](const auto* a, const auto* b) { return a->work.registers + a->work.spill_bytes > b->work.registers + b->work.spill_bytes; });
    const std::size_t step = std::max<std::size_t>(1, candidates.size() / 2 / std::max<std::size_t>(1, most)); // the upper half, evenly
    for (std::size_t i = 0; i < most && i * step < candidates.size(); ++i) {
        const fusion::Candidate& candidate = *candidates[i * step];
        const codegen::Unit unit = codegen::lower(candidate, "sample", *c.graph, *c.catalog);
        codegen::EmitOptions options = cli::emit_options(c);
        const codegen::Emitted text = codegen::emit(unit, *c.graph, *c.catalog, options);
        const auto compiled = compile(text.source, text.header, arch, folder);
        rows.push_back(row(
            c.program->name, "candidate", arch, unit.kernels.front().name, candidate, compiled.at(codegen::kernel_names(unit).front())));
    }
    std::cerr << c.program->name << ' ' << most << " candidates sm_" << arch << '\n';
}

} // namespace
} // namespace fusec::bench

int main(int argc, char** argv) {
    using namespace fusec::bench;
    if (argc < 4) {
        std::cerr << "usage: ptxas_registers RESULT.json CANDIDATES_PER_PROGRAM PROGRAM.fus...\n";
        return 2;
    }
    const auto folder = std::filesystem::temp_directory_path() / ("fusec-ptxas-" + std::to_string(getpid()));
    Json result = run_record(FUSEC_SOURCE_FOLDER);
    result["nvcc"] = first_line("nvcc --version | tail -1");
    Json& rows = result["kernels"] = Json::array();
    for (int i = 3; i < argc; ++i) {
        for (const int arch : {90, 80}) {
            measure_plans(rows, argv[i], arch, folder);
        }
        measure_candidates(rows, argv[i], std::stoul(argv[2]), 90, folder);
    }
    std::filesystem::remove_all(folder);
    // One line per kernel keeps the file readable and its changes small.
    std::ofstream out(argv[1]);
    const std::string head = result.dump(2);
    const std::size_t list = head.find("  \"kernels\": [");
    out << head.substr(0, list) << "  \"kernels\": [\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out << "    " << rows[i].dump() << (i + 1 < rows.size() ? ",\n" : "\n");
    }
    out << "  ]\n}\n";
    return out.good() ? 0 : 1;
}
