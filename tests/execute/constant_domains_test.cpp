// SPDX-License-Identifier: Apache-2.0
// Constants outside of the domains of operands: numbers by hand, and matrices whose rank and definiteness Eigen knows.
#include "execute/constant_domains.hpp"

#include "execute/simplify.hpp"
#include "frontend/frontend.hpp"
#include "reference_program.hpp"
#include "support/hash.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::execute {
namespace {

using library::Domain;

TEST(ConstantDomains, ScalarsAndComponents) {
    EXPECT_EQ(outside(Domain::any, scalar_type(), {0}), std::nullopt);
    EXPECT_EQ(outside(Domain::positive, scalar_type(), {0.5}), std::nullopt);
    EXPECT_EQ(outside(Domain::positive, scalar_type(), {0}), "is 0");
    EXPECT_EQ(outside(Domain::positive, scalar_type(), {-1.5}), "is -1.5");
    EXPECT_EQ(outside(Domain::nonzero, scalar_type(), {-1.5}), std::nullopt);
    EXPECT_EQ(outside(Domain::nonzero, vector_type(3), {1, 0, 0}), "has the component [1] = 0");
    EXPECT_EQ(outside(Domain::positive, matrix_type(2, 3), {1, 1, 1, 1, -2, 1}), "has the component [1, 1] = -2");
}

Eigen::MatrixXd random_matrix(int rows, int columns, SplitMix& random) {
    Eigen::MatrixXd made(rows, columns);
    for (Eigen::Index i = 0; i < made.size(); ++i) {
        made(i) = static_cast<double>(random.next() % 2001) / 1000 - 1;
    }
    return made;
}
/// Row-major, rounded as constants are.
std::vector<double> components(const Eigen::MatrixXd& matrix, Precision precision) {
    std::vector<double> values;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            values.push_back(precision == Precision::f32 ? static_cast<double>(static_cast<float>(matrix(i, j))) : matrix(i, j));
        }
    }
    return values;
}

TEST(ConstantDomains, MatricesAsEigenSees) {
    SplitMix random(3);
    std::size_t singular = 0, regular = 0, definite = 0, indefinite = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const int n = 1 + trial % 6;
        const Precision precision = trial % 2 == 0 ? Precision::f32 : Precision::f64;
        const Type type = matrix_type(n, n, precision);
        // Of rank n or n - 1 by construction.
        const int rank = trial % 3 == 0 ? n - 1 : n;
        const Eigen::MatrixXd a = random_matrix(n, rank, random) * random_matrix(rank, n, random);
        const Eigen::JacobiSVD<Eigen::MatrixXd> values(a);
        const double ratio = values.singularValues()(n - 1) / std::max(values.singularValues()(0), 1e-30);
        const auto found = outside(Domain::invertible, type, components(a, precision));
        if (rank < n) {
            EXPECT_EQ(found, "is singular") << a;
            ++singular;
        } else if (ratio > 1e-3) {
            EXPECT_EQ(found, std::nullopt) << a;
            ++regular;
        }
        const Eigen::MatrixXd symmetric = a * a.transpose() - (trial % 4 == 0 ? 0.5 : -0.01) * Eigen::MatrixXd::Identity(n, n);
        const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric).eigenvalues()(0);
        if (std::abs(least) > 1e-3) {
            EXPECT_EQ(outside(Domain::spd, type, components(symmetric, precision)),
                least > 0 ? std::nullopt : std::optional<std::string>("is not positive definite"))
                << symmetric;
            (least > 0 ? definite : indefinite) += 1;
        }
        if (n > 1) {
            Eigen::MatrixXd skewed = symmetric;
            skewed(0, n - 1) += 0.01;
            EXPECT_EQ(outside(Domain::spd, type, components(skewed, precision)), "is not symmetric");
        }
    }
    for (const std::size_t count : {singular, regular, definite, indefinite}) {
        EXPECT_GT(count, 50u);
    }
}

std::string warnings(const std::string& text) {
    Diagnostics diagnostics;
    const auto tree = frontend::parse(std::make_shared<const SourceText>("p.fus", text), diagnostics);
    const auto program = frontend::check(*tree, standard_catalog(), {}, diagnostics);
    Diagnostics messages;
    (void)simplified(program.value(), standard_catalog(), messages);
    std::string found;
    for (const Diagnostic& diagnostic : messages.all()) {
        found += diagnostic.kind.name == kind::outside_domain.name ? diagnostic.message + "\n" : "";
    }
    return found;
}

TEST(ConstantDomains, WhatAProgramIsWarnedOf) {
    const auto of = [](const std::string& statement) { return warnings("SCALAR x;\ninput x;\n" + statement + "\n"); };
    EXPECT_EQ(of("y = x * ssqrt(-1); return y;"), "operand `a` of `ssqrt` is -1, outside of its domain `positive`\n");
    EXPECT_EQ(of("y = x * slog(0); return y;"), "operand `a` of `slog` is 0, outside of its domain `positive`\n");
    EXPECT_EQ(of("y = x / 0; return y;"), "operand `b` of `sdiv` is 0, outside of its domain `nonzero`\n");
    EXPECT_EQ(of("y = ssqrt(-4); z = x * x; return y, z;"), "operand `a` of `ssqrt` is -4, outside of its domain `positive`\n");
    EXPECT_EQ(of("y = spow(-2, x); return y;"), "operand `a` of `spow` is -2, outside of its domain `positive`\n");
    EXPECT_EQ(of("for q in 0..3 { y = x / q; }\nz = x + 1;\nreturn z;"), "") << "dead";
    EXPECT_EQ(of("y = x;\nz = 1 * x;\nfor q in 0..3 { z += x / (0 * q); }\nreturn z;"),
        "operand `b` of `sdiv` is 0, outside of its domain `nonzero`\n")
        << "identical calls are one";
    EXPECT_EQ(of("z = 2 * x;\nfor q in 0..3 { z += x * slog(-q); }\nreturn z;"),
        "operand `a` of `slog` is 0, outside of its domain `positive` (the first of 3 calls here)\n");
    // Finite values that the compiler computes.
    EXPECT_EQ(of("y = x * ssqrt(0) + spow(-2, 2); return y;"), "");
    EXPECT_EQ(of("y = x / 2 + ssqrt(3); return y;"), "");
    const auto matrix = [](const std::string& values, const std::string& call) {
        return warnings("const MATRIX2x2 G = " + values + ";\nVECTOR2 v;\ninput v;\ny = " + call + ";\nreturn y;\n");
    };
    EXPECT_EQ(matrix("[[1, 2], [2, 4]]", "minv(G) * v"), "operand `A` of `minv` is singular, outside of its domain `invertible`\n");
    EXPECT_EQ(matrix("[[0, 2], [2, 0]]", "minv(G) * v"), "");
    EXPECT_EQ(matrix("[[1, 2], [2, 1]]", "mcholsolve(G, v)"),
        "operand `A` of `mcholsolve` is not positive definite, outside of its domain `spd`\n");
    EXPECT_EQ(
        matrix("[[2, 0], [1, 2]]", "mcholsolve(G, v)"), "operand `A` of `mcholsolve` is not symmetric, outside of its domain `spd`\n");
    EXPECT_EQ(matrix("[[2, 1], [1, 2]]", "mcholsolve(G, v)"), "");
}

} // namespace
} // namespace fusec::execute
