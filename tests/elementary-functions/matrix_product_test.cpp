// SPDX-License-Identifier: Apache-2.0
// Matrix products and products with vectors against Eigen.
#include "tests/elementary-functions/implementation_check.hpp"

#include "elementary-lib/matrix/mmul.cuh"
#include "elementary-lib/matrix/mmult.cuh"
#include "elementary-lib/matrix/mtmul.cuh"
#include "elementary-lib/matrix/mtvmul.cuh"
#include "elementary-lib/matrix/mvmul.cuh"
#include "elementary-lib/matrix/vouter.cuh"

namespace fusec::test {

namespace {

template <int M, int K, int N>
void check_mmul_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] * v[1]; };
    check_matrix_result<Matrix<M, N>, Matrix<M, K>, Matrix<K, N>>(meaning, FUSEC_MATRIX_ROUTINES(mmul));
}
FUSEC_CHECKED(mmul) {
    check_mmul_shape<1, 1, 1>();
    check_mmul_shape<2, 2, 2>();
    check_mmul_shape<3, 3, 3>();
    check_mmul_shape<5, 5, 5>();
    check_mmul_shape<12, 12, 12>();
    check_mmul_shape<2, 3, 4>();
    check_mmul_shape<8, 1, 3>();
    check_mmul_shape<1, 4, 2>();
    check_mmul_shape<6, 2, 1>();
}

template <int M, int K, int N>
void check_mtmul_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0].transpose() * v[1]; };
    check_matrix_result<Matrix<M, N>, Matrix<K, M>, Matrix<K, N>>(meaning, FUSEC_MATRIX_ROUTINES(mtmul));
}
FUSEC_CHECKED(mtmul) {
    check_mtmul_shape<1, 1, 1>();
    check_mtmul_shape<2, 2, 2>();
    check_mtmul_shape<3, 3, 3>();
    check_mtmul_shape<5, 5, 5>();
    check_mtmul_shape<12, 12, 12>();
    check_mtmul_shape<2, 3, 4>();
    check_mtmul_shape<8, 1, 3>();
    check_mtmul_shape<1, 4, 2>();
    check_mtmul_shape<6, 2, 1>();
}

template <int M, int K, int N>
void check_mmult_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] * v[1].transpose(); };
    check_matrix_result<Matrix<M, N>, Matrix<M, K>, Matrix<N, K>>(meaning, FUSEC_MATRIX_ROUTINES(mmult));
}
FUSEC_CHECKED(mmult) {
    check_mmult_shape<1, 1, 1>();
    check_mmult_shape<2, 2, 2>();
    check_mmult_shape<3, 3, 3>();
    check_mmult_shape<5, 5, 5>();
    check_mmult_shape<12, 12, 12>();
    check_mmult_shape<2, 3, 4>();
    check_mmult_shape<8, 1, 3>();
    check_mmult_shape<1, 4, 2>();
    check_mmult_shape<6, 2, 1>();
}

template <int M, int N>
void check_mvmul_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] * v[1]; };
    check_vector_result<Vector<M>, Matrix<M, N>, Vector<N>>(meaning, FUSEC_VECTOR_ROUTINES(mvmul, row));
}
FUSEC_CHECKED(mvmul) {
    check_mvmul_shape<1, 1>();
    check_mvmul_shape<2, 2>();
    check_mvmul_shape<3, 3>();
    check_mvmul_shape<5, 5>();
    check_mvmul_shape<12, 12>();
    check_mvmul_shape<8, 3>();
    check_mvmul_shape<3, 8>();
    check_mvmul_shape<1, 6>();
    check_mvmul_shape<6, 1>();
}

template <int M, int N>
void check_mtvmul_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0].transpose() * v[1]; };
    check_vector_result<Vector<N>, Matrix<M, N>, Vector<M>>(meaning, FUSEC_VECTOR_ROUTINES(mtvmul, column));
}
FUSEC_CHECKED(mtvmul) {
    check_mtvmul_shape<1, 1>();
    check_mtvmul_shape<2, 2>();
    check_mtvmul_shape<3, 3>();
    check_mtvmul_shape<5, 5>();
    check_mtvmul_shape<12, 12>();
    check_mtvmul_shape<8, 3>();
    check_mtvmul_shape<3, 8>();
    check_mtvmul_shape<1, 6>();
    check_mtvmul_shape<6, 1>();
}

template <int M, int N>
void check_vouter_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] * v[1].transpose(); };
    check_matrix_result<Matrix<M, N>, Vector<M>, Vector<N>>(meaning, FUSEC_MATRIX_ROUTINES(vouter));
}
FUSEC_CHECKED(vouter) {
    check_vouter_shape<1, 1>();
    check_vouter_shape<3, 3>();
    check_vouter_shape<12, 5>();
    check_vouter_shape<1, 8>();
    check_vouter_shape<8, 1>();
}

} // namespace

} // namespace fusec::test
