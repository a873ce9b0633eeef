// SPDX-License-Identifier: Apache-2.0
// z = x where a == b, else y

template <class Lane, class A, class B, class X, class Y, class Z>
FUSEC_DEVICE void sselect_eq_element(Lane, const A& a, const B& b, const X& x, const Y& y, Z& z) {
    z() = fusec::select(a() == b(), x(), y());
}
