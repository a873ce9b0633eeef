// SPDX-License-Identifier: Apache-2.0
// c = a - b

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vsub_element(Lane, const A& a, const B& b, C& c) {
    for (int i = 0; i < C::rows; ++i)
        c(i) = a(i) - b(i);
}

// Thread t makes its share of the components, from component t * share on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vsub_rows(Lane lane, const A& a, const B& b, C& c) {
    constexpr int share = C::rows / Lane::count;
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        c(i) = a(i) - b(i);
    }
}
