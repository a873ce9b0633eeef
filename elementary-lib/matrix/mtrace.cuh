// SPDX-License-Identifier: Apache-2.0
// c = trace A

template <class Lane, class A, class C>
FUSEC_DEVICE void mtrace_element(Lane, const A& a, C& c) {
    auto sum = a(0, 0);
    for (int i = 1; i < A::rows; ++i)
        sum += a(i, i);
    c() = sum;
}

// Thread t takes its share of the rows, from row t * share on; every thread has the trace.
template <class Lane, class A, class C>
FUSEC_DEVICE void mtrace_rows(Lane lane, const A& a, C& c) {
    constexpr int share = A::rows / Lane::count;
    const int first = share * lane.index;
    auto sum = a(first, first);
    for (int r = 1; r < share; ++r)
        sum += a(first + r, first + r);
    c() = fusec::sum_over(lane, sum);
}
