// SPDX-License-Identifier: Apache-2.0
// c = A : B

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mddot_element(Lane, const A& a, const B& b, C& c) {
    auto sum = a(0, 0) * b(0, 0);
    FUSEC_UNROLL_SHORT for (int t = 1; t < A::rows * A::columns; ++t)
        sum += a(t / A::columns, t % A::columns) * b(t / A::columns, t % A::columns);
    c() = sum;
}

// Thread t takes its share of the rows, from row t * share on; every thread has the sum.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mddot_rows(Lane lane, const A& a, const B& b, C& c) {
    constexpr int share = A::rows / Lane::count;
    const fusec::own_row first{share * lane.index, 0};
    auto sum = a(first, 0) * b(first, 0);
    FUSEC_UNROLL_SHORT for (int t = 1; t < share * A::columns; ++t)
        sum += a(first + t / A::columns, t % A::columns) * b(first + t / A::columns, t % A::columns);
    c() = fusec::sum_over(lane, sum);
}
