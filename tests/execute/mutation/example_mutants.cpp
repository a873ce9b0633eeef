// SPDX-License-Identifier: Apache-2.0
#include "example_mutants.hpp"

#include "cli/choose_plan.hpp"
#include "execute/domains.hpp"
#include "execute/verify.hpp"
#include "execute/verify_cases.hpp"
#include "tests/execute/mutation/equivalence.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
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
        const auto weight = [](const fusion::Candidate& candidate) {
            return std::pair(candidate.work.block_barriers + candidate.work.warp_barriers, candidate.threads_per_block);
        };
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
        : c_(c), unit_(codegen::lower(plan, *c.graph, *c.catalog)), cases_(plan_launches(plan, *c.graph, 1)) {}
    /// The text, of a unit with a name that can be replaced.
    codegen::Emitted emitted() {
        unit_.name = placeholder;
        codegen::EmitOptions emit;
        emit.header_name = unit_.name + ".h";
        emit.embed_runtime = false; // of many texts in one library, each would have instances of its own: most of the compiler's time
        emit.entries = !unit_.blocks.empty();
        return codegen::emit(unit_, *c_.graph, *c_.catalog, emit);
    }

    bool has_exchangeable_lists() const {
        return std::any_of(unit_.kernels.begin(), unit_.kernels.end(), [](const codegen::Kernel& kernel) {
            std::set<std::pair<bool, std::string>> kinds;
            return std::any_of(kernel.lists.begin(), kernel.lists.end(),
                [&](const codegen::List& list) { return is_parameter(list) && !kinds.emplace(list.written, list.c_type()).second; });
        });
    }

    bool has_several_tiles() const {
        return std::ranges::any_of(unit_.kernels, [](const codegen::Kernel& kernel) { return kernel.tiles.size() > 1; });
    }

    /// Some at a time: each has a copy of the values.
    void run(MutatedPlan& result, const RunSetup& setup) {
        constexpr std::size_t at_a_time = 120;
        const RandomCases drawn = draw_cases(c_.graph->program(), *c_.catalog, most_elements(cases_), 1);
        const codegen::Emitted text = emitted();
        result.original = run_texts({job("original", text, drawn)}, BuildKind::emulated, setup).at(0);
        for (const std::size_t i : result.ran) {
            result.proofs.push_back(proof_of_equivalence(unit_, result.mutants[i]).value_or(""));
        }
        RunSetup brief = setup;
        brief.first_fault_only = true;
        for (std::size_t first = 0; first < result.ran.size(); first += at_a_time) {
            std::vector<RunJob> jobs;
            for (std::size_t i = first; i < std::min(first + at_a_time, result.ran.size()); ++i) {
                jobs.push_back(job("mutant" + std::to_string(i), {result.mutants[result.ran[i]].text, text.header}, drawn));
            }
            const std::vector<RunReport> reports = run_texts(jobs, BuildKind::emulated, brief);
            result.reports.insert(result.reports.end(), reports.begin(), reports.end());
        }
    }

private:
    static constexpr const char* placeholder = "mutated_unit";

    static std::string renamed(std::string text, const std::string& name) {
        const std::size_t length = std::string(placeholder).size();
        for (std::size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at + name.size())) {
            text.replace(at, length, name);
        }
        return text;
    }

    RunJob job(const std::string& name, const codegen::Emitted& text, const RandomCases& drawn) {
        unit_.name = name;
        RunInterface interface = run_interface(unit_, drawn.reference);
        return {unit_text(unit_, {renamed(text.source, name), renamed(text.header, name)}, name), std::move(interface), cases_};
    }

    const cli::Compilation& c_;
    codegen::Unit unit_;
    std::vector<RunCase> cases_;
};

} // namespace

std::vector<MutatedPlan> run_mutants(
    const std::filesystem::path& program, std::size_t most_per_plan, std::uint64_t seed, const RunSetup& setup) {
    std::vector<MutatedPlan> results;
    std::string seen;
    for (const bool checked : {false, true}) {
        cli::Compilation c;
        c.options.program = program;
        c.options.device = "h200";
        c.options.checked = checked;
        Diagnostics diagnostics;
        if (!cli::run_pipeline(c, diagnostics, "plan")) {
            throw std::runtime_error("cannot compile " + program.string());
        }
        if (checked && c.program->checks.empty()) {
            break;
        }
        for (const auto& [name, plan] : {std::pair("auto", c.plans.front()), {"cooperative", cooperative(c)}}) {
            PlanMutants text(c, plan);
            const std::string source = text.emitted().source;
            if (stripped_title(source) == seen) {
                continue;
            }
            seen = stripped_title(source);
            MutatedPlan result{c.program->name, std::string(name) + (checked ? " --checked" : ""),
                source.find("__syncthreads()") != std::string::npos, text.has_several_tiles(), text.has_exchangeable_lists(),
                mutants(source), {}, {}, {}, {}};
            result.ran = choose(result.mutants, most_per_plan, seed);
            text.run(result, setup);
            results.push_back(std::move(result));
        }
    }
    return results;
}

std::string name_of(const MutatedPlan& plan, const Mutant& mutant) {
    return "[" + plan.program + " " + plan.plan + "] " + mutant.kind + ", " + mutant.change;
}

} // namespace fusec::execute
