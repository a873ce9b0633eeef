// SPDX-License-Identifier: Apache-2.0
// c = v / s

template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svdiv_element(Lane, const V& v, const S& s, C& c) {
    const auto reciprocal = 1 / s();
    for (int i = 0; i < C::rows; ++i)
        c(i) = v(i) * reciprocal;
}

// Thread t makes its share of the components, from component t * share on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svdiv_rows(Lane lane, const V& v, const S& s, C& c) {
    constexpr int share = C::rows / Lane::count;
    const auto reciprocal = 1 / s();
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        c(i) = v(i) * reciprocal;
    }
}
