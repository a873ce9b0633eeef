// SPDX-License-Identifier: Apache-2.0
// Stress, then its tangent in a block of its own: against Eigen; every plan on the host and under emulated CUDA, launched whole and block by
// block; the functions of the blocks in the text; texts that leave one out or exchange two; and where calls of values that cross stand.
#include "execute/loaded_library.hpp"
#include "tests/examples/construct.hpp"
#include "tests/execute/mutation/mutation.hpp"

#include <algorithm>
#include <map>
#include <set>

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

std::string declared() {
    std::string program = text;
    return program.replace(program.find("block stress"), 0, "MATRIX3x3 scaled;\n");
}

using examples::drawn;
using examples::evaluated;
using examples::listed;

class ProgramBlocks : public examples::Construct {
protected:
    void compile(const std::string& program, const char* stage, fusion::Target target = fusion::Target::cuda, bool entries = false) {
        ASSERT_TRUE(compile_into(c, program, target, stage, [&](cli::CompileOptions& options) { options.entries = entries; }));
    }
    std::string block_of(const std::string& name) const {
        for (std::size_t i = 0; i < c.program->calls.size(); ++i) {
            if (c.program->name_of(CallId(i)) == name) {
                return c.program->block_name(CallId(i));
            }
        }
        return "(no call)";
    }

    cli::Compilation c;
};

TEST_F(ProgramBlocks, AreWhatEigenGives) {
    for (const char* stage : {"check", "updates"}) { // as written, and as compiled
        compile(declared(), stage);
        const examples::Lists in = {
            {"F", drawn(9, 1)}, {"dF", drawn(9, 2)}, {"work", drawn(3, 3)}, {"steps", {2}}, {"la", {1.5}}, {"mu", {0.75}}};
        const Matrix3 f = Eigen::Map<const Matrix3>(in.at("F").data()), df = Eigen::Map<const Matrix3>(in.at("dF").data());
        const Eigen::Vector3d before(in.at("work").data());
        const auto law = [](const Matrix3& strain) -> Matrix3 { return 1.5 * strain.trace() * Matrix3::Identity() + 2 * 0.75 * strain; };
        const Matrix3 s = law(0.5 * (f.transpose() * f - Matrix3::Identity())), p = f * s;
        const Matrix3 dp = df * s + f * law(0.5 * (f.transpose() * df + df.transpose() * f));
        const Eigen::Vector3d work = before + f * p.row(0).transpose();
        const examples::Lists expected = {{"P", listed(p)}, {"dP", listed(dp)}, {"work", listed(work)}, {"rate", {work.dot(before)}},
            {"scaled", listed(0.5 * (p + p.transpose()))}, {"both", listed(f.transpose() * f * dp)}, {"steps", {2 + s.trace()}}};
        const examples::Lists out = evaluated(*c.program, *c.catalog, in);
        for (const auto& [name, values] : expected) {
            EXPECT_THAT(out.at(name), testing::Pointwise(testing::DoubleNear(1e-12), values)) << name << " behind " << stage;
        }
    }
}

TEST_F(ProgramBlocks, CallsStandWhereTheyAreNeededFirst) {
    compile(declared(), "check");
    EXPECT_EQ(block_of("C"), "stress");
    EXPECT_EQ(block_of("dC"), "tangent") << "the same call as C, which is in another block";
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

TEST_F(ProgramBlocks, WhatTwoComputeAlikeDoesNotCross) {
    const std::string types = "MATRIX6x6 A; VECTOR6 v, w; input A, v, w; ";
    const auto bytes = [&](const std::string& blocks) {
        const auto planned = compiled(types + blocks + " return x, y;", fusion::Target::cuda, "plan");
        double sum = 0;
        for (const fusion::Candidate& kernel : planned->plans.front().kernels) {
            sum += kernel.work.read_bytes + kernel.work.write_bytes;
        }
        return std::pair(sum, planned->plans.front().workspace.slots.size());
    };
    const auto alike = bytes("block one { x = (A + A') * v; } block two { y = (A + A') * w; }");
    EXPECT_EQ(alike, std::pair(2 * (36 + 6 + 6) * 4.0, std::size_t{0})) << "two launches, as of two programs";
    const auto named = bytes("block one { S = A + A'; x = S * v; } block two { y = S * w; }");
    EXPECT_EQ(named, std::pair((36 + 6 + 6 + 36 + 36 + 6 + 6) * 4.0, std::size_t{1})) << "what has a name crosses";
    // The old value of an updated list is not there any more.
    compile("VECTOR3 u, v; input v; inout u; block one { x = 2 * u; u += v; } block two { y = u + v; } return x, y;", "updates");
    compile("VECTOR3 u, v; input v; inout u; block one { o = u; x = 2 * o; u += v; } block two { y = 2 * o + v; } return x, y;", "updates");
    EXPECT_EQ(std::ranges::count_if(c.program->calls, [](const frontend::Call& call) { return call.block == 0; }), 2) << "2 o once, u + v";
}

TEST_F(ProgramBlocks, SumsAreBracketedAnewWithinABlock) {
    const auto sum = compiled("VECTOR3 a, b, c, d; input a, b, c, d; block x { s = a; s += b; s += c; s += d; } "
                              "block y { s += 2 * a; s += 2 * b; s += 2 * c; } return s;",
        fusion::Target::cuda, "dag", [](cli::CompileOptions& options) { options.reassociate = true; });
    ASSERT_NE(sum, nullptr);
    std::map<std::uint32_t, int> calls;
    for (const frontend::Call& call : sum->program->calls) {
        ++calls[call.block];
    }
    EXPECT_EQ(calls[0], 3);
    EXPECT_EQ(calls[1], 6) << "three products and three sums";
    // x sums its own four terms, (a + b) + (c + d), which alone cross; y sums that and its three.
    std::set<std::string> crossing;
    for (const frontend::Call& call : sum->program->calls) {
        for (const DataId operand : call.operands) {
            const auto& producer = sum->program->datum(operand).producer;
            if (producer && sum->program->call(*producer).block != call.block) {
                crossing.insert(sum->program->datum(operand).name);
            }
        }
    }
    EXPECT_THAT(crossing, testing::ElementsAre("s:4"));
}

TEST_F(ProgramBlocks, EveryPlanEqualsTheReferenceWholeAndBlockByBlock) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        compile(declared(), "space", target);
        expect_every_plan_agrees(c, [&](const char* mode, const execute::VerifyResult&) {
            std::vector<std::uint32_t> order;
            for (const fusion::Candidate& kernel : c.plans.front().kernels) {
                for (const CallId call : kernel.calls) {
                    order.push_back(c.graph->call(call).block);
                    EXPECT_EQ(order.back(), c.graph->call(kernel.calls.front()).block) << mode;
                }
            }
            EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << mode;
        });
    }
}

/// As the header promises: with lists and workspace as a block found them. A kernel for each call, so that much lies in the workspace; by the time the
/// last kernels of `second` run, nothing of its own needs what crosses.
TEST_F(ProgramBlocks, MayBeLaunchedAgain) {
    const auto again = compiled("program again; MATRIX2x2 A; input A; block first { B = A * A; C = B + A; } "
                                "block second { D = B * C; E = D * D; F = E + A; G = F * F; } block third { H = G + C; } return E, H;",
        fusion::Target::host, nullptr, [](cli::CompileOptions& options) {
            options.plan = "none";
            options.entries = true;
        });
    ASSERT_NE(again, nullptr);
    Diagnostics diagnostics;
    execute::BuildRequest request;
    request.kind = execute::BuildKind::host_product;
    request.files = {{"again.cpp", again->emitted.source}, {again->header_name, again->emitted.header}};
    const auto path = execute::build_library(request, execute::find_host_compiler(diagnostics).value(), folder.path(), diagnostics);
    ASSERT_TRUE(path);
    const auto loaded = execute::LoadedLibrary::open(*path, diagnostics);
    ASSERT_TRUE(loaded);
    const auto functions = execute::UnitFunctions::find(*loaded, "again", diagnostics, {"first", "second", "third"});
    ASSERT_TRUE(functions);
    constexpr std::size_t n = 100;
    std::vector<float> a(4 * n), e(4 * n), h(4 * n);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<float>(i % 7) / 8 - 0.25F;
    }
    void* const lists[] = {a.data(), e.data(), h.data()};
    alignas(256) static unsigned char workspace[1U << 16U];
    const std::size_t bytes = functions->workspace_bytes(n);
    ASSERT_GT(bytes, 0U);
    ASSERT_LE(bytes, sizeof workspace);
    ASSERT_EQ(functions->launch(lists, n, workspace, bytes, nullptr), 0);
    const std::vector<float> expected_e = e, expected_h = h;
    for (const std::vector<std::size_t>& blocks :
        std::vector<std::vector<std::size_t>>{{0, 1, 2}, {0, 1, 1, 2}, {0, 1, 2, 2}, {0, 1, 2, 1, 2}, {0, 0, 1, 2, 1}}) {
        std::fill(std::begin(workspace), std::end(workspace), static_cast<unsigned char>(0xff));
        std::fill(e.begin(), e.end(), 0.0F);
        std::fill(h.begin(), h.end(), 0.0F);
        for (const std::size_t block : blocks) {
            ASSERT_EQ(functions->entries[block].launch(lists, n, workspace, bytes, nullptr), 0);
        }
        EXPECT_EQ(e, expected_e) << testing::PrintToString(blocks);
        EXPECT_EQ(h, expected_h) << testing::PrintToString(blocks);
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
