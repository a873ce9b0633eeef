// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/steps.hpp"

#include "tests/examples/lists.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace fusec::examples {

namespace {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// Node by node: the deformation gradient as the sum of positions times gradients, the stress as the derivative of the energy density
/// mu/2 (tr F'F - 3) - mu (J - 1) + lambda/2 (J - 1)^2, where the derivative of J by column k of F is the cross product of the other two.
Values explicit_step(const Values& in) {
    const Matrix reference = matrix(in, "Dminv", 3, 3);
    Matrix position = matrix(in, "x", 4, 3), velocity = matrix(in, "v", 4, 3);
    std::vector<Vector3> gradients = {Vector3::Zero()};
    for (int node = 1; node < 4; ++node) {
        gradients.emplace_back(reference.row(node - 1).transpose());
        gradients.front() -= gradients.back();
    }
    Matrix3 f = Matrix3::Zero();
    for (int node = 0; node < 4; ++node) {
        f += position.row(node).transpose() * gradients[static_cast<std::size_t>(node)].transpose();
    }
    Matrix3 of_volume;
    for (int k = 0; k < 3; ++k) {
        const Vector3 next = f.col((k + 1) % 3), last = f.col((k + 2) % 3);
        of_volume.col(k) = next.cross(last);
    }
    const double change = f.determinant() - 1;
    const Matrix3 stress = scalar(in, "mu") * (f - of_volume) + scalar(in, "lambda") * change * of_volume;
    Matrix forces(4, 3);
    for (int node = 0; node < 4; ++node) {
        const Vector3 force = -scalar(in, "V") * stress * gradients[static_cast<std::size_t>(node)];
        forces.row(node) = force.transpose();
        velocity.row(node) += scalar(in, "dt") * vector(in, "w")[node] * force.transpose();
        position.row(node) += scalar(in, "dt") * velocity.row(node);
    }
    return {{"f", components(forces)}, {"v", components(velocity)}, {"x", components(position)}};
}

/// The trial stress is scaled back onto the yield surface, and what is left of the strain is plastic.
Values tet_plasticity(const Values& in) {
    const Matrix gradients = matrix(in, "g", 4, 3);
    Matrix strain = Matrix::Zero(3, 3); // node by node
    for (int node = 0; node < 4; ++node) {
        const Vector3 moved = matrix(in, "u", 4, 3).row(node).transpose(), slope = gradients.row(node).transpose();
        strain += (moved * slope.transpose() + slope * moved.transpose()) / 2;
    }
    const std::vector<double>& words = in.at("eps_p");
    Matrix plastic(3, 3);
    plastic << words[0], words[1], words[3], words[1], words[2], words[4], words[3], words[4], words[5];
    const double shear = scalar(in, "G"), hardening = scalar(in, "H"), alpha = scalar(in, "alpha");
    const Matrix identity = Matrix::Identity(3, 3);
    const Matrix elastic = strain - plastic;
    const Matrix deviator = elastic - elastic.trace() / 3 * identity;
    const double radius = std::sqrt(2.0 / 3) * (scalar(in, "sigma_y") + hardening * alpha);
    const double excess = std::max(2 * shear * deviator.norm() - radius, 0.0);
    // Onto the surface, which has grown meanwhile by 2/3 H times the step of the plastic strain.
    const double step = excess / (2 * shear) / (1 + hardening / (3 * shear));
    const Matrix flow = excess > 0 ? Matrix(step / deviator.norm() * deviator) : Matrix(Matrix::Zero(3, 3));
    const Matrix stress = scalar(in, "K") * elastic.trace() * identity + 2 * shear * (deviator - flow);
    const Matrix updated = plastic + flow;
    return {{"eps_p", {updated(0, 0), updated(1, 0), updated(1, 1), updated(2, 0), updated(2, 1), updated(2, 2)}},
        {"alpha", {alpha + std::sqrt(2.0 / 3) * step}}, {"f", components(Matrix(-scalar(in, "V") * gradients * stress))}};
}

} // namespace

FormulaTable step_formulas() {
    return {{"explicit_step", explicit_step}, {"tet_plasticity", tet_plasticity}};
}

} // namespace fusec::examples
