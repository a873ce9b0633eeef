// SPDX-License-Identifier: Apache-2.0
// Kernels of a host whose tiles are longer than what a processor executes out of order: their results wait until the next tile has loaded. And
// kernels whose tiles do little for what they load.
#include "tests/examples/construct.hpp"

namespace fusec {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Matrix = examples::RowMajor;
using examples::listed;

/// Products of 8x8 matrices, 512 multiplications each; results in either precision, two of them before a list is loaded that only the last
/// one needs.
std::string products(int count) {
    std::string text = "double MATRIX8x8 A, B;\nstore float double MATRIX8x8 S;\ndouble VECTOR8 x;\ninput A, B, x;\nM1 = A * B;\n";
    for (int i = 2; i <= count; ++i) {
        text += "M" + std::to_string(i) + " = M" + std::to_string(i - 1) + " * B;\n";
    }
    return text + "P = M" + std::to_string(count) + " + A;\nS = P - 2 * B;\ny = P * x;\nreturn P, S, y;\n";
}

examples::Lists products_formula(const examples::Lists& in) {
    const Matrix a = examples::matrix(in.at("A"), 8, 8), b = examples::matrix(in.at("B"), 8, 8), x = examples::matrix(in.at("x"), 8, 1);
    Matrix p = a;
    for (int i = 0; i < 10; ++i) {
        p = p * b;
    }
    p += a;
    return {{"P", listed(p)}, {"S", listed(p - 2 * b)}, {"y", listed(p * x)}};
}

class LongTiles : public examples::Construct {};

TEST_F(LongTiles, ResultsAreEigens) {
    expect_formula(products(10), products_formula, {"max"});
}

TEST_F(LongTiles, ResultsWaitForTheLoadsOfTheNextTile) {
    const auto c = compiled(products(10), fusion::Target::host, nullptr, with_plan("max"));
    ASSERT_NE(c, nullptr);
    ASSERT_EQ(c->unit->kernels.size(), 1U);
    EXPECT_TRUE(c->unit->kernels.front().results_wait);
    EXPECT_THAT(codegen::dump(*c->unit), HasSubstr("simd, results wait"));
    const std::string& text = c->emitted.source;
    EXPECT_THAT(text, HasSubstr("fusec::for_tiles_later<double, 1088, "));
    EXPECT_THAT(text, Not(HasSubstr("fusec::stream_")));
    const std::size_t loop = text.find("fusec::for_tiles_later<double, 1088"), sent = text.find("fusec::send_results(tile);");
    ASSERT_NE(sent, std::string::npos);
    EXPECT_LT(text.find("fusec::load_tile<8, 8>(tile, ", loop), sent);
    EXPECT_GT(text.find("fusec::later<0, ", loop), sent);
    EXPECT_THAT(text, HasSubstr("fusec::store_converted_tile(S_tile, S_later, "));
    EXPECT_THAT(text, HasSubstr("fusec::store_tile(P_tile, P_later, "));
}

TEST_F(LongTiles, ShorterOnesWriteAtOnce) {
    const auto c = compiled(products(2), fusion::Target::host, nullptr, with_plan("max"));
    ASSERT_NE(c, nullptr);
    EXPECT_FALSE(c->unit->kernels.front().results_wait);
    EXPECT_THAT(c->emitted.source, HasSubstr("fusec::stream_tile(tile, P, "));
    for (const char* waits : {"for_tiles_later", "_later", "fusec::later", "send_results"}) {
        EXPECT_THAT(c->emitted.source, Not(HasSubstr(waits)));
    }
}

/// Past the caches; `x` is loaded, and two results made of it, once `C` is made.
TEST_F(LongTiles, WhatShorterOnesStreamLeavesBehindAllElse) {
    const auto c = compiled("double MATRIX3x3 A, B; double VECTOR3 x; input A, B, x; C = A * B; y = B * x; s = vdot(y, x); return C, y, s;",
        fusion::Target::host, nullptr, with_plan("max"));
    ASSERT_NE(c, nullptr);
    const std::string& text = c->emitted.source;
    const std::size_t sent = text.find("fusec::stream_"), loaded = text.rfind("fusec::load_tile<3, 1>(tile, x)");
    ASSERT_NE(sent, std::string::npos);
    ASSERT_NE(loaded, std::string::npos);
    EXPECT_LT(text.find("fusec::mmul_element("), loaded);
    EXPECT_LT(loaded, sent);
    EXPECT_LT(text.rfind("_element("), sent);
    for (const char* result : {"fusec::stream_tile(tile, C, ", "fusec::stream_tile(tile, y, ", "fusec::stream_tile(tile, s, "}) {
        EXPECT_THAT(text, HasSubstr(result));
    }
}

/// By hand: a product of 8x8 matrices takes 512 multiplications and additions in a tile, and its lists 64 loads or stores each.
TEST_F(LongTiles, AreNotInTheLoopsBody) {
    const auto c = compiled(products(2), fusion::Target::host, nullptr, with_plan("max"));
    ASSERT_NE(c, nullptr);
    EXPECT_FALSE(c->unit->kernels.front().inlined);
    EXPECT_THAT(c->emitted.source, HasSubstr("[=](auto tile) {"));
    const auto shorter =
        compiled("double MATRIX8x8 A; double VECTOR8 x; input A, x; y = A * x; return y;", fusion::Target::host, nullptr, {});
    ASSERT_NE(shorter, nullptr);
    EXPECT_THAT(codegen::dump(*shorter->unit), HasSubstr("simd, inlined"));
    EXPECT_THAT(shorter->emitted.source, HasSubstr("[=](auto tile) __attribute__((always_inline)) {"));
}

/// So many multiples of a vector.
std::string multiples(int count) {
    std::string text = "double VECTOR3 a;\ndouble SCALAR b;\ninput a, b;\n", names;
    for (int i = 1; i <= count; ++i) {
        const std::string name = "s" + std::to_string(i);
        text += name + " = " + std::to_string(i) + " * b * a;\n";
        names += (names.empty() ? "" : ", ") + name;
    }
    return text + "return " + names + ";\n";
}

examples::Lists multiples_formula(const examples::Lists& in) {
    examples::Lists out;
    const std::vector<double>& a = in.at("a");
    for (int i = 1; i <= 7; ++i) {
        const double factor = i * in.at("b")[0];
        out["s" + std::to_string(i)] = {factor * a[0], factor * a[1], factor * a[2]};
    }
    return out;
}

class ResultsInLines : public examples::Construct {};

TEST_F(ResultsInLines, AreThoseOfTheFormula) {
    expect_formula(multiples(7), multiples_formula, {"max"});
}

// A processor gathers parts of lines in few places.
TEST_F(ResultsInLines, WaitWhereTheyAreMany) {
    const auto many = compiled(multiples(7), fusion::Target::host, nullptr, with_plan("max"));
    ASSERT_NE(many, nullptr);
    ASSERT_EQ(many->unit->kernels.size(), 1U);
    EXPECT_THAT(codegen::dump(*many->unit), HasSubstr("simd, results in lines"));
    EXPECT_THAT(many->emitted.source, HasSubstr("fusec::for_tiles_in_lines<double, 32, 24, 24, 24, 24, 24, 24, 24>("));
    EXPECT_THAT(many->emitted.source, HasSubstr("fusec::later<6, 3>(tile, s7)"));
    EXPECT_THAT(many->emitted.source, HasSubstr("fusec::stream_tile(s7_tile, s7_later, "));
    const auto few = compiled(multiples(6), fusion::Target::host, nullptr, with_plan("max"));
    ASSERT_NE(few, nullptr);
    EXPECT_THAT(few->emitted.source, HasSubstr("fusec::stream_tile(tile, s6, "));
    for (const char* waits : {"for_tiles_in_lines", "fusec::later", "send_results"}) {
        EXPECT_THAT(few->emitted.source, Not(HasSubstr(waits)));
    }
}

class AskedLists : public examples::Construct {
protected:
    /// The kernels of the fewest that the program can be, and their text.
    std::string text(const char* program) {
        const auto c = compiled(program, fusion::Target::host, nullptr, with_plan("max"));
        EXPECT_NE(c, nullptr) << program;
        return c == nullptr ? std::string() : codegen::dump(*c->unit) + c->emitted.source;
    }
};

class LightTiles : public AskedLists {};

/// A sum of two does little for what it loads; seven products of 3x3 matrices, or a product of lists that go in strips, do not.
TEST_F(LightTiles, HaveALoopOfTheirOwn) {
    const std::string sum = text("MATRIX3x3 A, B; input A, B; R = A + B; return R;");
    EXPECT_THAT(sum, HasSubstr("simd, light tiles"));
    EXPECT_THAT(sum, HasSubstr("fusec::for_light_tiles<float, 72>("));
    EXPECT_THAT(sum, Not(HasSubstr("followed"))) << "whose tiles take 576 bytes";
    for (const char* heavy :
        {"MATRIX3x3 A, B; input A, B; R = A * B * B * B * B * B * B * B; return R;", "MATRIX6x5 A, B; input A, B; R = A + B; return R;"}) {
        EXPECT_THAT(text(heavy), Not(HasSubstr("light")));
        EXPECT_THAT(text(heavy), HasSubstr("fusec::for_tiles<float, "));
    }
}

/// A scalar beside six components, whether it is updated in place or not; none in a kernel that asks for its lists, nor beside short ones.
TEST_F(LightTiles, AskForScalarsInBursts) {
    const std::string scaled = text("double SCALAR s; double VECTOR6 a; input s, a; r = s * a; return r;");
    EXPECT_THAT(scaled, HasSubstr("s: in bursts double SCALAR"));
    EXPECT_THAT(scaled, HasSubstr("fusec::load_tile<1, 1>(fusec::in_bursts(tile, s), s)"));
    EXPECT_THAT(scaled, HasSubstr("fusec::load_tile<6, 1>(tile, a)"));
    EXPECT_THAT(text("store float double SCALAR s; double VECTOR6 a; input a; inout s; t = s; s += t; r = t * a; return r;"),
        HasSubstr("fusec::load_converted_tile<1, 1>(fusec::in_bursts(tile, s), s)"));
    for (const char* plain : {"SCALAR s, t; input s, t; r = s + t; return r;", "SCALAR s; VECTOR2 a; input s, a; r = s * a; return r;",
             "SCALAR s; MATRIX6x3 A; input s, A; R = s * A; return R;"}) {
        EXPECT_THAT(text(plain), AllOf(HasSubstr("light tiles"), Not(HasSubstr("bursts")))) << plain;
    }
    EXPECT_THAT(text("SCALAR s; MATRIX3x3 A, B; input s, A, B; R = s * (A * B * B * B * B * B * B * B); return R;"),
        AllOf(HasSubstr("fusec::for_tiles<float, "), Not(HasSubstr("bursts"))));
}

class FollowedLists : public AskedLists {};

/// By hand: a tile of 16 floats of 16 components takes 1024 bytes, of 17 more, and of 8 doubles as many; of floats beside doubles half of it.
TEST_F(FollowedLists, AreThoseOfLongTilesInRegisters) {
    EXPECT_THAT(text("VECTOR16 A; input A; R = -A; return R;"), Not(HasSubstr("followed")));
    for (const char* longer : {"VECTOR17 A; input A; R = -A; return R;", "double VECTOR28 A; input A; R = -A; return R;"}) {
        EXPECT_THAT(text(longer), HasSubstr("list A: followed "));
        EXPECT_THAT(text(longer), Not(HasSubstr("list R: out followed")));
        EXPECT_THAT(text(longer), HasSubstr("(fusec::followed(tile), A)"));
    }
    const std::string beside = text("double SCALAR s; VECTOR28 A; input s, A; B = double(A); R = s * B; return R;");
    EXPECT_THAT(beside, Not(HasSubstr("followed")));
    const std::string strips = text("VECTOR17 A; MATRIX8x8 B; input A, B; t = mtrace(B); R = t * A; return R;");
    EXPECT_THAT(strips, HasSubstr("fusec::load_tile<17, 1>(tile, A)")) << "beside strips";
    EXPECT_THAT(strips, HasSubstr("fusec::load_tile<8, 8>(tile, B)")) << "in one kernel";
    const std::string halves = text("VECTOR17 A; MATRIX6x6 B; input A, B; t = mtrace(B); R = t * A; return R;");
    EXPECT_THAT(halves, HasSubstr("fusec::load_tile<17, 1>(fusec::followed(tile), A)"));
    EXPECT_THAT(halves, HasSubstr("fusec::load_tile<6, 6>(fusec::followed(tile), B)"));
    EXPECT_THAT(
        text("VECTOR17 A; MATRIX6x6 B; input A; inout B; t = mtrace(B); B += t * B; R = t * A; return R;"), Not(HasSubstr("followed")))
        << "what is updated is asked for, and then in strips";
    EXPECT_THAT(text("double SCALAR s; MATRIX6x6 A; input s, A; B = double(A); R = s * B; return R;"), Not(HasSubstr("followed")))
        << "half of a register is no line";
    EXPECT_THAT(text("uniform MATRIX6x6 B; VECTOR17 A; input A; t = mtrace(B); R = t * A; return R;"), HasSubstr("list A: followed "))
        << "a uniform is no list";
    const std::string update = text("VECTOR17 A, B; input B; inout A; A += B;");
    EXPECT_THAT(update, HasSubstr("(fusec::followed(tile), B)"));
    EXPECT_THAT(update, HasSubstr("(tile, A)")) << "whose lines are asked for to be written";
}

} // namespace
} // namespace fusec
