// SPDX-License-Identifier: Apache-2.0
// Plans of programs with more calls than enumeration reaches, against what one would write by hand: the bytes of inputs and outputs, and
// plans of the same program split by hand.
#include "cli/pipeline.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace fusec {
namespace {

class LargePlans : public testing::Test {
protected:
    cli::Compilation planned(const std::string& text, const std::string& mode = "auto", int runners_up = 0) {
        const auto file = folder_.path() / fmt::format("program{}.fus", ++programs_);
        std::ofstream(file) << text;
        cli::Compilation c;
        c.options.program = file;
        c.options.device = "h200";
        c.options.plan = mode;
        c.options.runners_up = runners_up;
        Diagnostics diagnostics;
        if (!cli::run_pipeline(c, diagnostics, "plan") || diagnostics.has_errors()) {
            throw std::runtime_error("no plan");
        }
        return c;
    }

    static double bytes(const cli::Compilation& c) {
        double sum = 0;
        for (const fusion::Candidate& kernel : c.plans.front().kernels) {
            sum += kernel.work.read_bytes + kernel.work.write_bytes;
        }
        return sum;
    }
    static double seconds(const cli::Compilation& c) { return c.plans.front().seconds; }
    static std::size_t kernels(const cli::Compilation& c) { return c.plans.front().kernels.size(); }

private:
    execute::TemporaryFolder folder_;
    int programs_ = 0;
};

/// Force of a hexahedron by points g^3, of which the outer loop takes [begin, end); from `before` on, if there are points before.
std::string force(int points, int begin, int end) {
    const std::string g = points == 2 ? "[-0.577350269189626, 0.577350269189626]" : "[-0.774596669241483, 0, 0.774596669241483]";
    std::string text = "double MATRIX8x3 X; double VECTOR24 ue; uniform double SCALAR lambda, mu;\n"
                       "double MATRIX8x3 before;\n";
    text += begin == 0 ? "input X, ue;\n" : "input X, ue, before;\n";
    text += fmt::format("const double VECTOR{} g = {};\n", points, g);
    text += "const double MATRIX8x3 c = [[-1,-1,-1],[1,-1,-1],[1,1,-1],[-1,1,-1],[-1,-1,1],[1,-1,1],[1,1,1],[-1,1,1]];\n"
            "double MATRIX8x3 U;\n"
            "for a in 0..8 { U[a] = ue[3*a:3*a+3]; }\n"
            "double MATRIX8x3 fe;\n";
    text += fmt::format("for i in {}..{} {{ for j in 0..{} {{ for k in 0..{} {{\n", begin, end, points, points);
    text += "  double MATRIX8x3 dN;\n"
            "  for a in 0..8 {\n"
            "    dN[a,0] = c[a,0]*(1+c[a,1]*g[j])*(1+c[a,2]*g[k])/8;\n"
            "    dN[a,1] = c[a,1]*(1+c[a,0]*g[i])*(1+c[a,2]*g[k])/8;\n"
            "    dN[a,2] = c[a,2]*(1+c[a,0]*g[i])*(1+c[a,1]*g[j])/8;\n"
            "  }\n"
            "  J = X' * dN;\n"
            "  G = dN * minv(J);\n"
            "  e = msym(U' * G);\n"
            "  sig = lambda * mtrace(e) * midentity(3) + 2 * mu * e;\n"
            "  fe += mdet(J) * (G * sig);\n"
            "} } }\n";
    return text + (begin == 0 ? "return fe;\n" : "f = fe + before;\nreturn f;\n");
}

constexpr double of_force = 8.0 * (24 + 24 + 24); // X, ue, fe

TEST_F(LargePlans, TheForceOfAHexahedronIsOneKernelAndBeatsTheHandSplit) {
    const double by_hand = seconds(planned(force(2, 0, 1))) + seconds(planned(force(2, 1, 2)));
    for (const std::string mode : {"auto", "max"}) {
        const cli::Compilation c = planned(force(2, 0, 2), mode);
        EXPECT_GT(c.graph->calls(), 100U);
        EXPECT_EQ(kernels(c), 1U) << mode;
        EXPECT_EQ(bytes(c), of_force) << mode;
        EXPECT_LE(seconds(c), by_hand) << mode;
    }
}

TEST_F(LargePlans, RunnerUpsCutTheSumOfAHexahedron) {
    const cli::Compilation c = planned(force(2, 0, 2), "auto", 4);
    ASSERT_EQ(c.plans.size(), 5U);
    for (const fusion::Plan& plan : c.plans) {
        EXPECT_LE(plan.seconds, 1.6 * seconds(c));
    }
}

TEST_F(LargePlans, TwentySevenPointsAreAboutThatOfThreeKernelsByHand) {
    double seconds_by_hand = 0, bytes_by_hand = 0;
    for (int part = 0; part < 3; ++part) {
        const cli::Compilation c = planned(force(3, part, part + 1));
        EXPECT_EQ(kernels(c), 1U);
        seconds_by_hand += seconds(c);
        bytes_by_hand += bytes(c);
    }
    EXPECT_EQ(bytes_by_hand, 3 * of_force + 2 * 8 * 24);
    for (const std::string mode : {"auto", "max"}) {
        const cli::Compilation c = planned(force(3, 0, 3), mode);
        EXPECT_LE(kernels(c), 4U) << mode;
        EXPECT_LE(seconds(c), 1.05 * seconds_by_hand) << mode;
        EXPECT_LE(bytes(c), 1.25 * bytes_by_hand) << mode; // values that both sides of a cut use are stored, not computed again
    }
}

TEST_F(LargePlans, ANinthUserOfAnInputChangesNothing) {
    std::string text = "MATRIX3x3 F; input F;\n"
                       "a1 = F*F; a2 = F'*F; a3 = msym(F); a4 = mskew(F); a5 = minv(F); a6 = mcof(F); a7 = mdet(F); a8 = mtrace(F);\n"
                       "a9 = mfnorm(F); a10 = 2*F;\n";
    std::string outputs = "a1, a2, a3, a4, a5, a6, a7, a8, a9, a10";
    double expected = 4.0 * (9 + 7 * 9 + 3);
    for (const int more : {0, 6}) { // enumerated; grown
        for (int i = 0; i < more; ++i) {
            text += fmt::format("b{} = {} * F;\n", i, i + 3);
            outputs += fmt::format(", b{}", i);
            expected += 4.0 * 9;
        }
        const cli::Compilation c = planned(text + "return " + outputs + ";\n");
        EXPECT_EQ(kernels(c), 1U) << more;
        EXPECT_EQ(bytes(c), expected) << more;
        EXPECT_EQ(c.space->statistics().hubs_left_out, more != 0);
        EXPECT_EQ(c.space->statistics().complete, more == 0);
    }
}

TEST_F(LargePlans, TwoHundredDeterminantsAreFewKernels) {
    std::string text = "MATRIX3x3 A, B; MATRIX10x20 T; input A, B;\n";
    for (int i = 0; i < 200; ++i) {
        text += fmt::format("M{} = A + {} * B; d{} = mdet(M{}); T[{}, {}] = d{};\n", i, i + 1, i, i, i / 20, i % 20, i);
    }
    const cli::Compilation c = planned(text + "return T;\n");
    EXPECT_LE(kernels(c), 3U);
    EXPECT_LE(bytes(c), 1800); // one kernel: 872; what two exchange is up to half of the determinants, written and read
}

TEST_F(LargePlans, AMatrixOfProductsIsOneKernel) {
    const cli::Compilation c = planned("MATRIX8x3 G; SCALAR w; MATRIX8x8 K; input G, w;\n"
                                       "for i in 0..8 { for j in 0..8 { K[i,j] = w * vdot(G[i], G[j]); } }\n"
                                       "return K;\n");
    EXPECT_EQ(kernels(c), 1U);
    EXPECT_EQ(bytes(c), 4.0 * (24 + 1 + 64));
}

} // namespace
} // namespace fusec
