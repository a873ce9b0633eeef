// SPDX-License-Identifier: Apache-2.0
// Verification: every kept candidate of a program, its plan, or a given text is emitted, compiled, run and compared with the reference.
#pragma once

#include "codegen/codegen.hpp"
#include "execute/domains.hpp"
#include "execute/run_text.hpp"
#include "execute/selections.hpp"
#include "fusion/space.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fusec::execute {

/// How kernels are run against the reference, and how many of them.
struct VerifyOptions {
    fusion::Target target = fusion::Target::cuda; ///< cuda: emulated; host: run as it is
    int arch = 90;
    bool gpu = false; ///< cuda: built by nvcc and run on the device in place of the emulation; RunSetup::compiler is nvcc
    std::uint64_t seed = 1;
    std::size_t most_calls_for_all = 12; ///< longer programs are sampled
    std::size_t sample = 500;            ///< candidates of a longer program, spread over the sizes of fusions
    std::size_t product_every = 20;      ///< host: every so many texts, the first included, are also run as a user builds them; 0: none
    std::size_t most_failures = 20;      ///< kept; all are counted
};

/// A candidate, plan or text that does not do what the reference does.
struct VerifyFailure {
    std::string what; ///< `M1, v1 {3 3} stored M1, v1, 64 elements per block`
    std::vector<std::string> texts;
};

/// What was run, and what did not agree; results of several programs are put together by `merge`.
struct VerifyResult {
    std::size_t fusions = 0;    ///< in the space
    std::size_t candidates = 0; ///< kept, of the columns looked at
    std::size_t checked = 0;    ///< candidates, plans or texts run
    std::size_t texts = 0;      ///< distinct kernels compiled: identical ones are run once
    std::size_t launches = 0;
    std::size_t components = 0;   ///< compared
    std::size_t product = 0;      ///< of `texts`: also run as a user builds them
    std::size_t mismatches = 0;   ///< of `checked`; a candidate whose text fails in both builds counts once
    std::size_t drawn = 0;        ///< elements of the random inputs
    std::size_t redrawn = 0;      ///< of them, drawn again as ill conditioned
    std::size_t still_ill = 0;    ///< of them, ill conditioned in every draw
    std::string ill_datum;        ///< what rounding may change by more than a hundredth of its size
    bool ill_conditioned = false; ///< more than 5 % redrawn, or elements that stayed so: the comparison proves little
    double worst_ratio = 0;       ///< largest error over allowed error of what agrees
    std::vector<VerifyFailure> failures;
    std::vector<OneSidedSelection> one_sided; ///< of the program: one of their values was compared in no element

    bool passed() const { return mismatches == 0 && !ill_conditioned; }
    void merge(const VerifyResult& other);
};

/// Every kept candidate of the space (of a longer program: a stratified sample), each as a kernel of its own: what it loads is given,
/// intermediates by the reference. The space's target must be that of the options.
VerifyResult verify_candidates(fusion::Space& space, const dag::CallGraph& graph, const library::Catalog& catalog,
    const VerifyOptions& options, const RunSetup& setup);

/// Candidates given one by one, as verify_candidates treats them.
VerifyResult verify_kernels(const std::vector<fusion::Candidate>& candidates, const dag::CallGraph& graph, const library::Catalog& catalog,
    const VerifyOptions& options, const RunSetup& setup);

/// The whole program as the plan's text.
VerifyResult verify_plan(const fusion::Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog,
    const VerifyOptions& options, const RunSetup& setup);

/// A plan of a program, to be verified together with others: all are emitted for one target.
struct PlanToVerify {
    const fusion::Plan* plan = nullptr;
    const dag::CallGraph* graph = nullptr;
    const library::Catalog* catalog = nullptr;
    std::string name; ///< of its unit: an identifier, different from those of the others
    std::string what; ///< for messages
};

/// Each plan as the text of its whole program, one result for each. Texts are built `setup.batch` at a time, whatever program they belong
/// to; plans of one graph that give the same text (consecutive in `plans`) are run once and share the result, and the inputs of a graph
/// are drawn once for consecutive plans.
std::vector<VerifyResult> verify_plans(const std::vector<PlanToVerify>& plans, const VerifyOptions& options, const RunSetup& setup);

/// Given text for the whole program, `--source`: any tile size.
VerifyResult verify_text(const UnitText& text, const dag::CallGraph& graph, const library::Catalog& catalog, const VerifyOptions& options,
    const RunSetup& setup);

/// The unit of a source file: its text and the files that it includes by `#include "..."`, from the same folder.
std::optional<UnitText> read_unit(const std::filesystem::path& source, const std::string& unit, Diagnostics& diagnostics);

/// Text of an emitted unit. `file` names its source and header: `file.cu`, `file.h`.
UnitText unit_text(const codegen::Unit& unit, const codegen::Emitted& emitted, const std::string& file);

/// Reports a `verify-mismatch` for each failure, `ill-conditioned` for such inputs, and, once however many results of the program are
/// reported, `one-sided-selection` for what the inputs leave out.
void report(const VerifyResult& result, const std::string& program, Diagnostics& diagnostics);

} // namespace fusec::execute
