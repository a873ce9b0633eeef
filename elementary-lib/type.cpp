// SPDX-License-Identifier: Apache-2.0
// Types as the language writes them.
#include "elementary-lib/type.hpp"

namespace fusec {

std::string to_string(const Shape& shape) {
    switch (shape.form) {
    case Form::scalar:
        return "SCALAR";
    case Form::vector:
        return "VECTOR" + std::to_string(shape.rows);
    case Form::matrix:
        return shape.packed ? "SYMMETRIC" + std::to_string(shape.rows)
                            : "MATRIX" + std::to_string(shape.rows) + "x" + std::to_string(shape.columns);
    }
    return {};
}

std::string to_string(const Type& type) {
    return std::string(c_name(type.precision)) + " " + to_string(type.shape);
}

} // namespace fusec
