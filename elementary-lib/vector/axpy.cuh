// SPDX-License-Identifier: Apache-2.0
// z = s x + y

template <class Lane, class S, class X, class Y, class Z>
FUSEC_DEVICE void axpy_element(Lane, const S& s, const X& x, const Y& y, Z& z) {
    for (int i = 0; i < Z::rows; ++i)
        z(i) = s() * x(i) + y(i);
}

// Thread t makes its share of the components, from component t * share on.
template <class Lane, class S, class X, class Y, class Z>
FUSEC_DEVICE void axpy_rows(Lane lane, const S& s, const X& x, const Y& y, Z& z) {
    constexpr int share = Z::rows / Lane::count;
    const auto factor = s();
    FUSEC_UNROLL for (int r = 0; r < share; ++r) {
        const fusec::own_row i{share * lane.index, r};
        z(i) = factor * x(i) + y(i);
    }
}
