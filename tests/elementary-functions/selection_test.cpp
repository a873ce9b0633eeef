// SPDX-License-Identifier: Apache-2.0
// Functions that choose one of two values by a comparison.
#include "tests/elementary-functions/implementation_check.hpp"

#include "elementary-lib/matrix/mselect_eq.cuh"
#include "elementary-lib/matrix/mselect_le.cuh"
#include "elementary-lib/matrix/mselect_lt.cuh"
#include "elementary-lib/scalar/sselect_eq.cuh"
#include "elementary-lib/scalar/sselect_le.cuh"
#include "elementary-lib/scalar/sselect_lt.cuh"
#include "elementary-lib/vector/vselect_eq.cuh"
#include "elementary-lib/vector/vselect_le.cuh"
#include "elementary-lib/vector/vselect_lt.cuh"

#include <cmath>
#include <limits>

namespace fusec::test {

namespace {

template <class Holds>
Meaning chosen_by(Holds holds) {
    return [holds](const Values& v) { return holds(v[0](0, 0), v[1](0, 0)) ? v[2] : v[3]; };
}
const Meaning less = chosen_by([](double a, double b) { return a < b; });
const Meaning less_or_equal = chosen_by([](double a, double b) { return a <= b; });
const Meaning equal = chosen_by([](double a, double b) { return !(a < b) && !(b < a); });

#define FUSEC_CHECKED_SELECTIONS(comparison, meaning)                                                                                      \
    FUSEC_CHECKED(sselect_##comparison) {                                                                                                  \
        check<1, Scalar, Scalar, Scalar, Scalar, Scalar>(                                                                                  \
            "sselect_" #comparison, "element", FUSEC_ROUTINE(sselect_##comparison, element), meaning);                                     \
    }                                                                                                                                      \
    template <int N>                                                                                                                       \
    void check_vectors_##comparison() {                                                                                                    \
        check_vector_result<Vector<N>, Scalar, Scalar, Vector<N>, Vector<N>>(meaning, FUSEC_VECTOR_ROUTINES(vselect_##comparison, entry)); \
    }                                                                                                                                      \
    FUSEC_CHECKED(vselect_##comparison) {                                                                                                  \
        check_vectors_##comparison<1>();                                                                                                   \
        check_vectors_##comparison<3>();                                                                                                   \
        check_vectors_##comparison<8>();                                                                                                   \
        check_vectors_##comparison<12>();                                                                                                  \
    }                                                                                                                                      \
    template <int M, int N>                                                                                                                \
    void check_matrices_##comparison() {                                                                                                   \
        using Out = Matrix<M, N>;                                                                                                          \
        check_matrix_result<Out, Scalar, Scalar, Out, Out>(meaning, FUSEC_MATRIX_ROUTINES(mselect_##comparison));                          \
    }                                                                                                                                      \
    FUSEC_CHECKED(mselect_##comparison) {                                                                                                  \
        check_matrices_##comparison<1, 1>();                                                                                               \
        check_matrices_##comparison<3, 3>();                                                                                               \
        check_matrices_##comparison<4, 3>();                                                                                               \
        check_matrices_##comparison<12, 2>();                                                                                              \
    }

FUSEC_CHECKED_SELECTIONS(lt, less)
FUSEC_CHECKED_SELECTIONS(le, less_or_equal)
FUSEC_CHECKED_SELECTIONS(eq, equal)

/// What a routine chooses of 1 and 2, alone and in a lane whose neighbours compare otherwise.
template <class T, class Routine>
int choice(Routine routine, T a, T b) {
    const auto run = [&](auto left, auto right) {
        using Held = decltype(left);
        using View = memory_view<Held, 1, 1, Held[1]>;
        const View compared{{left}}, with{{right}}, first{{Held(T(1))}}, second{{Held(T(2))}};
        View result{{Held(T(0))}};
        routine(lane<1>{0}, compared, with, first, second, result);
        return result.data[0];
    };
    const T alone = run(a, b);
    constexpr int width = vector_bytes / sizeof(T);
    simd<T, width> as(T(0)), bs(T(0));
    as.lanes[1] = a;
    bs.lanes[1] = b;
    for (int i = 2; i < width; ++i) {
        as.lanes[i] = T(i % 2);
        bs.lanes[i] = T(1 - i % 2);
    }
    EXPECT_EQ(run(as, bs).lanes[1], alone) << a << " and " << b;
    return static_cast<int>(alone);
}

/// Per comparison of the pairs below, the number of the value chosen: by the rules of C, nothing compares with NaN.
template <class T>
void check_choices() {
    const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    struct Pair {
        T a, b;
        int lt, le, eq;
    };
    const Pair pairs[]{{1, 2, 1, 1, 2}, {2, 1, 2, 2, 2}, {3, 3, 2, 1, 1}, {T(0), -T(0), 2, 1, 1}, {-T(0), T(0), 2, 1, 1}, {nan, 1, 2, 2, 2},
        {1, nan, 2, 2, 2}, {nan, nan, 2, 2, 2}, {infinity, infinity, 2, 1, 1}, {-infinity, infinity, 1, 1, 2}};
    for (const Pair& p : pairs) {
        EXPECT_EQ(choice(FUSEC_ROUTINE(sselect_lt, element), p.a, p.b), p.lt) << p.a << " < " << p.b;
        EXPECT_EQ(choice(FUSEC_ROUTINE(sselect_le, element), p.a, p.b), p.le) << p.a << " <= " << p.b;
        EXPECT_EQ(choice(FUSEC_ROUTINE(sselect_eq, element), p.a, p.b), p.eq) << p.a << " == " << p.b;
    }
}
TEST(ElementaryFunctions, ChoicesOfSelectionsAtTheirEdges) {
    check_choices<float>();
    check_choices<double>();
}

} // namespace

} // namespace fusec::test
