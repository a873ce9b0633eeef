// SPDX-License-Identifier: Apache-2.0
// L with A = L L', zero above the diagonal

// Column by column; reads the lower triangle of A only.
template <class Lane, class A, class L>
FUSEC_DEVICE void mchol_element(Lane, const A& a, L& l) {
    const L& done = l;
    FUSEC_UNROLL for (int j = 0; j < L::rows; ++j) {
        auto pivot = a(j, j);
        for (int k = 0; k < j; ++k)
            pivot -= done(j, k) * done(j, k);
        const auto diagonal = fusec::sqrt(pivot);
        const auto reciprocal = 1 / diagonal;
        for (int i = 0; i < j; ++i)
            l(i, j) = 0;
        l(j, j) = diagonal;
        FUSEC_UNROLL for (int i = j + 1; i < L::rows; ++i) {
            auto sum = a(i, j);
            for (int k = 0; k < j; ++k)
                sum -= done(i, k) * done(j, k);
            l(i, j) = sum * reciprocal;
        }
    }
}
