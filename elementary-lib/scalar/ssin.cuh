// SPDX-License-Identifier: Apache-2.0
// c = sin(a)

template <class Lane, class A, class C>
FUSEC_DEVICE void ssin_element(Lane, const A& a, C& c) {
    c() = fusec::sin(a());
}
