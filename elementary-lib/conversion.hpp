// SPDX-License-Identifier: Apache-2.0
// Functions that convert a value to another precision, `double(x)` and `float(x)`. They are no files of the library: a program defines
// those that it uses, one per shape.
#pragma once

#include "elementary-lib/type.hpp"

namespace fusec::library {

struct Function;

/// Every component in the precision, from a value of the same shape in the other one. All components: how operand and result are stored
/// is a fact of the data, as for every function.
struct Conversion {
    Shape shape; ///< not packed
    Precision to = Precision::f64;
    bool operator==(const Conversion&) const = default;
};

inline constexpr Precision other_precision(Precision precision) {
    return precision == Precision::f32 ? Precision::f64 : Precision::f32;
}

/// The function: no arithmetic; an implementation `element` for one thread and, unless the value is one component, those of several threads
/// that a copy has. Its name is made from the conversion alone, and is that of no other: `double_of_3x3`, `float_of_4`, `float_of_scalar`.
Function converting_function(const Conversion& conversion);

/// Whether a function converts, and to what; null for others.
const Conversion* conversion_of(const Function& function);

} // namespace fusec::library
