// SPDX-License-Identifier: Apache-2.0
#include "execute/verify.hpp"

#include "codegen/interface_emission.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

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

codegen::EmitOptions emit_options(const VerifyOptions& options, const std::string& header) {
    codegen::EmitOptions emit;
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
    return calls + " " + granularity_text(candidate) + " storing " + names(candidate.stores, graph) + ", " + std::to_string(candidate.instances_per_block) + " elements per block";
}

/// Random inputs of a program and its reference, drawn once for all that is checked.
class Cases {
public:
    Cases(const dag::CallGraph& graph, const library::Catalog& catalog, std::size_t elements, std::uint64_t seed)
        : graph_(graph), catalog_(catalog), drawn_(draw_cases(graph.program(), catalog, elements, seed)) {}

    /// The interface of a unit that executes `calls`: values for its inputs, the reference for its outputs. Intermediates that it reads
    /// are the reference's, rounded to the precision they are stored in, and exact from there on.
    RunInterface interface(const codegen::Unit& unit, const dag::CallSet& calls) {
        const ReferenceResult& reference = evaluated(unit, calls);
        RunInterface interface{unit.name, {}, {}};
        for (const codegen::List& list : unit.inputs) {
            interface.inputs.push_back({list.name, list.type, list.uniform, reference.values.at(list.datum.index()), {}});
        }
        for (const codegen::List& list : unit.outputs) {
            interface.outputs.push_back({list.name, list.type, false, reference.values.at(list.datum.index()), reference.bounds.at(list.datum.index())});
        }
        return interface;
    }

    void count(VerifyResult& result) const {
        result.drawn += drawn_.elements;
        result.redrawn += drawn_.redrawn;
        result.ill_conditioned = result.ill_conditioned || !drawn_.acceptable();
    }

private:
    const ReferenceResult& evaluated(const codegen::Unit& unit, const dag::CallSet& calls) {
        if (calls.size() == graph_.calls()) {
            return drawn_.reference;
        }
        // The last one is kept: candidates of one column follow each other.
        if (calls != last_calls_) {
            DataValues given(drawn_.reference.values.size());
            for (const codegen::List& list : unit.inputs) {
                std::vector<double>& values = given[list.datum.index()] = drawn_.reference.values[list.datum.index()];
                for (double& value : values) {
                    value = list.type.precision == Precision::f32 ? static_cast<double>(static_cast<float>(value)) : value;
                }
            }
            last_ = evaluate(graph_.program(), catalog_, calls, drawn_.elements, given);
            last_calls_ = calls;
        }
        return last_;
    }

    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    RandomCases drawn_;
    dag::CallSet last_calls_;
    ReferenceResult last_;
};

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
    Checker(const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options, const RunSetup& setup, std::size_t elements)
        : graph_(graph), catalog_(catalog), options_(options), setup_(setup), cases_(graph, catalog, elements, options.seed) {
        cases_.count(result_);
    }

    void add(const Candidate& candidate) {
        ++result_.checked;
        const codegen::Unit plain = codegen::lower(candidate, "kernel", graph_, catalog_);
        const codegen::Emitted emitted = codegen::emit(plain, graph_, catalog_, emit_options(options_, "kernel.h"));
        if (const auto [known, added] = known_.try_emplace(without_title(emitted.source), result_.texts); !added) {
            ++candidates_[known->second];
            return;
        }
        const std::string name = "kernel" + std::to_string(result_.texts);
        const codegen::Unit unit = codegen::lower(candidate, name, graph_, catalog_);
        add(unit_text(unit, codegen::emit(unit, graph_, catalog_, emit_options(options_, name + ".h")), name), cases_.interface(unit, candidate.calls), standard_cases(candidate.instances_per_block, options_.seed), describe(candidate, graph_));
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

std::size_t elements_for(const std::vector<int>& tiles) {
    std::size_t elements = 0;
    for (const int tile : tiles) {
        elements = std::max(elements, most_elements(standard_cases(tile, 0)));
    }
    return elements;
}

/// std::shuffle is not the same everywhere.
template <class T>
void shuffle(std::vector<T>& values, std::mt19937_64& random) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random() % i]);
    }
}

/// Columns to look at: all of a short program; of a longer one, one after another from each size of fusion, in random order.
std::vector<ColumnId> columns_to_check(const fusion::Space& space, bool all, std::mt19937_64& random) {
    std::map<std::size_t, std::vector<ColumnId>> strata;
    for (std::size_t c = 0; c < space.columns().size(); ++c) {
        strata[all ? 0 : space.columns()[c].executes.size()].push_back(ColumnId(c));
    }
    std::vector<ColumnId> order;
    for (auto& [size, columns] : strata) {
        if (!all) {
            shuffle(columns, random);
        }
    }
    for (std::size_t i = 0; order.size() < space.columns().size(); ++i) {
        for (const auto& [size, columns] : strata) {
            if (i < columns.size()) {
                order.push_back(columns[i]);
            }
        }
    }
    return order;
}

RunInterface program_interface(const codegen::Unit& unit, const dag::CallGraph& graph, Cases& cases) {
    dag::CallSet all;
    for (std::size_t c = 0; c < graph.calls(); ++c) {
        all.push_back(CallId(c));
    }
    return cases.interface(unit, all);
}

/// The launches that a plan is checked with: those of each of its tiles, which are listed in `tiles`.
std::vector<RunCase> plan_cases(const fusion::Plan& plan, const VerifyOptions& options, std::vector<int>& tiles) {
    std::vector<RunCase> cases;
    for (const Candidate& kernel : plan.kernels) {
        if (std::find(tiles.begin(), tiles.end(), kernel.instances_per_block) == tiles.end()) {
            tiles.push_back(kernel.instances_per_block);
            const std::vector<RunCase> of_tile = standard_cases(kernel.instances_per_block, options.seed);
            cases.insert(cases.end(), of_tile.begin(), of_tile.end());
        }
    }
    return cases;
}

} // namespace

void VerifyResult::merge(const VerifyResult& other) {
    fusions = std::max(fusions, other.fusions);
    candidates += other.candidates;
    checked += other.checked;
    texts += other.texts;
    launches += other.launches;
    components += other.components;
    product += other.product;
    mismatches += other.mismatches;
    redrawn += other.redrawn;
    drawn += other.drawn;
    ill_conditioned = ill_conditioned || other.ill_conditioned;
    worst_ratio = std::max(worst_ratio, other.worst_ratio);
    failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

UnitText unit_text(const codegen::Unit& unit, const codegen::Emitted& emitted, const std::string& file) {
    UnitText text{unit.name, {{file + ".cu", emitted.source}, {file + ".h", emitted.header}}, {}};
    const std::vector<std::string> kernels = codegen::kernel_names(unit);
    for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
        std::vector<emulation::NamedTile> tiles;
        for (const codegen::Tile& tile : unit.kernels[i].tiles) {
            tiles.push_back({tile.name, tile.offset, tile.bytes});
        }
        text.tiles.emplace_back(codegen::kernel_namespace(unit) + "::" + kernels[i], std::move(tiles));
    }
    return text;
}

VerifyResult verify_kernels(const std::vector<Candidate>& candidates, const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options, const RunSetup& setup) {
    std::vector<int> tiles;
    for (const Candidate& candidate : candidates) {
        tiles.push_back(candidate.instances_per_block);
    }
    Checker checker(graph, catalog, options, setup, elements_for(tiles));
    for (const Candidate& candidate : candidates) {
        checker.add(candidate);
    }
    VerifyResult result = checker.finish();
    result.candidates = candidates.size();
    return result;
}

VerifyResult verify_candidates(fusion::Space& space, const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options, const RunSetup& setup) {
    std::mt19937_64 random(options.seed);
    const bool all = graph.calls() <= options.most_calls_for_all;
    std::vector<Candidate> chosen;
    std::size_t kept = 0;
    std::vector<std::vector<Candidate>> fronts; // of a longer program: what is left of the columns looked at, in random order
    for (const ColumnId column : columns_to_check(space, all, random)) {
        if (!all && fronts.size() >= options.sample) {
            break;
        }
        const std::vector<Candidate>& front = space.front(column).kept;
        kept += front.size();
        if (all) {
            chosen.insert(chosen.end(), front.begin(), front.end());
        } else if (!front.empty()) {
            fronts.push_back(front);
            shuffle(fronts.back(), random);
        }
    }
    // One of each column, then a second one, and so on.
    for (bool more = true; more && chosen.size() < options.sample;) {
        more = false;
        for (std::vector<Candidate>& front : fronts) {
            if (!front.empty() && chosen.size() < options.sample) {
                chosen.push_back(std::move(front.back()));
                front.pop_back();
                more = true;
            }
        }
    }
    VerifyResult result = verify_kernels(chosen, graph, catalog, options, setup);
    result.candidates = kept;
    result.fusions = space.fusions().size();
    return result;
}

VerifyResult verify_plan(const fusion::Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options, const RunSetup& setup) {
    std::vector<int> tiles;
    const std::vector<RunCase> cases = plan_cases(plan, options, tiles);
    Checker checker(graph, catalog, options, setup, elements_for(tiles));
    const codegen::Unit unit = codegen::lower(plan, graph, catalog);
    ++checker.result().checked;
    checker.add(unit_text(unit, codegen::emit(unit, graph, catalog, emit_options(options, unit.name + ".h")), unit.name), program_interface(unit, graph, checker.cases()), cases, "the plan of " + std::to_string(plan.kernels.size()) + " kernels");
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
        std::vector<int> tiles;
        std::vector<RunCase> cases = plan_cases(*item.plan, options, tiles);
        if (p == 0 || plans[p - 1].graph != item.graph) {
            known.clear();
            drawn.reset();
        }
        const std::size_t elements = elements_for(tiles);
        if (!drawn || elements > drawn_elements) {
            drawn.emplace(*item.graph, *item.catalog, elements, options.seed);
            drawn_elements = elements;
        }
        VerifyResult& result = results[p];
        drawn->count(result);
        ++result.checked;
        codegen::Unit unit = codegen::lower(*item.plan, *item.graph, *item.catalog);
        const auto emit = [&](const std::string& header) { return codegen::emit(unit, *item.graph, *item.catalog, emit_options(options, header)); };
        const auto [same, first] = known.emplace(without_title(emit("unit.h").source), p);
        same_as[p] = same->second;
        if (!first) {
            continue;
        }
        ++result.texts;
        unit.name = item.name;
        jobs.push_back({unit_text(unit, emit(item.name + ".h"), item.name), program_interface(unit, *item.graph, *drawn), std::move(cases)});
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

VerifyResult verify_text(const UnitText& text, const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options, const RunSetup& setup) {
    const std::vector<int> tiles{8, 32, 64, 128, 256};
    std::vector<RunCase> cases;
    for (const int tile : tiles) {
        const std::vector<RunCase> of_tile = standard_cases(tile, options.seed);
        cases.insert(cases.end(), of_tile.begin(), of_tile.end());
    }
    Checker checker(graph, catalog, options, setup, elements_for(tiles));
    // Only the interface lists matter here; the names in them are those of the program's identifiers.
    codegen::Unit unit;
    unit.name = text.name;
    const frontend::CheckedProgram& program = graph.program();
    for (const DataId id : program.inputs) {
        unit.inputs.push_back({id, program.datum(id).identifier, program.datum(id).type, program.datum(id).kind == frontend::DatumKind::uniform, false});
    }
    for (const DataId id : program.outputs) {
        unit.outputs.push_back({id, program.datum(id).identifier, program.datum(id).type, false, true});
    }
    ++checker.result().checked;
    checker.add(text, program_interface(unit, graph, checker.cases()), cases, text.files.front().name);
    return checker.finish();
}

std::optional<UnitText> read_unit(const std::filesystem::path& source, const std::string& unit, Diagnostics& diagnostics) {
    UnitText text{unit, {}, {}};
    std::vector<std::filesystem::path> waiting{source};
    std::set<std::string> seen{source.filename().string()};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const std::optional<std::string> content = read_file(waiting[i], diagnostics);
        if (!content) {
            return std::nullopt;
        }
        text.files.push_back({waiting[i].filename().string(), *content});
        std::istringstream lines(*content);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t open = line.find('"'), close = line.rfind('"');
            if (line.compare(0, 8, "#include") == 0 && open != std::string::npos && close > open) {
                const std::string name = line.substr(open + 1, close - open - 1);
                if (seen.insert(name).second) {
                    waiting.push_back(source.parent_path() / name);
                }
            }
        }
    }
    return text;
}

void report(const VerifyResult& result, const std::string& program, Diagnostics& diagnostics) {
    for (const VerifyFailure& failure : result.failures) {
        std::string message = "`" + program + "`, " + failure.what + ": " + (failure.texts.empty() ? "no result" : failure.texts.front());
        Diagnostic& diagnostic = diagnostics.report(kind::verify_mismatch, {}, std::move(message));
        for (std::size_t i = 1; i < failure.texts.size(); ++i) {
            diagnostic.notes.push_back({{}, failure.texts[i]});
        }
    }
    if (result.mismatches > result.failures.size()) {
        diagnostics.report(kind::verify_mismatch, {}, "`" + program + "`: " + std::to_string(result.mismatches - result.failures.size()) + " more of " + std::to_string(result.checked) + " do not agree with the reference");
    }
    if (result.ill_conditioned) {
        diagnostics.report(kind::verify_mismatch, {}, "`" + program + "`: " + std::to_string(result.redrawn) + " of " + std::to_string(result.drawn) + " random elements are ill conditioned, at most 5 % may be");
    }
}

} // namespace fusec::execute
