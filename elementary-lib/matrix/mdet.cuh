// SPDX-License-Identifier: Apache-2.0
// c = det A

template <class Lane, class A, class C>
FUSEC_DEVICE void mdet_element(Lane, const A& a, C& c) {
    if constexpr (A::rows == 1) {
        c() = a(0, 0);
    } else if constexpr (A::rows == 2) {
        c() = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
    } else if constexpr (A::rows == 3) {
        c() = a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) +
              a(0, 1) * (a(1, 2) * a(2, 0) - a(1, 0) * a(2, 2)) +
              a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
    } else {
        // p, q: 2x2 minors of rows 0, 1 and of rows 2, 3 (Laplace expansion).
        const auto p01 = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
        const auto p02 = a(0, 0) * a(1, 2) - a(0, 2) * a(1, 0);
        const auto p03 = a(0, 0) * a(1, 3) - a(0, 3) * a(1, 0);
        const auto p12 = a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1);
        const auto p13 = a(0, 1) * a(1, 3) - a(0, 3) * a(1, 1);
        const auto p23 = a(0, 2) * a(1, 3) - a(0, 3) * a(1, 2);
        const auto q01 = a(2, 0) * a(3, 1) - a(2, 1) * a(3, 0);
        const auto q02 = a(2, 0) * a(3, 2) - a(2, 2) * a(3, 0);
        const auto q03 = a(2, 0) * a(3, 3) - a(2, 3) * a(3, 0);
        const auto q12 = a(2, 1) * a(3, 2) - a(2, 2) * a(3, 1);
        const auto q13 = a(2, 1) * a(3, 3) - a(2, 3) * a(3, 1);
        const auto q23 = a(2, 2) * a(3, 3) - a(2, 3) * a(3, 2);
        c() = p01 * q23 - p02 * q13 + p03 * q12 + p12 * q03 - p13 * q02 + p23 * q01;
    }
}
