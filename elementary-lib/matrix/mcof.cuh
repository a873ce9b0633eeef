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

// Thread t makes its share of the rows, from row t * share on. Row i takes the other rows in an order that makes i, k, l, m an even
// permutation, so that no sign depends on i. For 3 x 3 and 4 x 4.
template <class Lane, class A, class C>
FUSEC_DEVICE void mcof_rows(Lane lane, const A& a, C& c) {
    constexpr int share = C::rows / Lane::count;
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        if constexpr (A::rows == 3) {
            const int k = (i + 1) % 3, l = (i + 2) % 3;
            c(i, 0) = a(k, 1) * a(l, 2) - a(k, 2) * a(l, 1);
            c(i, 1) = a(k, 2) * a(l, 0) - a(k, 0) * a(l, 2);
            c(i, 2) = a(k, 0) * a(l, 1) - a(k, 1) * a(l, 0);
        } else {
            const int k = (i + 1) % 4, l = (i + 2 + i % 2) % 4, m = (i + 3 - i % 2) % 4;
            const auto q01 = a(l, 0) * a(m, 1) - a(l, 1) * a(m, 0);
            const auto q02 = a(l, 0) * a(m, 2) - a(l, 2) * a(m, 0);
            const auto q03 = a(l, 0) * a(m, 3) - a(l, 3) * a(m, 0);
            const auto q12 = a(l, 1) * a(m, 2) - a(l, 2) * a(m, 1);
            const auto q13 = a(l, 1) * a(m, 3) - a(l, 3) * a(m, 1);
            const auto q23 = a(l, 2) * a(m, 3) - a(l, 3) * a(m, 2);
            c(i, 0) = a(k, 1) * q23 - a(k, 2) * q13 + a(k, 3) * q12;
            c(i, 1) = a(k, 2) * q03 - a(k, 0) * q23 - a(k, 3) * q02;
            c(i, 2) = a(k, 0) * q13 - a(k, 1) * q03 + a(k, 3) * q01;
            c(i, 3) = a(k, 1) * q02 - a(k, 0) * q12 - a(k, 2) * q01;
        }
    }
}

// Thread j makes column j: row j of the transpose's cofactors.
template <class Lane, class A, class C>
FUSEC_DEVICE void mcof_column(Lane lane, const A& a, C& c) {
    const int j = lane.index;
    if constexpr (A::rows == 3) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        c(0, j) = a(1, k) * a(2, l) - a(2, k) * a(1, l);
        c(1, j) = a(2, k) * a(0, l) - a(0, k) * a(2, l);
        c(2, j) = a(0, k) * a(1, l) - a(1, k) * a(0, l);
    } else {
        const int k = (j + 1) % 4, l = (j + 2 + j % 2) % 4, m = (j + 3 - j % 2) % 4;
        const auto q01 = a(0, l) * a(1, m) - a(1, l) * a(0, m);
        const auto q02 = a(0, l) * a(2, m) - a(2, l) * a(0, m);
        const auto q03 = a(0, l) * a(3, m) - a(3, l) * a(0, m);
        const auto q12 = a(1, l) * a(2, m) - a(2, l) * a(1, m);
        const auto q13 = a(1, l) * a(3, m) - a(3, l) * a(1, m);
        const auto q23 = a(2, l) * a(3, m) - a(3, l) * a(2, m);
        c(0, j) = a(1, k) * q23 - a(2, k) * q13 + a(3, k) * q12;
        c(1, j) = a(2, k) * q03 - a(0, k) * q23 - a(3, k) * q02;
        c(2, j) = a(0, k) * q13 - a(1, k) * q03 + a(3, k) * q01;
        c(3, j) = a(1, k) * q02 - a(0, k) * q12 - a(2, k) * q01;
    }
}

// Thread t makes entry t.
template <class Lane, class A, class C>
FUSEC_DEVICE void mcof_entry(Lane lane, const A& a, C& c) {
    constexpr int n = A::rows;
    const int i = lane.index / n, j = lane.index % n;
    if constexpr (n == 3) {
        const int k = (i + 1) % 3, l = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
        c(i, j) = a(k, p) * a(l, q) - a(k, q) * a(l, p);
    } else {
        const int k = (i + 1) % 4, l = (i + 2 + i % 2) % 4, m = (i + 3 - i % 2) % 4;
        const int p = (j + 1) % 4, q = (j + 2 + j % 2) % 4, r = (j + 3 - j % 2) % 4;
        c(i, j) = a(k, p) * (a(l, q) * a(m, r) - a(l, r) * a(m, q)) +
                  a(k, q) * (a(l, r) * a(m, p) - a(l, p) * a(m, r)) +
                  a(k, r) * (a(l, p) * a(m, q) - a(l, q) * a(m, p));
    }
}
