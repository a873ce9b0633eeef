// SPDX-License-Identifier: Apache-2.0
// The named algorithms: values against Eigen in long double, bounds against float computations by several methods and orders.
#include "execute/reference_algorithms.hpp"
#include "tests/execute/reference_bound_check.hpp"

#include <Eigen/Dense>

namespace fusec::execute {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::size_t at(int i, int j, int n) {
    return static_cast<std::size_t>(i * n + j);
}

Matrix as_matrix(const std::vector<float>& a, int rows, int columns) {
    Matrix m(rows, columns);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            m(i, j) = static_cast<Real>(a[at(i, j, columns)]);
        }
    }
    return m;
}
Floats as_floats(const std::vector<float>& a, int rows, int columns) {
    return Eigen::Map<const Floats>(a.data(), rows, columns);
}

void expect_near(const BoundedMatrix& ours, const Matrix& theirs, double tolerance) {
    const double scale = std::max(1.0, static_cast<double>(theirs.cwiseAbs().maxCoeff()));
    for (int i = 0; i < theirs.rows(); ++i) {
        for (int j = 0; j < theirs.cols(); ++j) {
            EXPECT_NEAR(ours[at(i, j, static_cast<int>(theirs.cols()))].value, static_cast<double>(theirs(i, j)), tolerance * scale)
                << i << "," << j;
        }
    }
}

/// Random with condition below about 100.
std::vector<float> well_conditioned(int n, Numbers& numbers) {
    for (;;) {
        std::vector<float> a = numbers.list(static_cast<std::size_t>(n * n));
        const Matrix m = as_matrix(a, n, n);
        if (m.norm() * m.inverse().norm() < 100) {
            return a;
        }
    }
}

std::vector<float> positive_definite(int n, Numbers& numbers) {
    const std::vector<float> b = numbers.list(static_cast<std::size_t>(n * n));
    std::vector<float> a(b.size());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            float sum = i == j ? 0.3F * static_cast<float>(n) : 0.0F;
            for (int k = 0; k < n; ++k) {
                sum += b[at(i, k, n)] * b[at(j, k, n)];
            }
            a[at(i, j, n)] = a[at(j, i, n)] = sum / static_cast<float>(n);
        }
    }
    return a;
}

float minor_float(const std::vector<float>& a, int n, int row, int column, bool by_column);

/// Laplace expansion along the first row or the first column.
float determinant_float(const std::vector<float>& a, int n, bool by_column) {
    if (n == 1) {
        return a[0];
    }
    float sum = 0;
    for (int j = 0; j < n; ++j) {
        const float term =
            by_column ? a[at(j, 0, n)] * minor_float(a, n, j, 0, true) : a[static_cast<std::size_t>(j)] * minor_float(a, n, 0, j, false);
        sum = j % 2 == 0 ? sum + term : sum - term;
    }
    return sum;
}
float minor_float(const std::vector<float>& a, int n, int row, int column, bool by_column) {
    std::vector<float> minor;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (i != row && j != column) {
                minor.push_back(a[at(i, j, n)]);
            }
        }
    }
    return determinant_float(minor, n - 1, by_column);
}

/// Gauss-Jordan elimination with partial pivoting.
std::vector<float> gauss_jordan(std::vector<float> a, int n) {
    std::vector<float> x(a.size(), 0.0F);
    for (int i = 0; i < n; ++i) {
        x[at(i, i, n)] = 1;
    }
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            pivot = std::abs(a[at(i, k, n)]) > std::abs(a[at(pivot, k, n)]) ? i : pivot;
        }
        for (int j = 0; j < n; ++j) {
            std::swap(a[at(k, j, n)], a[at(pivot, j, n)]);
            std::swap(x[at(k, j, n)], x[at(pivot, j, n)]);
        }
        const float r = 1 / a[at(k, k, n)];
        for (int j = 0; j < n; ++j) {
            a[at(k, j, n)] *= r;
            x[at(k, j, n)] *= r;
        }
        for (int i = 0; i < n; ++i) {
            const float factor = a[at(i, k, n)];
            for (int j = 0; j < n && i != k; ++j) {
                a[at(i, j, n)] -= factor * a[at(k, j, n)];
                x[at(i, j, n)] -= factor * x[at(k, j, n)];
            }
        }
    }
    return x;
}

TEST(Bounds, OfWhatMayBeEitherOfTwoValuesStayNumbers) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Bounded either{2, infinite}; // by a comparison that rounding may turn
    EXPECT_EQ(multiply(either, {0, 0}).bound, 0) << "an exact zero, of an identity say";
    EXPECT_EQ(multiply({0, 0}, either).bound, 0);
    EXPECT_EQ(multiply(either, {0, 1}).bound, infinite) << "a zero that may be another number";
    EXPECT_EQ(multiply(either, {3, 0}).bound, infinite);
    EXPECT_EQ(multiply(either, either).bound, infinite);
    EXPECT_EQ(divide({0, 0}, either).bound, 0);
    EXPECT_EQ(divide({0, 1}, either).bound, infinite);
    EXPECT_EQ(divide(either, {4, 0}).bound, infinite);
    EXPECT_EQ(add(either, {1, 0}).bound, infinite);
}

TEST(Determinant, EqualsEigenAndItsBoundHolds) {
    for (int n = 1; n <= 6; ++n) {
        Numbers numbers(static_cast<std::uint64_t>(n));
        Tightness tightness;
        for (int draw = 0; draw < 2000; ++draw) {
            const std::vector<float> a = numbers.list(static_cast<std::size_t>(n * n));
            const Bounded ours = determinant(exact(a), n);
            EXPECT_NEAR(ours.value, static_cast<double>(as_matrix(a, n, n).determinant()), 1e-13);
            for (const bool by_column : {false, true}) {
                if (n <= 4) {
                    tightness.see(determinant_float(a, n, by_column), ours, "expansion");
                }
            }
            if (n > 4) {
                tightness.see(as_floats(a, n, n).partialPivLu().determinant(), ours, "elimination");
            }
        }
        if (n > 1) {
            tightness.expect_at_least(0.01, "determinant");
        }
    }
}

TEST(Determinant, HandWorked) {
    // 2*5 - 3*4 = -2: products 10 and 12, two roundings each term.
    const Bounded d = determinant({{2, 0}, {3, 0}, {4, 0}, {5, 0}}, 2);
    EXPECT_EQ(d.value, -2);
    EXPECT_EQ(d.bound, 2 * (10 + 12));
    // The bound 7 of a_01 moves the determinant by cof_01 = -4 of it.
    EXPECT_EQ(determinant({{2, 0}, {3, 7}, {4, 0}, {5, 0}}, 2).bound, 44 + 4 * 7);
}

TEST(Cofactor, EqualsEigenAndItsBoundHolds) {
    for (int n = 1; n <= 4; ++n) {
        Numbers numbers(10 + static_cast<std::uint64_t>(n));
        Tightness tightness;
        for (int draw = 0; draw < 1000; ++draw) {
            const std::vector<float> a = well_conditioned(n, numbers);
            const BoundedMatrix ours = cofactor(exact(a), n);
            const Matrix m = as_matrix(a, n, n);
            expect_near(ours, m.determinant() * m.inverse().transpose(), 1e-13);
            for (int i = 0; i < n && n > 1; ++i) {
                for (int j = 0; j < n; ++j) {
                    const float minor = minor_float(a, n, i, j, false);
                    tightness.see((i + j) % 2 == 0 ? minor : -minor, ours[at(i, j, n)], "minor");
                }
            }
        }
        if (n > 2) { // for n = 2 the cofactors are entries: exact
            tightness.expect_at_least(0.05, "cofactor");
        }
    }
}

TEST(Cofactor, OfASingularMatrix) {
    // Rank 1: all 2x2 minors of [1 2 3; 2 4 6; 3 6 9] vanish.
    BoundedMatrix a;
    for (const double x : {1, 2, 3, 2, 4, 6, 3, 6, 9}) {
        a.push_back({x, 0});
    }
    for (const Bounded c : cofactor(a, 3)) {
        EXPECT_EQ(c.value, 0);
        EXPECT_GT(c.bound, 0);
    }
}

TEST(Inverse, EqualsEigenAndItsBoundHolds) {
    for (const int n : {1, 2, 3, 4, 5, 8}) {
        Numbers numbers(20 + static_cast<std::uint64_t>(n));
        Tightness adjugate;
        Tightness elimination;
        for (int draw = 0; draw < 1000; ++draw) {
            const std::vector<float> a = well_conditioned(n, numbers);
            const BoundedMatrix ours = inverse(exact(a), n);
            expect_near(ours, as_matrix(a, n, n).inverse(), 1e-12);
            const std::vector<float> eliminated = gauss_jordan(a, n);
            const Floats eigen = as_floats(a, n, n).inverse();
            const float det = n <= 4 ? determinant_float(a, n, false) : 0;
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    elimination.see(eliminated[at(i, j, n)], ours[at(i, j, n)], "Gauss-Jordan");
                    elimination.see(eigen(i, j), ours[at(i, j, n)], "Eigen");
                    if (n <= 4) {
                        const float minor = n == 1 ? 1.0F : minor_float(a, n, j, i, false);
                        adjugate.see(((i + j) % 2 == 0 ? minor : -minor) / det, ours[at(i, j, n)], "adjugate");
                        adjugate.see(((i + j) % 2 == 0 ? minor : -minor) * (1 / det), ours[at(i, j, n)], "adjugate");
                    }
                }
            }
        }
        elimination.expect_at_least(0.01, "inverse by elimination");
        if (n <= 4) {
            adjugate.expect_at_least(0.02, "inverse by adjugate");
        }
    }
}

TEST(Cholesky, EqualsEigenAndItsBoundHolds) {
    for (const int n : {1, 2, 3, 6, 12, 24}) {
        Numbers numbers(40 + static_cast<std::uint64_t>(n));
        Tightness tightness;
        for (int draw = 0; draw < (n > 6 ? 60 : 500); ++draw) {
            const std::vector<float> a = positive_definite(n, numbers);
            const BoundedMatrix ours = cholesky(exact(a), n);
            expect_near(ours, as_matrix(a, n, n).llt().matrixL(), 1e-14);
            for (const Order order : all_orders) {
                std::vector<float> l(a.size(), 0.0F);
                for (int j = 0; j < n; ++j) {
                    for (int i = j; i < n; ++i) {
                        std::vector<float> x;
                        std::vector<float> y;
                        for (int k = 0; k < j; ++k) {
                            x.push_back(l[at(i, k, n)]);
                            y.push_back(l[at(j, k, n)]);
                        }
                        const float sum = accumulate(a[at(i, j, n)], -1, x, y, order);
                        l[at(i, j, n)] = i == j        ? std::sqrt(sum)
                            : order == Order::backward ? sum * (1 / l[at(j, j, n)])
                                                       : sum / l[at(j, j, n)];
                        tightness.see(l[at(i, j, n)], ours[at(i, j, n)], "Cholesky");
                    }
                }
            }
        }
        tightness.expect_at_least(n > 12 ? 0.003 : 0.01, "Cholesky");
    }
}

TEST(Cholesky, OfAnIndefiniteMatrixIsNotFinite) {
    const BoundedMatrix l = cholesky({{1, 0}, {2, 0}, {2, 0}, {1, 0}}, 2);
    EXPECT_FALSE(std::isfinite(l[3].value));
}

TEST(Solve, EqualsEigenAndItsBoundHolds) {
    for (const int n : {1, 2, 3, 6, 12, 24}) {
        Numbers numbers(60 + static_cast<std::uint64_t>(n));
        Tightness tightness;
        for (int draw = 0; draw < (n > 6 ? 60 : 500); ++draw) {
            for (const bool definite : {false, true}) {
                const std::vector<float> a = definite ? positive_definite(n, numbers) : well_conditioned(n, numbers);
                const std::vector<float> b = numbers.list(static_cast<std::size_t>(2 * n));
                const BoundedMatrix ours = solve(exact(a), exact(b), n, 2, definite);
                expect_near(ours, as_matrix(a, n, n).partialPivLu().solve(as_matrix(b, n, 2)), 1e-12);
                const Floats right = as_floats(b, n, 2);
                std::vector<Floats> computed{as_floats(a, n, n).partialPivLu().solve(right)};
                if (definite) {
                    computed.emplace_back(as_floats(a, n, n).llt().solve(right));
                    computed.emplace_back(as_floats(a, n, n).ldlt().solve(right));
                }
                for (const Floats& x : computed) {
                    for (int i = 0; i < n; ++i) {
                        for (int j = 0; j < 2; ++j) {
                            tightness.see(x(i, j), ours[at(i, j, 2)], "solve");
                        }
                    }
                }
            }
        }
        tightness.expect_at_least(n > 12 ? 0.0005 : 0.003, "solve");
    }
}

/// Errors of the operand: moving every component by u times its bound moves the result by no more than the bound says.
TEST(Algorithms, PassOnTheBoundsOfTheirOperands) {
    constexpr double step = 1e-7;
    Numbers numbers(99);
    for (int draw = 0; draw < 300; ++draw) {
        for (const int n : {2, 3, 4, 6}) {
            BoundedMatrix a = exact(positive_definite(n, numbers));
            BoundedMatrix b = exact(numbers.list(static_cast<std::size_t>(n)));
            BoundedMatrix moved_a = a;
            BoundedMatrix moved_b = b;
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j <= i; ++j) {
                    const double by = numbers.next();
                    a[at(i, j, n)].bound = a[at(j, i, n)].bound = std::abs(by);
                    moved_a[at(i, j, n)].value += by * step;
                    moved_a[at(j, i, n)].value = moved_a[at(i, j, n)].value;
                }
                const double by = numbers.next();
                b[static_cast<std::size_t>(i)].bound = std::abs(by);
                moved_b[static_cast<std::size_t>(i)].value += by * step;
            }
            const auto expect_covered = [&](const BoundedMatrix& from, const BoundedMatrix& to, const BoundedMatrix& rounding,
                                            const char* what) {
                for (std::size_t i = 0; i < from.size(); ++i) {
                    const double passed_on = from[i].bound - rounding[i].bound; // what the operands' bounds add
                    EXPECT_LE(std::abs(to[i].value - from[i].value), 1.001 * step * passed_on + 1e-11) << what << " n = " << n;
                }
            };
            BoundedMatrix plain_a = a;
            BoundedMatrix plain_b = b;
            for (BoundedMatrix* plain : {&plain_a, &plain_b}) {
                for (Bounded& x : *plain) {
                    x.bound = 0;
                }
            }
            expect_covered({determinant(a, n)}, {determinant(moved_a, n)}, {determinant(plain_a, n)}, "determinant");
            expect_covered(cofactor(a, n), cofactor(moved_a, n), cofactor(plain_a, n), "cofactor");
            expect_covered(inverse(a, n), inverse(moved_a, n), inverse(plain_a, n), "inverse");
            expect_covered(cholesky(a, n), cholesky(moved_a, n), cholesky(plain_a, n), "cholesky");
            for (const bool definite : {false, true}) {
                expect_covered(
                    solve(a, b, n, 1, definite), solve(moved_a, moved_b, n, 1, definite), solve(plain_a, plain_b, n, 1, definite), "solve");
            }
        }
    }
}

} // namespace
} // namespace fusec::execute
