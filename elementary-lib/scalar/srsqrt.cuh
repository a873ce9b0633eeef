// SPDX-License-Identifier: Apache-2.0
// c = 1 / sqrt(a)

template <class Lane, class A, class C>
FUSEC_DEVICE void srsqrt_element(Lane, const A& a, C& c) {
    c() = fusec::rsqrt(a());
}
