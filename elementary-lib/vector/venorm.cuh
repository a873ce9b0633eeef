// SPDX-License-Identifier: Apache-2.0
// c = sqrt(v' v)

template <class Lane, class V, class C>
FUSEC_DEVICE void venorm_element(Lane, const V& v, C& c) {
    auto sum = v(0) * v(0);
    for (int i = 1; i < V::rows; ++i)
        sum += v(i) * v(i);
    c() = fusec::sqrt(sum);
}
