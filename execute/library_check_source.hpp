// SPDX-License-Identifier: Apache-2.0
// The C++ text that runs implementations of one function over arrays of doubles, for library_check.cpp.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <string>
#include <vector>

namespace fusec::execute {

/// Where operands and result are while an implementation runs.
enum class Holding {
    memory,
    registers,
    lanes
};

std::string_view name_of(Holding holding);

/// One implementation on one instance.
struct CheckInstance {
    const library::Implementation* implementation = nullptr;
    std::vector<Shape> operands;
    Shape result;
    Precision precision = Precision::f32;
    int threads = 1;
    Holding holding = Holding::memory;
};

/// A function `extern "C" void NAME(const double* const* operands, double* result, int cases)` that runs one instance on `cases` cases;
/// operand i of case k starts at operands[i] + k * size. Results that the implementation does not write stay NaN; a result that each thread
/// makes whole is infinite where the threads differ.
std::string check_function(const library::Function& function, const CheckInstance& instance, const std::string& name);

/// Whether its threads exchange values: they cannot run one after another, and are those of blocks on the emulated machine.
bool is_emulated(const CheckInstance& instance);

/// A whole translation unit for the host (all but the instances that are emulated) or for the emulated machine (those): runtime, the function's templates as code generation embeds them, and check_0, check_1, ... by index
/// into `instances`.
std::string check_unit(const library::Function& function, const std::vector<CheckInstance>& instances, bool emulated);

} // namespace fusec::execute
