// SPDX-License-Identifier: Apache-2.0
// Alternatives: of what a program offers, what is predicted fastest is taken, as if the rest had never been written; and the rest is told.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace fusec {
namespace {

using nlohmann::json;
using test::fusec;
using testing::HasSubstr;

const std::string head = "program p;\ndouble MATRIX6x6 A, B;\ndouble VECTOR6 v;\ninput A, B, v;\n";
const std::string matrices = "C = A * B;\ny = C * v;\n";
const std::string vectors = "w = B * v;\ny = A * w;\n";
const std::string tail = "z = 2 * y;\nreturn z;\n";

std::string alternatives(const std::vector<std::string>& bodies) {
    std::string text = "alternatives {\n" + bodies.front();
    for (std::size_t i = 1; i < bodies.size(); ++i) {
        text += "} or {\n" + bodies[i];
    }
    return text + "}\n";
}

class Alternatives : public testing::Test {
protected:
    json explored(const std::string& program, const std::vector<std::string>& options = {}) {
        std::vector<std::string> words{"explore", program, "--json", "-"};
        words.insert(words.end(), options.begin(), options.end());
        const test::Outcome outcome = fusec(words, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(outcome.out);
    }
    json plan_of(const std::string& program) {
        const test::Outcome outcome = fusec({program, "--save-plan", "plan.json"}, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(folder.read("plan.json"));
    }

    test::TemporaryFolder folder;
};

TEST_F(Alternatives, TheFastestIsTakenWhereverItStands) {
    folder.write("m/p.fus", head + matrices + tail);
    folder.write("v/p.fus", head + vectors + tail);
    folder.write("mv/p.fus", head + alternatives({matrices, vectors}) + tail);
    folder.write("vm/p.fus", head + alternatives({vectors, matrices}) + tail);
    const double by_matrices = explored("m/p.fus")["optimum"]["seconds"], by_vectors = explored("v/p.fus")["optimum"]["seconds"];
    ASSERT_LT(by_vectors, by_matrices);
    for (const auto& [program, taken] : {std::pair{"mv/p.fus", 2}, std::pair{"vm/p.fus", 1}}) {
        const json report = explored(program);
        EXPECT_EQ(report["optimum"]["seconds"], by_vectors) << program;
        ASSERT_EQ(report["alternatives"].size(), 2U) << program;
        EXPECT_EQ(report["alternatives"][0]["taken"], json({taken})) << program;
        EXPECT_EQ(report["alternatives"][0]["chosen"], true) << program;
        EXPECT_EQ(report["alternatives"][0]["seconds"], by_vectors) << program;
        EXPECT_EQ(report["alternatives"][1]["taken"], json({3 - taken})) << program;
        EXPECT_EQ(report["alternatives"][1]["chosen"], false) << program;
        EXPECT_EQ(report["alternatives"][1]["seconds"], by_matrices) << "as compiled by itself";
        // The very kernels of the program that offers nothing else.
        const json plan = plan_of(program);
        EXPECT_EQ(plan["alternatives"], json({taken}));
        EXPECT_EQ(plan["kernels"], plan_of("v/p.fus")["kernels"]) << program;
    }
    EXPECT_FALSE(explored("v/p.fus").contains("alternatives"));
    EXPECT_FALSE(plan_of("v/p.fus").contains("alternatives"));
}

TEST_F(Alternatives, ProductsAreFasterThanPowers) {
    for (const std::string type : {"SCALAR", "double SCALAR"}) {
        folder.write("p.fus",
            "program p;\n" + type + " a;\ninput a;\n" + alternatives({"y = spow(a, 4);\n", "y = a * a * a * a;\n"}) + "return y;\n");
        EXPECT_EQ(explored("p.fus")["alternatives"][0]["taken"], json({2})) << type;
    }
}

TEST_F(Alternatives, EveryCombinationIsCompiled) {
    // Two blocks behind one another, the second with a block of its own: 2 * (1 + 2) combinations.
    folder.write("p.fus",
        head + alternatives({matrices, vectors}) + alternatives({"u = y + y;\n", alternatives({"u = 2 * y;\n", "u = y * 2;\n"})}) +
            "z = u + v;\nreturn z;\n");
    const json report = explored("p.fus");
    std::vector<std::vector<int>> taken;
    double before = 0;
    for (const json& one : report["alternatives"]) {
        taken.push_back(one["taken"]);
        EXPECT_GE(one["seconds"], before) << "fastest first";
        before = one["seconds"];
    }
    std::sort(taken.begin(), taken.end());
    EXPECT_THAT(taken,
        testing::ElementsAre(testing::ElementsAre(1, 1, 0), testing::ElementsAre(1, 2, 1), testing::ElementsAre(1, 2, 2),
            testing::ElementsAre(2, 1, 0), testing::ElementsAre(2, 2, 1), testing::ElementsAre(2, 2, 2)));
}

TEST_F(Alternatives, WhatIsLeftOutIsTold) {
    folder.write("p.fus", head + alternatives({matrices, vectors}) + tail);
    const test::Outcome explore = fusec({"explore", "p.fus", "--top", "1"}, folder.path());
    EXPECT_THAT(explore.out, HasSubstr("takes alternative 2 of 2 at p.fus:5\n"));
    EXPECT_THAT(explore.out, HasSubstr("\n2. alternative 1 of 2 at p.fus:5: "));
    EXPECT_THAT(explore.out, HasSubstr("{C, y, z}"));
    // 36 * 11 + 6 * 11 + 6 of the product of matrices, 2 * 6 * 11 + 6 of those with vectors.
    EXPECT_THAT(explore.out, HasSubstr("468 flops per element beside 138\n"));
    EXPECT_THAT(explore.err, HasSubstr("; alternative 2 of 2 at p.fus:5\n"));
    const test::Outcome why = fusec({"why", "p.fus", "w", "y"}, folder.path());
    EXPECT_THAT(why.out, testing::StartsWith("left out: alternative 1 of 2 at p.fus:5, predicted "));
    const test::Outcome other = fusec({"why", "p.fus", "C", "y"}, folder.path());
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.err, HasSubstr("`C` is a call of alternative 1 of 2 at p.fus:5, which is left out"));
    fusec({"p.fus", "-o", "p.cu"}, folder.path());
    EXPECT_THAT(folder.read("p.cu"), HasSubstr("alternative 2 of 2 at p.fus:5"));
}

TEST_F(Alternatives, PlanFilesReplayThoseTheyName) {
    folder.write("m/p.fus", head + matrices + tail);
    folder.write("p.fus", head + alternatives({matrices, vectors}) + tail);
    json plan = plan_of("m/p.fus");
    plan["alternatives"] = {1};
    folder.write("first.json", plan.dump());
    const test::Outcome outcome = fusec({"p.fus", "--plan", "first.json", "-o", "p.cu", "--save-plan", "again.json"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(folder.read("p.cu"), HasSubstr("// z = A B v 2\n"));
    EXPECT_EQ(json::parse(folder.read("again.json")), plan);
}

/// `--reassociate` finds the order that has fewest operations, and what it takes is the plan of a program that is written so.
TEST_F(Alternatives, OrdersOfProductsAreSome) {
    folder.write("v/p.fus", head + "y = 2 * v;\nw = B * y;\nz = A * w;\nreturn z;\n");
    folder.write("p.fus", head + "y = A * B * v;\n" + tail);
    const json report = explored("p.fus", {"--reassociate"});
    ASSERT_EQ(report["alternatives"].size(), 2U);
    EXPECT_EQ(report["alternatives"][0]["taken"], json({2}));
    EXPECT_EQ(report["alternatives"][0]["text"], "products reordered");
    EXPECT_EQ(report["alternatives"][0]["seconds"], explored("v/p.fus")["optimum"]["seconds"]);
    EXPECT_EQ(report["alternatives"][1]["text"], "products as written");
    EXPECT_EQ(report["alternatives"][1]["seconds"], explored("p.fus")["optimum"]["seconds"]);
    EXPECT_FALSE(explored("p.fus").contains("alternatives"));
    EXPECT_FALSE(explored("v/p.fus", {"--reassociate"}).contains("alternatives")) << "nothing to choose";
    // A plan file names the order; it replays either.
    const test::Outcome saved = fusec({"p.fus", "--reassociate", "--save-plan", "plan.json", "-o", "p.cu"}, folder.path());
    ASSERT_EQ(saved.code, 0) << saved.err;
    EXPECT_THAT(saved.err, HasSubstr("`z` as `A * (B * (2 * v))`: 138 operations in place of 468 [contraction-order]"));
    EXPECT_EQ(json::parse(folder.read("plan.json"))["alternatives"], json({2}));
    const test::Outcome again =
        fusec({"p.fus", "--reassociate", "--plan", "plan.json", "--save-plan", "again.json", "-o", "again.cu"}, folder.path());
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(folder.read("again.json"), folder.read("plan.json"));
    // Beside alternatives of the text.
    folder.write("both.fus", head + alternatives({"u = A * B * v;\n", "u = A * B * (v + v) / 2;\n"}) + "y = u + v;\n" + tail);
    EXPECT_EQ(explored("both.fus", {"--reassociate"})["alternatives"].size(), 4U);
}

TEST_F(Alternatives, OfTheStiffnessOfATetrahedronTheBlocksAreTaken) {
    const std::string tet = std::string(FUSEC_SOURCE_DIR) + "/examples/tet_elasticity.fus";
    const std::string voigt = std::string(FUSEC_SOURCE_DIR) + "/examples/tet_voigt.fus";
    for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{{}, {"--device", "a100"}, {"--target", "host"}}) {
        const json report = explored(tet, options);
        ASSERT_EQ(report["alternatives"].size(), 2U);
        EXPECT_EQ(report["alternatives"][0]["taken"], json({1})) << options.size();
        EXPECT_LT(report["alternatives"][0]["seconds"], report["alternatives"][1]["seconds"]);
        EXPECT_NEAR(
            report["alternatives"][1]["seconds"].get<double>() / explored(voigt, options)["optimum"]["seconds"].get<double>(), 1, 0.1)
            << "the other example says the same as the second alternative";
    }
    double flops = 0;
    const json report = explored(tet);
    for (const json& kernel : report["plans"][0]["kernels"]) {
        flops += kernel["flops_per_element"].get<double>();
    }
    EXPECT_LT(flops, 800);
}

/// A factorisation asks for positive definite matrices, of which it reads one triangle; for those it is the inverse, whichever comes first.
TEST_F(Alternatives, AgreeOnInputsThatBothTake) {
    const std::string inverse = "x = minv(K) * f;\n", factors = "x = mcholsolve(K, f);\n";
    for (const auto& bodies : {std::vector{inverse, factors}, std::vector{factors, inverse}}) {
        folder.write("p.fus", "double MATRIX3x3 K;\ndouble VECTOR3 f;\ninput K, f;\n" + alternatives(bodies) + "return x;\n");
        const test::Outcome outcome = fusec({"p.fus", "-o", "p.cu"}, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
}

TEST_F(Alternatives, ThatDisagreeGiveNoOutput) {
    folder.write("p.fus", head + alternatives({"y = A * (B * v);\n", "y = B * (A * v);\n"}) + tail);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"p.fus", "-o", "p.cu"}, {"explore", "p.fus"},
             {"why", "p.fus", "z", "y"}, {"verify", "p.fus"}, {"p.fus", "-o", "p.cu", "--checked"}}) {
        const test::Outcome outcome = fusec(words, folder.path());
        EXPECT_EQ(outcome.code, 4) << words.front();
        EXPECT_NE(outcome.err.find("p.fus:5:1: error: alternative 2 of 2"), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.err.find("`z` differs: component"), std::string::npos) << outcome.err;
        EXPECT_FALSE(std::filesystem::exists(folder.path() / "p.cu"));
    }
}

} // namespace
} // namespace fusec
