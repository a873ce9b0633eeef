// SPDX-License-Identifier: Apache-2.0
// c = a x b

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vcross_element(Lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c(i) = a(j) * b(k) - a(k) * b(j);
    }
}

// Thread i makes component i.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vcross_entry(Lane lane, const A& a, const B& b, C& c) {
    const int i = lane.index;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c(i) = a(j) * b(k) - a(k) * b(j);
}
