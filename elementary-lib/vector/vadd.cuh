// SPDX-License-Identifier: Apache-2.0
// c = a + b

template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vadd_element(Lane, const A& a, const B& b, C& c) {
    for (int i = 0; i < C::rows; ++i)
        c(i) = a(i) + b(i);
}

// Thread i makes component i.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vadd_entry(Lane lane, const A& a, const B& b, C& c) {
    const int i = lane.index;
    c(i) = a(i) + b(i);
}

// Thread t makes two components, from component 2 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vadd_rows2(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        c(i) = a(i) + b(i);
    }
}

// Thread t makes three components, from component 3 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vadd_rows3(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        c(i) = a(i) + b(i);
    }
}

// Thread t makes four components, from component 4 t on.
template <class Lane, class A, class B, class C>
FUSEC_DEVICE void vadd_rows4(Lane lane, const A& a, const B& b, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        c(i) = a(i) + b(i);
    }
}
