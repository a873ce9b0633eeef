// SPDX-License-Identifier: Apache-2.0
// What a kernel computes, as the formula and the program lines that stand above it.
#pragma once

#include "codegen/kernel_ir.hpp"

#include <string>
#include <vector>

namespace fusec::codegen {

/// `F = (D E + D) ||A B c||`: one line for each datum that the kernel stores or uses more than once, in execution order; the rest is
/// written out where it is used. Of more than twelve the first and the last, and the same of a line of more than 300 characters.
std::vector<std::string> formulas(const Kernel& kernel, const dag::CallGraph& graph, const library::Catalog& catalog);

/// `demo.fus:6-11: M1, v1, s1, M2, M3, F`: file name, lines of the calls, results in execution order, of more than 16 the first
/// and the last.
std::string program_lines(const Kernel& kernel, const dag::CallGraph& graph);

} // namespace fusec::codegen
