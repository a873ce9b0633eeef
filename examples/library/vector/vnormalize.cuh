// SPDX-License-Identifier: Apache-2.0
// c = v / |v|

template <class Lane, class V, class C>
FUSEC_DEVICE void vnormalize_element(Lane, const V& v, C& c) {
    auto sum = v(0) * v(0);
    for (int i = 1; i < V::rows; ++i)
        sum += v(i) * v(i);
    const auto reciprocal = 1 / fusec::sqrt(sum);
    for (int i = 0; i < C::rows; ++i)
        c(i) = v(i) * reciprocal;
}

// Thread t makes its share of the components; each thread forms the norm.
template <class Lane, class V, class C>
FUSEC_DEVICE void vnormalize_rows(Lane lane, const V& v, C& c) {
    constexpr int share = C::rows / Lane::count;
    auto sum = v(0) * v(0);
    for (int i = 1; i < V::rows; ++i)
        sum += v(i) * v(i);
    const auto reciprocal = 1 / fusec::sqrt(sum);
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        c(i) = v(i) * reciprocal;
    }
}
