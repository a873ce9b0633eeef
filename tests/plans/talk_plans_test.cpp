// SPDX-License-Identifier: Apache-2.0
// The five plans of the talk's table: examples/plans holds them, they resolve, they are what their names say, and they compute the demo.
#include "execute/verify.hpp"
#include "fusion/plan_file.hpp"
#include "tests/execute/temporary_folder.hpp"
#include "tests/plans/planned.hpp"

#include <gtest/gtest.h>

#include <set>

namespace fusec {
namespace {

struct TalkPlan {
    std::string file;
    std::vector<std::string> calls;         ///< per kernel, in launch order
    std::vector<std::string> granularities; ///< likewise
};

const std::vector<TalkPlan>& talk_plans() {
    static const std::vector<TalkPlan> plans = {
        {"demo-331-555.json", {"M1 v1 s1", "M2 M3 F"}, {"{3 3 1}", "{5 5 5}"}},
        {"demo-33-1-555.json", {"M1 v1", "s1", "M2 M3 F"}, {"{3 3}", "{1}", "{5 5 5}"}},
        {"demo-3-1-1-555.json", {"M1", "v1", "s1", "M2 M3 F"}, {"{3}", "{1}", "{1}", "{5 5 5}"}},
        {"demo-331555.json", {"M1 v1 s1 M2 M3 F"}, {"{3 3 1 5 5 5}"}},
        {"demo-3-1-1-5-5-5.json", {"M1", "v1", "s1", "M2", "M3", "F"}, {"{3}", "{1}", "{1}", "{5}", "{5}", "{5}"}},
    };
    return plans;
}

TEST(TalkPlans, EachResolvesToWhatItsNameSays) {
    const double best = test::planned({.example = "demo"}).plans.front().seconds;
    for (const TalkPlan& talk : talk_plans()) {
        SCOPED_TRACE(talk.file);
        const cli::Compilation c =
            test::planned({.example = "demo", .plan = std::string(FUSEC_SOURCE_DIR) + "/examples/plans/" + talk.file});
        // Kernels that do not wait for each other may stand in any order.
        std::multiset<std::pair<std::string, std::string>> expected, found;
        for (std::size_t k = 0; k < talk.calls.size(); ++k) {
            expected.emplace(talk.calls[k], talk.granularities[k]);
        }
        for (const fusion::Candidate& kernel : c.plans.front().kernels) {
            found.emplace(test::calls_of(kernel, c), fusion::granularity_text(kernel));
        }
        EXPECT_EQ(found, expected);
        EXPECT_GE(c.plans.front().seconds, best) << "auto is never predicted worse";
    }
}

/// The plan whose kernels execute and store the same, each as the target's best: a plan file's granularities and tiles are CUDA's.
fusion::Plan same_kernels(const fusion::Plan& plan, const cli::Compilation& c) {
    fusion::Plan same = c.plans.front();
    same.kernels.clear();
    for (const fusion::Candidate& kernel : plan.kernels) {
        same.kernels.push_back(c.space->front(c.space->find(kernel.calls, kernel.stores).value()).kept.front());
    }
    same.workspace = fusion::plan_workspace(*c.graph, same.kernels);
    return same;
}

TEST(TalkPlans, EachEqualsTheReferenceOnTheHostAndUnderEmulation) {
    const execute::TemporaryFolder folder;
    Diagnostics diagnostics;
    execute::RunSetup setup{execute::find_host_compiler(diagnostics).value(), folder.path(), library::standard_library_folder()};
    const cli::Compilation host = test::planned({.example = "demo", .target = fusion::Target::host});
    std::vector<cli::Compilation> cuda;
    std::vector<fusion::Plan> on_host;
    for (const TalkPlan& talk : talk_plans()) {
        cuda.push_back(test::planned({.example = "demo", .plan = std::string(FUSEC_SOURCE_DIR) + "/examples/plans/" + talk.file}));
        on_host.push_back(same_kernels(cuda.back().plans.front(), host));
    }
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        std::vector<execute::PlanToVerify> plans;
        for (std::size_t i = 0; i < cuda.size(); ++i) {
            const cli::Compilation& c = target == fusion::Target::host ? host : cuda[i];
            plans.push_back({target == fusion::Target::host ? &on_host[i] : &cuda[i].plans.front(), &*c.graph, &*c.catalog,
                "talk" + std::to_string(i), talk_plans()[i].file});
        }
        const std::vector<execute::VerifyResult> results = execute::verify_plans(plans, {.target = target}, setup);
        ASSERT_EQ(results.size(), talk_plans().size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            SCOPED_TRACE(talk_plans()[i].file + (target == fusion::Target::host ? " on the host" : " under emulation"));
            EXPECT_TRUE(results[i].passed()) << testing::PrintToString(
                results[i].failures.empty() ? std::vector<std::string>{} : results[i].failures.front().texts);
            EXPECT_GT(results[i].components, 1000U);
        }
    }
    // The same launches find a kernel that stores nothing.
    fusion::Plan wrong = cuda.front().plans.front();
    std::erase_if(wrong.kernels.back().steps, [](const fusion::Step& step) { return step.kind == fusion::Step::Kind::store; });
    EXPECT_EQ(execute::verify_plan(wrong, *cuda.front().graph, *cuda.front().catalog, {}, setup).mismatches, 1U);
}

TEST(TalkPlans, EveryPlanFileOfTheFolderIsOneOfThem) {
    std::set<std::string> expected, found;
    for (const TalkPlan& talk : talk_plans()) {
        expected.insert(talk.file);
    }
    for (const auto& entry : std::filesystem::directory_iterator(std::string(FUSEC_SOURCE_DIR) + "/examples/plans")) {
        found.insert(entry.path().filename().string());
    }
    EXPECT_EQ(found, expected);
}

} // namespace
} // namespace fusec
