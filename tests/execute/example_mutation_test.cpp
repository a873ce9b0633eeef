// SPDX-License-Identifier: Apache-2.0
// Mutants of the emitted text of every example: each is caught, or listed in mutation/equivalent.txt with the proof that it does the same.
// A seeded sample; FUSEC_MUTATE_FULL=FILE runs all of them and writes the counts there as JSON.
#include "mutation/example_mutants.hpp"
#include "temporary_folder.hpp"

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

const char* full_result() {
    return std::getenv("FUSEC_MUTATE_FULL");
}

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

/// One line per plan and kind; the file is a JSON array, begun by the script.
void append(const MutatedPlan& plan, const std::map<std::string, Count>& counts) {
    std::ofstream stream(full_result(), std::ios::app);
    for (const auto& [kind, count] : counts) {
        stream << R"(  {"program": ")" << plan.program << R"(", "plan": ")" << plan.plan << R"(", "kind": ")" << kind << R"(", "mutants": )" << count.mutants << R"(, "caught": )" << count.caught << R"(, "equivalent": )" << count.equivalent << "},\n";
    }
}

class ExampleMutation : public testing::TestWithParam<std::string> {};

TEST_P(ExampleMutation, IsCaught) {
    const TemporaryFolder folder;
    Diagnostics diagnostics;
    const RunSetup setup{find_host_compiler(diagnostics).value(), folder.path(), library::standard_library_folder(), 2, 300, 20};
    const std::size_t most = full_result() != nullptr ? std::numeric_limits<std::size_t>::max() : 14;
    std::map<std::string, std::string> known;
    for (const auto& [key, proof] : known_equivalents()) {
        EXPECT_FALSE(proof.empty()) << key << " has no proof";
        known.emplace(key, proof);
    }
    std::set<std::string> kinds;
    for (const MutatedPlan& plan : run_mutants(std::string(FUSEC_SOURCE_DIR) + "/examples/" + GetParam() + ".fus", most, 1, setup)) {
        ASSERT_EQ(plan.original.faults, 0u) << plan.program << " " << plan.plan << ": " << plan.original.texts.front();
        ASSERT_GT(plan.original.components, 0u);
        std::map<std::string, Count> counts;
        for (std::size_t i = 0; i < plan.ran.size(); ++i) {
            const Mutant& mutant = plan.mutants[plan.ran[i]];
            kinds.insert(mutant.kind);
            Count& count = counts[mutant.kind];
            ++count.mutants;
            const bool equivalent = !mutant.equivalent.empty() || known.contains(key_of(plan, mutant));
            count.equivalent += equivalent ? 1u : 0u;
            count.caught += plan.reports[i].faults != 0 ? 1u : 0u;
            if (equivalent) {
                EXPECT_EQ(plan.reports[i].faults, 0u) << key_of(plan, mutant) << " is said to be equivalent, but: " << plan.reports[i].texts.front();
            } else {
                EXPECT_NE(plan.reports[i].faults, 0u) << key_of(plan, mutant) << " (" << mutant.change.substr(0, mutant.change.find(':')) << ") is not caught";
            }
            for (const std::string& text : plan.reports[i].texts) {
                EXPECT_EQ(text.find("cannot compile"), std::string::npos) << key_of(plan, mutant) << " is no program: " << text;
            }
        }
        if (full_result() != nullptr) {
            append(plan, counts);
        }
    }
    for (const char* const kind : {"delete a barrier", "weaken a barrier", "offset", "tail", "drop a store", "stride", "swap two buffers"}) {
        EXPECT_TRUE(kinds.contains(kind)) << "no mutant of the kind: " << kind;
    }
}

INSTANTIATE_TEST_SUITE_P(All, ExampleMutation, testing::ValuesIn(examples()), [](const auto& example) { return example.param; });

} // namespace
} // namespace fusec::execute
