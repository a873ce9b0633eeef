// SPDX-License-Identifier: Apache-2.0
// C = A^-1

template <class Lane, class A, class C>
FUSEC_DEVICE void minv_element(Lane, const A& a, C& c) {
    if constexpr (A::rows == 1) {
        c(0, 0) = 1 / a(0, 0);
    } else if constexpr (A::rows == 2) {
        const auto reciprocal = 1 / (a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0));
        c(0, 0) = a(1, 1) * reciprocal;
        c(0, 1) = -a(0, 1) * reciprocal;
        c(1, 0) = -a(1, 0) * reciprocal;
        c(1, 1) = a(0, 0) * reciprocal;
    } else if constexpr (A::rows == 3) {
        const auto x = a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1);
        const auto y = a(1, 2) * a(2, 0) - a(1, 0) * a(2, 2);
        const auto z = a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0);
        const auto reciprocal = 1 / (a(0, 0) * x + a(0, 1) * y + a(0, 2) * z);
        c(0, 0) = x * reciprocal;
        c(1, 0) = y * reciprocal;
        c(2, 0) = z * reciprocal;
        c(0, 1) = (a(2, 1) * a(0, 2) - a(2, 2) * a(0, 1)) * reciprocal;
        c(0, 2) = (a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1)) * reciprocal;
        c(1, 1) = (a(2, 2) * a(0, 0) - a(2, 0) * a(0, 2)) * reciprocal;
        c(1, 2) = (a(0, 2) * a(1, 0) - a(0, 0) * a(1, 2)) * reciprocal;
        c(2, 1) = (a(2, 0) * a(0, 1) - a(2, 1) * a(0, 0)) * reciprocal;
        c(2, 2) = (a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0)) * reciprocal;
    } else {
        // p, q: 2x2 minors of rows 0, 1 and of rows 2, 3 (Laplace expansion).
        const auto p01 = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
        const auto p02 = a(0, 0) * a(1, 2) - a(0, 2) * a(1, 0);
        const auto p03 = a(0, 0) * a(1, 3) - a(0, 3) * a(1, 0);
        const auto p12 = a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1);
        const auto p13 = a(0, 1) * a(1, 3) - a(0, 3) * a(1, 1);
        const auto p23 = a(0, 2) * a(1, 3) - a(0, 3) * a(1, 2);
        const auto q01 = a(2, 0) * a(3, 1) - a(2, 1) * a(3, 0);
        const auto q02 = a(2, 0) * a(3, 2) - a(2, 2) * a(3, 0);
        const auto q03 = a(2, 0) * a(3, 3) - a(2, 3) * a(3, 0);
        const auto q12 = a(2, 1) * a(3, 2) - a(2, 2) * a(3, 1);
        const auto q13 = a(2, 1) * a(3, 3) - a(2, 3) * a(3, 1);
        const auto q23 = a(2, 2) * a(3, 3) - a(2, 3) * a(3, 2);
        const auto reciprocal = 1 / (p01 * q23 - p02 * q13 + p03 * q12 + p12 * q03 - p13 * q02 + p23 * q01);
        c(0, 0) = (a(1, 1) * q23 - a(1, 2) * q13 + a(1, 3) * q12) * reciprocal;
        c(0, 1) = (a(0, 2) * q13 - a(0, 1) * q23 - a(0, 3) * q12) * reciprocal;
        c(0, 2) = (a(3, 1) * p23 - a(3, 2) * p13 + a(3, 3) * p12) * reciprocal;
        c(0, 3) = (a(2, 2) * p13 - a(2, 1) * p23 - a(2, 3) * p12) * reciprocal;
        c(1, 0) = (a(1, 2) * q03 - a(1, 0) * q23 - a(1, 3) * q02) * reciprocal;
        c(1, 1) = (a(0, 0) * q23 - a(0, 2) * q03 + a(0, 3) * q02) * reciprocal;
        c(1, 2) = (a(3, 2) * p03 - a(3, 0) * p23 - a(3, 3) * p02) * reciprocal;
        c(1, 3) = (a(2, 0) * p23 - a(2, 2) * p03 + a(2, 3) * p02) * reciprocal;
        c(2, 0) = (a(1, 0) * q13 - a(1, 1) * q03 + a(1, 3) * q01) * reciprocal;
        c(2, 1) = (a(0, 1) * q03 - a(0, 0) * q13 - a(0, 3) * q01) * reciprocal;
        c(2, 2) = (a(3, 0) * p13 - a(3, 1) * p03 + a(3, 3) * p01) * reciprocal;
        c(2, 3) = (a(2, 1) * p03 - a(2, 0) * p13 - a(2, 3) * p01) * reciprocal;
        c(3, 0) = (a(1, 1) * q02 - a(1, 0) * q12 - a(1, 2) * q01) * reciprocal;
        c(3, 1) = (a(0, 0) * q12 - a(0, 1) * q02 + a(0, 2) * q01) * reciprocal;
        c(3, 2) = (a(3, 1) * p02 - a(3, 0) * p12 - a(3, 2) * p01) * reciprocal;
        c(3, 3) = (a(2, 0) * p12 - a(2, 1) * p02 + a(2, 2) * p01) * reciprocal;
    }
}
