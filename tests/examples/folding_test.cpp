// SPDX-License-Identifier: Apache-2.0
// Workload W2a, the stiffness matrix of a linear tetrahedron, as B' C B and by blocks: both are the matrix, both count as a count by hand
// does, and a wrong sign or term in what folding leaves is noticed by verification.
#include "cli/pipeline.hpp"
#include "execute/verify.hpp"
#include "tests/examples/formulas.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace fusec {
namespace {

namespace fs = std::filesystem;

class Folding : public testing::Test {
protected:
    void compile(const fs::path& program, fusion::Target target = fusion::Target::cuda) {
        c = {};
        c.options.program = program;
        c.options.target = target;
        c.options.device = target == fusion::Target::host ? "host-generic" : "h200";
        c.header_name = program.stem().string() + ".h";
        Diagnostics diagnostics;
        const bool good = cli::run_pipeline(c, diagnostics);
        std::ostringstream said;
        render(diagnostics, said, false);
        ASSERT_TRUE(good) << said.str();
    }
    static fs::path form(const char* name) { return fs::path(FUSEC_SOURCE_DIR "/tests/examples/w2a") / name; }

    execute::RunSetup setup() const {
        Diagnostics diagnostics;
        return {execute::find_host_compiler(diagnostics).value(), folder.path() / "cache", library::standard_library_folder(), 2, 300, 20};
    }
    execute::VerifyOptions options() const {
        execute::VerifyOptions made;
        made.target = c.options.target;
        made.product_every = 0; // what an optimising compiler makes of the text is tested with the examples
        return made;
    }

    /// K of a program for these inputs, by the reference.
    static std::vector<double> stiffness(const cli::Compilation& compiled, const examples::Values& inputs) {
        const frontend::CheckedProgram& program = *compiled.program;
        execute::DataValues given(program.data.size());
        for (const DataId input : program.inputs) {
            given[input.index()] = inputs.at(program.datum(input).name);
        }
        return execute::evaluate(program, *compiled.catalog, 1, given).values[program.outputs.front().index()];
    }
    double operations() const { return operations(c).first; }
    /// What a call counts, and what it would without folding.
    static std::pair<double, double> counts(const library::Catalog& catalog, const frontend::Call& call) {
        library::Instance whole = call.instance;
        whole.function = catalog.find(catalog.function(whole.function).base).value_or(whole.function);
        return {catalog.operations(call.instance).flops, catalog.operations(whole).flops};
    }
    /// What all calls of a program count.
    static std::pair<double, double> operations(const cli::Compilation& compiled) {
        std::pair<double, double> sum;
        for (const frontend::Call& call : compiled.program->calls) {
            const auto [folded, whole] = counts(*compiled.catalog, call);
            sum.first += folded;
            sum.second += whole;
        }
        return sum;
    }
    static double planned_operations(const fusion::Plan& plan) {
        double sum = 0;
        for (const fusion::Candidate& kernel : plan.kernels) {
            sum += kernel.work.flops;
        }
        return sum;
    }
    std::pair<double, double> counts(const std::string& name) const { return counts(c, name); }
    static std::pair<double, double> counts(const cli::Compilation& compiled, const std::string& name) {
        for (const frontend::Call& call : compiled.program->calls) {
            if (compiled.program->datum(call.result).name == name) {
                return counts(*compiled.catalog, call);
            }
        }
        ADD_FAILURE() << "no call " << name;
        return {};
    }

    execute::TemporaryFolder folder;
    cli::Compilation c;
};

// By hand, for both: J 9, cofactors 27, det J = J(0) . c(0) 5, the gradient of node 0 as minus the sum of the others 3 x 2 (a sign is no
// operation), s = 1 / (6 det J) 2: 49. What is meant by the hand counts of the workload:
//   by blocks: lambda s and mu s 2, and for each of 10 blocks g(a) g(b)' 9, lambda times it 9, mu times its transpose 9, their sum 9, its trace 2,
//   times mu 1, onto the diagonal 3: 49 + 2 + 10 * 42 = 471;
//   as a product: C B 6 * 12 * 11 = 792, B' (C B) 12 * 12 * 11 = 1584, times s 144: 49 + 792 + 1584 + 144 = 2569.
// Of the product, B has one entry in each of its first three rows and column, and two in the last three, and C is a full 3x3 block and a
// diagonal: C B has 36 entries of one product in its upper half and 24 in its lower one, 60 operations in place of 792. An entry of B' (C B) is of
// components k and l of nodes a and b: for k = l three products, 5 operations, else two, 3; of the 16 blocks each has 3 and 6 of these:
// 16 * (15 + 18) = 528 in place of 1584. So zeros folded it is 49 + 60 + 528 + 144 = 781.
TEST_F(Folding, BothFormsOfTheStiffnessMatrixCountAsByHand) {
    compile(form("tet_blocks.fus"));
    EXPECT_EQ(operations(), 471);
    EXPECT_EQ(counts("g"), std::pair(6.0, 60.0)) << "3 x 2 sums";
    EXPECT_EQ(planned_operations(c.plans.front()), 471) << "what the predictor is told";

    compile(form("tet_product.fus"));
    EXPECT_EQ(counts("D"), std::pair(60.0, 792.0));
    EXPECT_EQ(counts("E"), std::pair(528.0, 1584.0));
    EXPECT_EQ(operations(), 781);
    EXPECT_EQ(operations() - counts("D").first - counts("E").first + counts("D").second + counts("E").second, 2569);
}

/// One program that offers both.
TEST_F(Folding, TheBlocksAreTakenWhereBothFormsAreOffered) {
    compile(form("tet_both.fus"));
    ASSERT_EQ(c.planned.size(), 2U);
    EXPECT_EQ(c.planned[0].taken, std::vector<std::size_t>{1});
    EXPECT_LT(c.planned[0].seconds(), c.planned[1].seconds());
    const auto [sums, as_product] = counts("g"); // the gradients of node 0, minus the sum of the others': as sums by hand too
    EXPECT_EQ(sums, 6);
    const auto [taken, taken_whole] = operations(c);
    EXPECT_EQ(taken, 471);
    EXPECT_EQ(taken_whole - as_product + sums, 471) << "nothing else of it is folded";
    EXPECT_EQ(planned_operations(c.plans.front()), 471);
    ASSERT_EQ(c.plans.front().kernels.size(), 1U);

    const auto& product = c.planned[1].compiled;
    ASSERT_TRUE(product);
    EXPECT_EQ(c.planned[1].taken, std::vector<std::size_t>{2});
    const double given = counts(*product, "C").first; // lambda + 2 mu in C: by hand, it is given
    EXPECT_EQ(given, 2);
    const auto [folded, whole] = operations(*product);
    EXPECT_EQ(folded - given, 781) << "fewer than by hand: zeros of B and C are folded";
    EXPECT_EQ(whole - as_product + sums - given, 2569) << "as by hand, with B and C full";
    EXPECT_EQ(planned_operations(product->plans.front()) - given, 781);
}

TEST_F(Folding, BothFormsAreTheStiffnessMatrix) {
    const double lambda = 1.25, mu = 0.75;
    const examples::Values inputs = {
        {"X", {0.1, 0, 0.2, 1.3, 0.1, -0.2, 0.3, 0.9, 0.1, -0.1, 0.2, 1.1}}, {"lambda", {lambda}}, {"mu", {mu}}, {"p", {lambda + 2 * mu}}};
    const std::vector<double> expected = examples::formula("tet_elasticity", {inputs.find("X"), inputs.end()}).at("K");
    const double largest = std::abs(*std::max_element(expected.begin(), expected.end()));
    const auto expect_stiffness = [&](const cli::Compilation& compiled, const std::string& name) {
        const std::vector<double> made = stiffness(compiled, inputs);
        ASSERT_EQ(made.size(), 144U);
        for (std::size_t k = 0; k < made.size(); ++k) {
            EXPECT_NEAR(made[k], expected[k], 1e-13 * largest) << name << ", component " << k;
        }
        const execute::VerifyResult result =
            execute::verify_plan(compiled.plans.front(), *compiled.graph, *compiled.catalog, options(), setup());
        EXPECT_TRUE(result.passed()) << name << "\n" << (result.failures.empty() ? "" : result.failures[0].texts.front());
        EXPECT_GT(result.components, 1000U);
    };
    for (const fusion::Target target : {fusion::Target::host, fusion::Target::cuda}) {
        for (const char* name : {"tet_blocks.fus", "tet_product.fus"}) {
            compile(form(name), target);
            expect_stiffness(c, name);
        }
        compile(form("tet_both.fus"), target);
        ASSERT_EQ(c.planned.size(), 2U);
        for (const cli::PlannedCombination& combination : c.planned) {
            expect_stiffness(*combination.compiled, combination.text);
        }
    }
}

/// Changes of one routine's text: each sign, and each index.
std::vector<std::string> changed(const std::string& source, const std::string& routine) {
    std::vector<std::string> texts;
    const std::size_t begin = source.find("{\n", source.find("void " + routine)), end = source.find("\n}\n", begin);
    for (std::size_t at = begin; at < end; ++at) {
        const auto change = [&](std::size_t length, const std::string& to) {
            texts.push_back(std::string(source).replace(at, length, to));
        };
        if (source.compare(at, 3, " + ") == 0) {
            change(3, " - ");
        } else if (source.compare(at, 3, " - ") == 0) {
            change(3, " + ");
        } else if (source.compare(at, 4, " = -") == 0) {
            change(4, " = ");
        } else if (source.compare(at, 3, "a(0") == 0) {
            change(3, "a(1");
        }
    }
    return texts;
}

TEST_F(Folding, AWrongSignOrTermIsNoticed) {
    const fs::path program = folder.path() / "gradients.fus";
    std::ofstream(program) << "double MATRIX4x3 X; double MATRIX3x3 Y; input X, Y;\n"
                              "const double MATRIX4x3 G = [[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]];\n"
                              "J = mtmul(X, G); f = mmult(G, Y); return J, f;\n";
    compile(program, fusion::Target::host);
    std::size_t noticed = 0;
    const auto verified = [&](const std::string& source) {
        codegen::Emitted emitted = c.emitted;
        emitted.source = source;
        return execute::verify_text(execute::unit_text(*c.unit, emitted, "gradients"), *c.graph, *c.catalog, options(), setup()).passed();
    };
    EXPECT_TRUE(verified(c.emitted.source));
    for (const frontend::Call& call : c.program->calls) {
        const library::Function& function = c.catalog->function(call.instance.function);
        ASSERT_FALSE(function.base.empty());
        for (const std::string& text : changed(c.emitted.source, function.name + "_element")) {
            EXPECT_FALSE(verified(text)) << text.substr(text.find("void " + function.name), 400);
            ++noticed;
        }
    }
    EXPECT_GE(noticed, 4U);
}

/// Written one statement at a time in the kernel, with the names of the program: no table, no factor of one, no term of zero.
TEST_F(Folding, TheTextHasNoFactorsOfZeroOrOne) {
    const fs::path program = folder.path() / "gradients.fus";
    std::ofstream(program) << "MATRIX3x3 Y; VECTOR3 v; input Y, v;\n"
                              "const MATRIX4x3 G = [[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 0.5]];\n"
                              "f = mmult(G, Y); u = mtvmul(f, rows(1, 0, -1, 0)); w = u + v; return w;\n";
    compile(program);
    const std::string kernels = c.emitted.source.substr(c.emitted.source.find("__global__"));
    EXPECT_THAT(kernels, testing::Not(testing::HasSubstr("0.0f *")));
    EXPECT_THAT(kernels, testing::Not(testing::HasSubstr("1.0f *")));
    EXPECT_THAT(kernels, testing::Not(testing::HasSubstr("* 1.0f")));
    EXPECT_THAT(c.emitted.source, testing::HasSubstr("// ")) << c.emitted.source;
    EXPECT_EQ(counts("u").first, 3) << "a difference for each component";
}

} // namespace
} // namespace fusec
