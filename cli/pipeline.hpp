// SPDX-License-Identifier: Apache-2.0
// The whole compiler as a list of stages, each filling one field of a Compilation.
#pragma once

#include "cli/compiled_kernels.hpp"
#include "cli/options.hpp"
#include "codegen/codegen.hpp"
#include "codegen/verifier.hpp"
#include "dag/call_graph.hpp"
#include "frontend/frontend.hpp"
#include "fusion/plan.hpp"
#include "fusion/plan_file.hpp"
#include "fusion/space.hpp"
#include "perfmodel/predictor.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace fusec::cli {

/// What the search for the plan has looked at, and so what its bound and gap are over.
enum class Searched {
    all,
    some_implementations, ///< of every kernel those that promised most (fusion::SpaceStatistics::unexplored)
    some_kernels,         ///< not every fusion, or not every choice of stored data
};

struct Compilation;

/// A combination of the program's alternatives, compiled to its plan.
struct PlannedCombination {
    std::vector<std::size_t> taken;        ///< the alternative of each block, from 1 on; 0: not reached
    std::string text;                      ///< `alternative 2 of 3 at p.fus:14`
    std::shared_ptr<Compilation> compiled; ///< up to its plans; none: it has no plan
    double seconds() const;                ///< predicted for its best plan; infinite without one
};

/// Every intermediate value of one compile, in the order in which the stages make them. Later stages read what earlier ones made, with these
/// exceptions: `fold`, `condense` and `uniform` replace the program that `check` made, each by one that computes the same; `check` and
/// `condense` add the program's own functions to the catalog; the space builds candidates on demand.
struct Compilation {
    CompileOptions options;
    std::string header_name = "fused.h"; ///< what the emitted source includes
    SourcePtr source;
    std::vector<Path> included; ///< files that `include` has read
    std::optional<library::Catalog> catalog;
    std::optional<perfmodel::Device> device; ///< that of the options, unless one is given before
    std::unique_ptr<perfmodel::Predictor> predictor;
    std::shared_ptr<const frontend::ast::Program> ast;
    std::vector<frontend::CheckedCombination> combinations; ///< of alternatives; one for a program without any
    std::optional<fusion::PlanFile> plan_file;              ///< that `--plan` names, once it has been read
    std::vector<PlannedCombination> planned; ///< fastest first, of which the first is the program; empty without alternatives
    std::optional<frontend::CheckedProgram> program;
    std::optional<dag::CallGraph> graph;
    std::unique_ptr<fusion::Space> space;
    std::vector<fusion::Plan> plans;       ///< best first; the first is emitted
    std::optional<CompiledPlans> compiled; ///< with CompileOptions::compiled_prices
    Searched searched = Searched::all;
    double unfused_seconds = 0; ///< predicted time of one kernel per call
    std::optional<codegen::Unit> unit;
    codegen::Emitted emitted;
    std::vector<std::pair<std::string_view, double>> seconds; ///< wall time by stage
    double space_seconds = 0;                                 ///< of the stages that search
};

/// One arrow of the compiler. `run` fills its field or reports and returns false; `check` breaks on a broken invariant;
/// `dump` is the text of `--dump NAME`, null where a stage has none.
struct Stage {
    std::string_view name;
    std::string_view description;
    bool (*run)(Compilation&, Diagnostics&);
    void (*check)(const Compilation&);
    std::string (*dump)(Compilation&);
    std::string_view dump_name;
};

const std::vector<Stage>& stages();

/// Runs the stages up to and including `last`. Dumps go to stdout, stage times to stderr. False after an error was reported.
bool run_pipeline(Compilation& compilation, Diagnostics& diagnostics, std::string_view last = "emit");

/// Runs some stages of a compilation that has what they need, without dumps and times.
bool run_stages(Compilation& compilation, Diagnostics& diagnostics, std::string_view first, std::string_view last);

} // namespace fusec::cli
