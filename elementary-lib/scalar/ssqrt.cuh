// SPDX-License-Identifier: Apache-2.0
// c = sqrt(a)

template <class Lane, class A, class C>
FUSEC_DEVICE void ssqrt_element(Lane, const A& a, C& c) {
    c() = fusec::sqrt(a());
}
