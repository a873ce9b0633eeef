// SPDX-License-Identifier: Apache-2.0
// C = A B'

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_element(Lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int i = 0; i < C::rows; ++i) {
        FUSEC_UNROLL for (int j = 0; j < C::columns; ++j) {
            auto sum = a(i, 0) * b(j, 0);
            for (int k = 1; k < A::columns; ++k)
                sum += a(i, k) * b(j, k);
            c(i, j) = sum;
        }
    }
}

// Thread i makes row i.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_row(Lane lane, const A& a, const B& b, C& c) {
    const int i = lane.index;
    FUSEC_UNROLL for (int j = 0; j < C::columns; ++j) {
        auto sum = a(i, 0) * b(j, 0);
        for (int k = 1; k < A::columns; ++k)
            sum += a(i, k) * b(j, k);
        c(i, j) = sum;
    }
}

// Thread j makes column j.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_column(Lane lane, const A& a, const B& b, C& c) {
    const int j = lane.index;
    FUSEC_UNROLL for (int i = 0; i < C::rows; ++i) {
        auto sum = a(i, 0) * b(j, 0);
        for (int k = 1; k < A::columns; ++k)
            sum += a(i, k) * b(j, k);
        c(i, j) = sum;
    }
}

// Thread t makes entry t.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_entry(Lane lane, const A& a, const B& b, C& c) {
    const int i = lane.index / C::columns, j = lane.index % C::columns;
    auto sum = a(i, 0) * b(j, 0);
    for (int k = 1; k < A::columns; ++k)
        sum += a(i, k) * b(j, k);
    c(i, j) = sum;
}

// Thread t makes two rows, from row 2 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_rows2(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        FUSEC_UNROLL for (int j = 0; j < C::columns; ++j) {
            auto sum = a(i, 0) * b(j, 0);
            for (int k = 1; k < A::columns; ++k)
                sum += a(i, k) * b(j, k);
            c(i, j) = sum;
        }
    }
}

// Thread t makes three rows, from row 3 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_rows3(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        FUSEC_UNROLL for (int j = 0; j < C::columns; ++j) {
            auto sum = a(i, 0) * b(j, 0);
            for (int k = 1; k < A::columns; ++k)
                sum += a(i, k) * b(j, k);
            c(i, j) = sum;
        }
    }
}

// Thread t makes four rows, from row 4 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_rows4(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        FUSEC_UNROLL for (int j = 0; j < C::columns; ++j) {
            auto sum = a(i, 0) * b(j, 0);
            for (int k = 1; k < A::columns; ++k)
                sum += a(i, k) * b(j, k);
            c(i, j) = sum;
        }
    }
}
