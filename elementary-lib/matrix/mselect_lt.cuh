// SPDX-License-Identifier: Apache-2.0
// Z = X where a < b, else Y

template <class Lane, class A, class B, class X, class Y, class Z>
FUSEC_DEVICE void mselect_lt_element(Lane, const A& a, const B& b, const X& x, const Y& y, Z& z) {
    const auto holds = a() < b();
    FUSEC_UNROLL for (int i = 0; i < Z::rows; ++i) {
        for (int j = 0; j < Z::columns; ++j)
            z(i, j) = fusec::select(holds, x(i, j), y(i, j));
    }
}

// Thread t makes its share of the rows, from row t * share on.
template <class Lane, class A, class B, class X, class Y, class Z>
FUSEC_DEVICE void mselect_lt_rows(Lane lane, const A& a, const B& b, const X& x, const Y& y, Z& z) {
    const auto holds = a() < b();
    constexpr int share = Z::rows / Lane::count;
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        FUSEC_UNROLL_SHORT for (int j = 0; j < Z::columns; ++j)
            z(i, j) = fusec::select(holds, x(i, j), y(i, j));
    }
}

// Thread j makes column j.
template <class Lane, class A, class B, class X, class Y, class Z>
FUSEC_DEVICE void mselect_lt_column(Lane lane, const A& a, const B& b, const X& x, const Y& y, Z& z) {
    const auto holds = a() < b();
    const int j = lane.index;
    FUSEC_UNROLL_SHORT for (int i = 0; i < Z::rows; ++i)
        z(i, j) = fusec::select(holds, x(i, j), y(i, j));
}

// Thread t makes entry t.
template <class Lane, class A, class B, class X, class Y, class Z>
FUSEC_DEVICE void mselect_lt_entry(Lane lane, const A& a, const B& b, const X& x, const Y& y, Z& z) {
    const auto holds = a() < b();
    const int i = lane.index / Z::columns, j = lane.index % Z::columns;
    z(i, j) = fusec::select(holds, x(i, j), y(i, j));
}
