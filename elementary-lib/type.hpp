// SPDX-License-Identifier: Apache-2.0
// Types of the language: a scalar, vector or matrix of one precision. SCALAR, VECTOR1 and MATRIX1x1 are distinct. A square matrix may be
// stored packed: then it is symmetric, and memory and chip hold its lower triangle alone.
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

/// Form and dimensions. A vector has `columns == 1`; a scalar has both 1. Components are numbered row-major, and stored so unless the
/// matrix is packed. Functions know nothing of packing: to them it is how an operand is stored.
struct Shape {
    Form form = Form::scalar;
    int rows = 1;
    int columns = 1;
    bool packed = false; ///< `SYMMETRICn`: a matrix of n rows and columns, stored as the rows of its lower triangle, one behind the other

    /// Words that are stored.
    int size() const { return packed ? rows * (rows + 1) / 2 : rows * columns; }
    /// Those that indices reach.
    int components() const { return rows * columns; }
    /// The same value stored with all components.
    Shape full() const { return {form, rows, columns}; }
    /// Of a component, the one that is stored for it: of a packed matrix, (j, i) for (i, j) above the diagonal.
    int stored(int component) const {
        const int row = component / columns, column = component % columns;
        return packed && row < column ? column * columns + row : component;
    }
    bool operator==(const Shape&) const = default;
    bool operator<(const Shape& other) const {
        return form != other.form      ? form < other.form
            : rows != other.rows       ? rows < other.rows
            : columns != other.columns ? columns < other.columns
                                       : packed < other.packed;
    }
};

/// Where a packed matrix has its component (row, column).
inline constexpr int packed_word(int row, int column) {
    return row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
}

struct Type {
    Shape shape;
    Precision precision = Precision::f32;

    /// Bytes of one element's value.
    int bytes() const { return shape.size() * bytes_of(precision); }
    bool operator==(const Type&) const = default;
};

/// As written in a program: `SCALAR`, `VECTOR3`, `MATRIX3x4`, `SYMMETRIC3`.
std::string to_string(const Shape& shape);
/// As written in a declaration: `float MATRIX3x4`.
std::string to_string(const Type& type);

} // namespace fusec
