// SPDX-License-Identifier: Apache-2.0
// c = log(a)

template <class Lane, class A, class C>
FUSEC_DEVICE void slog_element(Lane, const A& a, C& c) {
    c() = fusec::log(a());
}
