// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fusec {

template <class Lane, class A, class S, class C>
FUSEC_DEVICE void smmul_element(Lane, const A& a, const S& s, C& c) {
    for (int i = 0; i < C::rows; ++i) {
        for (int j = 0; j < C::columns; ++j) {
            c(i, j) = s() * a(i, j);
        }
    }
}

} // namespace fusec
