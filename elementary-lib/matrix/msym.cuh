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

// Thread i makes row i.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_row(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    const int i = lane.index;
    for (int j = 0; j < C::columns; ++j)
        c(i, j) = half * (a(i, j) + a(j, i));
}

// Thread j makes column j.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_column(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    const int j = lane.index;
    for (int i = 0; i < C::rows; ++i)
        c(i, j) = half * (a(i, j) + a(j, i));
}

// Thread t makes entry t.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_entry(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    const int i = lane.index / C::columns, j = lane.index % C::columns;
    c(i, j) = half * (a(i, j) + a(j, i));
}

// Thread t makes two rows, from row 2 t on.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_rows2(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = half * (a(i, j) + a(j, i));
    }
}

// Thread t makes three rows, from row 3 t on.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_rows3(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = half * (a(i, j) + a(j, i));
    }
}

// Thread t makes four rows, from row 4 t on.
template <class Lane, class A, class C>
FUSEC_DEVICE void msym_rows4(Lane lane, const A& a, C& c) {
    const typename C::value_type half(0.5);
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = half * (a(i, j) + a(j, i));
    }
}
