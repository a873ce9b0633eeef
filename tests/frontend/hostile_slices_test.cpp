// SPDX-License-Identifier: Apache-2.0
// Slices and values from parts made to break a compiler: ranges that fit no integer or no memory, chains and nests of brackets, values of thousands of
// parts, sums over parts without end. Each must end soon in a program or in an error with a place and the right exit code.
#include "tests/frontend/hostile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::frontend::testing {
namespace {

const std::string head = "MATRIX64x64 A; VECTOR64 v; SCALAR s; input A, v, s;\n";
const std::string end = "F = A * A + s * A; u = A * v; return F, u;";

void expect_error(const std::string& statement, const DiagnosticKind& kind, int exit_code = 1) {
    SCOPED_TRACE(statement.substr(0, 80));
    const Compiled compiled = compile(head + statement + end);
    expect_only_error(compiled, kind, exit_code);
}

TEST(HostileSlices, RangesOfAnySizeAreErrorsOrSlices) {
    for (const char* range : {"9223372036854775807", "-9223372036854775807 - 1", "64", "-1", "0:65", "-1:3",
             "9223372036854775806:9223372036854775807", "0:9223372036854775807", "1000000000:"}) {
        const bool begins_behind = std::string(range) == "1000000000:";
        expect_error("x = v[" + std::string(range) + "];", begins_behind ? kind::empty_slice : kind::index_out_of_range);
    }
    for (const char* range : {"0:0", "64:", ":0", "3:2", "9223372036854775807:0", "5:-5", "-9223372036854775807:-9223372036854775807"}) {
        expect_error("x = A[0, " + std::string(range) + "];", kind::empty_slice);
    }
    for (const char* range : {"9223372036854775808", "9223372036854775807 + 1:", ":2 * 9223372036854775807", "1 / 0", "5 % 0:"}) {
        expect_error("x = A[" + std::string(range) + ", 0];", kind::integer_arithmetic);
    }
    EXPECT_TRUE(compile(head + "x = v[63:64][0:1][:][0] + v[9223372036854775807 - 9223372036854775806]; y = x + x; " + end).program);
}

TEST(HostileSlices, MegabytesOfBracketsEnd) {
    for (const char* unit : {"[:]", "[0:64]", "[:64]", "[:, :]"}) {
        EXPECT_TRUE(compile(head + "x = A" + repeated(unit, megabyte) + " * v; " + end).program) << unit;
    }
    for (const char* unit : {"[0]", ":", "[:", "[0:", "[:,", ":]", "[::]", "[0 0]", "rows", "[rows(", "[0:1:2]"}) {
        SCOPED_TRACE(unit);
        const Compiled compiled = compile(head + "x = A" + repeated(unit, megabyte / 5) + "; " + end);
        expect_errors_of_noise(compiled);
    }
    for (const char* call : {"rows(", "columns(", "diag("}) {
        expect_error("x = " + repeated(call, megabyte), kind::nesting_limit, 3);
    }
    expect_error("x = rows(" + repeated("v, ", megabyte) + "v);", kind::dimension_limit, 3);
    expect_error("x = A[" + repeated("0, ", megabyte) + "0];", kind::wrong_index_count);
    expect_error("x = A[" + repeated(":, ", megabyte) + ":];", kind::wrong_index_count);
}

/// What is counted is the components that are chosen, wherever the slices stand.
TEST(HostileSlices, MillionsOfComponentsMeetTheLimit) {
    expect_error("for q in 0..1000000 { x = A[:63]; }", kind::iteration_limit, 3);
    expect_error("MATRIX64x64 K; K = 2 * A; for q in 0..1000000 { K[0, 0] += s; x = K * K; }", kind::iteration_limit, 3);
    std::string distinct;
    for (int i = 0; i < 2500; ++i) {
        distinct += "x" + std::to_string(i) + " = A[" + std::to_string(i % 20) + ":" + std::to_string(50 + i % 14) + ", " +
            std::to_string(i / 200) + ":" + std::to_string(50 + i / 200) + "];\n";
    }
    expect_error(distinct, kind::iteration_limit, 3);
    expect_error(
        "for q in 0..200000 { x = s * v[q % 64]; y = x * v[q / 7 % 64]; z = y * A[q / 3 % 64, q / 64 % 64]; }", kind::call_limit, 3);
}

TEST(HostileSlices, ValuesOfThousandsOfParts) {
    const Compiled by_component =
        compile(head + "MATRIX64x64 K; for i in 0..64 { for j in 0..64 { K[i, j] = A[j, i] * v[i]; } } " + end + "");
    EXPECT_TRUE(by_component.program) << by_component.text().substr(0, 2000);
    const Compiled transposed =
        compile(head + "MATRIX64x64 K; for i in 0..64 { for j in 0..64 { K[i, j] = A[j, i]; } } G = K * A; H = K' * A; return G, H;");
    ASSERT_TRUE(transposed.program) << transposed.text().substr(0, 2000);
    EXPECT_EQ(transposed.program->functions.size(), 1U);
    EXPECT_EQ(transposed.program->calls.size(), 4U) << "4096 components are one call";
    const Compiled gap = compile(head + "MATRIX64x64 K; for i in 0..64 { for j in 0..64 - i / 63 { K[i, j] = A[j, i]; } } " + end);
    EXPECT_THAT(only_error(gap).message, ::testing::HasSubstr("[63,63]"));
    EXPECT_EQ(only_error(gap).kind.name, kind::incomplete_value.name);
}

/// The value before is one assembly of thousands, and each step is another.
TEST(HostileSlices, SumsOverPartsOfPartsStayFlat) {
    const Compiled compiled = compile("VECTOR64 v; SCALAR s; input v, s; w = 2 * v; for q in 0..1000 { w[q % 64] += s * v[63 - q % 64]; "
                                      "w[q % 63:q % 63 + 2] -= v[:2]; } return w;");
    ASSERT_TRUE(compiled.program) << compiled.text().substr(0, 2000);
    EXPECT_EQ(compiled.program->calls.back().operands.size(), 63U) << "the last pair, and the last values of the other 62 components";
}

} // namespace
} // namespace fusec::frontend::testing
