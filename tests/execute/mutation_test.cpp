// SPDX-License-Identifier: Apache-2.0
// The mutation engine on the hand-written unit: every kind of fault occurs, and every mutant is caught.
#include "hand_unit.hpp"
#include "mutation/mutation.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <map>

namespace fusec::execute {
namespace {

TEST(Mutation, MakesTheMutantsOneExpects) {
    const std::string source = "} // namespace fusec\n"
                               "__global__ void __launch_bounds__(64) F(float* a, size_t n) {\n"
                               "    const unsigned count = static_cast<unsigned>(n - first < 64 ? n - first : 64);\n"
                               "    __syncthreads();\n"
                               "    x(tile + 0 + element * 9);\n"
                               "    fusec::copy_tile<Aligned, 64, 64, 25, float>(F + first * 25, tile + 4544, count);\n"
                               "    fusec::launch(k, n, 64, 64, 0, stream, A, B);\n";
    std::vector<std::string> changes;
    for (const Mutant& mutant : mutants(source)) {
        changes.push_back(mutant.kind + ", " + mutant.change.substr(0, 7) + mutant.change.substr(mutant.change.find("-> ") + 2));
    }
    EXPECT_EQ(changes, (std::vector<std::string>{
                           "tail, line 3: const unsigned count = static_cast<unsigned>(n - first < 64 ? n - first + 1 : 64);",
                           "tail, line 3: const unsigned count = static_cast<unsigned>(n - first < 64 ? n - first - 1 : 64);",
                           "delete a barrier, line 4: (nothing)",
                           "weaken a barrier, line 4: __syncwarp();",
                           "offset, line 5: x(tile + 1 + element * 9);",
                           "stride, line 5: x(tile + 0 + element * 10);",
                           "stride, line 5: x(tile + 0 + element * 8);",
                           "offset, line 6: fusec::copy_tile<Aligned, 64, 64, 25, float>(F + first * 25, tile + 4545, count);",
                           "offset, line 6: fusec::copy_tile<Aligned, 64, 64, 25, float>(F + first * 25, tile + 4543, count);",
                           "stride, line 6: fusec::copy_tile<Aligned, 64, 64, 25, float>(F + first * 26, tile + 4544, count);",
                           "stride, line 6: fusec::copy_tile<Aligned, 64, 64, 25, float>(F + first * 24, tile + 4544, count);",
                           "drop a store, line 6: (nothing)",
                           "swap two buffers, line 7: fusec::launch(k, n, 64, 64, 0, stream, B, A);",
                       }));
}

TEST(Mutation, EveryMutantOfTheHandWrittenUnitIsCaught) {
    const TemporaryFolder folder;
    std::map<std::string, int> kinds;
    ASSERT_EQ(run_cross(cross_source(), folder.path()).faults, 0u);
    for (const Mutant& mutant : mutants(cross_source())) {
        ++kinds[mutant.kind];
        const RunReport report = run_cross(mutant.text, folder.path());
        EXPECT_NE(report.faults, 0u) << mutant.kind << ", " << mutant.change;
        for (const std::string& text : report.texts) {
            // A swap of an input and an output is the compiler's to catch; nothing else may fail to compile.
            EXPECT_TRUE(text.find("cannot compile") == std::string::npos || mutant.kind == "swap two buffers") << mutant.change << " is no program: " << text;
        }
    }
    EXPECT_EQ(kinds.size(), 7u);
}

} // namespace
} // namespace fusec::execute
