// SPDX-License-Identifier: Apache-2.0
// c = exp(a)

template <class Lane, class A, class C>
FUSEC_DEVICE void sexp_element(Lane, const A& a, C& c) {
    c() = fusec::exp(a());
}
