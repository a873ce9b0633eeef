// SPDX-License-Identifier: Apache-2.0
// Mutants of the emitted text of every example: each is caught, or proved to do what its source does. A seeded sample; with
// FUSEC_MUTATION_RESULTS=FILE all of them, and FILE gets the counts, a JSON object per plan and kind and one per proof, a line each
// (scripts/mutate-all.sh makes a result file of them).
#include "temporary_folder.hpp"
#include "tests/execute/mutation/example_mutants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>

namespace fusec::execute {
namespace {

std::vector<std::string> examples() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(FUSEC_SOURCE_DIR) + "/examples")) {
        if (entry.path().extension() == ".fus") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

struct Count {
    std::size_t mutants = 0, caught = 0, equivalent = 0;
};

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

void write_results(const char* file, const MutatedPlan& plan, const std::map<std::string, Count>& counts) {
    std::ofstream stream(file, std::ios::app);
    for (const auto& [kind, count] : counts) {
        stream << R"({"program": ")" << plan.program << R"(", "plan": ")" << plan.plan << R"(", "kind": ")" << kind << R"(", "mutants": )"
               << count.mutants << R"(, "caught": )" << count.caught << R"(, "equivalent": )" << count.equivalent << "}\n";
    }
    for (std::size_t i = 0; i < plan.ran.size(); ++i) {
        if (plan.reports[i].faults == 0) {
            stream << R"({"mutant": )" << quoted(name_of(plan, plan.mutants[plan.ran[i]])) << R"(, "proof": )" << quoted(plan.proofs[i])
                   << "}\n";
        }
    }
}

class ExampleMutation : public testing::TestWithParam<std::string> {};

TEST_P(ExampleMutation, IsCaught) {
    const TemporaryFolder folder;
    Diagnostics diagnostics;
    const RunSetup setup{find_host_compiler(diagnostics).value(), folder.path(), library::standard_library_folder(), 2, 120, 20};
    const char* const results = std::getenv("FUSEC_MUTATION_RESULTS");
    const std::size_t most = results != nullptr ? std::numeric_limits<std::size_t>::max() : 21; // three of each kind
    std::set<std::string> kinds;
    bool block_barriers = false, several_tiles = false, exchangeable = false;
    for (const MutatedPlan& plan : run_mutants(std::string(FUSEC_SOURCE_DIR) + "/examples/" + GetParam() + ".fus", most, 1, setup)) {
        ASSERT_EQ(plan.original.faults, 0u) << plan.program << " " << plan.plan << ": " << plan.original.texts.front();
        ASSERT_GT(plan.original.components, 0u);
        block_barriers = block_barriers || plan.block_barriers;
        several_tiles = several_tiles || plan.several_tiles;
        exchangeable = exchangeable || plan.exchangeable;
        std::map<std::string, Count> counts;
        for (std::size_t i = 0; i < plan.ran.size(); ++i) {
            const Mutant& mutant = plan.mutants[plan.ran[i]];
            const bool caught = plan.reports[i].faults != 0, proved = !plan.proofs[i].empty();
            kinds.insert(mutant.kind);
            Count& count = counts[mutant.kind];
            ++count.mutants;
            count.caught += caught ? 1U : 0U;
            count.equivalent += caught ? 0U : 1U;
            EXPECT_TRUE(caught || proved) << name_of(plan, mutant) << " is not caught";
            // Emulation and the proofs judge barriers and exchanged tiles independently of each other, and agree.
            EXPECT_FALSE((mutant.site.barrier >= 0 || !mutant.site.exchanged.empty()) && caught && proved)
                << name_of(plan, mutant) << ": " << plan.proofs[i] << ", but: " << plan.reports[i].texts.front();
            EXPECT_FALSE(mutant.kind == "delete a barrier" && proved) << name_of(plan, mutant) << ": the barrier is not needed";
            for (const std::string& text : plan.reports[i].texts) {
                EXPECT_EQ(text.find("cannot compile"), std::string::npos) << name_of(plan, mutant) << " is no program: " << text;
            }
        }
        if (results != nullptr) {
            write_results(results, plan, counts);
        }
    }
    for (const char* const kind : {"delete a barrier", "weaken a barrier", "offset", "tail", "drop a store", "stride"}) {
        EXPECT_EQ(kinds.contains(kind), std::string_view(kind) != "weaken a barrier" || block_barriers) << "mutants of the kind: " << kind;
    }
    const bool swapped = kinds.contains("swap two buffers");
    EXPECT_TRUE(swapped || !exchangeable) << "no lists of one type were swapped";
    EXPECT_TRUE(!swapped || exchangeable || several_tiles) << "there is nothing to swap";
}

INSTANTIATE_TEST_SUITE_P(All, ExampleMutation, testing::ValuesIn(examples()), [](const auto& example) { return example.param; });

} // namespace
} // namespace fusec::execute
