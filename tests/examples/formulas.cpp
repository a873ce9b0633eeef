// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/formulas.hpp"

#include "tests/examples/hexahedra.hpp"
#include "tests/examples/lists.hpp"
#include "tests/examples/steps.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <cmath>
#include <functional>

namespace fusec::examples {

namespace {

/// ||A B c|| (D E + D), with A and B of `left` and D and E of `right` rows.
Values scaled_product(const Values& in, int left, int right) {
    const Matrix a = matrix(in, "A", left, left), b = matrix(in, "B", left, left), d = matrix(in, "D", right, right),
                 e = matrix(in, "E", right, right);
    const double norm = (a * (b * vector(in, "c"))).norm();
    return {{"F", components(Matrix(norm * (d * e + d)))}};
}

Values demo(const Values& in) {
    return scaled_product(in, 3, 5);
}

Values demo16(const Values& in) {
    return scaled_product(in, 16, 16);
}

/// Edges from node 0 as columns.
Matrix edges(const Matrix& nodes) {
    Matrix result(3, 3);
    for (int k = 0; k < 3; ++k) {
        result.col(k) = (nodes.row(k + 1) - nodes.row(0)).transpose();
    }
    return result;
}

Values stvk(const Values& in) {
    const Matrix inverse = matrix(in, "Dminv", 3, 3);
    const Matrix f = edges(matrix(in, "x", 4, 3)) * inverse;
    const Matrix strain = 0.5 * (f.transpose() * f - Matrix::Identity(3, 3));
    const Matrix s = scalar(in, "lambda") * strain.trace() * Matrix::Identity(3, 3) + 2 * scalar(in, "mu") * strain;
    const Matrix h = -scalar(in, "V") * f * s * inverse.transpose();
    Matrix forces(4, 3);
    forces.bottomRows(3) = h.transpose();
    forces.row(0) = -h.transpose().colwise().sum();
    return {{"f", components(forces)}};
}

/// V B' C B with the strain operator B (6x12, engineering shear strains) and the elasticity matrix C.
Values tet_elasticity(const Values& in) {
    const double lambda = scalar(in, "lambda"), mu = scalar(in, "mu");
    Matrix one(4, 4); // inverse: coefficients of the barycentric coordinates
    one << Matrix::Ones(4, 1), matrix(in, "X", 4, 3);
    const Matrix gradients = one.inverse().bottomRows(3); // column a is that of node a
    Matrix b = Matrix::Zero(6, 12);
    for (int a = 0; a < 4; ++a) {
        for (int k = 0; k < 3; ++k) {
            const int next = (k + 1) % 3;
            b(k, 3 * a + k) = gradients(k, a);
            b(3 + k, 3 * a + k) = gradients(next, a);
            b(3 + k, 3 * a + next) = gradients(k, a);
        }
    }
    Matrix c = Matrix::Zero(6, 6);
    c.topLeftCorner(3, 3).setConstant(lambda);
    c.diagonal() << Vector::Constant(3, lambda + 2 * mu), Vector::Constant(3, mu);
    return {{"K", components(Matrix(one.determinant() / 6 * b.transpose() * c * b))}};
}

/// The lower triangle of `K`, row by row, as a symmetric matrix is stored.
Values packed(const Values& full, int size) {
    Values made;
    for (int row = 0; row < size; ++row) {
        for (int column = 0; column <= row; ++column) {
            made["K"].push_back(full.at("K").at(static_cast<std::size_t>(row * size + column)));
        }
    }
    return made;
}

Values tet_elasticity_packed(const Values& in) {
    return packed(tet_elasticity(in), 12);
}

Values tet_geometry(const Values& in) {
    const Matrix j = edges(matrix(in, "X", 4, 3));
    Matrix cofactor(3, 3);
    for (int c = 0; c < 3; ++c) {
        const Eigen::Vector3d p = j.col((c + 1) % 3);
        const Eigen::Vector3d q = j.col((c + 2) % 3);
        cofactor.col(c) = p.cross(q);
    }
    return {{"C", components(cofactor)}, {"V", {j.determinant() / 6}}};
}

/// From the gradients of the barycentric coordinates, columns of `gradients`: V times the conductivity times their products.
Values tet_laplace(const Values& in) {
    Matrix one(4, 4);
    one << Matrix::Ones(4, 1), matrix(in, "X", 4, 3);
    const Matrix gradients = one.inverse().bottomRows(3);
    return {{"K", components(Matrix(one.determinant() / 6 * scalar(in, "k") * gradients.transpose() * gradients))}};
}

/// The flux through the faces: a linear field is u(x) = g . x + constant, with g from the differences of u along the edges, and the part of its constant
/// gradient that belongs to a node is the flux through the face opposite of it, over 3.
Values tet_laplace_apply(const Values& in) {
    const Matrix nodes = matrix(in, "X", 4, 3);
    const Vector u = vector(in, "u");
    const Vector gradient = edges(nodes).transpose().partialPivLu().solve(Vector(u.tail(3).array() - u[0]));
    const double orientation = edges(nodes).determinant() < 0 ? -1 : 1; // inverted elements count negative
    Vector result(4);
    for (int a = 0; a < 4; ++a) {
        const auto corner = [&](int k) { return Eigen::Vector3d(nodes.row((a + k) % 4).transpose()); };
        Eigen::Vector3d inwards = (corner(2) - corner(1)).cross(corner(3) - corner(1)) / 2; // twice the area is that of a parallelogram
        if (inwards.dot(corner(0) - corner(1)) < 0) {
            inwards = -inwards;
        }
        result[a] = orientation * inwards.dot(gradient) / 3;
    }
    return {{"y", components(result)}};
}

Values tet_laplace_packed(const Values& in) {
    return packed(tet_laplace(in), 4);
}

/// The stiffness matrix times the displacements, node by node.
Values tet_elastic_force(const Values& in) {
    const std::vector<double> stiffness = tet_elasticity(in).at("K");
    const Matrix k = Eigen::Map<const Matrix>(stiffness.data(), 12, 12);
    return {{"f", components(Vector(k * vector(in, "u")))}};
}

/// With the rotation from a singular value decomposition.
Values corotated(const Values& in) {
    const Matrix inverse = matrix(in, "Dminv", 3, 3);
    const Matrix f = edges(matrix(in, "x", 4, 3)) * inverse;
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(Eigen::Matrix3d(f), Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Matrix r = svd.matrixU() * svd.matrixV().transpose();
    const Matrix stress =
        2 * scalar(in, "mu") * (f - r) + scalar(in, "lambda") * Matrix(r.transpose() * f - Matrix::Identity(3, 3)).trace() * r;
    const Matrix h = -scalar(in, "V") * stress * inverse.transpose();
    Matrix forces(4, 3);
    forces.bottomRows(3) = h.transpose();
    forces.row(0) = -h.transpose().colwise().sum();
    return {{"f", components(forces)}};
}

Values neo_hookean(const Values& in) {
    const Matrix f = matrix(in, "F", 3, 3);
    const Matrix t = f.inverse().transpose();
    return {{"P", components(Matrix(scalar(in, "mu") * (f - t) + scalar(in, "lambda") * std::log(f.determinant()) * t))}};
}

Values j2_return(const Values& in) {
    const Matrix plastic = matrix(in, "eps_p", 3, 3);
    const Matrix elastic = matrix(in, "eps", 3, 3) - plastic;
    const double shear = scalar(in, "G"), hardening = scalar(in, "H");
    const Matrix deviator = elastic - Matrix(elastic.trace() / 3 * Matrix::Identity(3, 3));
    const double norm = 2 * shear * deviator.norm();
    const double yield = norm - std::sqrt(2.0 / 3) * (scalar(in, "sigma_y") + hardening * scalar(in, "alpha"));
    const double multiplier = yield > 0 ? yield / (2 * shear + 2.0 / 3 * hardening) : 0;
    const Matrix flow = yield > 0 ? Matrix(multiplier / deviator.norm() * deviator) : Matrix(Matrix::Zero(3, 3));
    const Matrix stress = scalar(in, "K") * elastic.trace() * Matrix::Identity(3, 3) + 2 * shear * (deviator - flow);
    return {{"sigma", components(stress)}, {"eps_p_new", components(Matrix(plastic + flow))},
        {"alpha_new", {scalar(in, "alpha") + std::sqrt(2.0 / 3) * multiplier}}};
}

Values spd_solve(const Values& in) {
    const Vector r = vector(in, "r");
    const int n = static_cast<int>(r.size());
    const Matrix j = matrix(in, "J", n, n);
    const Matrix a = j.transpose() * j + scalar(in, "m") * Matrix::Identity(n, n);
    return {{"x", components(Vector(a.ldlt().solve(j.transpose() * r)))}};
}

Values kalman(const Values& in) {
    const Matrix p = matrix(in, "P", 6, 6), h = matrix(in, "H", 3, 6), r = matrix(in, "R", 3, 3);
    const Vector x = vector(in, "x");
    const Matrix s = h * p * h.transpose() + r;
    const Matrix gain = (h * p).transpose() * s.inverse();
    const Matrix updated = p - gain * h * p;
    return {{"x_new", components(Vector(x + gain * (vector(in, "z") - h * x)))}, {"P_new", components(updated)}, {"t", {updated.trace()}}};
}

Values recompute(const Values& in) {
    const Matrix m = vector(in, "a") * vector(in, "b").transpose();
    const auto iterate = [&](const char* start) {
        Vector x = vector(in, start);
        for (int step = 0; step < 16; ++step) {
            x = m.transpose() * (m * x);
        }
        return components(Vector(m * x));
    };
    return {{"f", iterate("u")}, {"g", iterate("w")}};
}

/// With the quaternions of Eigen, and velocities and forces of rigid bodies taken apart: body by body.
Values rigid_chain(const Values& in) {
    const Matrix quaternions = matrix(in, "q", 2, 4), positions = matrix(in, "p", 2, 3), rates = matrix(in, "omega", 2, 3);
    const Matrix inertia = matrix(in, "I", 6, 6);
    std::vector<Eigen::Matrix3d> to_child;
    for (int i = 0; i < 2; ++i) {
        const auto q = quaternions.row(i);
        to_child.push_back(Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix().transpose());
    }
    const auto moved = [&](int i, const Vector& velocity) {
        const Eigen::Vector3d angular = velocity.head(3), linear = velocity.tail(3), at = positions.row(i).transpose();
        Vector result(6);
        result << to_child[static_cast<std::size_t>(i)] * angular, to_child[static_cast<std::size_t>(i)] * (linear + angular.cross(at));
        return result;
    };
    Vector velocity = vector(in, "v0");
    for (int i = 0; i < 2; ++i) {
        velocity = moved(i, velocity);
        velocity.head(3) += rates.row(i).transpose();
    }
    // The kinetic energy of the chain at rest in its joints is a quadratic form of the velocity of the first body.
    std::vector<Matrix> unit(2, Matrix(6, 6));
    for (int k = 0; k < 6; ++k) {
        Vector motion = Vector::Unit(6, k);
        for (int i = 0; i < 2; ++i) {
            motion = moved(i, motion);
            unit[static_cast<std::size_t>(i)].col(k) = motion;
        }
    }
    Matrix composite = inertia;
    for (const Matrix& motion : unit) {
        composite += motion.transpose() * inertia * motion;
    }
    return {{"C", components(composite)}, {"v", components(velocity)}};
}

const FormulaTable& table() {
    static const FormulaTable formulas = [] {
        FormulaTable all = hexahedron_formulas();
        all.merge(step_formulas());
        all.insert({
            {"corotated", corotated},
            {"demo", demo},
            {"demo16", demo16},
            {"j2_return", j2_return},
            {"kalman", kalman},
            {"neo_hookean", neo_hookean},
            {"recompute", recompute},
            {"rigid_chain", rigid_chain},
            {"spd_solve12", spd_solve},
            {"spd_solve24", spd_solve},
            {"spd_solve3", spd_solve},
            {"spd_solve6", spd_solve},
            {"stvk", stvk},
            {"tet_elastic_force", tet_elastic_force},
            {"tet_elasticity", tet_elasticity},
            {"tet_elasticity_packed", tet_elasticity_packed},
            {"tet_forces", stvk},
            {"tet_geometry", tet_geometry},
            {"tet_laplace", tet_laplace},
            {"tet_laplace_apply", tet_laplace_apply},
            {"tet_laplace_packed", tet_laplace_packed},
            {"tet_laplace_stored", tet_laplace_packed},
            {"tet_voigt", tet_elasticity},
        });
        return all;
    }();
    return formulas;
}

} // namespace

Values formula(const std::string& name, const Values& inputs) {
    return table().at(name)(inputs);
}

std::vector<std::string> example_names() {
    std::vector<std::string> names;
    for (const auto& [name, function] : table()) {
        names.push_back(name);
    }
    return names;
}

} // namespace fusec::examples
