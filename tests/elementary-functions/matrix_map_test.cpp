// SPDX-License-Identifier: Apache-2.0
// Maps of matrices, entry by entry, against Eigen.
#include "tests/elementary-functions/implementation_check.hpp"

#include "elementary-lib/matrix/madd.cuh"
#include "elementary-lib/matrix/mneg.cuh"
#include "elementary-lib/matrix/mskew.cuh"
#include "elementary-lib/matrix/msub.cuh"
#include "elementary-lib/matrix/msym.cuh"
#include "elementary-lib/matrix/mtrans.cuh"
#include "elementary-lib/matrix/smdiv.cuh"
#include "elementary-lib/matrix/smmul.cuh"

namespace fusec::test {

namespace {

template <int M, int N>
void check_madd_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] + v[1]; };
    check_matrix_result<Matrix<M, N>, Matrix<M, N>, Matrix<M, N>>(meaning, FUSEC_MATRIX_ROUTINES(madd));
}
FUSEC_CHECKED(madd) {
    check_madd_shape<1, 1>();
    check_madd_shape<2, 3>();
    check_madd_shape<5, 5>();
    check_madd_shape<12, 8>();
    check_madd_shape<1, 3>();
    check_madd_shape<6, 1>();
}

template <int M, int N>
void check_msub_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] - v[1]; };
    check_matrix_result<Matrix<M, N>, Matrix<M, N>, Matrix<M, N>>(meaning, FUSEC_MATRIX_ROUTINES(msub));
}
FUSEC_CHECKED(msub) {
    check_msub_shape<1, 1>();
    check_msub_shape<2, 3>();
    check_msub_shape<5, 5>();
    check_msub_shape<12, 8>();
    check_msub_shape<1, 3>();
    check_msub_shape<6, 1>();
}

template <int M, int N>
void check_mneg_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return -v[0]; };
    check_matrix_result<Matrix<M, N>, Matrix<M, N>>(meaning, FUSEC_MATRIX_ROUTINES(mneg));
}
FUSEC_CHECKED(mneg) {
    check_mneg_shape<1, 1>();
    check_mneg_shape<2, 3>();
    check_mneg_shape<5, 5>();
    check_mneg_shape<12, 8>();
    check_mneg_shape<1, 3>();
    check_mneg_shape<6, 1>();
}

template <int M, int N>
void check_smmul_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] * v[1](0, 0); };
    check_matrix_result<Matrix<M, N>, Matrix<M, N>, Scalar>(meaning, FUSEC_MATRIX_ROUTINES(smmul));
}
FUSEC_CHECKED(smmul) {
    check_smmul_shape<1, 1>();
    check_smmul_shape<2, 3>();
    check_smmul_shape<5, 5>();
    check_smmul_shape<12, 8>();
    check_smmul_shape<1, 3>();
    check_smmul_shape<6, 1>();
}

template <int M, int N>
void check_smdiv_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] / v[1](0, 0); };
    check_matrix_result<Matrix<M, N>, Matrix<M, N>, Scalar>(meaning, FUSEC_MATRIX_ROUTINES(smdiv));
}
FUSEC_CHECKED(smdiv) {
    check_smdiv_shape<1, 1>();
    check_smdiv_shape<2, 3>();
    check_smdiv_shape<5, 5>();
    check_smdiv_shape<12, 8>();
    check_smdiv_shape<1, 3>();
    check_smdiv_shape<6, 1>();
}

template <int M, int N>
void check_mtrans_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0].transpose(); };
    check_matrix_result<Matrix<M, N>, Matrix<N, M>>(meaning, FUSEC_MATRIX_ROUTINES(mtrans));
}
FUSEC_CHECKED(mtrans) {
    check_mtrans_shape<1, 1>();
    check_mtrans_shape<3, 3>();
    check_mtrans_shape<12, 8>();
    check_mtrans_shape<1, 5>();
    check_mtrans_shape<6, 2>();
}

template <int N>
void check_msym_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return 0.5 * (v[0] + v[0].transpose()); };
    check_matrix_result<Matrix<N, N>, Matrix<N, N>>(meaning, FUSEC_MATRIX_ROUTINES(msym));
}
FUSEC_CHECKED(msym) {
    check_msym_shape<1>();
    check_msym_shape<2>();
    check_msym_shape<3>();
    check_msym_shape<5>();
    check_msym_shape<12>();
}

template <int N>
void check_mskew_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return 0.5 * (v[0] - v[0].transpose()); };
    check_matrix_result<Matrix<N, N>, Matrix<N, N>>(meaning, FUSEC_MATRIX_ROUTINES(mskew));
}
FUSEC_CHECKED(mskew) {
    check_mskew_shape<1>();
    check_mskew_shape<2>();
    check_mskew_shape<3>();
    check_mskew_shape<5>();
    check_mskew_shape<12>();
}

} // namespace

} // namespace fusec::test
