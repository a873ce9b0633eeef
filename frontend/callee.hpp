// SPDX-License-Identifier: Apache-2.0
// The name in front of a call's parenthesis: a function of the library, perhaps with a shape suffix that also checks.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::frontend {

struct Callee {
    FunctionId function;
    std::string suffix; ///< `33`, `12x3`, `3`; empty without one
};

/// The longest name of the library that `name` begins with, such that the rest is empty or a shape suffix.
std::optional<Callee> find_callee(std::string_view name, const library::Catalog& catalog);

/// Whether the language has a function of this name that puts values together: `rows`, `columns`, `diag`.
bool is_movement(std::string_view name);

/// Whether it is a conversion, `double` or `float`: no names, but words that the grammar allows as callees.
bool is_conversion(std::string_view name);

/// A name that may have been meant: of a function or `midentity`, with the suffix of `name`; empty when none is near.
std::string nearest_callee(std::string_view name, const library::Catalog& catalog);

/// The suffixes that say `shape`: `12x3`, and `33` where every dimension has one digit; a vector's `3`. None for a scalar.
std::vector<std::string> suffixes_of(const Shape& shape);

} // namespace fusec::frontend
