// SPDX-License-Identifier: Apache-2.0
// c = a b

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void sdot_element(Lane, const A& a, const B& b, C& c) {
    c() = a() * b();
}
