// SPDX-License-Identifier: Apache-2.0
// Functions of scalars against the C library.
#include "tests/elementary-functions/implementation_check.hpp"

#include "elementary-lib/scalar/sabs.cuh"
#include "elementary-lib/scalar/sadd.cuh"
#include "elementary-lib/scalar/scos.cuh"
#include "elementary-lib/scalar/sdiv.cuh"
#include "elementary-lib/scalar/sexp.cuh"
#include "elementary-lib/scalar/slog.cuh"
#include "elementary-lib/scalar/smax.cuh"
#include "elementary-lib/scalar/smin.cuh"
#include "elementary-lib/scalar/smul.cuh"
#include "elementary-lib/scalar/sneg.cuh"
#include "elementary-lib/scalar/spow.cuh"
#include "elementary-lib/scalar/srsqrt.cuh"
#include "elementary-lib/scalar/ssin.cuh"
#include "elementary-lib/scalar/ssqrt.cuh"
#include "elementary-lib/scalar/ssub.cuh"

#include <cmath>
#include <limits>

namespace fusec::test {

namespace {

/// The result of a scalar function as the 1x1 matrix that the checks expect.
Eigen::MatrixXd only(double value) {
    return Eigen::MatrixXd::Constant(1, 1, value);
}

#define FUSEC_CHECKED_SCALAR1(function, expression)                                                                                        \
    FUSEC_CHECKED(function) {                                                                                                              \
        const Meaning meaning = [](const Values& v) {                                                                                      \
            const double a = v[0](0, 0);                                                                                                   \
            return only(expression);                                                                                                       \
        };                                                                                                                                 \
        check<1, Scalar, Scalar>(#function, "element", FUSEC_ROUTINE(function, element), meaning);                                         \
    }
#define FUSEC_CHECKED_SCALAR2(function, expression)                                                                                        \
    FUSEC_CHECKED(function) {                                                                                                              \
        const Meaning meaning = [](const Values& v) {                                                                                      \
            const double a = v[0](0, 0), b = v[1](0, 0);                                                                                   \
            return only(expression);                                                                                                       \
        };                                                                                                                                 \
        check<1, Scalar, Scalar, Scalar>(#function, "element", FUSEC_ROUTINE(function, element), meaning);                                 \
    }

FUSEC_CHECKED_SCALAR2(sadd, a + b)
FUSEC_CHECKED_SCALAR2(ssub, a - b)
FUSEC_CHECKED_SCALAR2(smul, a* b)
FUSEC_CHECKED_SCALAR2(sdiv, a / b)
FUSEC_CHECKED_SCALAR1(sneg, -a)
FUSEC_CHECKED_SCALAR1(sabs, std::abs(a))
FUSEC_CHECKED_SCALAR1(ssqrt, std::sqrt(a))
FUSEC_CHECKED_SCALAR1(srsqrt, 1 / std::sqrt(a))
FUSEC_CHECKED_SCALAR1(sexp, std::exp(a))
FUSEC_CHECKED_SCALAR1(slog, std::log(a))
FUSEC_CHECKED_SCALAR1(ssin, std::sin(a))
FUSEC_CHECKED_SCALAR1(scos, std::cos(a))
FUSEC_CHECKED_SCALAR2(spow, std::pow(a, b))
FUSEC_CHECKED_SCALAR2(smin, std::fmin(a, b))
FUSEC_CHECKED_SCALAR2(smax, std::fmax(a, b))

/// What a template makes of scalars, in precision T; in SIMD lanes of it too, which must agree.
template <class T, class Routine, class... Operand>
T value_of(Routine routine, Operand... operands) {
    const auto in = [&](auto example) {
        using Held = decltype(example);
        const auto apply = [&](const auto&... views) {
            memory_view<Held, 1, 1, Held[1]> result{};
            routine(lane<1>{0}, views..., result);
            return result.data[0];
        };
        return apply(memory_view<Held, 1, 1, Held[1]>{{Held(operands)}}...);
    };
    const T plain = in(T());
    constexpr int width = vector_bytes / sizeof(T);
    const auto lanes = in(simd<T, width>());
    for (int i = 0; i < width; ++i) {
        const T one = lanes.lanes[i];
        EXPECT_EQ(std::isnan(one), std::isnan(plain));
        EXPECT_TRUE(std::isnan(one) || (one == plain && std::signbit(one) == std::signbit(plain)))
            << one << " in a lane, " << plain << " alone";
    }
    return plain;
}

template <class T>
void check_edges() {
    const auto least = FUSEC_ROUTINE(smin, element);
    const auto greatest = FUSEC_ROUTINE(smax, element);
    const T nan = std::numeric_limits<T>::quiet_NaN();
    for (const auto& routine : {+[](T a, T b) { return value_of<T>(FUSEC_ROUTINE(smin, element), a, b); },
             +[](T a, T b) { return value_of<T>(FUSEC_ROUTINE(smax, element), a, b); }}) {
        EXPECT_EQ(routine(3, 3), T(3));
        EXPECT_FALSE(std::signbit(routine(T(0), -T(0)))) << "the first of equals";
        EXPECT_TRUE(std::signbit(routine(-T(0), T(0)))) << "the first of equals";
        EXPECT_TRUE(std::isnan(routine(nan, 1))) << "the first of unordered ones";
        EXPECT_EQ(routine(1, nan), T(1)) << "the first of unordered ones";
    }
    EXPECT_EQ(value_of<T>(least, T(-2), T(5)), T(-2));
    EXPECT_EQ(value_of<T>(greatest, T(-2), T(5)), T(5));
    EXPECT_FALSE(std::signbit(value_of<T>(FUSEC_ROUTINE(sabs, element), -T(0))));
    EXPECT_EQ(value_of<T>(FUSEC_ROUTINE(ssqrt, element), T(0)), T(0));
    EXPECT_EQ(value_of<T>(FUSEC_ROUTINE(ssqrt, element), T(6.25)), T(2.5));
    EXPECT_EQ(value_of<T>(FUSEC_ROUTINE(srsqrt, element), T(4)), T(0.5));
    EXPECT_EQ(value_of<T>(FUSEC_ROUTINE(slog, element), T(1)), T(0));
    EXPECT_EQ(value_of<T>(FUSEC_ROUTINE(sexp, element), T(0)), T(1));
    const auto power = FUSEC_ROUTINE(spow, element);
    EXPECT_EQ(value_of<T>(power, T(2), T(-3)), T(0.125));
    EXPECT_EQ(value_of<T>(power, T(0.25), T(0.5)), T(0.5));
    EXPECT_EQ(value_of<T>(power, T(7), T(0)), T(1));
    EXPECT_EQ(value_of<T>(power, T(1), T(1000)), T(1));
}
TEST(ElementaryFunctions, EdgesOfScalarFunctions) {
    check_edges<float>();
    check_edges<double>();
}

} // namespace

} // namespace fusec::test
