// SPDX-License-Identifier: Apache-2.0
// C = det(A) A^-T

template <class Lane, class A, class C>
FUSEC_DEVICE void mcof_element(Lane, const A& a, C& c) {
    if constexpr (A::rows == 1) {
        c(0, 0) = 1;
    } else if constexpr (A::rows == 2) {
        c(0, 0) = a(1, 1);
        c(0, 1) = -a(1, 0);
        c(1, 0) = -a(0, 1);
        c(1, 1) = a(0, 0);
    } else if constexpr (A::rows == 3) {
        FUSEC_UNROLL for (int i = 0; i < 3; ++i) {
            const int k = (i + 1) % 3, l = (i + 2) % 3;
            FUSEC_UNROLL for (int j = 0; j < 3; ++j) {
                const int m = (j + 1) % 3, n = (j + 2) % 3;
                c(i, j) = a(k, m) * a(l, n) - a(k, n) * a(l, m);
            }
        }
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
        c(0, 0) = a(1, 1) * q23 - a(1, 2) * q13 + a(1, 3) * q12;
        c(0, 1) = a(1, 2) * q03 - a(1, 0) * q23 - a(1, 3) * q02;
        c(0, 2) = a(1, 0) * q13 - a(1, 1) * q03 + a(1, 3) * q01;
        c(0, 3) = a(1, 1) * q02 - a(1, 0) * q12 - a(1, 2) * q01;
        c(1, 0) = a(0, 2) * q13 - a(0, 1) * q23 - a(0, 3) * q12;
        c(1, 1) = a(0, 0) * q23 - a(0, 2) * q03 + a(0, 3) * q02;
        c(1, 2) = a(0, 1) * q03 - a(0, 0) * q13 - a(0, 3) * q01;
        c(1, 3) = a(0, 0) * q12 - a(0, 1) * q02 + a(0, 2) * q01;
        c(2, 0) = a(3, 1) * p23 - a(3, 2) * p13 + a(3, 3) * p12;
        c(2, 1) = a(3, 2) * p03 - a(3, 0) * p23 - a(3, 3) * p02;
        c(2, 2) = a(3, 0) * p13 - a(3, 1) * p03 + a(3, 3) * p01;
        c(2, 3) = a(3, 1) * p02 - a(3, 0) * p12 - a(3, 2) * p01;
        c(3, 0) = a(2, 2) * p13 - a(2, 1) * p23 - a(2, 3) * p12;
        c(3, 1) = a(2, 0) * p23 - a(2, 2) * p03 + a(2, 3) * p02;
        c(3, 2) = a(2, 1) * p03 - a(2, 0) * p13 - a(2, 3) * p01;
        c(3, 3) = a(2, 0) * p12 - a(2, 1) * p02 + a(2, 2) * p01;
    }
}
