// SPDX-License-Identifier: Apache-2.0
// y = A' x

template <class Lane, class A, class X, class Y>
FUSEC_DEVICE void mtvmul_element(Lane, const A& a, const X& x, Y& y) {
    FUSEC_UNROLL for (int i = 0; i < Y::rows; ++i) {
        auto sum = a(0, i) * x(0);
        for (int k = 1; k < A::rows; ++k)
            sum += a(k, i) * x(k);
        y(i) = sum;
    }
}

// Thread t makes its share of the components, from component t * share on.
template <class Lane, class A, class X, class Y>
FUSEC_DEVICE void mtvmul_rows(Lane lane, const A& a, const X& x, Y& y) {
    constexpr int share = Y::rows / Lane::count;
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        auto sum = a(0, i) * x(0);
        FUSEC_UNROLL_SHORT for (int k = 1; k < A::rows; ++k)
            sum += a(k, i) * x(k);
        y(i) = sum;
    }
}
