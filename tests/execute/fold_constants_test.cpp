// SPDX-License-Identifier: Apache-2.0
// Calls on constants: computed once, in double, against numbers worked by hand and against the reference of the whole program.
#include "execute/fold_constants.hpp"
#include "frontend/frontend.hpp"
#include "reference_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace fusec::execute {
namespace {

using frontend::CheckedProgram;
using frontend::DatumKind;

CheckedProgram checked(const std::string& text) {
    Diagnostics diagnostics;
    const auto tree = frontend::parse(std::make_shared<const SourceText>("p.fus", text), diagnostics);
    auto program = frontend::check(*tree, standard_catalog(), {}, diagnostics);
    return program.value();
}

struct Folded {
    CheckedProgram program;
    std::size_t remarks = 0;
};
Folded folded(const CheckedProgram& program) {
    GroupedMessages messages;
    Folded result{fold_constants(program, standard_catalog(), messages), 0};
    Diagnostics diagnostics;
    messages.report(diagnostics);
    result.remarks = diagnostics.all().size();
    frontend::verify(result.program, standard_catalog());
    return result;
}

const frontend::Datum& named(const CheckedProgram& program, const std::string& name) {
    return *std::find_if(program.data.begin(), program.data.end(), [&](const frontend::Datum& d) { return d.name == name; });
}

TEST(FoldConstants, AChainIsRoundedOnce) {
    // 0.02f is 0.019999999552965164; its cube rounded once is 7.99999907030724e-06, rounded after each product 7.999999979801942e-06.
    const Folded result = folded(checked("const SCALAR h = 0.02;\nSCALAR a;\ninput a;\nb = h * h * h * a;\nreturn b;\n"));
    EXPECT_EQ(result.remarks, 0u) << "arithmetic of numbers";
    ASSERT_EQ(result.program.calls.size(), 1u);
    const frontend::Datum& constant = result.program.datum(result.program.calls[0].operands[0]);
    ASSERT_EQ(constant.kind, DatumKind::constant);
    EXPECT_EQ(constant.name, "b.2");
    const double h = static_cast<double>(0.02f);
    EXPECT_EQ(constant.values, (std::vector<double>{static_cast<double>(static_cast<float>(h * h * h))}));
    EXPECT_NE(constant.values[0], static_cast<double>(0.02f * 0.02f * 0.02f));
}

TEST(FoldConstants, TablesByHand) {
    const Folded result = folded(checked("const MATRIX2x3 G = [[1, 2, 3], [4, 5, 6]];\nMATRIX3x2 A;\ninput A;\nC = (mtrans(G) + mtrans(2 * "
                                         "G)) * mtrans(A) * A;\nD = C * midentity(2);\nreturn D;\n"));
    EXPECT_EQ(named(result.program, "C.4").values, (std::vector<double>{3, 12, 6, 15, 9, 18}));
    EXPECT_EQ(named(result.program, "C.4").kind, DatumKind::constant);
    for (const frontend::Call& call : result.program.calls) {
        EXPECT_FALSE(std::all_of(
            call.operands.begin(), call.operands.end(), [&](DataId id) { return result.program.datum(id).kind == DatumKind::constant; }));
    }
}

TEST(FoldConstants, OutputsAndInfiniteValuesStayCalls) {
    const Folded outputs = folded(checked("SCALAR a;\ninput a;\nb = ssqrt(4) + 0 * a;\nc = ssqrt(sadd(4, 5));\nreturn b, c;\n"));
    EXPECT_TRUE(named(outputs.program, "c").producer.has_value());
    EXPECT_EQ(named(outputs.program, "c.1").values, std::vector<double>{9});
    EXPECT_EQ(named(outputs.program, "b.1").values, std::vector<double>{2});
    const Folded singular = folded(checked("const MATRIX2x2 G = [[1, 1], [1, 1]];\nMATRIX2x2 A;\ninput A;\nB = minv(G) * A;\nreturn B;\n"));
    EXPECT_EQ(singular.remarks, 1u) << "the warning that G is singular";
    EXPECT_EQ(singular.program.calls.size(), 2u);
}

TEST(FoldConstants, NothingElseChanges) {
    const CheckedProgram program = checked("MATRIX3x3 A;\nuniform SCALAR mu;\ninput A;\nB = 2 * mu * A;\nreturn B;\n");
    const Folded result = folded(program);
    EXPECT_EQ(result.remarks, 0u);
    EXPECT_EQ(to_text(result.program, standard_catalog()), to_text(program, standard_catalog()));
}

TEST(FoldConstants, TheReferenceGivesTheSame) {
    const CheckedProgram program =
        checked("const MATRIX3x3 G = [[1, 2, 3], [0, 1, 4], [5, 6, 0]];\nconst VECTOR3 w = [0.1, 0.2, 0.3];\nMATRIX3x3 A;\nVECTOR3 "
                "v;\ninput A, v;\n"
                "F = minv(G) * A + venorm(G * w) * (G - 3 * midentity(3));\nu = F * (v + mtvmul(G, w));\nreturn u, F;\n");
    const Folded result = folded(program);
    EXPECT_EQ(result.remarks, 7u);
    const auto values = [](const CheckedProgram& p) {
        DataValues given(p.data.size());
        for (const DataId input : p.inputs) {
            for (int i = 0; i < 10 * p.datum(input).type.shape.size(); ++i) {
                given[input.index()].push_back(static_cast<double>((i * 7919) % 64 - 31) / 16);
            }
        }
        return evaluate(p, standard_catalog(), 10, given);
    };
    const ReferenceResult before = values(program), after = values(result.program);
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
        const std::size_t a = program.outputs[i].index(), b = result.program.outputs[i].index();
        const Agreement agreement = compare(after.values[b], before.values[a], before.bounds[a], Precision::f32);
        EXPECT_EQ(agreement.compared, 10u * (i == 0 ? 3u : 9u));
        EXPECT_EQ(agreement.mismatches, 0u) << agreement.worst_ratio;
    }
}

} // namespace
} // namespace fusec::execute
