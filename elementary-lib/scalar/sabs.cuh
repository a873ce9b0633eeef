// SPDX-License-Identifier: Apache-2.0
// c = |a|

template <class Lane, class A, class C>
FUSEC_DEVICE void sabs_element(Lane, const A& a, C& c) {
    c() = fusec::abs(a());
}
