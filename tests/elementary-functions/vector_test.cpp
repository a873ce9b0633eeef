// SPDX-License-Identifier: Apache-2.0
// Maps of vectors and the cross product against Eigen.
#include "tests/elementary-functions/implementation_check.hpp"

#include "elementary-lib/vector/axpy.cuh"
#include "elementary-lib/vector/svdiv.cuh"
#include "elementary-lib/vector/svmul.cuh"
#include "elementary-lib/vector/vadd.cuh"
#include "elementary-lib/vector/vcross.cuh"
#include "elementary-lib/vector/vneg.cuh"
#include "elementary-lib/vector/vsub.cuh"

namespace fusec::test {

namespace {

template <int N>
void check_vadd_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] + v[1]; };
    check_vector_result<Vector<N>, Vector<N>, Vector<N>>(meaning, FUSEC_VECTOR_ROUTINES(vadd, entry));
}
FUSEC_CHECKED(vadd) {
    check_vadd_shape<1>();
    check_vadd_shape<2>();
    check_vadd_shape<3>();
    check_vadd_shape<5>();
    check_vadd_shape<12>();
}

template <int N>
void check_vsub_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] - v[1]; };
    check_vector_result<Vector<N>, Vector<N>, Vector<N>>(meaning, FUSEC_VECTOR_ROUTINES(vsub, entry));
}
FUSEC_CHECKED(vsub) {
    check_vsub_shape<1>();
    check_vsub_shape<2>();
    check_vsub_shape<3>();
    check_vsub_shape<5>();
    check_vsub_shape<12>();
}

template <int N>
void check_vneg_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return -v[0]; };
    check_vector_result<Vector<N>, Vector<N>>(meaning, FUSEC_VECTOR_ROUTINES(vneg, entry));
}
FUSEC_CHECKED(vneg) {
    check_vneg_shape<1>();
    check_vneg_shape<2>();
    check_vneg_shape<3>();
    check_vneg_shape<5>();
    check_vneg_shape<12>();
}

template <int N>
void check_svmul_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] * v[1](0, 0); };
    check_vector_result<Vector<N>, Vector<N>, Scalar>(meaning, FUSEC_VECTOR_ROUTINES(svmul, entry));
}
FUSEC_CHECKED(svmul) {
    check_svmul_shape<1>();
    check_svmul_shape<2>();
    check_svmul_shape<3>();
    check_svmul_shape<5>();
    check_svmul_shape<12>();
}

template <int N>
void check_svdiv_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0] / v[1](0, 0); };
    check_vector_result<Vector<N>, Vector<N>, Scalar>(meaning, FUSEC_VECTOR_ROUTINES(svdiv, entry));
}
FUSEC_CHECKED(svdiv) {
    check_svdiv_shape<1>();
    check_svdiv_shape<2>();
    check_svdiv_shape<3>();
    check_svdiv_shape<5>();
    check_svdiv_shape<12>();
}

template <int N>
void check_axpy_shape() {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return v[0](0, 0) * v[1] + v[2]; };
    check_vector_result<Vector<N>, Scalar, Vector<N>, Vector<N>>(meaning, FUSEC_VECTOR_ROUTINES(axpy, entry));
}
FUSEC_CHECKED(axpy) {
    check_axpy_shape<1>();
    check_axpy_shape<2>();
    check_axpy_shape<3>();
    check_axpy_shape<5>();
    check_axpy_shape<12>();
}

FUSEC_CHECKED(vcross) {
    const Meaning meaning = [](const Values& v) -> Eigen::MatrixXd { return Eigen::Vector3d(v[0]).cross(Eigen::Vector3d(v[1])); };
    check<1, Vector<3>, Vector<3>, Vector<3>>("vcross", "element", FUSEC_ROUTINE(vcross, element), meaning);
    check<3, Vector<3>, Vector<3>, Vector<3>>("vcross", "entry", FUSEC_ROUTINE(vcross, entry), meaning);
}

} // namespace

} // namespace fusec::test
