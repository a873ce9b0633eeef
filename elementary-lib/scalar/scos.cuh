// SPDX-License-Identifier: Apache-2.0
// c = cos(a)

template <class Lane, class A, class C>
FUSEC_DEVICE void scos_element(Lane, const A& a, C& c) {
    c() = fusec::cos(a());
}
