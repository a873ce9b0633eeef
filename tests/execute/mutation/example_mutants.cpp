// SPDX-License-Identifier: Apache-2.0
#include "example_mutants.hpp"

#include "cli/choose_plan.hpp"
#include "execute/domains.hpp"
#include "execute/verify.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>

namespace fusec::execute {

namespace {

std::string stripped_title(const std::string& source) {
    return source.substr(source.find("\n\n"));
}

/// The chosen kernels, each as the kept candidate that has the most barriers, then the most threads.
fusion::Plan cooperative(cli::Compilation& c) {
    fusion::Plan plan = c.plans.front();
    for (fusion::Candidate& kernel : plan.kernels) {
        const std::vector<fusion::Candidate>& kept = c.space->front(c.space->find(kernel.calls, kernel.stores).value()).kept;
        const auto weight = [](const fusion::Candidate& candidate) { return std::pair(candidate.work.block_barriers + candidate.work.warp_barriers, candidate.threads_per_block); };
        kernel = *std::max_element(kept.begin(), kept.end(), [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
    }
    plan.workspace = fusion::plan_workspace(*c.graph, plan.kernels);
    return plan;
}

/// As many indices as asked for, one of each kind, then a second one, and so on.
std::vector<std::size_t> choose(const std::vector<Mutant>& mutants, std::size_t most, std::uint64_t seed) {
    std::map<std::string, std::vector<std::size_t>> kinds;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        kinds[mutants[i].kind].push_back(i);
    }
    std::mt19937_64 random(seed);
    std::vector<std::size_t> chosen;
    for (bool more = true; more && chosen.size() < most;) {
        more = false;
        for (auto& [kind, indices] : kinds) {
            if (!indices.empty() && chosen.size() < most) {
                const std::size_t at = random() % indices.size();
                chosen.push_back(indices[at]);
                indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(at));
                more = true;
            }
        }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

class PlanMutants {
public:
    PlanMutants(const cli::Compilation& c, const fusion::Plan& plan)
        : c_(c), unit_(codegen::lower(plan, *c.graph, *c.catalog)) {
        for (const fusion::Candidate& kernel : plan.kernels) {
            const std::vector<RunCase> of_tile = standard_cases(kernel.instances_per_block, 1);
            cases_.insert(cases_.end(), of_tile.begin(), of_tile.end());
        }
    }

    /// The text as a unit of the given name, which its kernels' namespace and functions take.
    codegen::Emitted emitted(const std::string& name) {
        unit_.name = name;
        codegen::EmitOptions emit;
        emit.header_name = name + ".h";
        return codegen::emit(unit_, *c_.graph, *c_.catalog, emit);
    }

    void run(MutatedPlan& result, const RunSetup& setup) {
        const RandomCases drawn = draw_cases(c_.graph->program(), *c_.catalog, most_elements(cases_), 1);
        std::vector<RunJob> jobs{job("original", [](const std::string& source) { return source; }, drawn)};
        for (const std::size_t i : result.ran) {
            jobs.push_back(job("mutant" + std::to_string(i), [i](const std::string& source) { return mutants(source).at(i).text; }, drawn));
        }
        std::vector<RunReport> reports = run_texts(jobs, BuildKind::emulated, setup);
        result.original = reports.front();
        result.reports.assign(reports.begin() + 1, reports.end());
    }

private:
    template <class Change>
    RunJob job(const std::string& name, const Change& change, const RandomCases& drawn) {
        codegen::Emitted text = emitted(name);
        text.source = change(text.source);
        RunInterface interface{name, {}, {}};
        for (const codegen::List& list : unit_.inputs) {
            interface.inputs.push_back({list.name, list.type, list.uniform, drawn.reference.values[list.datum.index()], {}});
        }
        for (const codegen::List& list : unit_.outputs) {
            interface.outputs.push_back({list.name, list.type, false, drawn.reference.values[list.datum.index()], drawn.reference.bounds[list.datum.index()]});
        }
        return {unit_text(unit_, text, name), std::move(interface), cases_};
    }

    const cli::Compilation& c_;
    codegen::Unit unit_;
    std::vector<RunCase> cases_;
};

} // namespace

std::vector<MutatedPlan> run_mutants(const std::filesystem::path& program, std::size_t most_per_plan, std::uint64_t seed, const RunSetup& setup) {
    cli::Compilation c;
    c.options.program = program;
    c.options.device = "h200";
    Diagnostics diagnostics;
    if (!cli::run_pipeline(c, diagnostics, "plan")) {
        throw std::runtime_error("cannot compile " + program.string());
    }
    std::vector<MutatedPlan> results;
    std::string seen;
    for (const auto& [name, plan] : {std::pair("auto", c.plans.front()), {"cooperative", cooperative(c)}}) {
        PlanMutants text(c, plan);
        const std::string source = text.emitted("original").source;
        if (stripped_title(source) == seen) {
            continue;
        }
        seen = stripped_title(source);
        MutatedPlan result{c.program->name, name, mutants(source), {}, {}, {}};
        result.ran = choose(result.mutants, most_per_plan, seed);
        text.run(result, setup);
        results.push_back(std::move(result));
    }
    return results;
}

std::string key_of(const MutatedPlan& plan, const Mutant& mutant) {
    return "[" + plan.program + " " + plan.plan + "] " + mutant.kind + ": " + mutant.change.substr(mutant.change.find(": ") + 2);
}

std::vector<std::pair<std::string, std::string>> known_equivalents() {
    std::ifstream stream(std::string(FUSEC_SOURCE_DIR) + "/tests/execute/mutation/equivalent.txt");
    std::vector<std::pair<std::string, std::string>> known;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("[")) {
            known.emplace_back(line, "");
        } else if (line.starts_with("    ") && !known.empty()) {
            known.back().second += line.substr(4) + "\n";
        }
    }
    return known;
}

} // namespace fusec::execute
