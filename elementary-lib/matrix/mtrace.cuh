// SPDX-License-Identifier: Apache-2.0
// c = trace A

template <class Lane, class A, class C>
FUSEC_DEVICE void mtrace_element(Lane, const A& a, C& c) {
    auto sum = a(0, 0);
    for (int i = 1; i < A::rows; ++i)
        sum += a(i, i);
    c() = sum;
}

// Thread t takes its share of the rows, from row t * share on; every thread has the trace. It chooses the diagonal: an index that
// depends on the thread would put a row in registers into local memory.
template <class Lane, class A, class C>
FUSEC_DEVICE void mtrace_rows(Lane lane, const A& a, C& c) {
    constexpr int share = A::rows / Lane::count;
    const fusec::own_row first{share * lane.index, 0};
    typename C::value_type sum(0);
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        auto diagonal = a(first + r, 0);
        FUSEC_UNROLL for (int j = 1; j < A::columns; ++j)
            diagonal = fusec::select(first + r == j, a(first + r, j), diagonal);
        sum = r == 0 ? diagonal : sum + diagonal;
    }
    c() = fusec::sum_over(lane, sum);
}
