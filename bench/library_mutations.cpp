// SPDX-License-Identifier: Apache-2.0
// All mutants of the standard library's device sources under `fusec library check`, as JSON: counts per function and kind, survivors.
//
//     build/bench/library_mutations > bench/results/library_mutations.json
#include "bench/run_record.hpp"
#include "tests/execute/mutation/library_mutant_run.hpp"

#include <cstdio>
#include <iostream>
#include <map>

#include <unistd.h>

namespace {

struct Count {
    std::size_t mutants = 0, killed = 0, refused = 0, equivalent = 0;
};

nlohmann::ordered_json as_json(const Count& count) {
    return {{"mutants", count.mutants}, {"killed", count.killed}, {"refused_by_the_compiler", count.refused},
        {"equivalent", count.equivalent}, {"survivors", count.mutants - count.killed - count.refused - count.equivalent}};
}

} // namespace

int main() {
    using namespace fusec;
    using namespace fusec::execute;
    Diagnostics diagnostics;
    const auto catalog = library::Catalog::load({library::standard_library_folder()}, diagnostics);
    const auto compiler = find_host_compiler(diagnostics);
    if (!catalog || !compiler) {
        render(diagnostics, std::cerr, false);
        return 1;
    }
    std::vector<LibraryMutant> mutants;
    for (const std::string& name : catalog->names()) {
        for (LibraryMutant& mutant : library_mutants(catalog->function(catalog->find(name).value()))) {
            mutants.push_back(std::move(mutant));
        }
    }
    const auto folder = std::filesystem::temp_directory_path() / ("fusec_library_mutations_" + std::to_string(getpid()));
    const std::vector<MutantOutcome> outcomes = run_mutants(*catalog, mutants, folder, *compiler);

    Count all;
    std::map<std::string, Count> by_kind, by_function;
    nlohmann::ordered_json equivalent = nlohmann::ordered_json::array();
    nlohmann::ordered_json survivors = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        const LibraryMutant& mutant = mutants[i];
        for (Count* count : {&all, &by_kind[mutant.kind], &by_function[mutant.function]}) {
            ++count->mutants;
            count->killed += outcomes[i].killed ? 1U : 0U;
            count->refused += !outcomes[i].killed && !outcomes[i].compiled ? 1U : 0U;
            count->equivalent += !outcomes[i].killed && outcomes[i].compiled && !why_equivalent(mutant).empty() ? 1U : 0U;
        }
        if (!outcomes[i].killed && outcomes[i].compiled) {
            nlohmann::ordered_json entry{{"function", mutant.function}, {"kind", mutant.kind}, {"change", mutant.change}};
            if (const std::string why = why_equivalent(mutant); !why.empty()) {
                entry["why"] = why;
                equivalent.push_back(entry);
            } else {
                survivors.push_back(entry);
            }
        }
    }
    nlohmann::ordered_json result = bench::run_record(FUSEC_SOURCE_FOLDER);
    result["all"] = as_json(all);
    for (const auto& [kind, count] : by_kind) {
        result["kinds"][kind] = as_json(count);
    }
    for (const auto& [function, count] : by_function) {
        result["functions"][function] = as_json(count);
    }
    result["equivalent"] = equivalent;
    result["survivors"] = survivors;
    std::cout << result.dump(2) << '\n';
    return survivors.empty() ? 0 : 1;
}
