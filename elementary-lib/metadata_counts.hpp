// SPDX-License-Identifier: Apache-2.0
// Whether the counts of a function's metadata (`flops`, `temporaries`, ...) are numbers that can be at a shape.
#pragma once

#include "elementary-lib/catalog.hpp"

#include <optional>
#include <string>

namespace fusec::library {

/// A count of metadata that is none at a shape: the path of its key (`implementation[1].flops`) and what is wrong with it.
struct WrongCount {
    std::string path;
    std::string message;
};

/// The first count of the function, or of an implementation that is legal at the shape, that has no value, a negative one, or one above any
/// sense. Loading tries some shapes (`check_counts`); whoever makes an instance of a function of the library asks for its own.
/// Pre: the shape has all parameters. O(counts).
std::optional<WrongCount> wrong_count(const Function& function, const ShapeValues& shape);

} // namespace fusec::library
