// SPDX-License-Identifier: Apache-2.0
// The mutation engine on the hand-written unit: every kind of fault occurs, and every mutant is caught.
#include "hand_unit.hpp"
#include "temporary_folder.hpp"
#include "tests/execute/mutation/mutation.hpp"

#include <gtest/gtest.h>

#include <set>

namespace fusec::execute {
namespace {

TEST(Mutation, MakesTheMutantsOneExpects) {
    const std::string source = "} // namespace fusec\n"
                               "__global__ void __launch_bounds__(64) F(float* a, size_t n) {\n"
                               "    const auto F_tile = shared + 16; // 64 x MATRIX5x5\n"
                               "    const unsigned count = static_cast<unsigned>(n - first < 64 ? n - first : 64);\n"
                               "    __syncthreads();\n"
                               "    view(F_tile + element * 9);\n"
                               "    fusec::copy_tile<Aligned, 64, 25>(F + first * 25, F_tile, count);\n"
                               "    float* const B = slot_bytes(count, 72);\n"
                               "constexpr size_t F_slots[] = {72, 4};\n"
                               "    float* const C = slots_bytes(count, F_slots, 1);\n"
                               "    fusec::launch(k, count, 64, 64, 0, stream, A, B);\n";
    std::vector<std::string> changes;
    for (const Mutant& mutant : mutants(source)) {
        changes.push_back(mutant.kind + ", " + mutant.change.substr(0, mutant.change.find(':') + 1) +
            mutant.change.substr(mutant.change.find("-> ") + 2));
    }
    const std::string copy = "fusec::copy_tile<Aligned, 64, 25>(F + first * 25, F_tile, count);";
    const auto with = [&](const std::string& from, const std::string& to) {
        return std::string(copy).replace(copy.find(from), from.size(), to);
    };
    EXPECT_EQ(changes,
        (std::vector<std::string>{
            "offset, line 3: const auto F_tile = shared + 17; // 64 x MATRIX5x5",
            "offset, line 3: const auto F_tile = shared + 15; // 64 x MATRIX5x5",
            "tail, line 4: const unsigned count = static_cast<unsigned>(n - first < 64 ? n - first + 1 : 64);",
            "tail, line 4: const unsigned count = static_cast<unsigned>(n - first < 64 ? n - first - 1 : 64);",
            "delete a barrier, line 5: (nothing)",
            "weaken a barrier, line 5: __syncwarp();",
            "offset, line 6: view(F_tile + 1 + element * 9);",
            "offset, line 6: view(F_tile - 1 + element * 9);",
            "stride, line 6: view(F_tile + element * 10);",
            "stride, line 6: view(F_tile + element * 8);",
            "offset, line 7: " + with("F_tile", "F_tile + 1"),
            "offset, line 7: " + with("F_tile", "F_tile - 1"),
            "offset, line 7: " + with("F + first", "F + 1 + first"),
            "offset, line 7: " + with("F + first", "F - 1 + first"),
            "stride, line 7: " + with("first * 25", "first * 26"),
            "stride, line 7: " + with("first * 25", "first * 24"),
            "stride, line 7: " + with("64, 25>", "64, 26>"),
            "stride, line 7: " + with("64, 25>", "64, 24>"),
            "tail, line 7: " + with("count", "count + 1"),
            "tail, line 7: " + with("count", "count - 1"),
            "drop a store, line 7: (nothing)",
            "offset, line 8: float* const B = slot_bytes(count, 73);",
            "offset, line 8: float* const B = slot_bytes(count, 71);",
            "offset, line 9: constexpr size_t F_slots[] = {73, 4};",
            "offset, line 9: constexpr size_t F_slots[] = {71, 4};",
            "offset, line 9: constexpr size_t F_slots[] = {72, 5};",
            "offset, line 9: constexpr size_t F_slots[] = {72, 3};",
            "offset, line 10: float* const C = slots_bytes(count, F_slots, 2);",
            "offset, line 10: float* const C = slots_bytes(count, F_slots, 0);",
            "tail, line 11: fusec::launch(k, count + 1, 64, 64, 0, stream, A, B);",
            "tail, line 11: fusec::launch(k, count - 1, 64, 64, 0, stream, A, B);",
            "swap two buffers, line 11: fusec::launch(k, count, 64, 64, 0, stream, B, A);",
        }));
}

TEST(Mutation, EveryMutantOfTheHandWrittenUnitIsCaught) {
    const TemporaryFolder folder;
    ASSERT_EQ(run_cross(cross_source(), folder.path()).faults, 0u);
    const std::vector<Mutant> all = mutants(cross_source());
    std::vector<RunJob> jobs;
    std::set<std::string> kinds;
    for (const Mutant& mutant : all) {
        jobs.push_back(cross_job(mutant.text, "mutant" + std::to_string(jobs.size())));
        kinds.insert(mutant.kind);
    }
    RunSetup setup = cross_setup(folder.path());
    setup.jobs = 2;
    setup.seconds = 60;
    const std::vector<RunReport> reports = run_texts(jobs, BuildKind::emulated, setup);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_NE(reports[i].faults, 0u) << all[i].kind << ", " << all[i].change;
        for (const std::string& text : reports[i].texts) {
            // A swap of an input and an output is the compiler's to catch; nothing else may fail to compile.
            EXPECT_TRUE(text.find("cannot compile") == std::string::npos || all[i].kind == "swap two buffers")
                << all[i].change << " is no program: " << text;
        }
    }
    EXPECT_EQ(kinds.size(), 7u);
}

} // namespace
} // namespace fusec::execute
