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
#include <fstream>
#include <iostream>
#include <regex>
#include <tuple>

namespace fusec::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Compiled {
    int registers = 0;
    int stack_bytes = 0; ///< per thread
    int spill_store_bytes = 0;
    int spill_load_bytes = 0;
    bool warning = false; ///< in the translation unit
};

/// Kernels of one program for one architecture, each in a namespace of its own, compiled as one translation unit.
class Batch {
public:
    Batch(int arch, std::filesystem::path folder) : arch_(arch), folder_(std::move(folder)) {
        std::filesystem::create_directories(folder_);
    }

    /// Adds the text of a unit; its name is made unique. Plans of several modes are often the same: those are compiled once.
    /// The rows of the kernels are filled when the batch is compiled.
    void add(cli::Compilation& c, codegen::Unit unit, std::vector<Json> rows) {
        unit.name = "same";
        const codegen::EmitOptions options = cli::emit_options(c);
        std::string text = codegen::emit(unit, *c.graph, *c.catalog, options).source;
        text.erase(0, text.find("#include")); // the comment tells the options
        auto known = names_.find(text);
        if (known == names_.end()) {
            const std::string name = "unit" + std::to_string(names_.size());
            known = names_.emplace(std::move(text), name).first;
            unit.name = name;
            c.header_name = name + ".h";
            const codegen::Emitted emitted = codegen::emit(unit, *c.graph, *c.catalog, cli::emit_options(c));
            std::ofstream(folder_ / (name + ".cu")) << emitted.source;
            std::ofstream(folder_ / (name + ".h")) << emitted.header;
            all_ += "#include \"" + name + ".cu\"\n";
            kernels_[name] = codegen::kernel_names(unit);
        }
        for (std::size_t k = 0; k < rows.size(); ++k) {
            rows_.emplace_back(known->second, k, std::move(rows[k]));
        }
    }

    void compile(Json& out) {
        std::ofstream(folder_ / "all.cu") << all_;
        const std::map<std::string, Compiled> found = run();
        for (auto& [unit, kernel, row] : rows_) {
            const std::string name = kernels_.at(unit).at(kernel);
            const Compiled& compiled = found.at(unit + "::" + (name.starts_with(unit) ? name.substr(unit.size()) : name));
            row["registers"] = compiled.registers;
            row["stack_bytes_per_thread"] = compiled.stack_bytes;
            row["spill_store_bytes_per_thread"] = compiled.spill_store_bytes;
            row["spill_load_bytes_per_thread"] = compiled.spill_load_bytes;
            row["warning"] = compiled.warning;
            out.push_back(row);
        }
    }

private:
    /// What ptxas says of each kernel; of the variants for aligned and unaligned lists the worse.
    std::map<std::string, Compiled> run() const {
        const std::string command = "cd " + folder_.string() + " && nvcc -std=c++17 -arch=sm_" + std::to_string(arch_) +
            " -Xptxas -v -cubin all.cu -o all.cubin 2>&1";
        static const std::regex entry("Compiling entry function '_ZN[0-9]+(unit[0-9]+)_kernels([0-9]+)(\\w+)'");
        static const std::regex spills("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
        static const std::regex used("Used ([0-9]+) registers");
        std::map<std::string, Compiled> kernels;
        Compiled* current = nullptr;
        bool warning = false;
        FILE* pipe = popen(command.c_str(), "r");
        std::array<char, 4096> buffer{};
        std::string all;
        while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
            const std::string line = buffer.data();
            all += line;
            std::smatch found;
            warning = warning || line.find("warning") != std::string::npos;
            if (std::regex_search(line, found, entry)) {
                const std::string name = found[3].str().substr(0, std::stoul(found[2]));
                const std::string unit = found[1];
                current = &kernels[unit + "::" + (name.starts_with(unit) ? name.substr(unit.size()) : name)];
            } else if (current != nullptr && std::regex_search(line, found, spills)) {
                current->stack_bytes = std::max(current->stack_bytes, std::stoi(found[1]));
                current->spill_store_bytes = std::max(current->spill_store_bytes, std::stoi(found[2]));
                current->spill_load_bytes = std::max(current->spill_load_bytes, std::stoi(found[3]));
            } else if (current != nullptr && std::regex_search(line, found, used)) {
                current->registers = std::max(current->registers, std::stoi(found[1]));
            }
        }
        if (pipe == nullptr || pclose(pipe) != 0) {
            std::cerr << "nvcc failed: " << command << '\n' << all.substr(0, 4000);
            std::exit(1);
        }
        for (auto& [name, kernel] : kernels) {
            kernel.warning = warning;
        }
        return kernels;
    }

    int arch_;
    std::filesystem::path folder_;
    std::string all_;
    std::map<std::string, std::string> names_; ///< text -> unit
    std::map<std::string, std::vector<std::string>> kernels_;
    std::vector<std::tuple<std::string, std::size_t, Json>> rows_; ///< unit, kernel of it
};

Json row(const std::string& program, const std::string& choice, int arch, const std::string& name, const fusion::Candidate& candidate) {
    const fusion::RegisterDemand& demand = candidate.work.demand;
    return {{"program", program}, {"choice", choice}, {"arch", arch}, {"kernel", name},
        {"precision", candidate.work.precision == Precision::f32 ? "f32" : "f64"}, {"granularity", fusion::granularity_text(candidate)},
        {"threads_per_block", candidate.threads_per_block}, {"shared_bytes", candidate.shared_bytes}, {"live", demand.live},
        {"kept", demand.kept}, {"temporaries", demand.temporaries}, {"passing", demand.passing}, {"copies", demand.copies},
        {"registers_predicted", candidate.work.registers}, {"spill_bytes_per_element_predicted", candidate.work.spill_bytes}};
}

void compile_program(cli::Compilation& c, const std::string& file, const std::string& plan, int arch) {
    c.options.program = file;
    c.options.device = "h200";
    c.options.plan = plan;
    c.options.arch = arch;
    Diagnostics diagnostics;
    if (!cli::run_pipeline(c, diagnostics, "lower")) {
        std::cerr << file << ": the pipeline reported an error\n";
        std::exit(1);
    }
}

void add_plans(Batch& batch, const std::string& file, int arch) {
    for (const std::string mode : {"auto", "none", "max", "greedy"}) {
        cli::Compilation c;
        compile_program(c, file, mode, arch);
        std::vector<Json> rows;
        for (std::size_t k = 0; k < c.unit->kernels.size(); ++k) {
            rows.push_back(row(c.program->name, mode, arch, c.unit->kernels[k].name, c.plans.front().kernels[k]));
        }
        batch.add(c, *c.unit, std::move(rows));
    }
}

/// Kept candidates of all columns, from those with the highest predicted demand down, evenly.
void add_candidates(Batch& batch, const std::string& file, std::size_t most, int arch) {
    cli::Compilation c;
    compile_program(c, file, "auto", arch);
    std::vector<const fusion::Candidate*> candidates;
    for (std::size_t column = 0; column < c.space->columns().size(); ++column) {
        for (const fusion::Candidate& candidate : c.space->front(ColumnId(column)).kept) {
            candidates.push_back(&candidate);
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
        [](const auto* a, const auto* b) { return a->work.registers + a->work.spill_bytes > b->work.registers + b->work.spill_bytes; });
    const std::size_t step = std::max<std::size_t>(1, candidates.size() / std::max<std::size_t>(1, most));
    for (std::size_t i = 0; i < most && i * step < candidates.size(); ++i) {
        const fusion::Candidate& candidate = *candidates[i * step];
        const codegen::Unit unit = codegen::lower(candidate, "sample", *c.graph, *c.catalog);
        batch.add(c, unit, {row(c.program->name, "candidate", arch, unit.kernels.front().name, candidate)});
    }
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
            Batch batch(arch, folder / (std::to_string(i) + "_" + std::to_string(arch)));
            add_plans(batch, argv[i], arch);
            if (arch == 90) {
                add_candidates(batch, argv[i], std::stoul(argv[2]), arch);
            }
            batch.compile(rows);
            std::cerr << argv[i] << " sm_" << arch << '\n';
        }
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
