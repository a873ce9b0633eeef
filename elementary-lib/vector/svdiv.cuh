// SPDX-License-Identifier: Apache-2.0
// c = v / s

template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svdiv_element(Lane, const V& v, const S& s, C& c) {
    const auto reciprocal = 1 / s();
    for (int i = 0; i < C::rows; ++i)
        c(i) = v(i) * reciprocal;
}

// Thread i makes component i.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svdiv_entry(Lane lane, const V& v, const S& s, C& c) {
    const auto reciprocal = 1 / s();
    const int i = lane.index;
    c(i) = v(i) * reciprocal;
}

// Thread t makes two components, from component 2 t on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svdiv_rows2(Lane lane, const V& v, const S& s, C& c) {
    const auto reciprocal = 1 / s();
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        c(i) = v(i) * reciprocal;
    }
}

// Thread t makes three components, from component 3 t on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svdiv_rows3(Lane lane, const V& v, const S& s, C& c) {
    const auto reciprocal = 1 / s();
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        c(i) = v(i) * reciprocal;
    }
}

// Thread t makes four components, from component 4 t on.
template <class Lane, class V, class S, class C>
FUSEC_DEVICE void svdiv_rows4(Lane lane, const V& v, const S& s, C& c) {
    const auto reciprocal = 1 / s();
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        c(i) = v(i) * reciprocal;
    }
}
