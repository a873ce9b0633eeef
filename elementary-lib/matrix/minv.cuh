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

// Thread t makes its share of the rows, from row t * share on: row i from the cofactors of column i, which give the determinant too.
// i, k, l, m is an even permutation. For 3 x 3 and 4 x 4.
template <class Lane, class A, class C>
FUSEC_DEVICE void minv_rows(Lane lane, const A& a, C& c) {
    constexpr int share = C::rows / Lane::count;
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        if constexpr (A::rows == 3) {
            const int k = (i + 1) % 3, l = (i + 2) % 3;
            const auto x = a(1, k) * a(2, l) - a(2, k) * a(1, l);
            const auto y = a(2, k) * a(0, l) - a(0, k) * a(2, l);
            const auto z = a(0, k) * a(1, l) - a(1, k) * a(0, l);
            const auto reciprocal = 1 / (a(0, i) * x + a(1, i) * y + a(2, i) * z);
            c(i, 0) = x * reciprocal;
            c(i, 1) = y * reciprocal;
            c(i, 2) = z * reciprocal;
        } else {
            const int k = (i + 1) % 4, l = (i + 2 + i % 2) % 4, m = (i + 3 - i % 2) % 4;
            const auto q01 = a(0, l) * a(1, m) - a(1, l) * a(0, m);
            const auto q02 = a(0, l) * a(2, m) - a(2, l) * a(0, m);
            const auto q03 = a(0, l) * a(3, m) - a(3, l) * a(0, m);
            const auto q12 = a(1, l) * a(2, m) - a(2, l) * a(1, m);
            const auto q13 = a(1, l) * a(3, m) - a(3, l) * a(1, m);
            const auto q23 = a(2, l) * a(3, m) - a(3, l) * a(2, m);
            const auto x = a(1, k) * q23 - a(2, k) * q13 + a(3, k) * q12;
            const auto y = a(2, k) * q03 - a(0, k) * q23 - a(3, k) * q02;
            const auto z = a(0, k) * q13 - a(1, k) * q03 + a(3, k) * q01;
            const auto w = a(1, k) * q02 - a(0, k) * q12 - a(2, k) * q01;
            const auto reciprocal = 1 / (a(0, i) * x + a(1, i) * y + a(2, i) * z + a(3, i) * w);
            c(i, 0) = x * reciprocal;
            c(i, 1) = y * reciprocal;
            c(i, 2) = z * reciprocal;
            c(i, 3) = w * reciprocal;
        }
    }
}

// Thread j makes column j from the cofactors of row j, which give the determinant too.
template <class Lane, class A, class C>
FUSEC_DEVICE void minv_column(Lane lane, const A& a, C& c) {
    const int j = lane.index;
    if constexpr (A::rows == 3) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        const auto x = a(k, 1) * a(l, 2) - a(k, 2) * a(l, 1);
        const auto y = a(k, 2) * a(l, 0) - a(k, 0) * a(l, 2);
        const auto z = a(k, 0) * a(l, 1) - a(k, 1) * a(l, 0);
        const auto reciprocal = 1 / (a(j, 0) * x + a(j, 1) * y + a(j, 2) * z);
        c(0, j) = x * reciprocal;
        c(1, j) = y * reciprocal;
        c(2, j) = z * reciprocal;
    } else {
        const int k = (j + 1) % 4, l = (j + 2 + j % 2) % 4, m = (j + 3 - j % 2) % 4;
        const auto q01 = a(l, 0) * a(m, 1) - a(l, 1) * a(m, 0);
        const auto q02 = a(l, 0) * a(m, 2) - a(l, 2) * a(m, 0);
        const auto q03 = a(l, 0) * a(m, 3) - a(l, 3) * a(m, 0);
        const auto q12 = a(l, 1) * a(m, 2) - a(l, 2) * a(m, 1);
        const auto q13 = a(l, 1) * a(m, 3) - a(l, 3) * a(m, 1);
        const auto q23 = a(l, 2) * a(m, 3) - a(l, 3) * a(m, 2);
        const auto x = a(k, 1) * q23 - a(k, 2) * q13 + a(k, 3) * q12;
        const auto y = a(k, 2) * q03 - a(k, 0) * q23 - a(k, 3) * q02;
        const auto z = a(k, 0) * q13 - a(k, 1) * q03 + a(k, 3) * q01;
        const auto w = a(k, 1) * q02 - a(k, 0) * q12 - a(k, 2) * q01;
        const auto reciprocal = 1 / (a(j, 0) * x + a(j, 1) * y + a(j, 2) * z + a(j, 3) * w);
        c(0, j) = x * reciprocal;
        c(1, j) = y * reciprocal;
        c(2, j) = z * reciprocal;
        c(3, j) = w * reciprocal;
    }
}
