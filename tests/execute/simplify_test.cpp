// SPDX-License-Identifier: Apache-2.0
// Simplification: cases by hand, and random programs with zeros, ones and identities among their operands, evaluated as they were written.
#include "execute/simplify.hpp"

#include "execute/verify_cases.hpp"
#include "frontend/frontend.hpp"
#include "reference_program.hpp"
#include "support/hash.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fusec::execute {
namespace {

using frontend::CheckedProgram;
using library::Catalog;

/// A program as it was written, and simplified.
struct Simplified {
    Catalog catalog; ///< with the program's functions
    CheckedProgram written, program;
    std::string messages;

    /// `F = madd(A, B)`, ... in order.
    std::vector<std::string> calls() const {
        std::vector<std::string> texts;
        for (const frontend::Call& call : program.calls) {
            std::string operands;
            for (const DataId operand : call.operands) {
                operands += (operands.empty() ? "" : ", ") + program.datum(operand).name;
            }
            texts.push_back(program.datum(call.result).name + " = " + catalog.function(call.instance.function).name + "(" + operands + ")");
        }
        return texts;
    }
};

Simplified simplify_text(const std::string& text, const Catalog& catalog = standard_catalog()) {
    Diagnostics diagnostics;
    const auto tree = frontend::parse(std::make_shared<const SourceText>("p.fus", text), diagnostics);
    auto written = frontend::check(*tree, catalog, {}, diagnostics);
    if (!written) {
        std::ostringstream errors;
        render(diagnostics, errors, false);
        throw std::invalid_argument(errors.str());
    }
    Diagnostics messages;
    Simplified result{catalog.with(written->functions), *written, {}, {}};
    result.program = simplified(*written, result.catalog, messages);
    frontend::verify(result.program, catalog);
    std::ostringstream rendered;
    render(messages, rendered, false);
    result.messages = rendered.str();
    return result;
}

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Simplify, NeutralOperands) {
    const std::string inputs = "MATRIX3x3 A, B;\nVECTOR3 v;\nSCALAR s;\ninput A, B, v, s;\nconst MATRIX3x3 I = midentity(3);\n"
                               "const MATRIX3x3 Z = [[0,0,0],[0,0,0],[0,0,0]];\n";
    const auto calls = [&](const std::string& statements) { return simplify_text(inputs + statements).calls(); };
    EXPECT_THAT(calls("C = (A + Z) * (Z + B); return C;"), ElementsAre("C = mmul(A, B)"));
    EXPECT_THAT(calls("C = I * (A * I) - Z; D = C * B; return D;"), ElementsAre("D = mmul(A, B)"));
    EXPECT_THAT(calls("C = mmult(A, I) * mtmul(I, B); return C;"), ElementsAre("C = mmul(A, B)"));
    EXPECT_THAT(calls("w = mtvmul(I, I * v) / 1; t = vdot(w, v); return t;"), ElementsAre("t = vdot(v, v)"));
    EXPECT_THAT(calls("t = (1 * s * 1 + 0) / 1 - 0; C = t * (1 * A / 1); return C;"), ElementsAre("C = smmul(A, s)"));
    EXPECT_THAT(calls("t = spow(s, 1) * s; return t;"), ElementsAre("t = smul(s, s)"));
    // What is not exact, or another function, stays.
    EXPECT_THAT(calls("t = 0 * s; return t;"), ElementsAre("t = smul(0, s)"));
    EXPECT_THAT(calls("t = 0 - s; return t;"), ElementsAre("t = ssub(0, s)"));
    EXPECT_THAT(calls("C = Z * A; return C;"), ElementsAre("C = mmul(Z, A)"));
    EXPECT_THAT(calls("C = mmult(I, A); return C;"), ElementsAre("C = mmult(I, A)"));
}

TEST(Simplify, FunctionsOfTheirOwnResults) {
    const std::string inputs = "MATRIX3x2 A;\nMATRIX2x2 S;\nSCALAR s;\ninput A, S, s;\n";
    const auto calls = [&](const std::string& statements) { return simplify_text(inputs + statements).calls(); };
    EXPECT_THAT(calls("C = A'' * S; return C;"), ElementsAre("C = mmul(A, S)"));
    EXPECT_THAT(calls("C = A'''' * S''; return C;"), ElementsAre("C = mmul(A, S)"));
    EXPECT_THAT(calls("C = A''' * A; return C;"), ElementsAre("C = mtmul(A, A)"));
    EXPECT_THAT(calls("t = -(-s) * s; return t;"), ElementsAre("t = smul(s, s)"));
    EXPECT_THAT(calls("C = msym(msym(msym(S))) * S; return C;"), ElementsAre("C.1 = msym(S)", "C = mmul(C.1, S)"));
    EXPECT_THAT(calls("C = mskew(mskew(S)) * S; t = sabs(sabs(s)); return C, t;"),
        ElementsAre("C.1 = mskew(S)", "C = mmul(C.1, S)", "t = sabs(s)"));
    EXPECT_THAT(calls("C = msym(mskew(S)) * minv(minv(S)); return C;"),
        ElementsAre("C.1 = mskew(S)", "C.2 = msym(C.1)", "C.3 = minv(S)", "C.4 = minv(C.3)", "C = mmul(C.2, C.4)"));
}

TEST(Simplify, ProductsReadThroughTransposes) {
    const std::string inputs = "MATRIX3x2 A, B;\nMATRIX2x2 S;\nVECTOR3 v;\nVECTOR2 w;\ninput A, B, S, v, w;\n";
    const auto calls = [&](const std::string& statements) { return simplify_text(inputs + statements).calls(); };
    EXPECT_THAT(calls("C = A' * B; return C;"), ElementsAre("C = mtmul(A, B)"));
    EXPECT_THAT(calls("C = A * B'; return C;"), ElementsAre("C = mmult(A, B)"));
    EXPECT_THAT(calls("y = A' * v; z = A * w; return y, z;"), ElementsAre("y = mtvmul(A, v)", "z = mvmul(A, w)"));
    EXPECT_THAT(calls("C = mtmul(S', A'); D = mmult(A, B''); return C, D;"), ElementsAre("C = mmult(S, A)", "D = mmult(A, B)"));
    EXPECT_THAT(calls("y = mtvmul(A', w); return y;"), ElementsAre("y = mvmul(A, w)"));
    EXPECT_THAT(calls("T = A'; C = T * A; y = T * v; return C, y;"), ElementsAre("C = mtmul(A, A)", "y = mtvmul(A, v)"));
    EXPECT_THAT(calls("C = mtmul(S', S'); return C;"), ElementsAre("C = mmult(S, S)")) << "both factors";
    // The transpose has a list: its products read what it reads.
    EXPECT_THAT(calls("T = A'; C = T * B; return T, C;"), ElementsAre("T = mtrans(A)", "C = mtmul(A, B)"));
    // One factor may be read transposed, not both; and what another call needs is there.
    EXPECT_THAT(calls("C = S' * S'; return C;"), ElementsAre("C.1 = mtrans(S)", "C = mmul(C.1, C.1)"));
    EXPECT_THAT(calls("T = A'; C = T * B; D = T + T; return C, D;"), ElementsAre("T = mtrans(A)", "C = mmul(T, B)", "D = madd(T, T)"));
    // Named transposes are told.
    EXPECT_THAT(simplify_text(inputs + "T = A'; C = T * B; return C;").messages,
        HasSubstr("`C` is a call of `mtmul`: `T` is `A` transposed [simplified-call]"));
    EXPECT_EQ(simplify_text(inputs + "C = A' * B; return C;").messages, "");
    // A value stored as a triangle stays one.
    EXPECT_THAT(calls("SYMMETRIC2 K; K = A' * A; return K;"), ElementsAre("K = mtmul(A, A)"));
    EXPECT_THAT(calls("SYMMETRIC2 K; T = symmetric(S'); K = symmetric(T * S); return K;"), ElementsAre("T = mtrans(S)", "K = mmul(T, S)"));
}

TEST(Simplify, SelectionsThatAreDecided) {
    const std::string inputs = "MATRIX2x2 A, B, D;\nSCALAR s, t;\nconst SCALAR h = 0.5;\ninput A, B, s, t;\n";
    const auto calls = [&](const std::string& statements) { return simplify_text(inputs + statements).calls(); };
    // The value that is not taken is not computed.
    EXPECT_THAT(calls("C = select(1 < 2, A * B, B * A); return C;"), ElementsAre("C = mmul(A, B)"));
    EXPECT_THAT(calls("C = select(h >= 1, A * B, B * A); return C;"), ElementsAre("C = mmul(B, A)"));
    EXPECT_THAT(calls("C = select(h != 0.5, A * B, B * A); return C;"), ElementsAre("C = mmul(B, A)"));
    EXPECT_THAT(calls("for q in 0..3 { C = select(q == 1, s * A, t * A) * select(q <= 1, A, B); D += C; } return D;"),
        ElementsAre("C[0].1 = smmul(A, s)", "C[0].2 = smmul(A, t)", "C[0] = mmul(C[0].2, A)", "C[1] = mmul(C[0].1, A)",
            "D:2 = madd(C[0], C[1])", "C[2] = mmul(C[0].2, B)", "D = madd(D:2, C[2])"));
    EXPECT_THAT(calls("C = select(s < t, A, A'') * B; return C;"), ElementsAre("C = mmul(A, B)"));
    EXPECT_THAT(calls("r = select(2 < h, s, 3) * t; return r;"), ElementsAre("r = smul(3, t)"));
    // What inputs decide stays, in the order that C's comparisons mean.
    EXPECT_THAT(calls("r = select(s >= t, s, 0); u = select(s != t, s, 1); return r, u;"),
        ElementsAre("r = sselect_le(t, s, s, 0)", "u = sselect_eq(s, t, 1, s)"));
    EXPECT_THAT(simplify_text(inputs + "C = select(1 < 2, A * B, A); return C;").messages,
        HasSubstr("`C` is `C.1`: `1 < 2` holds [simplified-call]"));
}

TEST(Simplify, OutputsKeepTheirNames) {
    const std::string inputs = "SCALAR a, b;\nuniform SCALAR u;\ninput a, b;\n";
    const auto of = [&](const std::string& statements) { return simplify_text(inputs + statements); };
    // A computed value takes the output's name; an input, a uniform or another output cannot.
    EXPECT_THAT(of("m = a * b; f = m + 0; g = m * u; return f, g;").calls(), ElementsAre("f = smul(a, b)", "g = smul(f, u)"));
    EXPECT_THAT(of("f = a + 0; g = f * b; return f, g;").calls(), ElementsAre("f = sadd(a, 0)", "g = smul(a, b)"));
    EXPECT_THAT(of("f = 1 * u + 0; g = u * b; return g, f;").calls(), ElementsAre("f = sadd(u, 0)", "g = smul(u, b)"));
    EXPECT_THAT(
        of("f = a * b; g = f - 0; h = g * b; return f, g, h;").calls(), ElementsAre("f = smul(a, b)", "g = ssub(f, 0)", "h = smul(f, b)"));
    const Simplified twice = of("m = a * b; f = m + 0; g = 1 * m; return g, f;");
    EXPECT_THAT(twice.calls(), ElementsAre("f = smul(a, b)", "g = smul(1, f)"));
    ASSERT_EQ(twice.program.outputs.size(), 2u);
    EXPECT_EQ(twice.program.datum(twice.program.outputs[0]).identifier, "g");
    EXPECT_EQ(twice.program.datum(twice.program.outputs[1]).identifier, "f");
    // Constants: the output stays a call, its uses are of the constant and then folded.
    EXPECT_THAT(of("f = ssqrt(4) + 0; g = 3 * f; h = g * a; return f, h;").calls(), ElementsAre("f = sadd(f.1, 0)", "h = smul(g, a)"));
}

TEST(Simplify, CallsThatBecomeIdenticalAreOne) {
    const Simplified result = simplify_text(
        "MATRIX2x2 A, B;\ninput A, B;\nC = A * B;\nD = A'' * (B * midentity(2));\nE = B + A'';\nF = A + B;\nreturn C, D, E, F;\n");
    // Both are returned: the interface has a list for each.
    EXPECT_THAT(result.calls(), ElementsAre("C = mmul(A, B)", "D = mmul(A, B)", "E = madd(B, A)", "F = madd(A, B)"));
    const Simplified merged = simplify_text("MATRIX2x2 A, B;\ninput A, B;\nC = A * B;\nD = A'' * B;\nE = C * D;\nreturn E;\n");
    EXPECT_THAT(merged.calls(), ElementsAre("C = mmul(A, B)", "E = mmul(C, C)"));
    EXPECT_THAT(merged.messages, HasSubstr("`D` is the same call as `C`: computed once [merged-call]"));
}

TEST(Simplify, SumsThatBeginWithZero) {
    const Simplified result =
        simplify_text("MATRIX2x2 A;\ninput A;\nconst MATRIX2x2 K = [[0, 0], [0, 0]];\nfor q in 0..3 { K += A * (q + 1); "
                      "}\nreturn K;\n");
    EXPECT_EQ(result.calls().size(), 4u) << "two products and two sums: 1 * A is A";
    EXPECT_THAT(result.messages, HasSubstr("`K:2` is `A`: operand `A` of `madd` is 0"));
}

TEST(Simplify, OneRemarkForAPlaceInALoop) {
    const Simplified result = simplify_text("VECTOR3 v;\ninput v;\nconst VECTOR3 o = [1, 2, 3];\nf = 2 * v;\nfor q in 0..12 { c = "
                                            "venorm((q + 1) * o); f += (1 * v) * c - 0 * v; }\nreturn f;\n");
    EXPECT_THAT(result.messages, HasSubstr("`c[0]` has constant operands only: computed by the compiler (the first of 12 calls here)"));
    const Simplified neutral = simplify_text(
        "VECTOR3 v, w;\ninput v, w;\nconst VECTOR3 o = [0, 0, 0];\nf = v + w;\nfor q in 0..5 { f += (v * (q + 2) + o) / 1; }\nreturn f;\n");
    EXPECT_THAT(neutral.messages, HasSubstr("(the first of 5 calls here) [simplified-call]"));
    std::size_t remarks = 0;
    for (std::size_t at = neutral.messages.find("remark:"); at != std::string::npos; at = neutral.messages.find("remark:", at + 1)) {
        ++remarks;
    }
    EXPECT_EQ(remarks, 2u) << neutral.messages;
}

/// Whether some value is one of the operands of its call, or of their calls, on every element: what no output asked for is not needed.
void expect_nothing_left(const CheckedProgram& program, const ReferenceResult& values, const std::string& text) {
    const auto same = [&](DataId a, DataId b) {
        if (program.datum(a).type != program.datum(b).type || per_element(program.datum(a)) != per_element(program.datum(b))) {
            return false;
        }
        const std::vector<double>& of_a = values.values[a.index()];
        const bool zero = std::all_of(of_a.begin(), of_a.end(), [](double x) { return x == 0; }); // B'' - B
        return !zero && of_a == values.values[b.index()];
    };
    for (const frontend::Call& call : program.calls) {
        for (const DataId operand : call.operands) {
            EXPECT_TRUE(program.datum(call.result).output || !same(call.result, operand))
                << program.datum(call.result).name << " is " << program.datum(operand).name << " in\n"
                << text;
            if (const auto inner = program.datum(operand).producer) {
                for (const DataId second : program.call(*inner).operands) {
                    EXPECT_TRUE(program.datum(call.result).output || !same(call.result, second))
                        << program.datum(call.result).name << " is " << program.datum(second).name << " in\n"
                        << text;
                }
            }
        }
    }
}

/// Statements over 3x3 matrices, 3-vectors and scalars; every second operand is 0, 1 or an identity where it can be.
std::string planted_program(std::uint64_t seed) {
    SplitMix random(seed);
    const auto below = [&](std::size_t bound) { return random.next() % bound; };
    std::vector<std::string> matrices{"A", "B"}, vectors{"v"}, scalars{"s", "u"};
    std::string text = "MATRIX3x3 A, B;\nVECTOR3 v;\nSCALAR s;\nuniform SCALAR u;\ninput A, B, v, s;\nconst MATRIX3x3 I = midentity(3);\n"
                       "const MATRIX3x3 Z = [[0,0,0],[0,-0,0],[0,0,0]];\nconst VECTOR3 o = [0,0,0];\n";
    const auto one_of = [&](const std::vector<std::string>& some) { return some[below(some.size())]; };
    const auto define = [&](std::vector<std::string>& into, const std::string& expression) {
        const std::string name = "t" + std::to_string(matrices.size() + vectors.size() + scalars.size());
        text += name + " = " + expression + ";\n";
        into.push_back(name);
    };
    const auto scalar = [&](const char* planted) { return below(2) == 0 ? planted : one_of(scalars); };
    while (matrices.size() + vectors.size() + scalars.size() < 19) {
        const std::string a = one_of(matrices), b = one_of(matrices), w = one_of(vectors), r = one_of(scalars);
        const bool plant = below(2) == 0;
        switch (below(14)) {
        case 0:
            define(matrices, a + " * " + (plant ? "I" : b));
            break;
        case 1:
            define(matrices, (plant ? "I" : a) + " * " + b);
            break;
        case 2:
            define(matrices, a + " + " + (plant ? "Z" : b));
            break;
        case 3:
            define(matrices, a + " - " + (plant || a == b ? "Z" : b));
            break;
        case 4:
            define(matrices, a + (plant ? "''" : "'"));
            break;
        case 5:
            define(matrices, scalar("1") + " * " + a);
            break;
        case 6:
            define(vectors, (plant ? "I" : a) + " * " + w);
            break;
        case 7:
            define(vectors, w + " + " + (plant ? "o" : one_of(vectors)));
            break;
        case 8:
            define(vectors, plant ? "-(-" + w + ")" : w + " * " + scalar("1"));
            break;
        case 9:
            define(scalars, r + " + " + scalar("0"));
            break;
        case 10:
            define(scalars, scalar("1") + " * " + r);
            break;
        case 11:
            define(scalars, plant ? r + " / 1" : "vdot(" + w + ", " + one_of(vectors) + ")");
            break;
        case 12:
            define(matrices, plant ? "mtmul(I, " + a + ")" : "mmult(" + a + ", I)");
            break;
        default:
            define(scalars, plant ? "mtrace(" + a + ")" : "-" + r);
            break;
        }
    }
    std::string outputs;
    for (const auto* some : {&matrices, &vectors, &scalars}) {
        for (const std::string& name : *some) {
            if (name.front() == 't' && (name == some->back() || below(5) == 0)) {
                outputs += (outputs.empty() ? "" : ", ") + name;
            }
        }
    }
    return text + "return " + outputs + ";\n";
}

TEST(Simplify, RandomProgramsWithPlantedConstantsComputeTheSame) {
    std::size_t before = 0, after = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const std::string text = planted_program(seed);
        const Simplified result = simplify_text(text);
        before += result.written.calls.size();
        after += result.program.calls.size();
        constexpr std::size_t elements = 6;
        SplitMix random(~seed);
        DataValues given_written(result.written.data.size()), given(result.program.data.size());
        for (std::size_t i = 0; i < result.program.inputs.size(); ++i) {
            const frontend::Datum& input = result.program.datum(result.program.inputs[i]);
            const std::size_t count = static_cast<std::size_t>(input.type.shape.size()) * (per_element(input) ? elements : 1);
            for (std::size_t k = 0; k < count; ++k) {
                given[result.program.inputs[i].index()].push_back(static_cast<double>(random.next() % 4001) / 1000 - 2);
            }
            given_written[result.written.inputs[i].index()] = given[result.program.inputs[i].index()];
        }
        const ReferenceResult expected = evaluate(result.written, result.catalog, elements, given_written);
        const ReferenceResult values = evaluate(result.program, result.catalog, elements, given);
        ASSERT_EQ(result.program.outputs.size(), result.written.outputs.size());
        for (std::size_t i = 0; i < result.program.outputs.size(); ++i) {
            const DataId mine = result.program.outputs[i], theirs = result.written.outputs[i];
            EXPECT_EQ(result.program.datum(mine).name, result.written.datum(theirs).name);
            // Bit for bit but for the sign of zero.
            EXPECT_EQ(values.values[mine.index()], expected.values[theirs.index()]) << result.program.datum(mine).name << " in\n"
                                                                                    << text << "simplified:\n"
                                                                                    << to_text(result.program, result.catalog);
        }
        expect_nothing_left(result.program, values, text + "simplified:\n" + to_text(result.program, result.catalog));
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    std::printf("             %zu calls written, %zu compiled\n", before, after);
    EXPECT_LT(after * 4, before * 3);
    EXPECT_GT(after * 10, before) << "something is left to compute";
}

/// The library's `ssub` with a false fact: 0 - b is b.
TEST(Simplify, AFalseFactIsCaughtByVerification) {
    const TemporaryFolder folder;
    namespace fs = std::filesystem;
    for (const char* file : {"ssub.toml", "ssub.cuh", "smul.toml", "smul.cuh"}) {
        fs::copy_file(library::standard_library_folder() / "scalar" / file, folder.path() / file);
    }
    const auto with_fact = [&](const std::string& value) {
        std::ostringstream text;
        text << std::ifstream(library::standard_library_folder() / "scalar/ssub.toml").rdbuf();
        std::string toml = text.str();
        const std::string place = "name = \"a\"\n";
        toml.insert(toml.find(place) + place.size(), value);
        std::ofstream(folder.path() / "ssub.toml") << toml;
        Diagnostics diagnostics;
        return Catalog::load({folder.path()}, diagnostics).value();
    };
    const std::string text = "SCALAR a;\ninput a;\nb = 0 - a;\nc = b * a;\nreturn c;\n";
    const auto differing = [&](const Simplified& result) {
        return differing_outputs(result.program, result.catalog, draw_cases(result.program, result.catalog, 20, 1));
    };
    const Simplified wrong = simplify_text(text, with_fact("neutral = \"zero\"\n"));
    EXPECT_THAT(wrong.calls(), ElementsAre("c = smul(a, a)"));
    EXPECT_THAT(differing(wrong), ElementsAre(HasSubstr("`c` is not what the program as written gives")));
    const Simplified right = simplify_text(text, with_fact(""));
    EXPECT_EQ(right.calls().size(), 2u);
    EXPECT_THAT(differing(right), ElementsAre());
    EXPECT_THAT(differing(simplify_text("SCALAR a;\ninput a;\nb = 1 * (a - 0);\nc = b * a;\nreturn c;\n", with_fact(""))), ElementsAre());
}

TEST(Simplify, NothingElseChanges) {
    const Simplified result = simplify_text("MATRIX3x3 A;\nuniform SCALAR mu;\ninput A;\nB = 2 * mu * A';\nreturn B;\n");
    EXPECT_EQ(result.messages, "");
    EXPECT_EQ(result.program.written, nullptr);
    EXPECT_EQ(to_text(result.program, result.catalog), to_text(result.written, result.catalog));
}

} // namespace
} // namespace fusec::execute
