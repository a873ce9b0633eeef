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

// Thread t makes its share of the rows, from row t * share on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmult_rows(Lane lane, const A& a, const B& b, C& c) {
    constexpr int share = C::rows / Lane::count;
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        FUSEC_UNROLL for (int j = 0; j < C::columns; ++j) {
            auto sum = a(i, 0) * b(j, 0);
            for (int k = 1; k < A::columns; ++k)
                sum += a(i, k) * b(j, k);
            c(i, j) = sum;
        }
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
