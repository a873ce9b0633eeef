// SPDX-License-Identifier: Apache-2.0
// c = A : B

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mddot_element(Lane, const A& a, const B& b, C& c) {
    auto sum = a(0, 0) * b(0, 0);
    FUSEC_UNROLL for (int t = 1; t < A::rows * A::columns; ++t)
        sum += a(t / A::columns, t % A::columns) * b(t / A::columns, t % A::columns);
    c() = sum;
}
