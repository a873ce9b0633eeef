// SPDX-License-Identifier: Apache-2.0
// C = a b'

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vouter_element(Lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int i = 0; i < C::rows; ++i) {
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = a(i) * b(j);
    }
}

// Thread i makes row i.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vouter_row(Lane lane, const A& a, const B& b, C& c) {
    const int i = lane.index;
    for (int j = 0; j < C::columns; ++j)
        c(i, j) = a(i) * b(j);
}

// Thread j makes column j.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vouter_column(Lane lane, const A& a, const B& b, C& c) {
    const int j = lane.index;
    for (int i = 0; i < C::rows; ++i)
        c(i, j) = a(i) * b(j);
}

// Thread t makes entry t.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vouter_entry(Lane lane, const A& a, const B& b, C& c) {
    const int i = lane.index / C::columns, j = lane.index % C::columns;
    c(i, j) = a(i) * b(j);
}

// Thread t makes two rows, from row 2 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vouter_rows2(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = a(i) * b(j);
    }
}

// Thread t makes three rows, from row 3 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vouter_rows3(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = a(i) * b(j);
    }
}

// Thread t makes four rows, from row 4 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vouter_rows4(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        for (int j = 0; j < C::columns; ++j)
            c(i, j) = a(i) * b(j);
    }
}
