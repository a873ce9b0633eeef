// SPDX-License-Identifier: Apache-2.0
// How a list of the caller's is stored where that is not in the precision of its values (`store float`): loads and stores convert, and
// everything on chip has the precision of the type. Nothing means: as the type says.
#pragma once

#include "elementary-lib/type.hpp"

#include <optional>

namespace fusec {

/// Of a list whose values have another precision: that of its components in memory. Never the precision of the values.
using Storage = std::optional<Precision>;

/// The type of the list in memory.
inline Type in_memory(const Type& type, const Storage& storage) {
    return {type.shape, storage.value_or(type.precision)};
}
/// What a value keeps on its way through memory: the coarser of both precisions.
inline Precision kept_precision(const Type& type, const Storage& storage) {
    return storage == Precision::f32 ? Precision::f32 : type.precision;
}
/// `double MATRIX3x3`, `double MATRIX3x3 stored as float`.
inline std::string to_string(const Type& type, const Storage& storage) {
    return to_string(type) + (storage ? std::string(" stored as ") + c_name(*storage) : "");
}

} // namespace fusec
