// SPDX-License-Identifier: Apache-2.0
// c = trace A

template <class Lane, class A, class C>
FUSEC_DEVICE void mtrace_element(Lane, const A& a, C& c) {
    auto sum = a(0, 0);
    for (int i = 1; i < A::rows; ++i)
        sum += a(i, i);
    c() = sum;
}
