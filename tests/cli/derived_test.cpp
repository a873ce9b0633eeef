// SPDX-License-Identifier: Apache-2.0
// Calls on uniforms, through every command: what a user sees of them, and that the kernels that compute them agree with the reference.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <set>
#include <utility>

namespace fusec {
namespace {

using nlohmann::json;
using test::fusec;
using testing::HasSubstr;
using testing::Not;

const std::string material = R"(MATRIX3x3 A, B, C, D;
uniform SCALAR la, mu;
input A, B, C, D;
k = mu * la + mu;
X = k * A * B;
Y = k * C * D;
Z = X * Y;
return Z;
)";

class Derived : public testing::Test {
protected:
    std::string verified(const std::string& program, std::vector<std::string> options = {}) const {
        options.insert(options.begin(), {"verify", program});
        const test::Outcome outcome = fusec(options, folder.path());
        EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr(" 0 mismatches"));
        return outcome.out;
    }
    test::TemporaryFolder folder;
};

TEST_F(Derived, NoneHasNoKernelAndNoBytesForThem) {
    folder.write("p.fus", material);
    const test::Outcome outcome = fusec({"p.fus", "--plan", "none", "--json", "-", "-o", "p.cu"}, folder.path());
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json plan = json::parse(outcome.out)["plans"][0];
    ASSERT_EQ(plan["kernels"].size(), 5U) << "seven calls, of which two are on uniforms";
    double bytes = 0;
    for (const json& kernel : plan["kernels"]) {
        bytes += kernel["bytes_per_element"].get<double>();
        const bool scales = kernel["calls"][0] == "X.1" || kernel["calls"][0] == "Y.1";
        EXPECT_EQ(kernel["derives"], scales ? json({"k.1", "k"}) : json::array());
    }
    // Two scalings of 2 matrices, three products of 3, of 36 bytes each.
    EXPECT_EQ(bytes, 36 * (2 * 2 + 3 * 3));
    EXPECT_EQ(plan["recomputed"], json::array());
    EXPECT_THAT(folder.read("p.cu"), Not(HasSubstr("k + first")));
    for (const char* executor : {"host", "emulated"}) {
        for (const char* mode : {"none", "max", "greedy", "auto"}) {
            verified("p.fus", {"--executor", executor, "--plan", mode});
        }
    }
}

TEST_F(Derived, NineThreadsReadOneWithTails) {
    folder.write("nine.fus",
        "MATRIX3x3 A;\nuniform SCALAR la, mu;\nuniform VECTOR3 g;\ninput A;\nX = (la * mu) * A;\nw = X * (mu * g);\nreturn X, w;\n");
    const test::Outcome candidates = fusec({"nine.fus", "--dump", "candidates"}, folder.path());
    EXPECT_THAT(candidates.out, HasSubstr("{9}")) << "X by entries, alone";
    EXPECT_THAT(candidates.out, HasSubstr("{9 3}"));
    verified("nine.fus", {"--all", "--executor", "emulated"}); // 1 to 2 T + 8 elements of blocks of T
    verified("nine.fus", {"--all", "--executor", "host"});
}

TEST_F(Derived, AWrongValueIsFound) {
    folder.write("p.fus", material);
    for (const auto& [target, from, to] : {std::array<std::string, 3>{"cuda", "k = k_1 + mu[0];", "k = k_1 + la[0];"},
             {"cuda", "k_1 = mu[0] * la[0];", "k_1 = mu[0] + la[0];"}, {"host", "sadd_element(k_1,", "smul_element(k_1,"}}) {
        ASSERT_EQ(fusec({"p.fus", "-o", "p.cu", "--target", target}, folder.path()).code, 0);
        const std::string executor = target == "host" ? "host" : "emulated";
        EXPECT_EQ(fusec({"verify", "p.fus", "--source", "p.cu", "--executor", executor}, folder.path()).code, 0);
        std::string text = folder.read("p.cu");
        ASSERT_NE(text.find(from), std::string::npos) << text;
        folder.write("p.cu", text.replace(text.find(from), from.size(), to));
        EXPECT_EQ(fusec({"verify", "p.fus", "--source", "p.cu", "--executor", executor}, folder.path()).code, 4) << to;
    }
}

TEST_F(Derived, MatricesAndTablesUpToTheLimit) {
    folder.write("wide.fus", R"(double MATRIX3x3 A, B;
double VECTOR3 v, r;
uniform double MATRIX3x3 Q, R;
uniform double VECTOR3 g;
const double VECTOR3 w = [1, 2, 3];
input A, B, v;
QR = Q * R;
d = 2 * g + w;
E = vouter(d, d) * QR;  // of 3 + 3 + 9 + 45 + 45 operations: a call
C = QR * A + E;
e = C * d;
for i in 0..3 { r[i] = d[i] * g[i] + v[i] * d[i]; }
o = d + g;              // an output: an entry for every element
return C, e, r, o;
)");
    const test::Outcome dag = fusec({"wide.fus", "--dump", "dag"}, folder.path());
    for (const char* line : {"QR = mmul(Q, R) : double MATRIX3x3, the same for all elements: in every kernel that uses it\n",
             "d = vadd(d.1, w) : double VECTOR3, the same for all elements", "\nE = mmul(E.1, QR) : double MATRIX3x3\n",
             "\no = vadd(d, g) : double VECTOR3\n"}) {
        EXPECT_THAT(dag.out, HasSubstr(line));
    }
    for (const char* executor : {"host", "emulated"}) {
        verified("wide.fus", {"--all", "--executor", executor});
    }
}

TEST_F(Derived, OnlyUniforms) {
    folder.write("only.fus", "uniform SCALAR a, b;\nuniform MATRIX3x3 Q;\nc = a * b;\nd = c + a;\nF = c * Q * Q;\nreturn d, F;\n");
    for (const char* executor : {"host", "emulated"}) {
        verified("only.fus", {"--all", "--executor", executor});
        verified("only.fus", {"--plan", "none", "--executor", executor});
    }
}

TEST_F(Derived, PlanFilesKnowThemByStructure) {
    const std::string program = folder.write("p.fus", material);
    ASSERT_EQ(fusec({"p.fus", "-o", "a.cu", "--plan", "greedy", "--max-fusion", "2", "--save-plan", "plan.json"}, folder.path()).code, 0);
    EXPECT_THAT(folder.read("plan.json"), HasSubstr("\"k\": \"derived\""));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = material;
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
            text.replace(at, from.size(), to);
        }
        folder.write("p.fus", text);
        return fusec({"p.fus", "-o", "b.cu", "--max-fusion", "2", "--plan", "plan.json"}, folder.path());
    };
    EXPECT_EQ(with("k", "q").code, 0) << "renamed";
    EXPECT_EQ(with("mu", "shear").code, 0) << "renamed";
    const test::Outcome other = with("mu * la + mu", "mu * la + la");
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.err, HasSubstr("[plan-no-candidate]"));
    // A file from before, in which `k` was a call.
    json old = json::parse(folder.read("plan.json"));
    old["kernels"][0]["calls"].push_back("k");
    old["kernels"][0]["implementation"]["k"] = "element";
    folder.write("plan.json", old.dump());
    const test::Outcome before = with("none", "none");
    EXPECT_EQ(before.code, 1);
    EXPECT_THAT(before.err, HasSubstr("`k` has one value for all elements: every kernel that uses it computes it"));
}

TEST_F(Derived, CommandsSayWhere) {
    folder.write("p.fus", material);
    const test::Outcome why = fusec({"why", "p.fus", "k", "X"}, folder.path());
    EXPECT_EQ(why.code, 1);
    EXPECT_THAT(why.err, HasSubstr("program `p` has no call `k`"));
    EXPECT_THAT(why.err, HasSubstr("`k` has one value for all elements: every kernel that uses it computes it"));
    EXPECT_THAT(fusec({"why", "p.fus", "X", "Y"}, folder.path()).out, HasSubstr("derives k.1, k; stores"));
    EXPECT_THAT(fusec({"explore", "p.fus"}, folder.path()).out, HasSubstr("loads A, B, C, D; derives k.1, k; stores Z;"));
    ASSERT_EQ(fusec({"p.fus", "-o", "p.cu", "--dot", "dag", "dag.dot", "--dot", "plan", "plan.dot"}, folder.path()).code, 0);
    for (const char* name : {"dag.dot", "plan.dot"}) {
        EXPECT_THAT(folder.read(name), HasSubstr("[shape=box, style=dashed, label=\"k\\nsadd\"]"));
        EXPECT_EQ(test::run({"dot", "-Tsvg", name}, folder.path()).code, 0);
    }
    const std::string text = folder.read("p.cu");
    EXPECT_THAT(text, HasSubstr("// k = mu la + mu\n// Z = A k B (C k D)\n"));
    EXPECT_THAT(
        text, HasSubstr("    // The same for all elements.\n    const float k_1 = mu[0] * la[0];\n    const float k = k_1 + mu[0];\n"));
    const std::string stvk = std::string(FUSEC_SOURCE_DIR) + "/examples/stvk.fus";
    EXPECT_THAT(fusec({stvk, "--dump", "plan"}, folder.path()).out, HasSubstr("derives S.4; ")) << "2 mu, of W3";
}

// Each thread of a cross product by entry reads two of three components, by its lane: of a value in registers it cannot.
TEST_F(Derived, AreNotIndexedByThread) {
    folder.write("p.fus", "uniform VECTOR3 u;\nVECTOR3 x;\ninput x;\nw = u + u;\ny = vcross(w, x);\nz = vcross(x, x);\nreturn y, z;\n");
    std::set<std::pair<std::string, std::string>> seen;
    const json report = json::parse(fusec({"predict", "p.fus", "--all", "--json", "-"}, folder.path()).out);
    for (const json& kernel : report["kernels"]) {
        for (const auto& [call, implementation] : kernel["implementation"].items()) {
            seen.emplace(call, implementation);
        }
    }
    EXPECT_THAT(seen, testing::UnorderedElementsAre(std::pair("y", "element"), std::pair("z", "element"), std::pair("z", "entry")));
}

} // namespace
} // namespace fusec
