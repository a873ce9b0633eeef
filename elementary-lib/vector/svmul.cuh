// SPDX-License-Identifier: Apache-2.0
// c = s v

template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svmul_element(Lane, const V& v, const S& s, C& c) {
    for (int i = 0; i < C::rows; ++i)
        c(i) = s() * v(i);
}

// Thread i makes component i.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svmul_entry(Lane lane, const V& v, const S& s, C& c) {
    const int i = lane.index;
    c(i) = s() * v(i);
}

// Thread t makes two components, from component 2 t on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svmul_rows2(Lane lane, const V& v, const S& s, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        c(i) = s() * v(i);
    }
}

// Thread t makes three components, from component 3 t on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svmul_rows3(Lane lane, const V& v, const S& s, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        c(i) = s() * v(i);
    }
}

// Thread t makes four components, from component 4 t on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svmul_rows4(Lane lane, const V& v, const S& s, C& c) {
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        c(i) = s() * v(i);
    }
}
