// SPDX-License-Identifier: Apache-2.0
// c = a' b

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vdot_element(Lane, const A& a, const B& b, C& c) {
    auto sum = a(0) * b(0);
    for (int i = 1; i < A::rows; ++i)
        sum += a(i) * b(i);
    c() = sum;
}
