// SPDX-License-Identifier: Apache-2.0
// C = s A

template <class Lane, class A, class S, class C>
FUSEC_DEVICE void smmul_element(Lane, const A& a, const S& s, C& c) {
    FUSEC_UNROLL for (int i = 0; i < C::rows; ++i) {
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = s() * a(i, j);
    }
}

// Thread t makes its share of the rows, from row t * share on.
template <class Lane, class A, class S, class C>
FUSEC_DEVICE void smmul_rows(Lane lane, const A& a, const S& s, C& c) {
    constexpr int share = C::rows / Lane::count;
    const auto factor = s();
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        FUSEC_UNROLL_SHORT for (int j = 0; j < C::columns; ++j)
            c(i, j) = factor * a(i, j);
    }
}

// Thread j makes column j.
template <class Lane, class A, class S, class C>
FUSEC_DEVICE void smmul_column(Lane lane, const A& a, const S& s, C& c) {
    const int j = lane.index;
    const auto factor = s();
    FUSEC_UNROLL_SHORT for (int i = 0; i < C::rows; ++i)
        c(i, j) = factor * a(i, j);
}

// Thread t makes entry t.
template <class Lane, class A, class S, class C>
FUSEC_DEVICE void smmul_entry(Lane lane, const A& a, const S& s, C& c) {
    const int i = lane.index / C::columns, j = lane.index % C::columns;
    c(i, j) = s() * a(i, j);
}
