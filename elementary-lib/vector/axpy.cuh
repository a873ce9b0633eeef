// SPDX-License-Identifier: Apache-2.0
// z = s x + y

template <class Lane, class S, class X, class Y, class Z>
FUSEC_DEVICE void axpy_element(Lane, const S& s, const X& x, const Y& y, Z& z) {
    for (int i = 0; i < Z::rows; ++i)
        z(i) = s() * x(i) + y(i);
}

// Thread i makes component i.
template <class Lane, class S, class X, class Y, class Z>
FUSEC_DEVICE void axpy_entry(Lane lane, const S& s, const X& x, const Y& y, Z& z) {
    const int i = lane.index;
    z(i) = s() * x(i) + y(i);
}

// Thread t makes two components, from component 2 t on.
template <class Lane, class S, class X, class Y, class Z>
FUSEC_DEVICE void axpy_rows2(Lane lane, const S& s, const X& x, const Y& y, Z& z) {
    FUSEC_UNROLL for (int r = 0; r < 2; ++r) {
        const int i = 2 * lane.index + r;
        z(i) = s() * x(i) + y(i);
    }
}

// Thread t makes three components, from component 3 t on.
template <class Lane, class S, class X, class Y, class Z>
FUSEC_DEVICE void axpy_rows3(Lane lane, const S& s, const X& x, const Y& y, Z& z) {
    FUSEC_UNROLL for (int r = 0; r < 3; ++r) {
        const int i = 3 * lane.index + r;
        z(i) = s() * x(i) + y(i);
    }
}

// Thread t makes four components, from component 4 t on.
template <class Lane, class S, class X, class Y, class Z>
FUSEC_DEVICE void axpy_rows4(Lane lane, const S& s, const X& x, const Y& y, Z& z) {
    FUSEC_UNROLL for (int r = 0; r < 4; ++r) {
        const int i = 4 * lane.index + r;
        z(i) = s() * x(i) + y(i);
    }
}
