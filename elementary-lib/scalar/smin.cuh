// SPDX-License-Identifier: Apache-2.0
// c = min(a, b)

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void smin_element(Lane, const A& a, const B& b, C& c) {
    c() = fusec::min(a(), b());
}
