// SPDX-License-Identifier: Apache-2.0
// Plan files: the kernels of a plan as JSON that survives changes elsewhere in the program, and the way back (DESIGN.md section 7).
#pragma once

#include "fusion/plan.hpp"
#include "fusion/space.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusec::fusion {

/// A text of the plan file and where it stands.
struct PlanFileText {
    std::string text;
    Span span;
};

/// A plan file as read: names only, nothing looked up yet.
struct PlanFile {
    struct Staging {
        std::string load, store; ///< "none", "words", ...
        auto operator<=>(const Staging&) const = default;
    };
    struct Kernel {
        Span span;
        std::string hash;                                  ///< `structure_hash`
        std::vector<PlanFileText> calls;                   ///< in the kernel's linear order
        std::vector<PlanFileText> stores;                  ///< as in the program
        std::map<std::string, std::string> implementation; ///< of each call
        int instances_per_block = 0;
        std::map<std::string, Staging> staging;       ///< of each list loaded or stored
        std::map<std::string, std::string> placement; ///< of each datum the kernel touches
        std::map<std::string, Span> entries;          ///< where the entries of the three tables stand: by `placement/A`
    };
    Span span;
    std::vector<std::size_t> alternatives; ///< taken, of a program that has some (frontend/alternatives.hpp)
    std::vector<Kernel> kernels;
};

/// What the file says about one kernel.
PlanFile::Kernel describe(const Candidate& kernel, const dag::CallGraph& graph, const library::Catalog& catalog);

/// The version of the format that this compiler writes and reads.
inline constexpr int plan_file_schema = 1;

/// The plan without times, kernels sorted by their calls, keys sorted: the same plan gives the same bytes. `alternatives` are those that the
/// program of the graph takes.
std::string to_plan_file(
    const Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog, const std::vector<std::size_t>& alternatives = {});

/// Reports `plan-file` at the place in the text that is no JSON, lacks a key, or has a value of the wrong kind.
std::optional<PlanFile> parse_plan_file(const SourcePtr& source, Diagnostics& diagnostics);

/// The plan that the file describes, by the candidates of the space. A kernel is found by the names of its calls if they still are
/// the same computation, else by its hash. Its bound is 0 (nothing was proved about it). Reports `plan-unknown-call`,
/// `plan-no-candidate` and `plan-not-a-cover`, all that apply, and `plan-file` for an entry of a table that is of nothing in its kernel:
/// neither of a name that the kernel has, nor of one that it may have had, one for each list without an entry.
std::optional<Plan> resolve_plan_file(
    const PlanFile& file, const dag::CallGraph& graph, const library::Catalog& catalog, Space& space, Diagnostics& diagnostics);

} // namespace fusec::fusion
