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

// Thread t makes its share of the rows, from row t * share on, column by column: of the row above the column's end, each thread needs
// all that is made. Rows above the diagonal take part and are set to zero.
template <class Lane, class A, class L>
FUSEC_DEVICE void mchol_rows(Lane lane, const A& a, L& l) {
    using T = typename L::value_type;
    constexpr int n = L::rows, share = n / Lane::count;
    const fusec::own_row first{share * lane.index, 0};
    const L& done = l;
    FUSEC_UNROLL for (int j = 0; j < n; ++j) {
        T row[n], sum[share];
        FUSEC_UNROLL for (int k = 0; k < j; ++k)
            row[k] = fusec::value_from(lane, j / share, done(first + j % share, k));
        FUSEC_UNROLL for (int r = 0; r < share; ++r) {
            sum[r] = a(first + r, j);
            FUSEC_UNROLL for (int k = 0; k < j; ++k)
                sum[r] -= done(first + r, k) * row[k];
        }
        const T diagonal = fusec::sqrt(fusec::value_from(lane, j / share, sum[j % share]));
        const T reciprocal = 1 / diagonal;
        FUSEC_UNROLL for (int r = 0; r < share; ++r)
            l(first + r, j) = fusec::select(first + r < j, T(0), fusec::select(first + r == j, diagonal, sum[r] * reciprocal));
    }
}
