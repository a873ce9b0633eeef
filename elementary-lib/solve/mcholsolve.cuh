// SPDX-License-Identifier: Apache-2.0
// x with A x = b, A symmetric positive definite

// A = L D L' row by row, without square roots; reads the lower triangle of A only.
template <class Lane, class A, class B, class X>
FUSEC_DEVICE void mcholsolve_element(Lane, const A& a, const B& b, X& x) {
    using T = typename X::value_type;
    constexpr int n = X::rows;
    const X& y = x;
    T l[n][n], reciprocal[n];
    FUSEC_UNROLL for (int i = 0; i < n; ++i) {
        T pivot = a(i, i), sum = b(i);
        FUSEC_UNROLL for (int j = 0; j < i; ++j) {
            l[i][j] = a(i, j);
            for (int k = 0; k < j; ++k)
                l[i][j] -= l[i][k] * l[j][k];
        }
        FUSEC_UNROLL for (int j = 0; j < i; ++j) {
            const T scaled = l[i][j] * reciprocal[j];
            pivot -= l[i][j] * scaled;
            l[i][j] = scaled;
            sum -= scaled * y(j);
        }
        reciprocal[i] = 1 / pivot;
        x(i) = sum;
    }
    FUSEC_UNROLL for (int i = n - 1; i >= 0; --i) {
        T sum = y(i) * reciprocal[i];
        for (int k = i + 1; k < n; ++k)
            sum -= l[k][i] * y(k);
        x(i) = sum;
    }
}

// A = L L', where thread t holds its share of the rows of L, from row t * share on: column by column, then back through the rows. (L D L'
// would need D in every thread.)
template <class Lane, class A, class B, class X>
FUSEC_DEVICE void mcholsolve_rows(Lane lane, const A& a, const B& b, X& x) {
    using T = typename X::value_type;
    constexpr int n = X::rows, share = n / Lane::count;
    const fusec::own_row first{share * lane.index, 0};
    T l[share][n], reciprocal[share], y[share];
    FUSEC_UNROLL for (int r = 0; r < share; ++r)
        y[r] = b(first + r);
    FUSEC_UNROLL for (int j = 0; j < n; ++j) {
        T sum[share];
        FUSEC_UNROLL for (int r = 0; r < share; ++r)
            sum[r] = a(first + r, j);
        FUSEC_UNROLL for (int k = 0; k < j; ++k) {
            const T factor = fusec::value_from(lane, j / share, l[j % share][k]);
            FUSEC_UNROLL for (int r = 0; r < share; ++r)
                sum[r] -= l[r][k] * factor;
        }
        const T inverse = 1 / fusec::sqrt(fusec::value_from(lane, j / share, sum[j % share]));
        reciprocal[j % share] = j < share ? inverse : fusec::select(first + j % share == j, inverse, reciprocal[j % share]);
        FUSEC_UNROLL for (int r = 0; r < share; ++r)
            l[r][j] = fusec::select(first + r > j, sum[r] * inverse, T(0));
        const T known = fusec::value_from(lane, j / share, y[j % share]) * inverse;
        FUSEC_UNROLL for (int r = 0; r < share; ++r)
            y[r] -= l[r][j] * known;
        y[j % share] = fusec::select(first + j % share == j, known, y[j % share]);
    }
    FUSEC_UNROLL for (int i = n - 1; i >= 0; --i) {
        T sum = l[0][i] * y[0];
        FUSEC_UNROLL for (int r = 1; r < share; ++r)
            sum += l[r][i] * y[r];
        sum = fusec::sum_over(lane, sum);
        y[i % share] = fusec::select(first + i % share == i, (y[i % share] - sum) * reciprocal[i % share], y[i % share]);
    }
    FUSEC_UNROLL for (int r = 0; r < share; ++r)
        x(first + r) = y[r];
}
