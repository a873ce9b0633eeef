// SPDX-License-Identifier: Apache-2.0
// c = a' b

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vdot_element(Lane, const A& a, const B& b, C& c) {
    auto sum = a(0) * b(0);
    for (int i = 1; i < A::rows; ++i)
        sum += a(i) * b(i);
    c() = sum;
}

// Thread t takes its share of the components, from component t * share on; every thread has the product.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vdot_rows(Lane lane, const A& a, const B& b, C& c) {
    constexpr int share = A::rows / Lane::count;
    const fusec::own_row first{share * lane.index, 0};
    auto sum = a(first) * b(first);
    FUSEC_UNROLL for (int r = 1; r < share; ++r)
        sum += a(first + r) * b(first + r);
    c() = fusec::sum_over(lane, sum);
}
