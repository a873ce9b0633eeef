// SPDX-License-Identifier: Apache-2.0
// c = sqrt(A : A)

template <class Lane, class A, class C>
FUSEC_DEVICE void mfnorm_element(Lane, const A& a, C& c) {
    auto sum = a(0, 0) * a(0, 0);
    FUSEC_UNROLL for (int t = 1; t < A::rows * A::columns; ++t)
        sum += a(t / A::columns, t % A::columns) * a(t / A::columns, t % A::columns);
    c() = fusec::sqrt(sum);
}
