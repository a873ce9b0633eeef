// SPDX-License-Identifier: Apache-2.0
#include "fusion/followed_lists.hpp"

#include <gtest/gtest.h>

namespace fusec::fusion {
namespace {

/// So many additions and multiplications for so many bytes of lists.
KernelWork work(Precision precision, double flops, double read_bytes) {
    KernelWork work;
    work.precision = precision;
    work.flops = flops;
    work.read_bytes = read_bytes;
    return work;
}

LoadedList floats(int words) {
    return {words, Precision::f32};
}
LoadedList doubles(int words) {
    return {words, Precision::f64};
}

/// By hand: 0.55 * 1.15 = 0.6325 vector instructions a flop. A tile of 72 bytes an element has 18 lines of floats, 9 of doubles: 63 and 31.5
/// instructions are light, which are 99.6 and 49.8 flops.
TEST(LightTiles, DoUpToSoManyInstructionsALine) {
    EXPECT_TRUE(has_light_tiles(work(Precision::f32, 99, 72), {floats(9), floats(9)}, Precision::f32));
    EXPECT_FALSE(has_light_tiles(work(Precision::f32, 100, 72), {floats(9), floats(9)}, Precision::f32));
    EXPECT_TRUE(has_light_tiles(work(Precision::f64, 49, 72), {doubles(9)}, Precision::f64));
    EXPECT_FALSE(has_light_tiles(work(Precision::f64, 50, 72), {doubles(9)}, Precision::f64));
}

/// A logarithm is 25 instructions, a division one: of 4 bytes an element, a line, 28.75 and 1.15.
TEST(LightTiles, LongOperationsCountAsWhatTheyTake) {
    KernelWork logarithm = work(Precision::f32, 1, 4);
    EXPECT_TRUE(has_light_tiles(logarithm, {floats(1)}, Precision::f32));
    logarithm.transcendentals = 1;
    EXPECT_FALSE(has_light_tiles(logarithm, {floats(1)}, Precision::f32));
    KernelWork quotient = work(Precision::f32, 3, 4);
    quotient.divisions = 3;
    EXPECT_TRUE(has_light_tiles(quotient, {floats(1)}, Precision::f32));
    quotient.flops = quotient.divisions = 4;
    EXPECT_FALSE(has_light_tiles(quotient, {floats(1)}, Precision::f32));
}

TEST(FollowedLists, AreFewAndNotInStrips) {
    EXPECT_FALSE(follows_lists({}, Precision::f32));
    EXPECT_TRUE(follows_lists({floats(28), floats(9)}, Precision::f32));
    EXPECT_FALSE(follows_lists({floats(9), floats(29)}, Precision::f32));
    EXPECT_TRUE(follows_lists(std::vector<LoadedList>(12, floats(9)), Precision::f32));
    EXPECT_FALSE(follows_lists(std::vector<LoadedList>(13, floats(9)), Precision::f32));
}

/// Halves of a tile are read in the order of memory as short lists are: of up to 56 components in fours, where a component's lanes are a line, and
/// nobody asks for the list; of doubles in eights.
TEST(FollowedLists, MayBeInHalves) {
    EXPECT_TRUE(follows_lists({floats(32), floats(9)}, Precision::f32));
    EXPECT_TRUE(follows_lists({floats(36), floats(56)}, Precision::f32));
    EXPECT_FALSE(follows_lists({floats(36), floats(60)}, Precision::f32));
    EXPECT_FALSE(follows_lists({floats(34)}, Precision::f32));
    EXPECT_TRUE(follows_lists({doubles(32), doubles(56)}, Precision::f64));
    EXPECT_FALSE(follows_lists({doubles(36)}, Precision::f64));
    EXPECT_FALSE(follows_lists({floats(32)}, Precision::f64)) << "half of a register is no line";
    EXPECT_TRUE(follows_lists({doubles(40)}, Precision::f32)) << "in two parts of eight elements";
    EXPECT_FALSE(follows_lists({{36, Precision::f32, true}}, Precision::f32)) << "what is updated is asked for";
    EXPECT_TRUE(follows_lists({{28, Precision::f32, true}, floats(28)}, Precision::f64));
}

/// By hand: 16 elements of floats in 64 bytes, and 8 of doubles or of floats beside doubles.
TEST(LongTiles, TakeMoreThanAKibibyte) {
    EXPECT_FALSE(has_long_tiles(64, Precision::f32));
    EXPECT_TRUE(has_long_tiles(68, Precision::f32));
    EXPECT_FALSE(has_long_tiles(128, Precision::f64));
    EXPECT_TRUE(has_long_tiles(132, Precision::f64));
}

/// Of 16 doubles a tile takes a kibibyte, of 17 more.
TEST(Bursts, AreOfScalarsBesideLongerLists) {
    EXPECT_TRUE(is_in_bursts(doubles(1), {doubles(1), doubles(3)}, Precision::f64));
    EXPECT_FALSE(is_in_bursts(doubles(3), {doubles(1), doubles(3)}, Precision::f64));
    EXPECT_FALSE(is_in_bursts(doubles(2), {doubles(2), doubles(6)}, Precision::f64));
    EXPECT_FALSE(is_in_bursts(doubles(1), {doubles(1), doubles(1), doubles(2)}, Precision::f64));
    EXPECT_TRUE(is_in_bursts(floats(1), {floats(1), doubles(16)}, Precision::f64));
    EXPECT_FALSE(is_in_bursts(floats(1), {floats(1), doubles(9), doubles(17)}, Precision::f64));
    EXPECT_TRUE(is_in_bursts(doubles(1), {doubles(1), floats(28)}, Precision::f64));
    EXPECT_FALSE(is_in_bursts(floats(1), {floats(1), doubles(9)}, Precision::f32)) << "16 doubles of nine components";
}

TEST(LightTiles, AreThoseThatLoadAndNotInStrips) {
    EXPECT_FALSE(has_light_tiles(work(Precision::f32, 0, 0), {}, Precision::f32));
    EXPECT_TRUE(has_light_tiles(work(Precision::f32, 9, 148), {floats(28), floats(9)}, Precision::f32));
    EXPECT_FALSE(has_light_tiles(work(Precision::f32, 9, 152), {floats(9), floats(29)}, Precision::f32));
    EXPECT_TRUE(has_light_tiles(work(Precision::f32, 12, 48), std::vector<LoadedList>(12, floats(1)), Precision::f32));
    EXPECT_FALSE(has_light_tiles(work(Precision::f32, 12, 52), std::vector<LoadedList>(13, floats(1)), Precision::f32))
        << "more lists than a processor follows";
}

} // namespace
} // namespace fusec::fusion
