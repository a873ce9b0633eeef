// SPDX-License-Identifier: Apache-2.0
// C = (A + A') / 2

template <class Lane, class A, class C>
FUSEC_DEVICE void msym_element(Lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    FUSEC_UNROLL for (int i = 0; i < C::rows; ++i) {
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = half * (a(i, j) + a(j, i));
    }
}

// Thread t makes its share of the rows, from row t * share on.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_rows(Lane lane, const A& a, C& c) {
    constexpr int share = C::rows / Lane::count;
    const typename C::value_type half(0.5);
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        FUSEC_UNROLL_SHORT for (int j = 0; j < C::columns; ++j)
            c(i, j) = half * (a(i, j) + a(j, i));
    }
}

// Thread j makes column j.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_column(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    const int j = lane.index;
    FUSEC_UNROLL_SHORT for (int i = 0; i < C::rows; ++i)
        c(i, j) = half * (a(i, j) + a(j, i));
}

// Thread t makes entry t.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_entry(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    const int i = lane.index / C::columns, j = lane.index % C::columns;
    c(i, j) = half * (a(i, j) + a(j, i));
}
