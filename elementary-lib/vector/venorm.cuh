// SPDX-License-Identifier: Apache-2.0
// c = sqrt(v' v)

template <class Lane, class V, class C>
FUSEC_DEVICE void venorm_element(Lane, const V& v, C& c) {
    auto sum = v(0) * v(0);
    for (int i = 1; i < V::rows; ++i)
        sum += v(i) * v(i);
    c() = fusec::sqrt(sum);
}

// Thread t takes its share of the components, from component t * share on; every thread has the norm.
template <class Lane, class V, class C>
FUSEC_DEVICE void venorm_rows(Lane lane, const V& v, C& c) {
    constexpr int share = V::rows / Lane::count;
    const fusec::own_row first{share * lane.index, 0};
    auto sum = v(first) * v(first);
    FUSEC_UNROLL for (int r = 1; r < share; ++r)
        sum += v(first + r) * v(first + r);
    c() = fusec::sqrt(fusec::sum_over(lane, sum));
}
