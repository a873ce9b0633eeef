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

namespace fusec::test {

namespace {

/// The result of a scalar function as the 1x1 matrix that the checks expect.
Eigen::MatrixXd only(double value) {
    return Eigen::MatrixXd::Constant(1, 1, value);
}

#define FUSEC_CHECKED_SCALAR1(function, expression)                                                \
    FUSEC_CHECKED(function) {                                                                      \
        const Meaning meaning = [](const Values& v) { const double a = v[0](0, 0); return only(expression); };                                           \
        check<1, Scalar, Scalar>(#function, "element", FUSEC_ROUTINE(function, element), meaning); \
    }
#define FUSEC_CHECKED_SCALAR2(function, expression)                                                        \
    FUSEC_CHECKED(function) {                                                                              \
        const Meaning meaning = [](const Values& v) { const double a = v[0](0, 0), b = v[1](0, 0); return only(expression); };                                                   \
        check<1, Scalar, Scalar, Scalar>(#function, "element", FUSEC_ROUTINE(function, element), meaning); \
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

} // namespace

} // namespace fusec::test
