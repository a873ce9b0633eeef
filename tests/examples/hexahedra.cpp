// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/hexahedra.hpp"

#include "tests/examples/lists.hpp"

#include <Eigen/LU>

#include <cmath>

namespace fusec::examples {

namespace {

/// Of corner or Gauss point `number`, whose digits in base 2 count x fastest.
double side(int number, int direction) {
    return (number >> direction) % 2 == 0 ? -1.0 : 1.0;
}

/// Of the trilinear shape functions at Gauss point q over the reference coordinates, a row per corner.
Matrix shape_gradients(int q) {
    Matrix gradients(8, 3);
    for (int a = 0; a < 8; ++a) {
        for (int k = 0; k < 3; ++k) {
            gradients(a, k) = side(a, k) / 2;
            for (int other = 0; other < 3; ++other) {
                gradients(a, k) *= other == k ? 1 : (1 + side(a, other) * side(q, other) / std::sqrt(3.0)) / 2;
            }
        }
    }
    return gradients;
}

/// Corners: those of the cube from -1 to 1, moved by an eighth of the list.
Matrix moved_corners(const Matrix& by) {
    Matrix nodes = by / 8;
    for (int a = 0; a < 8; ++a) {
        for (int k = 0; k < 3; ++k) {
            nodes(a, k) += side(a, k);
        }
    }
    return nodes;
}

/// The mass matrix of a hexahedron, from products of one-dimensional shape functions at Gauss points, times the accelerations.
Values hex_inertia(const Values& in) {
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
    const Matrix nodes = moved_corners(matrix(in, "D", 8, 3));
    const Matrix moved = matrix(in, "U", 8, 3);
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
        const Matrix reference = shape_gradients(q);
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
    const Matrix nodes = matrix(in, "X", 8, 3);
    std::vector<double> weights;
    double volume = 0;
    for (int q = 0; q < 8; ++q) {
        const Matrix gradients = shape_gradients(q);
        weights.push_back((nodes.transpose() * gradients).determinant());
        volume += weights.back();
    }
    return {{"d", weights}, {"V", {volume}}};
}

/// K = sum over Gauss points of det J B' C B, the strain operator B (6x24) in Voigt notation with engineering shear strains.
Values hex_stiffness(const Values& in) {
    const Matrix nodes = matrix(in, "X", 8, 3);
    const double lambda = scalar(in, "lambda"), mu = scalar(in, "mu");
    Matrix material = Matrix::Zero(6, 6), stiffness = Matrix::Zero(24, 24);
    material.topLeftCorner(3, 3).setConstant(lambda);
    material.diagonal() << Vector::Constant(3, lambda + 2 * mu), Vector::Constant(3, mu);
    for (int q = 0; q < 8; ++q) {
        const Matrix reference = shape_gradients(q);
        const Matrix jacobian = reference.transpose() * nodes;
        const Matrix gradients = jacobian.partialPivLu().solve(Matrix(reference.transpose())); // one column per node
        Matrix strain = Matrix::Zero(6, 24);
        for (int a = 0; a < 8; ++a) {
            for (int k = 0; k < 3; ++k) {
                const int next = (k + 1) % 3;
                strain(k, 3 * a + k) = gradients(k, a);
                strain(3 + k, 3 * a + k) = gradients(next, a);
                strain(3 + k, 3 * a + next) = gradients(k, a);
            }
        }
        stiffness += jacobian.determinant() * strain.transpose() * material * strain;
    }
    return {{"K", components(stiffness)}};
}

/// A bake-off problem of CEED by sum factorization: one direction after another.
class Bakeoff {
public:
    Bakeoff(int problem, int order) : problem_(problem), nodes_(order + 1) {
        std::vector<double> points;
        if (problem >= 5) {
            points = order == 1 ? std::vector<double>{-1, 1} : std::vector<double>{-1, 0, 1};
        } else if (order == 1) {
            points = {-std::sqrt(0.6), 0, std::sqrt(0.6)};
        } else {
            const double outer = std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2)), inner = std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2));
            points = {-outer, -inner, inner, outer};
        }
        points_ = static_cast<int>(points.size());
        values_.resize(points_, nodes_);
        slopes_.resize(points_, nodes_);
        for (int q = 0; q < points_; ++q) {
            const double x = points[static_cast<std::size_t>(q)];
            if (order == 1) {
                values_.row(q) << (1 - x) / 2, (1 + x) / 2;
                slopes_.row(q) << -0.5, 0.5;
            } else {
                values_.row(q) << x * (x - 1) / 2, 1 - x * x, x * (x + 1) / 2;
                slopes_.row(q) << x - 0.5, -2 * x, x + 0.5;
            }
        }
    }

    Values operator()(const Values& in) const {
        const bool vector_valued = problem_ % 2 == 0;
        const int fields = vector_valued ? 3 : 1;
        const Matrix u = matrix(in, vector_valued ? "U" : "u", nodes_ * nodes_ * nodes_, fields);
        Matrix y(u.rows(), fields);
        for (int field = 0; field < fields; ++field) {
            y.col(field) = problem_ <= 2 ? mass(u.col(field), vector(in, "d")) : stiffness(u.col(field), in);
        }
        return {{vector_valued ? "Y" : "y", components(y)}};
    }

private:
    /// Contracts index `direction` (x changes fastest) of a cube with the columns of the matrix.
    static Vector contract(const Vector& cube, const Matrix& by, int direction, const int (&sizes)[3]) {
        int to[3] = {sizes[0], sizes[1], sizes[2]};
        to[direction] = static_cast<int>(by.rows());
        Vector result = Vector::Zero(to[0] * to[1] * to[2]);
        for (int k = 0; k < to[2]; ++k) {
            for (int j = 0; j < to[1]; ++j) {
                for (int i = 0; i < to[0]; ++i) {
                    for (int s = 0; s < sizes[direction]; ++s) {
                        const int from[3] = {direction == 0 ? s : i, direction == 1 ? s : j, direction == 2 ? s : k};
                        const int row = direction == 0 ? i : direction == 1 ? j : k;
                        result[i + to[0] * (j + to[1] * k)] += by(row, s) * cube[from[0] + sizes[0] * (from[1] + sizes[1] * from[2])];
                    }
                }
            }
        }
        return result;
    }

    /// At the points of the cube; of the derivative in a direction, or 3: of the value.
    Vector to_points(const Vector& u, int derivative) const {
        Vector result = u;
        int sizes[3] = {nodes_, nodes_, nodes_};
        for (int direction = 0; direction < 3; ++direction) {
            result = contract(result, direction == derivative ? slopes_ : values_, direction, sizes);
            sizes[direction] = points_;
        }
        return result;
    }

    Vector to_nodes(const Vector& t, int derivative) const {
        Vector result = t;
        int sizes[3] = {points_, points_, points_};
        for (int direction = 0; direction < 3; ++direction) {
            result = contract(result, Matrix((direction == derivative ? slopes_ : values_).transpose()), direction, sizes);
            sizes[direction] = nodes_;
        }
        return result;
    }

    Vector mass(const Vector& u, const Vector& weights) const { return to_nodes(weights.cwiseProduct(to_points(u, 3)), 3); }

    Vector stiffness(const Vector& u, const Values& in) const {
        const int count = points_ * points_ * points_;
        const Matrix metric = matrix(in, "C", count, 6);
        Matrix gradients(count, 3), flux(count, 3);
        for (int i = 0; i < 3; ++i) {
            gradients.col(i) = to_points(u, i);
        }
        for (int q = 0; q < count; ++q) {
            Eigen::Matrix3d c;
            c << metric(q, 0), metric(q, 1), metric(q, 2), metric(q, 1), metric(q, 3), metric(q, 4), metric(q, 2), metric(q, 4),
                metric(q, 5);
            flux.row(q) = gradients.row(q) * c;
        }
        Vector result = Vector::Zero(u.size());
        for (int i = 0; i < 3; ++i) {
            result += to_nodes(flux.col(i), i);
        }
        return result;
    }

    int problem_, nodes_, points_ = 0;
    Matrix values_, slopes_; ///< of the shape functions of a line, a row per point
};

} // namespace

FormulaTable hexahedron_formulas() {
    FormulaTable formulas = {
        {"hex_force", hex_force},
        {"hex_inertia", hex_inertia},
        {"hex_jacobian", hex_jacobian},
        {"hex_stiffness", hex_stiffness},
    };
    for (int problem = 1; problem <= 6; ++problem) {
        for (const int order : {1, 2}) {
            formulas.emplace("bp" + std::to_string(problem) + "_p" + std::to_string(order), Bakeoff(problem, order));
        }
    }
    return formulas;
}

} // namespace fusec::examples
