// SPDX-License-Identifier: Apache-2.0
#include "tests/execute/mutation/library_mutant_run.hpp"

#include "execute/library_check.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace fusec::execute {

namespace fs = std::filesystem;

namespace {

/// One mutant of each of some functions, by function.
using Round = std::map<std::string, std::size_t>;

std::vector<Round> rounds_of(const std::vector<LibraryMutant>& mutants) {
    std::vector<Round> rounds;
    std::map<std::string, std::size_t> next;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        const std::size_t round = next[mutants[i].function]++;
        rounds.resize(std::max(rounds.size(), round + 1));
        rounds[round][mutants[i].function] = i;
    }
    return rounds;
}

/// The function's metadata with the first implementation, which must be there, and those of one template: only these can differ.
std::string metadata_of(const library::Function& function, const std::string& routine) {
    std::ostringstream all;
    all << std::ifstream(function.metadata_path).rdbuf();
    const std::string text = all.str();
    const std::string head = "[[implementation]]\n";
    std::size_t end = text.find(head);
    std::string kept = text.substr(0, end);
    for (const library::Implementation& implementation : function.implementations) {
        const std::size_t begin = end;
        end = text.find(head, begin + 1);
        if (&implementation == &function.implementations.front() || implementation.routine == routine) {
            kept += text.substr(begin, end - begin);
        }
    }
    return kept;
}

} // namespace

std::vector<MutantOutcome> run_mutants(
    const library::Catalog& catalog, const std::vector<LibraryMutant>& mutants, const fs::path& folder, const HostCompiler& compiler) {
    std::vector<MutantOutcome> outcomes(mutants.size());
    LibraryCheckOptions options;
    options.cache = folder / "cache";
    options.runtime_folder = library::standard_library_folder() / "runtime";
    options.emulation_folder = emulation_folder(library::standard_library_folder());
    for (const Round& round : rounds_of(mutants)) {
        const fs::path family = folder / "library" / "mutants";
        fs::remove_all(folder);
        fs::create_directories(family);
        for (const auto& [name, index] : round) {
            const library::Function& function = catalog.function(catalog.find(name).value());
            std::ofstream(family / (name + ".toml")) << metadata_of(function, mutants[index].routine);
            std::ofstream(family / (name + ".cuh")) << mutants[index].source;
        }
        Diagnostics diagnostics;
        const auto mutated = library::Catalog::load({folder / "library"}, diagnostics);
        if (!mutated) {
            throw std::runtime_error("the mutated functions do not load");
        }
        check_library(*mutated, compiler, options, diagnostics);
        for (const Diagnostic& report : diagnostics.all()) {
            const std::string name = fs::path(report.span.source ? report.span.source->path() : "").stem().string();
            const auto found = round.find(name);
            if (found == round.end()) {
                throw std::runtime_error("a report of no mutant: " + report.message);
            }
            MutantOutcome& outcome = outcomes[found->second];
            outcome.killed = outcome.killed || report.kind.name == kind::library_mismatch.name;
            outcome.compiled = outcome.compiled && report.kind.name != kind::host_compile_failed.name;
            if (outcome.first_report.empty()) {
                outcome.first_report = report.message;
            }
        }
    }
    fs::remove_all(folder);
    return outcomes;
}

} // namespace fusec::execute
