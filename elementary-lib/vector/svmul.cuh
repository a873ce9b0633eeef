// SPDX-License-Identifier: Apache-2.0
// c = s v

template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svmul_element(Lane, const V& v, const S& s, C& c) {
    for (int i = 0; i < C::rows; ++i)
        c(i) = s() * v(i);
}

// Thread t makes its share of the components, from component t * share on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svmul_rows(Lane lane, const V& v, const S& s, C& c) {
    constexpr int share = C::rows / Lane::count;
    const auto factor = s();
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        c(i) = factor * v(i);
    }
}
