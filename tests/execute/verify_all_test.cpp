// SPDX-License-Identifier: Apache-2.0
// What `fusec verify --all` does: every kept candidate of small programs agrees with the reference on both executors; a candidate with a
// planted fault does not, and neither is hidden by the others.
#include "execute/verify.hpp"
#include "execute/verify_cases.hpp"

#include "../codegen/samples.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/predictor.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace fusec::execute {
namespace {

using codegen::test::sample;
using codegen::test::Sample;
using fusion::Candidate;
using fusion::Step;
using fusion::Target;

const char* const chain_text =
    "MATRIX3x3 A, B, M;\nVECTOR3 c, v;\nSCALAR s;\ninput A, B, c;\nM = A * B;\nv = M * c;\ns = venorm3(v);\nreturn s;\n";
/// A uniform, a table, two outputs.
const char* const stress_text = "double MATRIX3x3 F;\nuniform double SCALAR mu;\nconst double MATRIX3x3 I = [[1, 0, 0], [0, 1, 0], [0, 0, "
                                "1]];\ninput F;\nE = F' * F - I;\nS = mu * E;\nt = mtrace(E);\nreturn S, t;\n";
/// M may be computed in both kernels.
const char* const shared_text = "MATRIX4x4 A, B;\nVECTOR4 c, d;\ninput A, B, c, d;\nM = A + B;\np = M * c;\nq = M * d;\nreturn p, q;\n";

/// The space of a program for a target, as the command line makes it.
class Candidates {
public:
    Candidates(const char* name, const char* text, Target target) : program_(sample(name, text)) {
        Diagnostics diagnostics;
        device_ = perfmodel::find_device(target == Target::host ? "host-generic" : "h200", diagnostics);
        model_ = perfmodel::make_predictor("composite", *device_, diagnostics);
        space_ = std::make_unique<fusion::Space>(program_->graph, program_->catalog, device_->limits, *model_, fusion::SpaceOptions{});
    }
    const Sample& program() const { return *program_; }
    fusion::Space& space() { return *space_; }
    std::vector<Candidate> all() {
        std::vector<Candidate> kept;
        for (std::size_t c = 0; c < space_->columns().size(); ++c) {
            const std::vector<Candidate>& front = space_->front(ColumnId(c)).kept;
            kept.insert(kept.end(), front.begin(), front.end());
        }
        return kept;
    }

private:
    std::unique_ptr<Sample> program_;
    std::optional<perfmodel::Device> device_;
    std::unique_ptr<perfmodel::Predictor> model_;
    std::unique_ptr<fusion::Space> space_;
};

struct Program {
    const char* name;
    const char* text;
};

class VerifyAll : public testing::TestWithParam<std::tuple<Program, Target>> {
protected:
    RunSetup setup() {
        Diagnostics diagnostics;
        return {find_host_compiler(diagnostics).value(), folder_.path(), library::standard_library_folder()};
    }
    static std::string texts(const VerifyResult& result) {
        std::string all;
        for (const VerifyFailure& failure : result.failures) {
            all += failure.what + ": " + testing::PrintToString(failure.texts) + "\n";
        }
        return all;
    }

private:
    TemporaryFolder folder_;
};

TEST_P(VerifyAll, EveryKeptCandidateAgreesWithTheReference) {
    const auto& [program, target] = GetParam();
    Candidates candidates(program.name, program.text, target);
    const VerifyOptions options{.target = target};
    const VerifyResult result =
        verify_candidates(candidates.space(), candidates.program().graph, candidates.program().catalog, options, setup());
    EXPECT_TRUE(result.passed()) << texts(result);
    EXPECT_EQ(result.fusions, candidates.space().fusions().size());
    EXPECT_EQ(result.candidates, candidates.all().size());
    EXPECT_EQ(result.checked, result.candidates);
    EXPECT_LE(result.texts, result.checked);
    EXPECT_GT(result.components, 100 * result.texts);
    EXPECT_EQ(result.product, target == Target::host ? (result.texts + options.product_every - 1) / options.product_every : 0);
}

TEST_P(VerifyAll, ACandidateThatForgetsAStoreIsTheOneThatIsNamed) {
    const auto& [program, target] = GetParam();
    Candidates candidates(program.name, program.text, target);
    std::vector<Candidate> all = candidates.all();
    all.resize(std::min<std::size_t>(all.size(), 6));
    Candidate& wrong = all[all.size() / 2];
    std::erase_if(wrong.steps, [](const Step& step) { return step.kind == Step::Kind::store; });
    const VerifyResult result =
        verify_kernels(all, candidates.program().graph, candidates.program().catalog, {.target = target, .product_every = 0}, setup());
    EXPECT_EQ(result.mismatches, 1u) << texts(result);
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_THAT(result.failures.front().texts.front(), testing::HasSubstr("is not written"));
    EXPECT_FALSE(result.passed());
}

INSTANTIATE_TEST_SUITE_P(Programs, VerifyAll,
    testing::Combine(testing::Values(Program{"chain", chain_text}, Program{"stress", stress_text}, Program{"shared", shared_text}),
        testing::Values(Target::cuda, Target::host)),
    [](const auto& param) {
        return std::string(std::get<0>(param.param).name) + (std::get<1>(param.param) == Target::host ? "_host" : "_emulated");
    });

class PlantedBarrier : public VerifyAll {};

TEST_P(PlantedBarrier, ACandidateWithoutItIsCaught) {
    const auto& [program, target] = GetParam();
    Candidates candidates(program.name, program.text, target);
    std::vector<Candidate> without;
    for (Candidate candidate : candidates.all()) {
        const auto barrier = std::find_if(candidate.steps.begin(), candidate.steps.end(),
            [](const Step& step) { return step.kind == Step::Kind::block_barrier || step.kind == Step::Kind::warp_barrier; });
        if (barrier != candidate.steps.end() && without.size() < 10) {
            candidate.steps.erase(barrier);
            without.push_back(std::move(candidate));
        }
    }
    ASSERT_GE(without.size(), 5u);
    const VerifyResult result =
        verify_kernels(without, candidates.program().graph, candidates.program().catalog, {.target = target}, setup());
    EXPECT_EQ(result.mismatches, without.size()) << "no kept candidate has a barrier that is not needed";
    EXPECT_THAT(texts(result), testing::HasSubstr("without a barrier between"));
}

INSTANTIATE_TEST_SUITE_P(Programs, PlantedBarrier,
    testing::Values(std::tuple(Program{"chain", chain_text}, Target::cuda), std::tuple(Program{"shared", shared_text}, Target::cuda)),
    [](const auto& param) { return std::string(std::get<0>(param.param).name); });

TEST(IllConditioned, IsSaidSo) {
    // A - A is nothing but rounding errors, whatever the inputs.
    const auto program = sample("nothing", "MATRIX2x2 A, B;\ninput A, B;\nC = A * B;\nD = C - C;\nreturn D;\n");
    VerifyResult result;
    Cases(program->graph, program->catalog, 20, 1).count(result);
    EXPECT_FALSE(result.passed());
    Diagnostics diagnostics;
    report(result, "nothing", diagnostics);
    EXPECT_EQ(diagnostics.exit_code(), 4);
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_EQ(diagnostics.all()[0].message,
        "`nothing`: 20 of 20 random elements were drawn again as ill conditioned, at most 5 % may be; 20 stayed so in 16 draws");
    EXPECT_EQ(diagnostics.all()[0].notes.at(0).message,
        "rounding alone may change `D` by more than a hundredth: little is shown by a comparison");
}

} // namespace
} // namespace fusec::execute
