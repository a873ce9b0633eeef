// SPDX-License-Identifier: Apache-2.0
// c = max(a, b)

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void smax_element(Lane, const A& a, const B& b, C& c) {
    c() = fusec::max(a(), b());
}
