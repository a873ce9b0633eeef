// SPDX-License-Identifier: Apache-2.0
// Lists of one element as matrices and vectors of Eigen.
#pragma once

#include "tests/examples/formulas.hpp"

#include <Eigen/Dense>

namespace fusec::examples {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

inline Matrix matrix(const Values& values, const std::string& name, int rows, int columns) {
    return Eigen::Map<const Matrix>(values.at(name).data(), rows, columns);
}

inline Vector vector(const Values& values, const std::string& name) {
    const auto& v = values.at(name);
    return Eigen::Map<const Vector>(v.data(), static_cast<Eigen::Index>(v.size()));
}

inline double scalar(const Values& values, const std::string& name) {
    return values.at(name).at(0);
}

inline std::vector<double> components(const Matrix& m) {
    return {m.data(), m.data() + m.size()};
}
inline std::vector<double> components(const Vector& v) {
    return {v.data(), v.data() + v.size()};
}

} // namespace fusec::examples
