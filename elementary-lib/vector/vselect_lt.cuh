// SPDX-License-Identifier: Apache-2.0
// z = x where a < b, else y

template <class Lane, class A, class B, class X, class Y, class Z>
FUSEC_DEVICE void vselect_lt_element(Lane, const A& a, const B& b, const X& x, const Y& y, Z& z) {
    const auto holds = a() < b();
    for (int i = 0; i < Z::rows; ++i)
        z(i) = fusec::select(holds, x(i), y(i));
}

// Thread t makes its share of the components, from component t * share on.
template <class Lane, class A, class B, class X, class Y, class Z>
FUSEC_DEVICE void vselect_lt_rows(Lane lane, const A& a, const B& b, const X& x, const Y& y, Z& z) {
    const auto holds = a() < b();
    constexpr int share = Z::rows / Lane::count;
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        z(i) = fusec::select(holds, x(i), y(i));
    }
}
