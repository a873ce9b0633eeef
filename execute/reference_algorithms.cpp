// SPDX-License-Identifier: Apache-2.0
#include "execute/reference_algorithms.hpp"

#include <limits>
#include <utility>

namespace fusec::execute {

namespace {

using Reals = std::vector<double>;

std::size_t at(int row, int column, int n) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(n) + static_cast<std::size_t>(column);
}

Reals values(const BoundedMatrix& a) {
    Reals out(a.size());
    std::transform(a.begin(), a.end(), out.begin(), [](Bounded x) { return x.value; });
    return out;
}
Reals bounds(const BoundedMatrix& a) {
    Reals out(a.size());
    std::transform(a.begin(), a.end(), out.begin(), [](Bounded x) { return x.bound; });
    return out;
}
Reals magnitudes(Reals a) {
    std::transform(a.begin(), a.end(), a.begin(), [](double x) { return std::abs(x); });
    return a;
}

Reals product(const Reals& a, const Reals& b, int rows, int inner, int columns) {
    Reals c(static_cast<std::size_t>(rows * columns), 0.0);
    for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < inner; ++k) {
            const double factor = a[at(i, k, inner)];
            for (int j = 0; j < columns; ++j) {
                c[at(i, j, columns)] += factor * b[at(k, j, columns)];
            }
        }
    }
    return c;
}
Reals transposed(const Reals& a, int n) {
    Reals t(a.size());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            t[at(j, i, n)] = a[at(i, j, n)];
        }
    }
    return t;
}

Reals without(const Reals& a, int n, int row, int column) {
    Reals minor;
    minor.reserve(static_cast<std::size_t>((n - 1) * (n - 1)));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (i != row && j != column) {
                minor.push_back(a[at(i, j, n)]);
            }
        }
    }
    return minor;
}

/// Beyond this size determinants go through a factorization: expansions cost n!.
constexpr int largest_expansion = 4;

/// The determinant by expansion along the first row; with `sign` +1 throughout it is the permanent.
double expansion(const Reals& a, int n, double sign) {
    if (n == 1) {
        return a[0];
    }
    if (n == 2) {
        return a[0] * a[3] + sign * a[1] * a[2];
    }
    double sum = 0;
    double alternating = 1;
    for (int j = 0; j < n; ++j) {
        sum += alternating * a[at(0, j, n)] * expansion(without(a, n, 0, j), n - 1, sign);
        alternating *= sign;
    }
    return sum;
}

/// Factors of a row-permuted matrix: row i of L U is row `order[i]` of A.
struct Factors {
    Reals lower, upper;
    std::vector<int> order;
    double sign = 1;
};

/// Gaussian elimination with partial pivoting.
Factors factorize(const Reals& a, int n) {
    Factors f{Reals(a.size(), 0.0), a, std::vector<int>(static_cast<std::size_t>(n)), 1};
    for (int i = 0; i < n; ++i) {
        f.order[static_cast<std::size_t>(i)] = i;
    }
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            if (std::abs(f.upper[at(i, k, n)]) > std::abs(f.upper[at(pivot, k, n)])) {
                pivot = i;
            }
        }
        if (pivot != k) {
            for (int j = 0; j < n; ++j) {
                std::swap(f.upper[at(k, j, n)], f.upper[at(pivot, j, n)]);
                std::swap(f.lower[at(k, j, n)], f.lower[at(pivot, j, n)]);
            }
            std::swap(f.order[static_cast<std::size_t>(k)], f.order[static_cast<std::size_t>(pivot)]);
            f.sign = -f.sign;
        }
        f.lower[at(k, k, n)] = 1;
        for (int i = k + 1; i < n; ++i) {
            const double factor = f.upper[at(k, k, n)] == 0 ? 0 : f.upper[at(i, k, n)] / f.upper[at(k, k, n)];
            f.lower[at(i, k, n)] = factor;
            f.upper[at(i, k, n)] = 0;
            for (int j = k + 1; j < n; ++j) {
                f.upper[at(i, j, n)] -= factor * f.upper[at(k, j, n)];
            }
        }
    }
    return f;
}

/// |L| |U| with the rows put back in A's order: the scale of elimination's backward error.
Reals elimination_scale(const Factors& f, int n) {
    const Reals permuted = product(magnitudes(f.lower), magnitudes(f.upper), n, n, n);
    Reals scale(permuted.size());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            scale[at(f.order[static_cast<std::size_t>(i)], j, n)] = permuted[at(i, j, n)];
        }
    }
    return scale;
}

/// A^-1 B by the factors.
Reals substitute(const Factors& f, const Reals& b, int n, int columns) {
    Reals x(b.size());
    for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < n; ++i) {
            double sum = b[at(f.order[static_cast<std::size_t>(i)], j, columns)];
            for (int k = 0; k < i; ++k) {
                sum -= f.lower[at(i, k, n)] * x[at(k, j, columns)];
            }
            x[at(i, j, columns)] = sum;
        }
        for (int i = n; i-- > 0;) {
            double sum = x[at(i, j, columns)];
            for (int k = i + 1; k < n; ++k) {
                sum -= f.upper[at(i, k, n)] * x[at(k, j, columns)];
            }
            x[at(i, j, columns)] = sum / f.upper[at(i, i, n)];
        }
    }
    return x;
}

Reals identity(int n) {
    Reals one(static_cast<std::size_t>(n * n), 0.0);
    for (int i = 0; i < n; ++i) {
        one[at(i, i, n)] = 1;
    }
    return one;
}

/// Lower Cholesky factor of the lower triangle; NaN where a pivot is not positive.
Reals cholesky_factor(const Reals& a, int n) {
    Reals l(a.size(), 0.0);
    for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) {
            double sum = a[at(i, j, n)];
            for (int k = 0; k < j; ++k) {
                sum -= l[at(i, k, n)] * l[at(j, k, n)];
            }
            l[at(i, j, n)] = i > j ? sum / l[at(j, j, n)] : sum > 0 ? std::sqrt(sum) : std::numeric_limits<double>::quiet_NaN();
        }
    }
    return l;
}

/// Inverse of a lower triangular matrix.
Reals lower_inverse(const Reals& l, int n) {
    Reals x(l.size(), 0.0);
    for (int j = 0; j < n; ++j) {
        x[at(j, j, n)] = 1 / l[at(j, j, n)];
        for (int i = j + 1; i < n; ++i) {
            double sum = 0;
            for (int k = j; k < i; ++k) {
                sum -= l[at(i, k, n)] * x[at(k, j, n)];
            }
            x[at(i, j, n)] = sum / l[at(i, i, n)];
        }
    }
    return x;
}

/// Roundings of an expansion by minors, in any order of addition: a minor's, one product, and n - 1 additions.
double expansion_roundings(int n) {
    double count = 0;
    for (int k = 2; k <= n; ++k) {
        count += 1 + (k - 1);
    }
    return count;
}

struct Determinant {
    double value = 0;
    double own = 0; ///< rounding of the computation itself, in u
};

/// Expansion: every term of the permanent of |A| passes through at most `expansion_roundings` roundings. Elimination: the computed
/// determinant is that of A + E with |E| <= n u |L||U| (Higham 9.3), so it is off by sum |cof_ij| E_ij, and cof = det A^-T.
Determinant own_determinant(const Reals& a, int n) {
    if (n <= largest_expansion) {
        return {expansion(a, n, -1), expansion_roundings(n) * expansion(magnitudes(a), n, 1)};
    }
    const Factors f = factorize(a, n);
    double value = f.sign;
    for (int i = 0; i < n; ++i) {
        value *= f.upper[at(i, i, n)];
    }
    const Reals inverted = substitute(f, identity(n), n, n);
    const Reals scale = elimination_scale(f, n);
    double own = n * std::abs(value);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            own += n * std::abs(value * inverted[at(j, i, n)]) * scale[at(i, j, n)];
        }
    }
    return {value, own};
}

Reals cofactor_values(const Reals& a, int n) {
    Reals c(a.size(), 1.0);
    for (int i = 0; n > 1 && i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            c[at(i, j, n)] = ((i + j) % 2 == 0 ? 1 : -1) * own_determinant(without(a, n, i, j), n - 1).value;
        }
    }
    return c;
}

} // namespace

/// An error dA of the operand moves the determinant by sum cof_ij dA_ij.
Bounded determinant(const BoundedMatrix& a, int n) {
    const Reals exact = values(a);
    const Determinant own = own_determinant(exact, n);
    double bound = own.own;
    if (std::any_of(a.begin(), a.end(), [](Bounded x) { return x.bound != 0; })) {
        const Reals c = cofactor_values(exact, n);
        for (std::size_t i = 0; i < a.size(); ++i) {
            bound += propagated(c[i], a[i].bound);
        }
    }
    return {own.value, bound};
}

BoundedMatrix cofactor(const BoundedMatrix& a, int n) {
    BoundedMatrix c(a.size(), Bounded{1, 0});
    for (int i = 0; n > 1 && i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            BoundedMatrix minor;
            for (int row = 0; row < n; ++row) {
                for (int column = 0; column < n; ++column) {
                    if (row != i && column != j) {
                        minor.push_back(a[at(row, column, n)]);
                    }
                }
            }
            const Bounded d = determinant(minor, n - 1);
            c[at(i, j, n)] = (i + j) % 2 == 0 ? d : negate(d);
        }
    }
    return c;
}

/// An error dA of the operand moves the inverse X by X dA X. The computation's own error is the larger of two ways to compute:
/// by adjugate and determinant, (own(C_ji) + |X_ij| own(det)) / |det| and two roundings of the quotient; and by elimination with
/// pivoting, |X| E |X| with E = 2 n |L||U| (Higham 14.3, Gauss-Jordan included).
BoundedMatrix inverse(const BoundedMatrix& a, int n) {
    const Reals exact = values(a);
    const Factors f = factorize(exact, n);
    const Reals eliminated = substitute(f, identity(n), n, n);
    Reals scale = elimination_scale(f, n);
    std::transform(scale.begin(), scale.end(), scale.begin(), [&](double x) { return 2 * n * x; });

    const Reals size = magnitudes(eliminated);
    const Reals moved = product(product(size, bounds(a), n, n, n), size, n, n, n);
    const Reals by_elimination = product(product(size, scale, n, n, n), size, n, n, n);
    BoundedMatrix x(a.size());
    const bool expand = n <= largest_expansion;
    const Determinant det = expand ? own_determinant(exact, n) : Determinant{};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const std::size_t here = at(i, j, n);
            double value = eliminated[here];
            double own = by_elimination[here];
            if (expand) {
                const Determinant minor = n == 1 ? Determinant{1, 0} : own_determinant(without(exact, n, j, i), n - 1);
                value = ((i + j) % 2 == 0 ? 1 : -1) * minor.value / det.value;
                own = std::max(own, (minor.own + std::abs(value) * det.own) / std::abs(det.value) + 2 * std::abs(value));
            }
            x[here] = {value, moved[here] + own};
        }
    }
    return x;
}

/// The computed factor is exact for A + E with E_ij <= (min(i,j) + 3) u (|L||L'|)_ij: min(i,j) subtracted products, the quotient, its
/// reciprocal and a root (Higham 10.3). A symmetric perturbation E moves L by L P(L^-1 E L^-T), where P takes the lower triangle with
/// half the diagonal.
BoundedMatrix cholesky(const BoundedMatrix& a, int n) {
    const Reals l = cholesky_factor(values(a), n);
    const Reals size = magnitudes(l);
    Reals error = product(size, transposed(size, n), n, n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            error[at(i, j, n)] = (std::min(i, j) + 3) * error[at(i, j, n)] + std::max(a[at(i, j, n)].bound, a[at(j, i, n)].bound);
        }
    }
    const Reals inverted = magnitudes(lower_inverse(l, n));
    Reals moved = product(product(inverted, error, n, n, n), transposed(inverted, n), n, n, n);
    for (int i = 0; i < n; ++i) {
        moved[at(i, i, n)] *= 0.5;
        for (int j = i + 1; j < n; ++j) {
            moved[at(i, j, n)] = 0;
        }
    }
    const Reals bound = product(size, moved, n, n, n);
    BoundedMatrix factor(a.size());
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            factor[at(i, j, n)] = {l[at(i, j, n)], bound[at(i, j, n)]};
        }
    }
    return factor;
}

/// The computed solution is exact for A + E with E <= (3 n + 1) u |L||U| (Higham 9.4; 10.4 with U = L'), so it is off by
/// |A^-1| (E |x| + dA |x| + db), and it is rounded once.
BoundedMatrix solve(const BoundedMatrix& a, const BoundedMatrix& b, int n, int columns, bool positive_definite) {
    const Reals exact = values(a);
    Reals error;
    Reals inverted;
    Reals x;
    if (positive_definite) {
        const Reals l = cholesky_factor(exact, n);
        const Reals size = magnitudes(l);
        error = product(size, transposed(size, n), n, n, n);
        const Reals l_inverse = lower_inverse(l, n);
        inverted = product(transposed(l_inverse, n), l_inverse, n, n, n);
        x = product(transposed(l_inverse, n), product(l_inverse, values(b), n, n, columns), n, n, columns);
    } else {
        const Factors f = factorize(exact, n);
        error = elimination_scale(f, n);
        inverted = substitute(f, identity(n), n, n);
        x = substitute(f, values(b), n, columns);
    }
    for (std::size_t i = 0; i < error.size(); ++i) {
        error[i] = (3 * n + 1) * error[i] + a[i].bound;
    }
    Reals residual = product(error, magnitudes(x), n, n, columns);
    for (std::size_t i = 0; i < residual.size(); ++i) {
        residual[i] += b[i].bound;
    }
    const Reals moved = product(magnitudes(inverted), residual, n, n, columns);
    BoundedMatrix solution(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        solution[i] = {x[i], moved[i] + std::abs(x[i])};
    }
    return solution;
}

} // namespace fusec::execute
