// SPDX-License-Identifier: Apache-2.0
// From a plan file back to candidates of the space.
#include "fusion/plan_file.hpp"

#include "fusion/enumerate.hpp"
#include "fusion/structure_hash.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace fusec::fusion {

namespace {

class Resolver {
public:
    Resolver(const dag::CallGraph& graph, const library::Catalog& catalog, Space& space, Diagnostics& diagnostics)
        : graph_(graph), catalog_(catalog), space_(space), diagnostics_(diagnostics) {
        for (std::size_t i = 0; i < graph.program().data.size(); ++i) {
            data_.emplace(graph.datum(DataId(i)).name, DataId(i));
        }
    }

    std::optional<Plan> resolve(const PlanFile& file) {
        // Names first, for all kernels: what they claim is not taken by a kernel that must be found by its hash.
        std::vector<std::optional<ColumnId>> columns;
        for (const PlanFile::Kernel& kernel : file.kernels) {
            columns.push_back(by_name(kernel));
            if (columns.back()) {
                taken_.push_back(*columns.back());
            }
        }
        std::map<ColumnId, Candidate> candidates;
        std::vector<ColumnId> chosen;
        bool complete = true;
        for (std::size_t k = 0; k < file.kernels.size(); ++k) {
            std::optional<Candidate> candidate;
            if (columns[k]) {
                candidate = implementation(file.kernels[k], *columns[k]);
            } else {
                std::tie(columns[k], candidate) = by_hash(file.kernels[k]);
            }
            if ((columns[k] && !has_its_calls_only(file.kernels[k])) || (candidate && !has_its_data_only(file.kernels[k], *candidate))) {
                complete = false;
            } else if (candidate) {
                chosen.push_back(*columns[k]);
                candidates.insert_or_assign(*columns[k], std::move(*candidate));
            } else {
                complete = false;
                report_missing(file.kernels[k], columns[k]);
            }
        }
        if (!complete) {
            return std::nullopt;
        }
        std::vector<ColumnId> order;
        if (!launch_order(graph_, space_.columns(), chosen, order)) {
            Diagnostic& report = diagnostics_.report(kind::plan_not_a_cover, file.span, why_not_a_cover(chosen));
            report.hint = lacks_checks(chosen) ? "the plan was made without `--checked`" : "";
            return std::nullopt;
        }
        Plan plan;
        for (const ColumnId column : order) {
            plan.kernels.push_back(std::move(candidates.at(column)));
            plan.seconds += plan.kernels.back().cost.seconds;
        }
        plan.workspace = plan_workspace(graph_, plan.kernels);
        plan.gap = 1;
        return plan;
    }

private:
    std::optional<CallId> call(const std::string& name) const {
        const auto found = data_.find(name);
        return found == data_.end() ? std::nullopt : graph_.datum(found->second).producer;
    }

    std::optional<ColumnId> by_name(const PlanFile::Kernel& kernel) const {
        CallSet calls;
        std::vector<DataId> stores;
        for (const PlanFileText& name : kernel.calls) {
            const std::optional<CallId> found = call(name.text);
            if (!found) {
                return std::nullopt;
            }
            calls.push_back(*found);
        }
        for (const PlanFileText& name : kernel.stores) {
            const auto found = data_.find(name.text);
            if (found == data_.end()) {
                return std::nullopt;
            }
            stores.push_back(found->second);
        }
        std::sort(calls.begin(), calls.end());
        std::sort(stores.begin(), stores.end());
        const std::optional<ColumnId> column = space_.find(calls, stores);
        return column && structure_hash(graph_, catalog_, calls, stores) == kernel.hash ? column : std::nullopt;
    }

    /// The first column, not claimed by another kernel, that is the same computation and has the implementation.
    std::pair<std::optional<ColumnId>, std::optional<Candidate>> by_hash(const PlanFile::Kernel& kernel) {
        std::optional<ColumnId> same;
        for (std::size_t c = 0; c < space_.columns().size(); ++c) {
            const Column& column = space_.columns()[c];
            if (column.executes.size() != kernel.calls.size() || column.stores.size() != kernel.stores.size() ||
                std::find(taken_.begin(), taken_.end(), ColumnId(c)) != taken_.end() ||
                structure_hash(graph_, catalog_, column.executes, column.stores) != kernel.hash) {
                continue;
            }
            same = ColumnId(c);
            if (std::optional<Candidate> candidate = implementation(kernel, *same)) {
                taken_.push_back(*same);
                return {same, std::move(candidate)};
            }
        }
        return {same, std::nullopt};
    }

    /// The cheapest candidate of the column that the file describes; ties by enumeration order.
    std::optional<Candidate> implementation(const PlanFile::Kernel& kernel, ColumnId column) {
        std::optional<Candidate> best;
        for (Candidate& candidate : space_.implementations(column)) {
            if (matches(kernel, candidate) && (!best || candidate.cost.seconds < best->cost.seconds)) {
                best = std::move(candidate);
            }
        }
        return best;
    }

    /// The file and a candidate key by key, in the order in which the file has the keys; empty when they agree, else the first key
    /// that differs with the candidate's value. Data are compared by what they are to the kernel: a call's result by the call's
    /// place, any other by its name; a list that was renamed since may be placed and staged in any way.
    struct Difference {
        std::string key;   ///< empty: none
        std::string value; ///< the candidate's
        int agreed = 0;    ///< keys before it
    };

    Difference difference(const PlanFile::Kernel& kernel, const Candidate& candidate) const {
        const PlanFile::Kernel found = describe(candidate, graph_, catalog_);
        Difference result;
        if (found.calls.size() != kernel.calls.size() || found.stores.size() != kernel.stores.size()) {
            return {"number of `calls`", std::to_string(found.calls.size()), 0};
        }
        std::map<std::string, std::string> in_file; // name in the program -> name in the file
        for (std::size_t i = 0; i < found.calls.size(); ++i) {
            in_file[found.calls[i].text] = kernel.calls[i].text;
        }
        for (const PlanFileText& stored : found.stores) {
            const bool same = std::any_of(kernel.stores.begin(), kernel.stores.end(),
                [&](const PlanFileText& theirs) { return theirs.text == in_file.at(stored.text); });
            if (!same) {
                return {"entry of `stores`", stored.text, result.agreed};
            }
        }
        ++result.agreed;
        // Names of the kernel's own calls must be in the file's table; a list may have been renamed since.
        const auto compare = [&](const char* table, const auto& ours, const auto& theirs, const auto& text) {
            for (const auto& [name, value] : ours) {
                const auto renamed = in_file.find(name);
                const auto described = theirs.find(renamed == in_file.end() ? name : renamed->second);
                const bool same = described == theirs.end() ? renamed == in_file.end() : described->second == value;
                if (!same) {
                    result.key = "`" + std::string(table) + "` of `" + (renamed == in_file.end() ? name : renamed->second) + "`";
                    result.value = text(value);
                    return false;
                }
                ++result.agreed;
            }
            return true;
        };
        const auto plain = [](const std::string& value) { return value; };
        if (!compare("implementation", found.implementation, kernel.implementation, plain)) {
            return result;
        }
        if (found.instances_per_block != kernel.instances_per_block) {
            return {"`instances_per_block`", std::to_string(found.instances_per_block), result.agreed};
        }
        ++result.agreed;
        if (!compare("placement", found.placement, kernel.placement, plain)) {
            return result;
        }
        compare("staging", found.staging, kernel.staging,
            [](const PlanFile::Staging& staging) { return "load " + staging.load + ", store " + staging.store; });
        return result;
    }

    bool matches(const PlanFile::Kernel& kernel, const Candidate& candidate) const { return difference(kernel, candidate).key.empty(); }

    void report_entry(const PlanFile::Kernel& kernel, const std::string& table, const std::string& name, const char* what,
        const std::vector<std::string>& names) {
        const std::string near = nearest(name, names);
        diagnostics_.report(kind::plan_file, kernel.entries.at(table + "/" + name), "`" + table + "` of `" + name + "`, which is " + what)
            .hint = near.empty() ? "" : "did you mean `" + near + "`?";
    }

    /// Whether every entry of `implementation` is of a call that the file itself names; reports the others.
    bool has_its_calls_only(const PlanFile::Kernel& kernel) {
        std::vector<std::string> calls;
        for (const PlanFileText& name : kernel.calls) {
            calls.push_back(name.text);
        }
        bool good = true;
        for (const auto& [name, value] : kernel.implementation) {
            if (std::find(calls.begin(), calls.end(), name) == calls.end()) {
                report_entry(kernel, "implementation", name, "no call of the kernel", calls);
                good = false;
            }
        }
        return good;
    }

    /// Whether every entry of `placement` and `staging` is of a datum of the candidate, or of a name that a list without an entry may have
    /// had: then both tables say it. Reports the others. Pre: the candidate matches.
    bool has_its_data_only(const PlanFile::Kernel& kernel, const Candidate& candidate) {
        const PlanFile::Kernel found = describe(candidate, graph_, catalog_);
        std::map<std::string, std::string> in_file; // name in the program -> name in the file
        for (std::size_t i = 0; i < found.calls.size(); ++i) {
            in_file[found.calls[i].text] = kernel.calls[i].text;
        }
        std::vector<std::string> known; // as the file has to call them
        std::size_t renamed = 0;
        for (const auto& [name, placement] : found.placement) {
            const auto call = in_file.find(name);
            known.push_back(call == in_file.end() ? name : call->second);
            renamed += kernel.placement.contains(known.back()) || kernel.staging.contains(known.back()) ? 0U : 1U;
        }
        const auto is_known = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
        std::vector<std::pair<std::string, std::string>> unknown; // table, name
        std::size_t old_names = 0;
        for (const auto& [name, placement] : kernel.placement) {
            if (!is_known(name)) {
                unknown.emplace_back("placement", name);
                ++old_names;
            }
        }
        const bool all_renamed = old_names <= renamed;
        if (all_renamed) {
            unknown.clear();
        }
        for (const auto& [name, staging] : kernel.staging) {
            if (!is_known(name) && !(all_renamed && kernel.placement.contains(name))) {
                unknown.emplace_back("staging", name);
            }
        }
        for (const auto& [table, name] : unknown) {
            report_entry(kernel, table, name, "no datum of the kernel", known);
        }
        return unknown.empty();
    }

    /// The key at which the candidates that agree longest stop to agree, and the values that they have there.
    Difference nearest_difference(const PlanFile::Kernel& kernel, ColumnId column) {
        Difference nearest{"", "", -1};
        std::set<std::string> values;
        for (const Candidate& candidate : space_.implementations(column)) {
            Difference found = difference(kernel, candidate);
            if (std::tie(found.agreed, nearest.key) > std::tie(nearest.agreed, found.key)) { // ties: the key that comes first
                nearest = found;
                values.clear();
            }
            if (found.agreed == nearest.agreed && found.key == nearest.key) {
                values.insert(found.value);
            }
        }
        nearest.value.clear();
        for (const std::string& value : values) {
            nearest.value += (nearest.value.empty() ? "`" : ", `") + value + "`";
        }
        return nearest;
    }

    void report_missing(const PlanFile::Kernel& kernel, const std::optional<ColumnId>& same_computation) {
        if (same_computation) {
            const Difference difference = nearest_difference(kernel, *same_computation);
            diagnostics_
                .report(kind::plan_no_candidate, kernel.span,
                    "no candidate of these calls has this " + difference.key + ": the nearest have " + difference.value)
                .hint = "options and device decide which candidates exist; `--save-plan` writes the plan of this compile";
            return;
        }
        bool unknown = false;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < graph_.calls(); ++i) {
            names.push_back(graph_.program().name_of(CallId(i)));
        }
        for (const std::vector<PlanFileText>* texts : {&kernel.calls, &kernel.stores}) {
            for (const PlanFileText& name : *texts) {
                if (!call(name.text)) {
                    unknown = true;
                    Diagnostic& report = diagnostics_.report(
                        kind::plan_unknown_call, name.span, "no call `" + name.text + "` in program `" + graph_.program().name + "`");
                    report.hint = graph_.program().within(name.text);
                    if (name.text.starts_with("assert:") && graph_.program().checks.empty()) {
                        report.hint = "the plan was made with `--checked`";
                    }
                    if (const std::string near = nearest(name.text, names); report.hint.empty() && !near.empty()) {
                        report.hint = "did you mean `" + near + "`?";
                    }
                }
            }
        }
        if (!unknown) {
            CallSet calls;
            for (const PlanFileText& name : kernel.calls) {
                calls.push_back(*call(name.text));
            }
            std::sort(calls.begin(), calls.end());
            if (!calls.empty() && graph_.block(calls.front()) != graph_.block(calls.back())) {
                diagnostics_.report(kind::plan_no_candidate, kernel.span, why_no_fusion(graph_, calls, largest_enumerated)->detail);
                return;
            }
            diagnostics_.report(kind::plan_no_candidate, kernel.span,
                "these calls are no fusion of the program, or no longer the computation that the plan was made for");
        }
    }

    /// The program has checks, and no kernel computes one.
    bool lacks_checks(const std::vector<ColumnId>& chosen) const {
        return !graph_.program().checks.empty() && std::none_of(chosen.begin(), chosen.end(), [&](ColumnId column) {
            const std::vector<DataId>& stores = space_.columns()[column.index()].stores;
            return std::any_of(stores.begin(), stores.end(), [&](DataId stored) { return graph_.datum(stored).flag; });
        });
    }

    std::string why_not_a_cover(const std::vector<ColumnId>& chosen) const {
        std::map<DataId, int> storing;
        for (const ColumnId column : chosen) {
            for (const DataId stored : space_.columns()[column.index()].stores) {
                if (++storing[stored] == 2) {
                    return "two kernels store `" + graph_.datum(stored).name + "`";
                }
            }
        }
        for (const DataId output : graph_.program().outputs) {
            if (!storing.contains(output)) {
                const frontend::Datum& datum = graph_.datum(output);
                return std::string(datum.flag ? "no kernel computes the check `" : "no kernel stores the output `") + datum.name + "`";
            }
        }
        for (const ColumnId column : chosen) {
            for (const DataId loaded : space_.columns()[column.index()].loads) {
                if (graph_.datum(loaded).producer && !storing.contains(loaded)) {
                    return "a kernel loads `" + graph_.datum(loaded).name + "`, which no kernel stores";
                }
            }
        }
        return "the kernels wait for each other in a cycle";
    }

    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    Space& space_;
    Diagnostics& diagnostics_;
    std::map<std::string, DataId> data_;
    std::vector<ColumnId> taken_;
};

} // namespace

std::optional<Plan> resolve_plan_file(
    const PlanFile& file, const dag::CallGraph& graph, const library::Catalog& catalog, Space& space, Diagnostics& diagnostics) {
    return Resolver(graph, catalog, space, diagnostics).resolve(file);
}

} // namespace fusec::fusion
