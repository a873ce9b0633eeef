// SPDX-License-Identifier: Apache-2.0
// Programs with loops, sums and definitions have the very plan of what one would write by hand, where the hand-written one takes the names
// of the output: the same kernels, and texts that differ in the title and in comments only. Nothing of a folder is in the output.
#include "cli/pipeline.hpp"
#include "codegen/kernel_ir.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace fusec {
namespace {

namespace fs = std::filesystem;

struct Result {
    std::string plan;
    std::string source;
};

Result compile(const fs::path& program, bool reassociate = false) {
    cli::Compilation c;
    c.options.program = program;
    c.options.device = "h200";
    c.options.reassociate = reassociate;
    Diagnostics diagnostics;
    const bool good = cli::run_pipeline(c, diagnostics);
    std::ostringstream text;
    render(diagnostics, text, false);
    EXPECT_TRUE(good) << text.str();
    return good ? Result{codegen::plan_id(*c.unit), c.emitted.source} : Result{};
}

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

std::string without_comments(const std::string& text) {
    return std::regex_replace(text, std::regex(" *//[^\n]*"), "");
}

class Twins : public testing::Test {
protected:
    void expect_twins(const std::string& text, const std::string& twin) {
        write(folder.path() / "expanded/twin.fus", text);
        write(folder.path() / "written/twin.fus", twin);
        const Result expanded = compile(folder.path() / "expanded/twin.fus");
        const Result written = compile(folder.path() / "written/twin.fus");
        EXPECT_EQ(expanded.plan, written.plan) << text;
        EXPECT_EQ(without_comments(expanded.source), without_comments(written.source)) << text;
    }

    execute::TemporaryFolder folder;
};

TEST_F(Twins, LoopsAndSums) {
    expect_twins(
        "MATRIX3x3 A; VECTOR3 v; input A, v; const VECTOR3 w = [1, 0.5, 0.25]; s = A * v; for q in 0..3 { g = w[q] * (A * s); s += "
        "g - v; } return s;",
        "MATRIX3x3 A; VECTOR3 v; input A, v; const SCALAR w_0 = 1, w_1 = 0.5, w_2 = 0.25; s_1 = A * v; g_0 = w_0 * (A * s_1); s_2 = "
        "s_1 + (g_0 - v);"
        "g_1 = w_1 * (A * s_2); s_3 = s_2 + (g_1 - v); g_2 = w_2 * (A * s_3); s_4_1 = g_2 - v; s = s_3 + s_4_1; return s;");
}

TEST_F(Twins, Definitions) {
    expect_twins(
        "def f(X, s) { Y = X * X; return s * Y - X; } MATRIX3x3 A, B; uniform SCALAR u; input A, B; C = f(A, u) * f(B, 2); return C;",
        "MATRIX3x3 A, B; uniform SCALAR u; input A, B; f_1_Y = A * A; f_1_1 = u * f_1_Y; f_1 = f_1_1 - A; f_2_Y = B * B; f_2_1 = 2 "
        "* f_2_Y; f_2 = f_2_1 - B; C = f_1 * f_2; return C;");
}

/// Slices of slices and of assemblies are the selection that one would write, and none where they come to the value itself.
TEST_F(Twins, SlicesOfSlices) {
    expect_twins("MATRIX6x4 A; VECTOR4 v; input A, v; def middle(X) { return X[1:3]; } r = middle(A[2:, 1:])[1] + v[1:4]; s = A[:, :] * v; "
                 "t = rows(A[0:3], A[3:6])[5, :3]; q = columns(v, 2 * v)'[0, 0:2]; w = rows(v, A)[0] + v;"
                 "F = mtmul(A, rows(A[0], A[1], A[2], A[3], A[4], A[5])); return r, s, t, q, w, F;",
        "MATRIX6x4 A; VECTOR4 v; input A, v; r_2 = A[4, 1:4]; r_3 = v[1:]; r = r_2 + r_3; s = A * v; t = A[5, 0:3]; q_1 = 2 * v; q_2 = "
        "columns(v, q_1); q_3 = q_2'; q = q_3[0, :2]; w = v + v; F = mtmul(A, A); return r, s, t, q, w, F;");
}

/// Programs whose slices all vanish have the text of those that never had any.
TEST_F(Twins, SlicesThatVanish) {
    expect_twins("MATRIX4x3 A; MATRIX3x3 B; input A, B; MATRIX4x3 C; for i in 0..4 { C[i] = A[i]; } MATRIX3x3 D; D[:2] = B[:2]; D[2] = "
                 "B[2]; def column(X, j) { return X[:, j]; }"
                 "E = C * columns(column(D, 0), column(D, 1), column(D, 2)); F = E[0:1]; G = rows(F, E[1:]) * B; return G;",
        "MATRIX4x3 A; MATRIX3x3 B; input A, B; E = A * B; G = E * B; return G;");
}

/// Entries of tables, however they are chosen, are the numbers.
TEST_F(Twins, SlicesOfConstants) {
    expect_twins("MATRIX2x2 A; VECTOR2 v; input A, v; const MATRIX3x4 T = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]; const VECTOR2 w_0 "
                 "= [7, 8]; M = rows(w_0, T[0, 2:]) * A; x = T[1:, 1][1] * v; return M, x;",
        "MATRIX2x2 A; VECTOR2 v; input A, v; const MATRIX2x2 rows = [[7, 8], [3, 4]]; const SCALAR T_1_3_1_1 = 10; M = rows * A; x = "
        "T_1_3_1_1 * v; return M, x;");
}

TEST_F(Twins, PartsThatAreSummed) {
    expect_twins("MATRIX2x2 A; VECTOR2 v; input A, v; MATRIX2x2 K; K[0] = v; K[1] = A * v; for q in 0..2 { K[q] += A[q]; } return K;",
        "MATRIX2x2 A; VECTOR2 v; input A, v; K_1 = A * v; K_2 = A[0]; K_3 = v + K_2; K_4 = A[1]; K_5 = K_1 + K_4; K = rows(K_3, K_5); "
        "return K;");
}

TEST_F(Twins, AnotherProgramIsNoTwin) {
    write(folder.path() / "a.fus", "MATRIX3x3 A; input A; S = A; for q in 0..5 { S += A * A * q; } return S;");
    write(folder.path() / "b/a.fus", "MATRIX3x3 A; input A; S = A; for q in 0..5 { S += A * A * (q + 1); } return S;");
    EXPECT_NE(without_comments(compile(folder.path() / "a.fus").source), without_comments(compile(folder.path() / "b/a.fus").source));
    EXPECT_NE(compile(folder.path() / "a.fus").plan, compile(folder.path() / "a.fus", true).plan);
}

TEST_F(Twins, FoldersAreNotInTheOutput) {
    for (const char* name : {"here", "somewhere/else"}) {
        write(folder.path() / name / "p.fus", "include \"lib/f.fus\"; MATRIX3x3 A; input A; C = f(A); return C;");
        write(folder.path() / name / "lib/f.fus", "include \"../g.fus\"; def f(X) { return g(X) * X; }");
        write(folder.path() / name / "g.fus", "def g(X) { return X + X'; }");
    }
    const Result here = compile(folder.path() / "here/p.fus");
    EXPECT_EQ(here.source, compile(folder.path() / "somewhere/else/p.fus").source);
    EXPECT_NE(here.source.find("// g.fus:1, f.fus:1: "), std::string::npos) << here.source;
}

} // namespace
} // namespace fusec
