// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fusec {

template <class Lane, class A, class C>
FUSEC_DEVICE void minv_element(Lane, const A& a, C& c) {
    if constexpr (A::rows == 1) {
        c(0, 0) = 1 / a(0, 0);
    } else {
        const auto r = 1 / (a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0));
        c(0, 0) = a(1, 1) * r;
        c(0, 1) = -a(0, 1) * r;
        c(1, 0) = -a(1, 0) * r;
        c(1, 1) = a(0, 0) * r;
    }
}

} // namespace fusec
