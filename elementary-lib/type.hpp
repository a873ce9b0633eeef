// SPDX-License-Identifier: Apache-2.0
// Types of the language: a scalar, vector or matrix of one precision. SCALAR, VECTOR1 and MATRIX1x1 are distinct.
#pragma once

#include <cstddef>
#include <string>

namespace fusec {

enum class Precision {
    f32,
    f64
};

inline constexpr int bytes_of(Precision precision) {
    return precision == Precision::f32 ? 4 : 8;
}
/// The C type: "float" or "double".
inline constexpr const char* c_name(Precision precision) {
    return precision == Precision::f32 ? "float" : "double";
}

enum class Form {
    scalar,
    vector,
    matrix
};

/// Largest dimension of a vector or matrix (DESIGN.md section 2).
inline constexpr int max_dimension = 64;

/// Form and dimensions. A vector has `columns == 1`; a scalar has both 1. Components are stored row-major.
struct Shape {
    Form form = Form::scalar;
    int rows = 1;
    int columns = 1;

    int size() const { return rows * columns; }
    bool operator==(const Shape&) const = default;
    bool operator<(const Shape& other) const {
        return form != other.form ? form < other.form : rows != other.rows ? rows < other.rows : columns < other.columns;
    }
};

struct Type {
    Shape shape;
    Precision precision = Precision::f32;

    /// Bytes of one element's value.
    int bytes() const { return shape.size() * bytes_of(precision); }
    bool operator==(const Type&) const = default;
};

/// As written in a program: `SCALAR`, `VECTOR3`, `MATRIX3x4`.
std::string to_string(const Shape& shape);
/// As written in a declaration: `float MATRIX3x4`.
std::string to_string(const Type& type);

} // namespace fusec
