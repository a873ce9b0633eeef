// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/formulas.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>

#include <cmath>
#include <functional>

namespace fusec::examples {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Matrix matrix(const Values& values, const std::string& name, int rows, int columns) {
    return Eigen::Map<const Matrix>(values.at(name).data(), rows, columns);
}

Vector vector(const Values& values, const std::string& name) {
    const auto& v = values.at(name);
    return Eigen::Map<const Vector>(v.data(), static_cast<Eigen::Index>(v.size()));
}

double scalar(const Values& values, const std::string& name) {
    return values.at(name).at(0);
}

std::vector<double> components(const Matrix& m) {
    return {m.data(), m.data() + m.size()};
}
std::vector<double> components(const Vector& v) {
    return {v.data(), v.data() + v.size()};
}

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

/// The mass matrix of a hexahedron, from products of one-dimensional shape functions at Gauss points, times the accelerations.
Values hex_inertia(const Values& in) {
    const auto side = [](int number, int direction) { return (number >> direction) % 2 == 0 ? -1.0 : 1.0; };
    Matrix mass = Matrix::Zero(8, 8);
    for (int q = 0; q < 8; ++q) {
        Vector shape = Vector::Constant(8, 1.0);
        for (int a = 0; a < 8; ++a) {
            for (int d = 0; d < 3; ++d) {
                shape[a] *= (1 + side(a, d) * side(q, d) / std::sqrt(3.0)) / 2;
            }
        }
        mass += shape * shape.transpose();
    }
    return {{"F", components(Matrix(-mass * matrix(in, "A", 8, 3)))}};
}

/// The virtual work of the stress, at every Gauss point by the 6x24 strain operator in Voigt notation.
Values hex_force(const Values& in) {
    const auto side = [](int number, int direction) { return (number >> direction) % 2 == 0 ? -1.0 : 1.0; };
    Matrix nodes = matrix(in, "D", 8, 3) / 8;
    const Matrix moved = matrix(in, "U", 8, 3);
    for (int a = 0; a < 8; ++a) {
        for (int k = 0; k < 3; ++k) {
            nodes(a, k) += side(a, k);
        }
    }
    const double lambda = scalar(in, "lambda"), mu = scalar(in, "mu");
    Matrix material = Matrix::Zero(6, 6);
    material.topLeftCorner(3, 3).setConstant(lambda);
    material.diagonal().head(3).array() += 2 * mu;
    material.diagonal().tail(3).setConstant(mu);
    Vector displacement(24), force = Vector::Zero(24);
    for (int a = 0; a < 8; ++a) {
        displacement.segment(3 * a, 3) = moved.row(a).transpose();
    }
    for (int q = 0; q < 8; ++q) {
        Matrix reference(8, 3);
        for (int a = 0; a < 8; ++a) {
            for (int k = 0; k < 3; ++k) {
                double value = side(a, k) / 2;
                for (int other = 0; other < 3; ++other) {
                    value *= other == k ? 1 : (1 + side(a, other) * side(q, other) / std::sqrt(3.0)) / 2;
                }
                reference(a, k) = value;
            }
        }
        const Matrix jacobian = reference.transpose() * nodes;                                 // d x(j) / d xi(i)
        const Matrix gradients = jacobian.partialPivLu().solve(Matrix(reference.transpose())); // one column per node
        Matrix strain = Matrix::Zero(6, 24);
        for (int a = 0; a < 8; ++a) {
            for (int k = 0; k < 3; ++k) {
                strain(k, 3 * a + k) = gradients(k, a);
                const int i = (k + 1) % 3, j = (k + 2) % 3;
                strain(3 + k, 3 * a + i) = gradients(j, a);
                strain(3 + k, 3 * a + j) = gradients(i, a);
            }
        }
        force += jacobian.determinant() * (strain.transpose() * (material * (strain * displacement)));
    }
    Matrix result(8, 3);
    for (int a = 0; a < 8; ++a) {
        result.row(a) = force.segment(3 * a, 3).transpose();
    }
    return {{"F", components(result)}};
}

/// By differentiating the trilinear interpolation of the corners, node by node, at every Gauss point.
Values hex_jacobian(const Values& in) {
    const auto side = [](int number, int direction) { return (number >> direction) % 2 == 0 ? -1.0 : 1.0; };
    const Matrix nodes = matrix(in, "X", 8, 3);
    std::vector<double> weights;
    double volume = 0;
    for (int q = 0; q < 8; ++q) {
        Matrix gradients(8, 3); // of the shape functions, over the reference coordinates
        for (int a = 0; a < 8; ++a) {
            for (int k = 0; k < 3; ++k) {
                double value = side(a, k) / 2;
                for (int other = 0; other < 3; ++other) {
                    value *= other == k ? 1 : (1 + side(a, other) * side(q, other) / std::sqrt(3.0)) / 2;
                }
                gradients(a, k) = value;
            }
        }
        weights.push_back((nodes.transpose() * gradients).determinant());
        volume += weights.back();
    }
    return {{"d", weights}, {"V", {volume}}};
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

const std::map<std::string, std::function<Values(const Values&)>>& table() {
    static const std::map<std::string, std::function<Values(const Values&)>> formulas = {
        {"demo", demo},
        {"demo16", demo16},
        {"hex_force", hex_force},
        {"hex_inertia", hex_inertia},
        {"hex_jacobian", hex_jacobian},
        {"j2_return", j2_return},
        {"kalman", kalman},
        {"neo_hookean", neo_hookean},
        {"recompute", recompute},
        {"spd_solve12", spd_solve},
        {"spd_solve3", spd_solve},
        {"spd_solve6", spd_solve},
        {"stvk", stvk},
        {"tet_elasticity", tet_elasticity},
        {"tet_forces", stvk},
        {"tet_geometry", tet_geometry},
        {"tet_voigt", tet_elasticity},
    };
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
