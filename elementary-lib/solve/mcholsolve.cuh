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
