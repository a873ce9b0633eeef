// SPDX-License-Identifier: Apache-2.0
// Stress, then its tangent in a block of its own: against Eigen; every plan on the host and under emulated CUDA, launched whole and block by
// block; the functions of the blocks in the text; texts that leave one out or exchange two; and where calls of values that cross stand.
#include "cli/choose_plan.hpp"
#include "cli/pipeline.hpp"
#include "execute/verify.hpp"
#include "mutation/mutation.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace fusec {
namespace {

constexpr const char* text = R"(
program response;
uniform SCALAR la, mu;
MATRIX3x3 F, dF;
VECTOR3 work;
SCALAR steps;
input F, dF;
inout work, steps;
block stress {
    C = mtmul(F, F);
    E = 0.5 * (C - midentity(3));
    S = la * mtrace(E) * midentity(3) + 2 * mu * E;
    P = F * S;
    before = work;
    work += F * P[0];
    for i in 0..3 { for j in 0..3 { scaled[i, j] = 0.5 * (P[i, j] + P[j, i]); } }
    steps += mtrace(S);
}
block tangent {
    dC = mtmul(F, F);
    dE = msym(mtmul(F, dF));
    dS = la * mtrace(dE) * midentity(3) + 2 * mu * dE;
    dP = dF * S + F * dS;
    rate = vdot(work, before);
    both = dC * dP;
}
return P, dP, rate, scaled, both;
)";

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
constexpr const char* modes[] = {"auto", "none", "max", "greedy"};

std::string declared() {
    std::string program = text;
    return program.replace(program.find("block stress"), 0, "MATRIX3x3 scaled;\n");
}

class ProgramBlocks : public testing::Test {
protected:
    void compile(const std::string& program, const char* stage, fusion::Target target = fusion::Target::cuda, bool entries = false) {
        std::ofstream(folder.path() / "response.fus") << program;
        c = {};
        c.options.program = folder.path() / "response.fus";
        c.options.target = target;
        c.options.device = target == fusion::Target::host ? "host-generic" : "h200";
        c.options.entries = entries;
        Diagnostics diagnostics;
        const bool good = cli::run_pipeline(c, diagnostics, stage);
        std::ostringstream said;
        render(diagnostics, said, false);
        ASSERT_TRUE(good) << said.str();
    }
    execute::RunSetup setup() const {
        Diagnostics diagnostics;
        return {execute::find_host_compiler(diagnostics).value(), folder.path() / "cache", library::standard_library_folder(), 2, 300, 20};
    }
    std::map<std::string, std::vector<double>> evaluated(const std::map<std::string, std::vector<double>>& in) const {
        const frontend::CheckedProgram& program = *c.program;
        execute::DataValues given(program.data.size());
        for (const DataId id : program.inputs) {
            given[id.index()] = in.at(program.list_name(id));
        }
        const execute::ReferenceResult result = execute::evaluate(program, *c.catalog, 1, given);
        std::map<std::string, std::vector<double>> out;
        for (const DataId id : program.outputs) {
            out[program.list_name(id)] = result.values[id.index()];
        }
        return out;
    }
    std::string block_of(const std::string& name) const {
        for (std::size_t i = 0; i < c.program->calls.size(); ++i) {
            if (c.program->name_of(CallId(i)) == name) {
                return c.program->block_name(CallId(i));
            }
        }
        return "(no call)";
    }

    execute::TemporaryFolder folder;
    cli::Compilation c;
};

std::vector<double> drawn(int count, unsigned seed) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values.push_back(static_cast<double>(seed >> 20U) / 4096 - 0.5);
    }
    return values;
}

template <class Derived>
std::vector<double> listed(const Eigen::MatrixBase<Derived>& value) {
    std::vector<double> values;
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
        for (Eigen::Index j = 0; j < value.cols(); ++j) {
            values.push_back(value(i, j));
        }
    }
    return values;
}

TEST_F(ProgramBlocks, AreWhatEigenGives) {
    for (const char* stage : {"check", "updates"}) { // as written, and as compiled
        compile(declared(), stage);
        const std::map<std::string, std::vector<double>> in = {
            {"F", drawn(9, 1)}, {"dF", drawn(9, 2)}, {"work", drawn(3, 3)}, {"steps", {2}}, {"la", {1.5}}, {"mu", {0.75}}};
        const Matrix3 f = Eigen::Map<const Matrix3>(in.at("F").data()), df = Eigen::Map<const Matrix3>(in.at("dF").data());
        const Eigen::Vector3d before(in.at("work").data());
        const auto law = [](const Matrix3& strain) -> Matrix3 { return 1.5 * strain.trace() * Matrix3::Identity() + 2 * 0.75 * strain; };
        const Matrix3 s = law(0.5 * (f.transpose() * f - Matrix3::Identity())), p = f * s;
        const Matrix3 dp = df * s + f * law(0.5 * (f.transpose() * df + df.transpose() * f));
        const Eigen::Vector3d work = before + f * p.row(0).transpose();
        const std::map<std::string, std::vector<double>> expected = {{"P", listed(p)}, {"dP", listed(dp)}, {"work", listed(work)},
            {"rate", {work.dot(before)}}, {"scaled", listed(0.5 * (p + p.transpose()))}, {"both", listed(f.transpose() * f * dp)},
            {"steps", {2 + s.trace()}}};
        const std::map<std::string, std::vector<double>> out = evaluated(in);
        for (const auto& [name, values] : expected) {
            EXPECT_THAT(out.at(name), testing::Pointwise(testing::DoubleNear(1e-12), values)) << name << " behind " << stage;
        }
    }
}

TEST_F(ProgramBlocks, CallsStandWhereTheyAreNeededFirst) {
    compile(declared(), "check");
    EXPECT_EQ(block_of("C"), "stress");
    EXPECT_EQ(block_of("dC"), "(no call)") << "the same call as C";
    EXPECT_EQ(block_of("both"), "tangent");
    EXPECT_EQ(block_of("scaled"), "stress") << "put together for `return`, in the block of its parts";
    compile(declared(), "updates");
    EXPECT_EQ(block_of("work:0.kept"), "stress") << "read in a later block than the one that stores the new value";
    EXPECT_EQ(block_of("steps:0.kept"), "(no call)");
    EXPECT_EQ(block_of("scaled"), "stress") << "one call, not mixed with those of the other block";
    EXPECT_TRUE(std::is_sorted(c.program->calls.begin(), c.program->calls.end(),
        [](const frontend::Call& a, const frontend::Call& b) { return a.block < b.block; }));
    // Scalar arithmetic with components of which one half stands in each block: two calls, where one would be made without blocks.
    const std::string halves = "VECTOR3 v, w; input v; block a { s = v[0] * v[1]; t = s * v[2]; } "
                               "block b { w[0] = t; w[1] = t * s; w[2] = s + v[0]; } return w;";
    compile(halves, "condense");
    std::set<std::string> blocks;
    for (std::size_t i = 0; i < c.program->calls.size(); ++i) {
        blocks.insert(c.program->block_name(CallId(i)));
    }
    EXPECT_THAT(blocks, testing::ElementsAre("a", "b"));
    std::string one = halves;
    for (const std::string word : {"block a {", "} block b {", "} "}) {
        one.erase(one.find(word), word.size());
    }
    compile(one, "condense");
    EXPECT_EQ(c.program->calls.size(), 1U);
}

TEST_F(ProgramBlocks, SumsAreBracketedAnewWithinABlock) {
    std::ofstream(folder.path() / "sum.fus") << "VECTOR3 a, b, c, d; input a, b, c, d; block x { s = a; s += b; s += c; s += d; } "
                                                "block y { s += 2 * a; s += 2 * b; s += 2 * c; } return s;";
    c.options.program = folder.path() / "sum.fus";
    c.options.reassociate = true;
    c.options.device = "h200";
    Diagnostics diagnostics;
    ASSERT_TRUE(cli::run_pipeline(c, diagnostics, "dag"));
    std::map<std::uint32_t, int> calls;
    for (const frontend::Call& call : c.program->calls) {
        ++calls[call.block];
    }
    EXPECT_EQ(calls[0], 3);
    EXPECT_GE(calls[1], 3);
}

TEST_F(ProgramBlocks, EveryPlanEqualsTheReferenceWholeAndBlockByBlock) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile(declared(), "space", target);
        for (const char* mode : modes) {
            c.options.plan = mode;
            c.plans.clear();
            Diagnostics diagnostics;
            ASSERT_TRUE(cli::choose_plan(c, diagnostics)) << mode;
            const fusion::Plan& plan = c.plans.front();
            fusion::verify(plan, *c.graph);
            std::vector<std::uint32_t> order;
            for (const fusion::Candidate& kernel : plan.kernels) {
                for (const CallId call : kernel.calls) {
                    order.push_back(c.graph->call(call).block);
                    EXPECT_EQ(order.back(), c.graph->call(kernel.calls.front()).block) << mode;
                }
            }
            EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << mode;
            const execute::VerifyResult result = execute::verify_plan(plan, *c.graph, *c.catalog, {.target = target}, setup());
            std::string said;
            for (const execute::VerifyFailure& failure : result.failures) {
                said += failure.what + ": " + failure.texts.front() + "\n";
            }
            EXPECT_TRUE(result.passed()) << mode << "\n" << said;
            EXPECT_GT(result.components, 1000U);
        }
    }
}

TEST_F(ProgramBlocks, HaveFunctionsOnRequestOnly) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile(declared(), "emit", target);
        EXPECT_THAT(c.emitted.header, testing::Not(testing::HasSubstr("launch_stress")));
        EXPECT_THAT(c.emitted.source, testing::Not(testing::HasSubstr("launch_stress")));
        compile(declared(), "emit", target, true);
        for (const char* name : {"int response_launch_stress(", "int response_launch_stress_range(", "int response_launch_tangent(",
                 "int response_launch_tangent_range(", "inline int launch_tangent("}) {
            EXPECT_THAT(c.emitted.header, testing::HasSubstr(name));
        }
        EXPECT_THAT(c.emitted.source, testing::HasSubstr("return response_launch_tangent_range(arguments, first, count, workspace"));
    }
}

TEST_F(ProgramBlocks, ATextThatLeavesOneOutOrExchangesTwoIsCaught) {
    compile(declared(), "plan");
    codegen::Unit unit = codegen::lower(c.plans.front(), *c.graph, *c.catalog);
    codegen::EmitOptions emit;
    emit.entries = true;
    emit.header_name = unit.name + ".h";
    const codegen::Emitted emitted = codegen::emit(unit, *c.graph, *c.catalog, emit);
    std::set<std::string> kinds;
    for (const execute::Mutant& mutant : execute::mutants(emitted.source)) {
        if (mutant.kind.find("block") == std::string::npos) {
            continue;
        }
        kinds.insert(mutant.kind);
        const execute::UnitText changed{unit.name, {{unit.name + ".cpp", mutant.text}, {unit.name + ".h", emitted.header}}, {}};
        const execute::VerifyResult result = execute::verify_text(changed, *c.graph, *c.catalog, {}, setup());
        EXPECT_EQ(result.mismatches, 1U) << mutant.change;
    }
    EXPECT_THAT(kinds, testing::ElementsAre("drop a block", "swap two blocks"));
    const execute::UnitText right{unit.name, {{unit.name + ".cpp", emitted.source}, {unit.name + ".h", emitted.header}}, {}};
    EXPECT_TRUE(execute::verify_text(right, *c.graph, *c.catalog, {}, setup()).passed());
}

} // namespace
} // namespace fusec
