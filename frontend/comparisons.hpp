// SPDX-License-Identifier: Apache-2.0
// Where comparisons stand, and what `select` is given, as far as the text alone says it.
#pragma once

#include "elementary-lib/catalog.hpp"
#include "frontend/ast.hpp"
#include "support/diagnostics.hpp"

#include <string_view>

namespace fusec::frontend {

/// Reports every comparison that is not the first argument of a `select`, and every `select` without one. Of a function that is not known,
/// which may be meant to be one, nothing is said. Linear but for looking up names.
void check_comparisons(const ast::Program& program, const library::Catalog& catalog, Diagnostics& diagnostics);

/// A call `select(comparison, x, y)`, of which nothing was reported.
bool is_selection(const ast::Program& program, const ast::Expression& call);

/// The function of the language that is named so.
bool is_select(std::string_view name);

} // namespace fusec::frontend
