// SPDX-License-Identifier: Apache-2.0
// Emitted text against the reference, and mutants of it, none of which may pass.
#include "execute/verify.hpp"
#include "execute/verify_cases.hpp"

#include "../codegen/samples.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/predictor.hpp"
#include "temporary_folder.hpp"
#include "tests/execute/mutation/equivalence.hpp"
#include "tests/execute/mutation/mutation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace fusec::execute {
namespace {

using codegen::test::build;
using codegen::test::demo_text;
using codegen::test::Draft;
using codegen::test::plan_of;
using codegen::test::sample;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Verify : public testing::Test {
protected:
    RunSetup setup() {
        Diagnostics diagnostics;
        return {find_host_compiler(diagnostics).value(), folder.path(), library::standard_library_folder(), 2, 120, 20};
    }
    static std::string texts(const VerifyResult& result) {
        std::string all;
        for (const VerifyFailure& failure : result.failures) {
            all += failure.what + ":\n";
            for (const std::string& text : failure.texts) {
                all += "    " + text + "\n";
            }
        }
        return all;
    }
    /// The demo cut in two: the norm's part with rows and shared tiles, then the rest; s1 goes through the workspace.
    static fusion::Plan two_kernels(const codegen::test::Sample& demo) {
        Draft norm;
        norm.elements = 32;
        norm.calls = {{"M1", "row"}, {"v1", "row"}, {"s1", "element"}};
        norm.stores = {"s1"};
        norm.load = fusion::Staging::async;
        Draft rest;
        rest.elements = 64;
        rest.calls = {{"M2", "element"}, {"M3", "element"}, {"F", "element"}};
        rest.stores = {"F"};
        return plan_of({build(norm, demo), build(rest, demo)}, demo);
    }

    static std::string renamed(std::string text, const std::string& name) {
        const std::string from = "mutated_unit";
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + name.size())) {
            text.replace(at, from.size(), name);
        }
        return text;
    }
    /// Runs the mutants of the plan's text, all or of barriers only. Each has to be caught, or proved to do the same; gives the mutants of
    /// barriers that are, as `delete a barrier, s1 2`: kernel and number.
    std::vector<std::string> equivalent_barriers(const fusion::Plan& plan, const codegen::test::Sample& program, bool barriers_only) {
        codegen::Unit unit = codegen::lower(plan, program.graph, program.catalog);
        const auto emitted = [&](const std::string& name) {
            unit.name = name;
            codegen::EmitOptions emit;
            emit.header_name = name + ".h";
            return codegen::emit(unit, program.graph, program.catalog, emit);
        };
        // The text of each mutant is that of its number in the unit's own name.
        codegen::Emitted named = emitted("mutated_unit");
        std::vector<Mutant> originals = mutants(named.source);
        if (barriers_only) {
            std::erase_if(originals, [](const Mutant& mutant) { return mutant.site.barrier < 0; });
        }
        const std::vector<RunCase> cases = plan_launches(plan, program.graph, 1);
        const RandomCases drawn = draw_cases(program.graph.program(), program.catalog, most_elements(cases), 1);
        std::map<std::string, int> kinds;
        std::vector<RunJob> jobs;
        for (std::size_t i = 0; i < originals.size(); ++i) {
            ++kinds[originals[i].kind];
            const std::string name = "demo" + std::to_string(i);
            const codegen::Emitted text{renamed(originals[i].text, name), renamed(named.header, name)};
            unit.name = name;
            RunInterface interface{name, {}, {}, unit.slots};
            for (const codegen::List& list : unit.inputs) {
                interface.inputs.push_back({list.name, list.type, list.uniform, drawn.reference.values[list.datum.index()], {}});
            }
            for (const codegen::List& list : unit.outputs) {
                interface.outputs.push_back(
                    {list.name, list.type, false, drawn.reference.values[list.datum.index()], drawn.reference.bounds[list.datum.index()]});
            }
            jobs.push_back({unit_text(unit, text, name), interface, cases});
        }
        for (const char* const kind :
            {"delete a barrier", "weaken a barrier", "offset", "swap two buffers", "tail", "drop a store", "stride"}) {
            EXPECT_TRUE(barriers_only || kinds[kind] > 0) << kind;
        }
        RunSetup brief = setup();
        brief.first_fault_only = true;
        const std::vector<RunReport> reports = run_texts(jobs, BuildKind::emulated, brief);
        std::vector<std::string> equivalent;
        for (std::size_t i = 0; i < originals.size(); ++i) {
            const bool same = proof_of_equivalence(unit, originals[i]).has_value();
            EXPECT_TRUE(reports[i].faults != 0 || same) << originals[i].kind << ", " << originals[i].change << " is not caught";
            EXPECT_FALSE(originals[i].site.barrier >= 0 && reports[i].faults != 0 && same)
                << originals[i].change << " is said to be equivalent";
            if (originals[i].site.barrier >= 0 && same) {
                equivalent.push_back(originals[i].kind + ", " + unit.kernels[static_cast<std::size_t>(originals[i].site.kernel)].name +
                    " " + std::to_string(originals[i].site.barrier));
            }
        }
        return equivalent;
    }

    void SetUp() override {
        Diagnostics diagnostics;
        device_ = perfmodel::find_device("h200", diagnostics);
        ASSERT_TRUE(device_);
        model_ = perfmodel::make_predictor("composite", *device_, diagnostics);
        ASSERT_TRUE(model_);
    }
    const perfmodel::Device& device() const { return *device_; }
    const fusion::CostModel& model() const { return *model_; }

    TemporaryFolder folder;

private:
    std::optional<perfmodel::Device> device_;
    std::unique_ptr<perfmodel::Predictor> model_;
};

TEST_F(Verify, ASampleOfTheDemosCandidatesAgreesWithTheReference) {
    const auto demo = sample("demo", demo_text);
    fusion::Space space(demo->graph, demo->catalog, device().limits, model(), {});
    VerifyOptions options;
    options.most_calls_for_all = 0; // sampled, as longer programs are
    options.sample = 40;
    const VerifyResult result = verify_candidates(space, demo->graph, demo->catalog, options, setup());
    EXPECT_THAT(texts(result), IsEmpty());
    EXPECT_EQ(result.mismatches, 0u);
    EXPECT_FALSE(result.ill_conditioned);
    EXPECT_EQ(result.fusions, 21u);
    EXPECT_EQ(result.checked, 40u);
    EXPECT_GE(result.texts, 20u);
    EXPECT_GT(result.components, 100000u);
    EXPECT_GT(result.worst_ratio, 0.0);
    EXPECT_LE(result.worst_ratio, 1.0);
}

TEST_F(Verify, APlanOfTwoKernelsAgreesWithTheReference) {
    const auto demo = sample("demo", demo_text);
    const VerifyResult result = verify_plan(two_kernels(*demo), demo->graph, demo->catalog, {}, setup());
    EXPECT_THAT(texts(result), IsEmpty());
    EXPECT_TRUE(result.passed());
    EXPECT_EQ(result.checked, 1u);
}

TEST_F(Verify, FindsAFaultInGivenText) {
    const auto demo = sample("demo", demo_text);
    const codegen::Unit unit = codegen::lower(two_kernels(*demo), demo->graph, demo->catalog);
    codegen::EmitOptions emit;
    emit.header_name = "demo.h";
    UnitText text = unit_text(unit, codegen::emit(unit, demo->graph, demo->catalog, emit), "demo");
    EXPECT_TRUE(verify_text(text, demo->graph, demo->catalog, {}, setup()).passed());
    std::string& source = text.files[0].text;
    const std::size_t sum = source.find("// M3 = madd(M2, D)");
    ASSERT_NE(sum, std::string::npos);
    const std::size_t sign = source.find(" + D", sum);
    ASSERT_NE(sign, std::string::npos);
    source.replace(sign, 3, " - ");
    const VerifyResult result = verify_text(text, demo->graph, demo->catalog, {}, setup());
    EXPECT_EQ(result.mismatches, 1u);
    Diagnostics diagnostics;
    report(result, "demo", diagnostics);
    EXPECT_EQ(diagnostics.exit_code(), 4);
    EXPECT_EQ(diagnostics.all().at(0).kind.name, "verify-mismatch");
    EXPECT_THAT(diagnostics.all().at(0).message, testing::StartsWith("`demo`, demo.cu: "));
}

/// Norm and product of matrices by threads that exchange values; one of the four writes the whole results to tiles.
TEST_F(Verify, FindsWhatIsWrongWithAnExchange) {
    const auto program = sample("exchange",
        "MATRIX4x4 A, B; VECTOR4 b; input A, B, b;\n"
        "C = A * B; s = mfnorm(C); t = mddot(C, A); w = svmul(b, s + t); return w, s;\n");
    Draft draft;
    draft.elements = 16;
    for (const frontend::Call& call : program->graph.program().calls) {
        const std::string name = program->graph.datum(call.result).name;
        draft.calls.push_back({name, name == "C" || name == "s" || name == "t" ? "row" : "element"});
    }
    draft.stores = {"s", "w"};
    const fusion::Plan plan = plan_of({build(draft, *program)}, *program);
    const codegen::Unit unit = codegen::lower(plan, program->graph, program->catalog);
    codegen::EmitOptions emit;
    emit.header_name = "exchange.h";
    const UnitText text = unit_text(unit, codegen::emit(unit, program->graph, program->catalog, emit), "exchange");
    EXPECT_TRUE(verify_text(text, program->graph, program->catalog, {}, setup()).passed());
    struct Defect {
        std::string from, to, found;
    };
    const std::vector<Defect> defects{
        {"= __fadd_rn(x, __shfl_xor_sync(instance_mask(lane), x, distance))", "= __fadd_rn(x, x)", "the reference"},
        {"__shfl_xor_sync(instance_mask(lane)", "__shfl_xor_sync(0xffffffffu", "unreached exchange"},
        {"__shfl_xor_sync(instance_mask(lane)", "__shfl_xor_sync(instance_mask(lane) & 0x77777777u", "not in the mask of its exchange"},
        {"x, distance)", "x, distance + 4)", "which is not in the mask of the exchange"},
        {"if (lane.index == 0)", "if (lane.index == Threads)", "uninitialised read"},
        {"if (lane.index == 0)", "if (lane.index >= 0)", "race"},
    };
    for (const Defect& defect : defects) {
        UnitText wrong = text;
        std::string& source = wrong.files[0].text;
        const std::size_t at = source.find(defect.from);
        ASSERT_NE(at, std::string::npos) << defect.from << "\n" << source;
        source.replace(at, defect.from.size(), defect.to);
        const VerifyResult result = verify_text(wrong, program->graph, program->catalog, {}, setup());
        EXPECT_GT(result.mismatches, 0u) << defect.to;
        EXPECT_THAT(texts(result), HasSubstr(defect.found)) << defect.to;
    }
}

TEST_F(Verify, NamesTheRoutineOfTheHostThatDoesNotEnd) {
    const auto demo = sample("demo", demo_text);
    Diagnostics diagnostics;
    const auto host = perfmodel::find_device("host-generic", diagnostics);
    ASSERT_TRUE(host);
    const auto costs = perfmodel::make_predictor("composite", *host, diagnostics);
    fusion::Space space(demo->graph, demo->catalog, host->limits, *costs, {});
    const auto all = space.find({CallId(0), CallId(1), CallId(2), CallId(3), CallId(4), CallId(5)}, {demo->datum("F")});
    const codegen::Unit unit = codegen::lower(plan_of({space.front(all.value()).kept.front()}, *demo), demo->graph, demo->catalog);
    codegen::EmitOptions emit;
    emit.target = fusion::Target::host;
    emit.header_name = "demo.h";
    UnitText text = unit_text(unit, codegen::emit(unit, demo->graph, demo->catalog, emit), "demo");
    std::string& source = text.files[0].text;
    const std::size_t norm = source.find("void venorm_element(");
    ASSERT_NE(norm, std::string::npos);
    source.insert(source.find("{\n", norm) + 1, " for (volatile int forever = 1; forever == 1;) {}");
    VerifyOptions options;
    options.target = fusion::Target::host;
    options.product_every = 0; // optimised, routines are part of the kernel
    RunSetup soon = setup();
    soon.step_seconds = 0.5;
    const VerifyResult result = verify_text(text, demo->graph, demo->catalog, options, soon);
    EXPECT_EQ(result.mismatches, 1u);
    EXPECT_THAT(texts(result), HasSubstr("venorm_element in demo_kernels::demo_F: does not end within 1 s of processor time (n = 1)"));
}

TEST_F(Verify, CatchesEveryMutantOfThePlansText) {
    // Kernels as the search makes them: with no barrier that is not needed.
    const auto demo = sample("demo", demo_text);
    fusion::Space space(demo->graph, demo->catalog, device().limits, model(), {});
    const auto most_barriers = [&](const dag::CallSet& calls, const std::string& stored) {
        const auto column = space.find(calls, {demo->datum(stored)});
        const std::vector<fusion::Candidate>& kept = space.front(column.value()).kept;
        return *std::max_element(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
            return a.work.block_barriers + a.work.warp_barriers < b.work.block_barriers + b.work.warp_barriers;
        });
    };
    const fusion::Plan plan =
        plan_of({most_barriers({CallId(0), CallId(1), CallId(2)}, "s1"), most_barriers({CallId(3), CallId(4), CallId(5)}, "F")}, *demo);
    EXPECT_THAT(equivalent_barriers(plan, *demo, false), Not(testing::Contains(HasSubstr("delete"))));
}

TEST_F(Verify, TheHandBuiltPlanHasABarrierThatNothingNeeds) {
    // Draft puts a block barrier wherever another thread touches the tile at all. Barrier 2 stands between M1 = A B and v1 = M1 c, both by
    // rows: each thread reads the row that it has made itself, and nothing is lost with the barrier. Barrier 4 stands before s1 is stored:
    // the 32 threads that made it are the first warp, and so are the 8 that store it, 16 bytes each, so a warp barrier would do. The search
    // knows the first (the test above) and, by rule, has warp barriers within one instance's threads only.
    const auto demo = sample("demo", demo_text);
    EXPECT_EQ(equivalent_barriers(two_kernels(*demo), *demo, true),
        (std::vector<std::string>{"delete a barrier, s1 2", "weaken a barrier, s1 2", "weaken a barrier, s1 4"}));
}

} // namespace
} // namespace fusec::execute
