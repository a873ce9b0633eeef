// SPDX-License-Identifier: Apache-2.0
// Which components the brackets behind a value choose.
#pragma once

#include "frontend/ast.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

struct Selection {
    Shape shape;                 ///< of what is chosen: an index drops its dimension, a range keeps it
    bool all = false;            ///< of the value, as they are
    std::vector<int> components; ///< of the whole, by component of what is chosen; for `all` not listed
    std::string text;            ///< as it may stand in brackets: `0:3,2`
};

/// Lists the components of `all`.
void list_all(Selection& selection);

/// The value that is indexed, for messages.
struct Indexed {
    Shape shape;
    Span brackets;
    Span whole;                  ///< its text
    std::optional<Span> defined; ///< of a plain name: where it is defined
};

/// The integer that an index means; nothing after reporting.
using IntegerOfIndex = std::function<std::optional<std::int64_t>(const ast::IndexTree& index)>;

/// The components that `slices` choose; nothing after reporting `wrong-index-count`, `index-out-of-range`, `empty-slice`, or what is wrong
/// with the integers. Linear in the components.
std::optional<Selection> selected(
    const std::vector<ast::Slice>& slices, const Indexed& value, const IntegerOfIndex& integer, Diagnostics& diagnostics);

} // namespace fusec::frontend
