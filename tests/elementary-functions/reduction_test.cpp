// SPDX-License-Identifier: Apache-2.0
// Reductions, determinants, inverses and Cholesky solvers against Eigen.
#include "tests/elementary-functions/implementation_check.hpp"

#include "elementary-lib/matrix/mcof.cuh"
#include "elementary-lib/matrix/mddot.cuh"
#include "elementary-lib/matrix/mdet.cuh"
#include "elementary-lib/matrix/mfnorm.cuh"
#include "elementary-lib/matrix/minv.cuh"
#include "elementary-lib/matrix/mtrace.cuh"
#include "elementary-lib/solve/mchol.cuh"
#include "elementary-lib/solve/mcholsolve.cuh"
#include "elementary-lib/vector/vdot.cuh"
#include "elementary-lib/vector/venorm.cuh"

#include <cmath>
#include <random>

namespace fusec::test {

namespace {

/// The result of a reduction as the 1x1 matrix that the checks expect.
Eigen::MatrixXd only(double value) {
    return Eigen::MatrixXd::Constant(1, 1, value);
}

template <int N>
void check_mtrace_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return only(v[0].trace()); };
    check<1, Scalar, Matrix<N, N>>("mtrace", "element", FUSEC_ROUTINE(mtrace, element), meaning);
    check_exchanging<Scalar, Matrix<N, N>>(meaning, "mtrace", "row", FUSEC_ROUTINE(mtrace, rows));
}
FUSEC_CHECKED(mtrace) {
    check_mtrace_shape<1>();
    check_mtrace_shape<2>();
    check_mtrace_shape<3>();
    check_mtrace_shape<4>();
    check_mtrace_shape<5>();
    check_mtrace_shape<8>();
    check_mtrace_shape<12>();
}

template <int M, int N>
void check_mddot_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return only(v[0].cwiseProduct(v[1]).sum()); };
    check<1, Scalar, Matrix<M, N>, Matrix<M, N>>("mddot", "element", FUSEC_ROUTINE(mddot, element), meaning);
    check_exchanging<Scalar, Matrix<M, N>, Matrix<M, N>>(meaning, "mddot", "row", FUSEC_ROUTINE(mddot, rows));
}
FUSEC_CHECKED(mddot) {
    check_mddot_shape<1, 1>();
    check_mddot_shape<2, 3>();
    check_mddot_shape<4, 3>();
    check_mddot_shape<5, 5>();
    check_mddot_shape<16, 2>();
    check_mddot_shape<12, 8>();
    check_mddot_shape<1, 4>();
    check_mddot_shape<6, 1>();
}

template <int M, int N>
void check_mfnorm_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return only(v[0].norm()); };
    check<1, Scalar, Matrix<M, N>>("mfnorm", "element", FUSEC_ROUTINE(mfnorm, element), meaning);
    check_exchanging<Scalar, Matrix<M, N>>(meaning, "mfnorm", "row", FUSEC_ROUTINE(mfnorm, rows));
}
FUSEC_CHECKED(mfnorm) {
    check_mfnorm_shape<1, 1>();
    check_mfnorm_shape<2, 3>();
    check_mfnorm_shape<4, 3>();
    check_mfnorm_shape<5, 5>();
    check_mfnorm_shape<16, 2>();
    check_mfnorm_shape<12, 8>();
    check_mfnorm_shape<1, 4>();
    check_mfnorm_shape<6, 1>();
}

template <int N>
void check_vdot_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return only(v[0].col(0).dot(v[1].col(0))); };
    check<1, Scalar, Vector<N>, Vector<N>>("vdot", "element", FUSEC_ROUTINE(vdot, element), meaning);
    check_exchanging<Scalar, Vector<N>, Vector<N>>(meaning, "vdot", "entry", FUSEC_ROUTINE(vdot, rows));
}
FUSEC_CHECKED(vdot) {
    check_vdot_shape<1>();
    check_vdot_shape<2>();
    check_vdot_shape<3>();
    check_vdot_shape<4>();
    check_vdot_shape<5>();
    check_vdot_shape<8>();
    check_vdot_shape<12>();
}

template <int N>
void check_venorm_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return only(v[0].norm()); };
    check<1, Scalar, Vector<N>>("venorm", "element", FUSEC_ROUTINE(venorm, element), meaning);
    check_exchanging<Scalar, Vector<N>>(meaning, "venorm", "entry", FUSEC_ROUTINE(venorm, rows));
}
FUSEC_CHECKED(venorm) {
    check_venorm_shape<1>();
    check_venorm_shape<2>();
    check_venorm_shape<3>();
    check_venorm_shape<4>();
    check_venorm_shape<5>();
    check_venorm_shape<8>();
    check_venorm_shape<12>();
}

template <int N>
void check_mdet_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return only(v[0].determinant()); };
    check<1, Scalar, Matrix<N, N>>("mdet", "element", FUSEC_ROUTINE(mdet, element), meaning);
}
FUSEC_CHECKED(mdet) {
    check_mdet_shape<1>();
    check_mdet_shape<2>();
    check_mdet_shape<3>();
    check_mdet_shape<4>();
}

template <int N>
void check_mcof_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0].determinant() * v[0].inverse().transpose(); };
    check<1, Matrix<N, N>, Matrix<N, N>>("mcof", "element", FUSEC_ROUTINE(mcof, element), meaning);
    check_where_legal<(N > 2 ? N : 0), Matrix<N, N>, Matrix<N, N>>(meaning, "mcof", "row", FUSEC_ROUTINE(mcof, rows));
    check_where_legal<(N > 2 ? N : 0), Matrix<N, N>, Matrix<N, N>>(meaning, "mcof", "column", FUSEC_ROUTINE(mcof, column));
    check_where_legal<(N > 2 ? N * N : 0), Matrix<N, N>, Matrix<N, N>>(meaning, "mcof", "entry", FUSEC_ROUTINE(mcof, entry));
    check_where_legal<(N == 4 ? 2 : 0), Matrix<N, N>, Matrix<N, N>>(meaning, "mcof", "rows2", FUSEC_ROUTINE(mcof, rows));
}
FUSEC_CHECKED(mcof) {
    check_mcof_shape<1>();
    check_mcof_shape<2>();
    check_mcof_shape<3>();
    check_mcof_shape<4>();
}

template <int N>
void check_minv_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0].inverse(); };
    check<1, Matrix<N, N>, Matrix<N, N>>("minv", "element", FUSEC_ROUTINE(minv, element), meaning);
    check_where_legal<(N > 2 ? N : 0), Matrix<N, N>, Matrix<N, N>>(meaning, "minv", "row", FUSEC_ROUTINE(minv, rows));
    check_where_legal<(N > 2 ? N : 0), Matrix<N, N>, Matrix<N, N>>(meaning, "minv", "column", FUSEC_ROUTINE(minv, column));
    check_where_legal<(N == 4 ? 2 : 0), Matrix<N, N>, Matrix<N, N>>(meaning, "minv", "rows2", FUSEC_ROUTINE(minv, rows));
}
FUSEC_CHECKED(minv) {
    check_minv_shape<1>();
    check_minv_shape<2>();
    check_minv_shape<3>();
    check_minv_shape<4>();
}

/// Threads of a routine one after another, on arrays.
template <int Threads, int N, class Routine>
void run_threads(Routine routine, const double (&a)[N * N], double* c) {
    const memory_view<double, N, N, const double*> given{a};
    memory_view<double, N, N, double*> result{c};
    for (int thread = 0; thread < Threads; ++thread)
        routine(lane<Threads>{thread}, given, result);
}

/// In integers nothing is rounded: cof(A) A' = det(A) I exactly, whichever threads make the cofactors.
template <int N>
void check_integer_cofactors() {
    std::mt19937 random(7 * N);
    std::uniform_int_distribution<int> digit(-9, 9);
    for (int repeat = 0; repeat < 50; ++repeat) {
        double a[N * N], determinant = 0;
        for (double& component : a)
            component = digit(random);
        memory_view<double, 1, 1, double*> scalar{&determinant};
        const memory_view<double, N, N, const double*> given{a};
        mdet_element(lane<1>{0}, given, scalar);
        std::vector<std::vector<double>> cofactors(5, std::vector<double>(N * N, std::nan("")));
        run_threads<1, N>(FUSEC_ROUTINE(mcof, element), a, cofactors[0].data());
        cofactors[1] = cofactors[2] = cofactors[3] = cofactors[4] = cofactors[0];
        if constexpr (N > 2) {
            run_threads<N, N>(FUSEC_ROUTINE(mcof, rows), a, cofactors[1].data());
            run_threads<N, N>(FUSEC_ROUTINE(mcof, column), a, cofactors[2].data());
            run_threads<N * N, N>(FUSEC_ROUTINE(mcof, entry), a, cofactors[3].data());
        }
        if constexpr (N == 4)
            run_threads<2, N>(FUSEC_ROUTINE(mcof, rows), a, cofactors[4].data());
        for (const std::vector<double>& c : cofactors) {
            for (int i = 0; i < N; ++i) {
                for (int j = 0; j < N; ++j) {
                    double sum = 0;
                    for (int k = 0; k < N; ++k)
                        sum += c[static_cast<std::size_t>(i * N + k)] * a[j * N + k];
                    EXPECT_EQ(sum, i == j ? determinant : 0) << N << ": " << i << ", " << j;
                }
            }
        }
    }
}
TEST(ElementaryFunctions, IntegerCofactorsAreExact) {
    check_integer_cofactors<1>();
    check_integer_cofactors<2>();
    check_integer_cofactors<3>();
    check_integer_cofactors<4>();
}

template <int N>
void check_mchol_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return Eigen::MatrixXd(v[0].llt().matrixL()); };
    check<1, Matrix<N, N>, Matrix<N, N>>("mchol", "element", FUSEC_ROUTINE(mchol, element), meaning);
    check_exchanging<Matrix<N, N>, Matrix<N, N>>(meaning, "mchol", "row", FUSEC_ROUTINE(mchol, rows));
}
FUSEC_CHECKED(mchol) {
    check_mchol_shape<1>();
    check_mchol_shape<2>();
    check_mchol_shape<3>();
    check_mchol_shape<4>();
    check_mchol_shape<5>();
    check_mchol_shape<8>();
    check_mchol_shape<12>();
    check_mchol_shape<24>();
}

template <int N>
void check_mcholsolve_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0].llt().solve(v[1]); };
    check<1, Vector<N>, Matrix<N, N>, Vector<N>>("mcholsolve", "element", FUSEC_ROUTINE(mcholsolve, element), meaning);
    check_exchanging<Vector<N>, Matrix<N, N>, Vector<N>>(meaning, "mcholsolve", "entry", FUSEC_ROUTINE(mcholsolve, rows));
}
FUSEC_CHECKED(mcholsolve) {
    check_mcholsolve_shape<1>();
    check_mcholsolve_shape<2>();
    check_mcholsolve_shape<3>();
    check_mcholsolve_shape<4>();
    check_mcholsolve_shape<5>();
    check_mcholsolve_shape<8>();
    check_mcholsolve_shape<12>();
    check_mcholsolve_shape<24>();
}

} // namespace

} // namespace fusec::test
