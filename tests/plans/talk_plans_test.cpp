// SPDX-License-Identifier: Apache-2.0
// The five plans of the talk's table: examples/plans holds them, they resolve, and they are what their names say.
#include "fusion/plan_file.hpp"
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
        const cli::Compilation c = test::planned({.example = "demo", .plan = std::string(FUSEC_SOURCE_DIR) + "/examples/plans/" + talk.file});
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
