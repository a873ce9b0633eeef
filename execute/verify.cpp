// SPDX-License-Identifier: Apache-2.0
#include "execute/verify.hpp"

#include "execute/candidate_sample.hpp"
#include "execute/verify_cases.hpp"
#include "support/counted.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace fusec::execute {

namespace {

using fusion::Candidate;

BuildKind build_kind(const VerifyOptions& options) {
    switch (options.target) {
    case fusion::Target::cuda:
        return options.gpu ? BuildKind::gpu : BuildKind::emulated;
    case fusion::Target::host:
        return BuildKind::host_checked;
    }
    return BuildKind::emulated;
}

/// Of a program with blocks, text has a function for each of them, which is run too. Compiling the library's runtime with each text is most of the
/// work: the `first` text of a run holds it, as a user gets it, the others include the same files.
codegen::EmitOptions emit_options(const VerifyOptions& options, const std::string& header, const codegen::Unit& unit, bool first) {
    codegen::EmitOptions emit;
    emit.embed_runtime = first || options.gpu;
    emit.entries = !unit.blocks.empty();
    emit.target = options.target;
    emit.arch = options.arch;
    emit.header_name = header;
    return emit;
}

std::string names(const std::vector<DataId>& data, const dag::CallGraph& graph) {
    std::string text;
    for (const DataId datum : data) {
        text += (text.empty() ? "" : ", ") + graph.datum(datum).name;
    }
    return text;
}

std::string describe(const Candidate& candidate, const dag::CallGraph& graph) {
    std::string calls;
    for (const fusion::CallPlan& call : candidate.order) {
        calls += (calls.empty() ? "" : ", ") + graph.program().name_of(call.call);
    }
    return calls + " " + granularity_text(candidate) + " storing " + names(candidate.stores, graph) + ", " +
        counted(static_cast<std::uint64_t>(candidate.instances_per_block), "element") + " per block";
}

/// The comment lines before the first other line name version, options and plan.
std::string without_title(const std::string& source) {
    std::size_t at = 0;
    while (source.compare(at, 2, "//") == 0) {
        at = source.find('\n', at) + 1;
    }
    return source.substr(at);
}

/// Collects jobs, drops those whose kernel has been seen, and runs them some at a time: the values of all would not fit.
class Checker {
public:
    Checker(const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options, const RunSetup& setup,
        std::size_t elements)
        : graph_(graph), catalog_(catalog), options_(options), setup_(setup), cases_(graph, catalog, elements, options.seed) {
        cases_.count(result_);
    }

    void add(const Candidate& candidate) {
        ++result_.checked;
        const codegen::Unit plain = codegen::lower(candidate, "kernel", graph_, catalog_);
        const codegen::Emitted emitted = codegen::emit(plain, graph_, catalog_, emit_options(options_, "kernel.h", plain, false));
        if (const auto [known, added] = known_.try_emplace(without_title(emitted.source), result_.texts); !added) {
            ++candidates_[known->second];
            return;
        }
        const std::string name = "kernel" + std::to_string(result_.texts);
        const codegen::Unit unit = codegen::lower(candidate, name, graph_, catalog_);
        add(unit_text(unit, codegen::emit(unit, graph_, catalog_, emit_options(options_, name + ".h", unit, result_.texts == 0)), name),
            cases_.interface(unit, candidate.calls), standard_cases(candidate.instances_per_block, options_.seed),
            describe(candidate, graph_));
    }
    void add(UnitText text, RunInterface interface, std::vector<RunCase> cases, std::string what) {
        ids_.push_back(result_.texts++);
        candidates_.push_back(1);
        jobs_.push_back({std::move(text), std::move(interface), std::move(cases)});
        whats_.push_back(std::move(what));
        if (jobs_.size() >= setup_.batch * setup_.jobs) {
            run();
        }
    }
    Cases& cases() { return cases_; }
    VerifyResult& result() { return result_; }

    void run() {
        run(jobs_, whats_, ids_, build_kind(options_));
        if (options_.target == fusion::Target::host && options_.product_every != 0) {
            std::vector<RunJob> jobs;
            std::vector<std::string> whats;
            std::vector<std::size_t> ids;
            for (std::size_t i = 0; i < jobs_.size(); ++i) {
                if (ids_[i] % options_.product_every == 0) {
                    jobs.push_back(std::move(jobs_[i]));
                    whats.push_back(whats_[i] + ", optimised");
                    ids.push_back(ids_[i]);
                }
            }
            result_.product += jobs.size();
            run(jobs, whats, ids, BuildKind::host_product);
        }
        jobs_.clear();
        whats_.clear();
        ids_.clear();
    }

    /// Runs what is left. A text that failed counts for every candidate that has it, once.
    VerifyResult finish() {
        run();
        for (const std::size_t id : failed_) {
            result_.mismatches += candidates_[id];
        }
        return std::move(result_);
    }

private:
    void run(const std::vector<RunJob>& jobs, const std::vector<std::string>& whats, const std::vector<std::size_t>& ids, BuildKind kind) {
        const std::vector<RunReport> reports = run_texts(jobs, kind, setup_);
        for (std::size_t i = 0; i < reports.size(); ++i) {
            result_.launches += reports[i].launches;
            result_.components += reports[i].components;
            result_.worst_ratio = std::max(result_.worst_ratio, reports[i].worst_ratio);
            if (reports[i].faults != 0) {
                failed_.insert(ids[i]);
                if (result_.failures.size() < options_.most_failures) {
                    result_.failures.push_back({whats[i], reports[i].texts});
                }
            }
        }
    }

    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    const VerifyOptions& options_;
    const RunSetup& setup_;
    Cases cases_;
    std::map<std::string, std::size_t> known_; ///< text of a kernel to its number
    std::vector<std::size_t> candidates_;      ///< by number of a text: how many have it
    std::set<std::size_t> failed_;             ///< numbers of texts that fail in at least one build
    std::vector<RunJob> jobs_;                 ///< waiting
    std::vector<std::string> whats_;           ///< of jobs_
    std::vector<std::size_t> ids_;             ///< of jobs_
    VerifyResult result_;
};

} // namespace

VerifyResult verify_kernels(const std::vector<Candidate>& candidates, const dag::CallGraph& graph, const library::Catalog& catalog,
    const VerifyOptions& options, const RunSetup& setup) {
    std::size_t elements = 0;
    for (const Candidate& candidate : candidates) {
        elements = std::max(elements, most_elements(standard_cases(candidate.instances_per_block, options.seed)));
    }
    Checker checker(graph, catalog, options, setup, elements);
    for (const Candidate& candidate : candidates) {
        checker.add(candidate);
    }
    VerifyResult result = checker.finish();
    result.candidates = candidates.size();
    return result;
}

VerifyResult verify_candidates(fusion::Space& space, const dag::CallGraph& graph, const library::Catalog& catalog,
    const VerifyOptions& options, const RunSetup& setup) {
    const CandidateSample sample = choose_candidates(space, graph.calls() <= options.most_calls_for_all, options.sample, options.seed);
    VerifyResult result = verify_kernels(sample.chosen, graph, catalog, options, setup);
    result.candidates = sample.kept;
    result.fusions = space.fusions().size();
    return result;
}

VerifyResult verify_plan(const fusion::Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog,
    const VerifyOptions& options, const RunSetup& setup) {
    const std::vector<RunCase> cases = plan_launches(plan, graph, options.seed);
    Checker checker(graph, catalog, options, setup, most_elements(cases));
    const codegen::Unit unit = codegen::lower(plan, graph, catalog);
    ++checker.result().checked;
    checker.add(unit_text(unit, codegen::emit(unit, graph, catalog, emit_options(options, unit.name + ".h", unit, true)), unit.name),
        checker.cases().interface(unit), cases, "the plan of " + counted(plan.kernels.size(), "kernel"));
    return checker.finish();
}

std::vector<VerifyResult> verify_plans(const std::vector<PlanToVerify>& plans, const VerifyOptions& options, const RunSetup& setup) {
    std::vector<VerifyResult> results(plans.size());
    std::vector<RunJob> jobs;
    std::vector<std::size_t> plan_of_job;
    std::vector<std::size_t> same_as(plans.size()); // the plan whose text stands for this one's
    std::optional<Cases> drawn;
    std::size_t drawn_elements = 0;
    std::map<std::string, std::size_t> known; // texts of the graph at hand
    for (std::size_t p = 0; p < plans.size(); ++p) {
        const PlanToVerify& item = plans[p];
        std::vector<RunCase> cases = plan_launches(*item.plan, *item.graph, options.seed);
        if (p == 0 || plans[p - 1].graph != item.graph) {
            known.clear();
            drawn.reset();
        }
        const std::size_t elements = most_elements(cases);
        if (!drawn || elements > drawn_elements) {
            drawn.emplace(*item.graph, *item.catalog, elements, options.seed);
            drawn_elements = elements;
        }
        VerifyResult& result = results[p];
        drawn->count(result);
        ++result.checked;
        codegen::Unit unit = codegen::lower(*item.plan, *item.graph, *item.catalog);
        const auto emit = [&](const std::string& header, bool first) {
            return codegen::emit(unit, *item.graph, *item.catalog, emit_options(options, header, unit, first));
        };
        const auto [same, first] = known.emplace(without_title(emit("unit.h", false).source), p);
        same_as[p] = same->second;
        if (!first) {
            continue;
        }
        ++result.texts;
        unit.name = item.name;
        jobs.push_back({unit_text(unit, emit(item.name + ".h", jobs.empty()), item.name), drawn->interface(unit), std::move(cases)});
        plan_of_job.push_back(p);
    }
    const auto run = [&](const std::vector<RunJob>& some, const std::vector<std::size_t>& plan_of, BuildKind kind, const char* suffix) {
        const std::vector<RunReport> reports = run_texts(some, kind, setup);
        for (std::size_t i = 0; i < reports.size(); ++i) {
            VerifyResult& result = results[plan_of[i]];
            result.launches += reports[i].launches;
            result.components += reports[i].components;
            result.worst_ratio = std::max(result.worst_ratio, reports[i].worst_ratio);
            if (reports[i].faults != 0) {
                result.mismatches = 1;
                result.failures.push_back({plans[plan_of[i]].what + suffix, reports[i].texts});
            }
        }
    };
    run(jobs, plan_of_job, build_kind(options), "");
    if (options.target == fusion::Target::host && options.product_every != 0) {
        std::vector<RunJob> some;
        std::vector<std::size_t> plan_of;
        for (std::size_t i = 0; i < jobs.size(); i += options.product_every) {
            some.push_back(std::move(jobs[i]));
            plan_of.push_back(plan_of_job[i]);
        }
        run(some, plan_of, BuildKind::host_product, ", optimised");
    }
    for (std::size_t p = 0; p < plans.size(); ++p) {
        if (same_as[p] != p) {
            const VerifyResult& same = results[same_as[p]];
            results[p].mismatches = same.mismatches;
            results[p].failures = same.failures;
            results[p].worst_ratio = same.worst_ratio;
        }
    }
    return results;
}

VerifyResult verify_text(const UnitText& text, const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options,
    const RunSetup& setup) {
    std::vector<RunCase> cases;
    for (const int tile : {8, 32, 64, 128, 256}) {
        const std::vector<RunCase> of_tile = standard_cases(tile, options.seed);
        cases.insert(cases.end(), of_tile.begin(), of_tile.end());
    }
    Checker checker(graph, catalog, options, setup, most_elements(cases));
    // Only the interface lists matter here; the names in them are those of the program's identifiers.
    codegen::Unit unit = codegen::unit_without_kernels(graph.program());
    unit.name = text.name;
    ++checker.result().checked;
    RunInterface interface = checker.cases().interface(unit);
    interface.slots = std::nullopt; // the text may divide its workspace as it likes
    interface.entries.clear();      // and need not have a function per block
    checker.add(text, std::move(interface), cases, text.files.front().name);
    return checker.finish();
}

} // namespace fusec::execute
