// SPDX-License-Identifier: Apache-2.0
// y = A x

template <class Lane, class A, class X, class Y>
FUSEC_DEVICE void mvmul_element(Lane, const A& a, const X& x, Y& y) {
    FUSEC_UNROLL for (int i = 0; i < Y::rows; ++i) {
        auto sum = a(i, 0) * x(0);
        for (int k = 1; k < A::columns; ++k)
            sum += a(i, k) * x(k);
        y(i) = sum;
    }
}

// Thread i makes component i from row i.
template <class Lane, class A, class X, class Y>
FUSEC_DEVICE void mvmul_row(Lane lane, const A& a, const X& x, Y& y) {
    const int i = lane.index;
    auto sum = a(i, 0) * x(0);
    for (int k = 1; k < A::columns; ++k)
        sum += a(i, k) * x(k);
    y(i) = sum;
}

// Thread t makes two components, from component 2 t on.
template <class Lane, class A, class X, class Y>
FUSEC_DEVICE void mvmul_rows2(Lane lane, const A& a, const X& x, Y& y) {
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        auto sum = a(i, 0) * x(0);
        for (int k = 1; k < A::columns; ++k)
            sum += a(i, k) * x(k);
        y(i) = sum;
    }
}

// Thread t makes three components, from component 3 t on.
template <class Lane, class A, class X, class Y>
FUSEC_DEVICE void mvmul_rows3(Lane lane, const A& a, const X& x, Y& y) {
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        auto sum = a(i, 0) * x(0);
        for (int k = 1; k < A::columns; ++k)
            sum += a(i, k) * x(k);
        y(i) = sum;
    }
}

// Thread t makes four components, from component 4 t on.
template <class Lane, class A, class X, class Y>
FUSEC_DEVICE void mvmul_rows4(Lane lane, const A& a, const X& x, Y& y) {
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        auto sum = a(i, 0) * x(0);
        for (int k = 1; k < A::columns; ++k)
            sum += a(i, k) * x(k);
        y(i) = sum;
    }
}
