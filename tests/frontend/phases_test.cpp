// SPDX-License-Identifier: Apache-2.0
// The parts of the front end one by one: nesting against a definition by recursion, identifiers, and a verifier that must reject.
#include "frontend/callee.hpp"
#include "frontend/frontend.hpp"
#include "frontend/identifiers.hpp"
#include "frontend/nesting.hpp"
#include "frontend/text_encoding.hpp"
#include "tests/frontend/program_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>

namespace fusec::frontend::testing {
namespace {

using ::testing::ElementsAre;

/// Builds random expressions together with the deepest stack their recursive descent needs, by the definition: a bracket or a sign
/// puts one level over all that it encloses.
class RandomExpression {
public:
    explicit RandomExpression(unsigned seed) : random_(seed) {}

    std::size_t add(int fuel) {
        std::size_t deepest = operand(fuel);
        while (random_() % 3 == 0) {
            tokens.push_back(random_() % 2 == 0 ? TokenKind::plus : TokenKind::minus);
            deepest = std::max(deepest, operand(fuel));
        }
        return deepest;
    }

    std::vector<TokenKind> tokens;

private:
    std::size_t operand(int fuel) {
        if (fuel > 0 && random_() % 3 == 0) {
            tokens.push_back(TokenKind::minus);
            return 1 + operand(fuel - 1);
        }
        std::size_t deepest = 0;
        if (fuel > 0 && random_() % 2 == 0) {
            if (random_() % 2 == 0) {
                tokens.push_back(TokenKind::name);
            }
            tokens.push_back(TokenKind::left_parenthesis);
            deepest = 1 + add(fuel - 1);
            tokens.push_back(TokenKind::right_parenthesis);
        } else {
            tokens.push_back(random_() % 2 == 0 ? TokenKind::name : TokenKind::number);
        }
        if (random_() % 4 == 0) {
            tokens.push_back(TokenKind::apostrophe);
        }
        return deepest;
    }

    std::mt19937 random_;
};

TEST(NestingGuard, AgreesWithTheDefinitionOnRandomExpressions) {
    for (unsigned seed = 0; seed < 1000; ++seed) {
        RandomExpression expression(seed);
        const std::size_t deepest = expression.add(12);
        NestingGuard guard;
        std::size_t found = 0;
        for (const TokenKind kind : expression.tokens) {
            found = std::max(found, guard.depth_after(kind));
        }
        EXPECT_EQ(found, deepest) << "seed " << seed;
        EXPECT_EQ(guard.depth_after(TokenKind::semicolon), 0U);
    }
}

TEST(NestingGuard, UnbalancedBracketsDoNotUnderflow) {
    NestingGuard guard;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(guard.depth_after(TokenKind::right_parenthesis), 0U);
        EXPECT_EQ(guard.depth_after(TokenKind::minus), 0U); // infix, as a bracket ended an operand
        EXPECT_EQ(guard.depth_after(TokenKind::minus), 1U);
    }
}

TEST(Identifiers, AreMadeFromAnyText) {
    EXPECT_EQ(as_identifier("demo", "p"), "demo");
    EXPECT_EQ(as_identifier("F.1", "p"), "F_1");
    EXPECT_EQ(as_identifier("3d mesh", "p"), "p_3d_mesh");
    EXPECT_EQ(as_identifier("-+-", "p"), "p");
    EXPECT_EQ(as_identifier("", "p"), "p");
    EXPECT_EQ(as_identifier("n\xC3\xA9o-hookean", "p"), "n_o_hookean");
    EXPECT_EQ(as_identifier("__", "p"), "p");
}

TEST(Identifiers, ReservedWordsAreFoundAtBothEndsOfTheTable) {
    for (const char* word : {"BUFSIZ", "xor_eq", "class", "n", "workspace", "threadIdx", "__global__", "restrict", "NULL", "fusec"}) {
        EXPECT_TRUE(is_reserved(word)) << word;
    }
    for (const char* word : {"A", "F", "demo", "N", "nn", "", "zzz"}) {
        EXPECT_FALSE(is_reserved(word)) << word;
    }
    IdentifierPool pool;
    pool.reserve("x");
    EXPECT_EQ(pool.take("x"), "x_");
    EXPECT_EQ(pool.take("x"), "x_1") << "two underscores are reserved";
    EXPECT_EQ(pool.take("int"), "int_");
    EXPECT_EQ(pool.take("y"), "y");
}

TEST(Identifiers, NamesOfProgramsArePartsOfNamesOfC) {
    for (const auto& [text, name, in_cpp] : std::vector<std::array<std::string, 3>>{{"demo", "demo", "demo"}, {"main", "main", "main_"},
             {"const", "const", "const_"}, {"gamma", "gamma", "gamma_"}, {"sinf", "sinf", "sinf_"}, {"a_", "a", "a"}, {"_B", "B", "B"},
             {"_x", "x", "x"}, {"__a__b__", "a_b", "a_b"}, {"_3d", "program_3d", "program_3d"}, {"___", "program", "program"},
             {"thrust", "thrust", "thrust_"}, {"cub", "cub", "cub_"}, {"nvcuda", "nvcuda", "nvcuda_"}, {"cuda", "cuda", "cuda_"},
             {"cooperative_groups", "cooperative_groups", "cooperative_groups_"}, {"cudaMalloc", "cudaMalloc", "cudaMalloc_"},
             {"cudax", "cudax", "cudax"}, {"stress", "stress", "stress"}}) {
        EXPECT_EQ(program_name(text), name) << text;
        EXPECT_EQ(namespace_name(name), in_cpp) << text;
    }
}

TEST(Callee, TheLongestLibraryNameWins) {
    const library::Catalog& functions = catalog();
    const auto found = [&](std::string_view word) -> std::string {
        const auto callee = find_callee(word, functions);
        return callee ? functions.function(callee->function).name + "|" + callee->suffix : "none";
    };
    EXPECT_EQ(found("mmul"), "mmul|");
    EXPECT_EQ(found("mmul33"), "mmul|33");
    EXPECT_EQ(found("mmult33"), "mmult|33");
    EXPECT_EQ(found("mmul12x3"), "mmul|12x3");
    EXPECT_EQ(found("mmul12x"), "none");
    EXPECT_EQ(found("mmulx3"), "none");
    EXPECT_EQ(found("mmul33a"), "none");
    EXPECT_EQ(found("33"), "none");
    EXPECT_EQ(found(""), "none");
    EXPECT_THAT(suffixes_of({Form::matrix, 3, 3}), ElementsAre("33", "3x3"));
    EXPECT_THAT(suffixes_of({Form::matrix, 12, 3}), ElementsAre("12x3"));
    EXPECT_THAT(suffixes_of({Form::vector, 12, 1}), ElementsAre("12"));
    EXPECT_THAT(suffixes_of({Form::scalar, 1, 1}), ElementsAre());
}

/// Against the encoder of the definition: every code point from U+0080, encoded, is accepted; every surrogate and everything above
/// U+10FFFF, and every truncated or overlong sequence, is not.
TEST(Encoding, AcceptsExactlyTheCodePoints) {
    const auto accepted = [](const std::string& bytes) {
        Diagnostics diagnostics;
        return check_encoding(std::make_shared<const SourceText>("x", bytes), diagnostics);
    };
    const auto encoded = [](unsigned code, int length) {
        std::string bytes;
        for (int i = length - 1; i > 0; --i) {
            bytes.insert(bytes.begin(), static_cast<char>(0x80U | (code & 0x3FU)));
            code >>= 6U;
        }
        const unsigned marks[] = {0, 0, 0xC0U, 0xE0U, 0xF0U};
        bytes.insert(bytes.begin(), static_cast<char>(marks[length] | code));
        return bytes;
    };
    for (unsigned code = 0x80; code < 0x120000U; code += code < 0x11000U || (code > 0x10FF00U && code < 0x110100U) ? 1 : 97) {
        const int length = code < 0x800U ? 2 : code < 0x10000U ? 3 : 4;
        const std::string bytes = encoded(code, length);
        const bool legal = code <= 0x10FFFFU && (code < 0xD800U || code > 0xDFFFU);
        ASSERT_EQ(accepted(bytes), legal) << std::hex << code;
        ASSERT_FALSE(accepted(bytes.substr(0, bytes.size() - 1))) << std::hex << code;
        if (length < 4) {
            ASSERT_FALSE(accepted(encoded(code, length + 1))) << "overlong " << std::hex << code;
        }
    }
    EXPECT_FALSE(accepted("\x80"));
    EXPECT_FALSE(accepted(std::string("\0", 1)));
}

CheckedProgram checked(const std::string& text) {
    Diagnostics diagnostics;
    const auto tree = parse(std::make_shared<const SourceText>("program.fus", text), diagnostics);
    return *check(*tree, catalog(), {}, diagnostics);
}

TEST(Verify, RejectsEveryBrokenInvariant) {
    const CheckedProgram good = checked("MATRIX3x3 A, B; uniform SCALAR s; input A, B; M = 2 * A * B; F = M + s * A; return F, M;");
    EXPECT_NO_THROW(verify(good, catalog()));
    const std::vector<std::pair<const char*, std::function<void(CheckedProgram&)>>> breaks = {
        {"no output", [](CheckedProgram& p) { p.outputs.clear(); }},
        {"output twice", [](CheckedProgram& p) { p.outputs.push_back(p.outputs[0]); }},
        {"input as output", [](CheckedProgram& p) { p.outputs.push_back(p.inputs[0]), p.data[p.inputs[0].index()].output = true; }},
        {"unlisted output", [](CheckedProgram& p) { p.outputs.pop_back(); }},
        {"input missing", [](CheckedProgram& p) { p.inputs.pop_back(); }},
        {"computed as input", [](CheckedProgram& p) { p.inputs.back() = p.outputs[0]; }},
        {"calls swapped", [](CheckedProgram& p) { std::swap(p.calls[0], p.calls[1]); }},
        {"operand later than result", [](CheckedProgram& p) { p.calls[0].operands[0] = p.outputs[0]; }},
        {"operand of another type", [](CheckedProgram& p) { p.calls[0].operands[0] = p.calls[0].operands[1]; }},
        {"wrong result type", [](CheckedProgram& p) { p.data[p.outputs[0].index()].type.shape.rows = 4; }},
        {"wrong precision", [](CheckedProgram& p) { p.data[p.inputs[0].index()].type.precision = Precision::f64; }},
        {"identifier twice", [](CheckedProgram& p) { p.data[0].identifier = p.data[1].identifier; }},
        {"reserved identifier", [](CheckedProgram& p) { p.data[0].identifier = "class"; }},
        {"not an identifier", [](CheckedProgram& p) { p.data[0].identifier = "a.b"; }},
        {"name twice", [](CheckedProgram& p) { p.data[0].name = p.data[1].name; }},
        {"bad program name", [](CheckedProgram& p) { p.name = "3d"; }},
        {"dead datum",
            [](CheckedProgram& p) {
                p.data.push_back(p.data[p.outputs[0].index()]), p.data.back().name = p.data.back().identifier = "dead",
                                                                p.data.back().output = false;
            }},
        {"constant not rounded",
            [](CheckedProgram& p) {
                for (Datum& d : p.data) {
                    for (double& v : d.values) {
                        v = 0.1;
                    }
                }
            }},
        {"constant without value",
            [](CheckedProgram& p) {
                for (Datum& d : p.data) {
                    d.values.clear();
                }
            }},
        {"no source", [](CheckedProgram& p) { p.source = nullptr; }},
    };
    for (const auto& [what, damage] : breaks) {
        CheckedProgram bad = good;
        damage(bad);
        EXPECT_THROW(verify(bad, catalog()), InternalError) << what;
    }
}

TEST(Verify, RejectsBrokenMapsOfComponents) {
    const CheckedProgram good = checked("MATRIX3x3 A, B; VECTOR3 v; input A, B, v; M = A[0:2] * B; D = rows(v, M) + diag(v); return D;");
    EXPECT_NO_THROW(verify(good, catalog()));
    ASSERT_EQ(good.functions.size(), 3U);
    const auto map = [](CheckedProgram& p, std::size_t i) -> library::ComponentMap& {
        return std::get<library::ComponentMap>(p.functions.at(i).reference);
    };
    const std::vector<std::pair<const char*, std::function<void(CheckedProgram&)>>> breaks = {
        {"no functions", [](CheckedProgram& p) { p.functions.clear(); }},
        {"function of another call", [](CheckedProgram& p) { std::swap(p.functions[0], p.functions[1]); }},
        {"function that computes", [](CheckedProgram& p) { p.functions[0].reference = library::Algorithm::inverse; }},
        {"component behind the operand", [&](CheckedProgram& p) { map(p, 0).sources[0].component = 9; }},
        {"component before the operand", [&](CheckedProgram& p) { map(p, 0).sources[0].component = -1; }},
        {"operand that is none", [&](CheckedProgram& p) { map(p, 0).sources[0].operand = 1; }},
        {"operands in another order", [&](CheckedProgram& p) { map(p, 1).sources[0].operand = 1; }},
        {"operand in vain",
            [&](CheckedProgram& p) { std::fill(map(p, 1).sources.begin(), map(p, 1).sources.end(), library::ComponentSource{0, 0}); }},
        {"missing component", [&](CheckedProgram& p) { map(p, 2).sources.pop_back(); }},
        {"operand missing", [&](CheckedProgram& p) { map(p, 1).operands.pop_back(); }},
    };
    for (const auto& [what, damage] : breaks) {
        CheckedProgram bad = good;
        damage(bad);
        EXPECT_THROW(verify(bad, catalog()), InternalError) << what;
    }
}

} // namespace
} // namespace fusec::frontend::testing
