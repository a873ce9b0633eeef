// SPDX-License-Identifier: Apache-2.0
// Lists that are updated in place: calls in an order in which every old value is read before the new one takes its place.
#pragma once

#include "frontend/checked_program.hpp"

namespace fusec::frontend {

/// A call that reads the old value of a list must run before, or be, the one that makes the new one: in the result, `calls` is an order that
/// keeps to this besides the operands. Where no order does (the reader needs the new value too, or two lists exchange their values) the
/// reader gets a copy of the old value, `y:0.kept`, a call that only moves data. O(reads of old values * calls).
CheckedProgram order_updates(const CheckedProgram& program, const library::Catalog& catalog);

} // namespace fusec::frontend
