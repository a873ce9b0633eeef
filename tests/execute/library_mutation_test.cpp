// SPDX-License-Identifier: Apache-2.0
// `fusec library check` finds a transposed index, a wrong sign and a missing last term in every function: a mutant of each function
// here, all of them in bench/library_mutations.cpp.
#include "tests/execute/mutation/library_mutant_run.hpp"
#include "tests/execute/reference_program.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

#include <unistd.h>

namespace fusec::execute {
namespace {

const library::Function& function_of(const std::string& name) {
    return standard_catalog().function(standard_catalog().find(name).value());
}

std::vector<std::string> changes(const std::vector<LibraryMutant>& mutants, const std::string& kind) {
    std::vector<std::string> found;
    for (const LibraryMutant& mutant : mutants) {
        if (mutant.kind == kind) {
            found.push_back(mutant.change);
        }
    }
    return found;
}

TEST(LibraryMutants, OfASource) {
    library::Function function;
    function.name = "f";
    function.source = R"(// c(i, j) = a - b
template <class Lane, class A, class C>
FUSEC_DEVICE void f_rows(Lane lane, const A& a, C& c) {
    const C& done = c;
    const int i = lane.index + 1;
    for (int k = 0; k < A::columns; ++k)
        c(i, k) = a(k, i) - half * (a(i - 1, i) + 2) +
                  -l[k][i];
    for (int k = i; k >= 0; --k)
        sum -= done(0, 0) * x;
    c(0, 0) = 0;
}
)";
    const std::vector<LibraryMutant> mutants = library_mutants(function);
    EXPECT_THAT(changes(mutants, "transposed index"),
        testing::ElementsAre(
            "7:9: c(i, k) -> c(k, i)", "7:19: a(k, i) -> a(i, k)", "7:37: a(i - 1, i) -> a(i, i - 1)", "8:20: l[k][i] -> l[i][k]"));
    EXPECT_THAT(changes(mutants, "wrong sign"),
        testing::ElementsAre(testing::StartsWith("7:19: a(k, i) - half * (a(i - 1, i) + 2) +\n"), "7:27: - -> +", "7:49: + -> -",
            "7:54: + -> -", "8:19: - -> (nothing)", "10:13: - -> +"));
    EXPECT_THAT(changes(mutants, "missing last term"),
        testing::ElementsAre("6:21: k < A::columns -> k < A::columns - 1", "7:48:  + 2 -> (nothing)",
            "7:53:  +\n                  -l[k][i] -> (nothing)", "9:21: k >= 0 -> k > 0"));
}

/// One in each template.
std::size_t mutants_of_each_routine(const library::Function& function) {
    std::set<std::string> routines;
    for (const library::Implementation& implementation : function.implementations) {
        routines.insert(implementation.routine);
    }
    return routines.size();
}

/// The metadata say which kinds must exist: every result has a sign; one of several components, or one that sums, has a last term; a
/// function that reads or makes a matrix can transpose it.
TEST(LibraryMutants, EveryFunctionHasThoseOfItsShape) {
    for (const std::string& name : standard_catalog().names()) {
        const library::Function& function = function_of(name);
        const std::vector<LibraryMutant> mutants = library_mutants(function);
        EXPECT_FALSE(changes(mutants, "wrong sign").empty()) << name;
        if (function.output.form != Form::scalar || function.reference_text.find("sum(") != std::string::npos ||
            function.reference_text == "det") {
            EXPECT_FALSE(changes(mutants, "missing last term").empty()) << name;
        }
        const bool matrix = function.output.form == Form::matrix || function.inputs[0].form == Form::matrix;
        EXPECT_EQ(changes(mutants, "transposed index").empty(), !matrix) << name;
        const bool selects = function.reference_text.find("select(") != std::string::npos;
        for (const char* kind : {"other comparison", "other choice"}) {
            EXPECT_EQ(changes(mutants, kind).size(), selects ? mutants_of_each_routine(function) : 0U) << name << ", " << kind;
        }
    }
}

TEST(LibraryMutants, AreKilled) {
    const std::vector<std::string> kinds{"transposed index", "wrong sign", "missing last term"};
    std::mt19937 random(20261121);
    std::vector<LibraryMutant> chosen;
    for (const std::string& name : standard_catalog().names()) {
        std::vector<LibraryMutant> all = library_mutants(function_of(name));
        std::erase_if(all, [](const LibraryMutant& mutant) { return !why_equivalent(mutant).empty(); });
        // Kinds in turn; a function without the kind gives any of its mutants.
        const std::string& kind = kinds[chosen.size() % kinds.size()];
        if (const auto end =
                std::stable_partition(all.begin(), all.end(), [&](const LibraryMutant& mutant) { return mutant.kind == kind; });
            end != all.begin()) {
            all.erase(end, all.end());
        }
        chosen.push_back(all.at(random() % all.size()));
    }
    // Of selections, those that differ for equal operands alone, and those that take the other value.
    for (const char* name : {"sselect_lt", "sselect_le", "sselect_eq", "vselect_le", "mselect_lt"}) {
        for (const LibraryMutant& mutant : library_mutants(function_of(name))) {
            if (mutant.routine == "element" && mutant.kind.starts_with("other ")) {
                chosen.push_back(mutant);
            }
        }
    }
    Diagnostics diagnostics;
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    const auto folder = std::filesystem::temp_directory_path() / ("fusec_library_mutation_test_" + std::to_string(getpid()));
    const std::vector<MutantOutcome> outcomes = run_mutants(standard_catalog(), chosen, folder, *compiler);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        EXPECT_TRUE(outcomes[i].compiled && outcomes[i].killed) << chosen[i].function << ", " << chosen[i].kind << ", " << chosen[i].change;
    }
}

} // namespace
} // namespace fusec::execute
