// SPDX-License-Identifier: Apache-2.0
// c = sqrt(A : A)

template <class Lane, class A, class C>
FUSEC_DEVICE void mfnorm_element(Lane, const A& a, C& c) {
    auto sum = a(0, 0) * a(0, 0);
    FUSEC_UNROLL_SHORT for (int t = 1; t < A::rows * A::columns; ++t)
        sum += a(t / A::columns, t % A::columns) * a(t / A::columns, t % A::columns);
    c() = fusec::sqrt(sum);
}

// Thread t takes its share of the rows, from row t * share on; every thread has the norm.
template <class Lane, class A, class C>
FUSEC_DEVICE void mfnorm_rows(Lane lane, const A& a, C& c) {
    constexpr int share = A::rows / Lane::count;
    const fusec::own_row first{share * lane.index, 0};
    auto sum = a(first, 0) * a(first, 0);
    FUSEC_UNROLL_SHORT for (int t = 1; t < share * A::columns; ++t)
        sum += a(first + t / A::columns, t % A::columns) * a(first + t / A::columns, t % A::columns);
    c() = fusec::sqrt(fusec::sum_over(lane, sum));
}
