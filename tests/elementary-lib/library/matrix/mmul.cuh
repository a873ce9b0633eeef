// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fusec {

/// The product in one thread.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmul_element(Lane, const A& a, const B& b, C& c) {
    for (int i = 0; i < C::rows; ++i) {
        for (int j = 0; j < C::columns; ++j) {
            typename C::value_type sum = a(i, 0) * b(0, j);
            for (int k = 1; k < A::columns; ++k) {
                sum += a(i, k) * b(k, j);
            }
            c(i, j) = sum;
        }
    }
}

/// Thread i makes row i.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void mmul_row(Lane lane, const A& a, const B& b, C& c) {
    const int i = lane.index;
    for (int j = 0; j < C::columns; ++j) {
        typename C::value_type sum = a(i, 0) * b(0, j);
        for (int k = 1; k < A::columns; ++k) {
            sum += a(i, k) * b(k, j);
        }
        c(i, j) = sum;
    }
}

} // namespace fusec
