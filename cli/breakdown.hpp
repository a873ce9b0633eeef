// SPDX-License-Identifier: Apache-2.0
// What a predictor's answer is made of, in words.
#pragma once

#include "perfmodel/predictor.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fusec::cli {

/// `dram 91.1 us, l2 61.9 us`: the seconds of each bound.
std::string bound_times_text(const perfmodel::Breakdown& breakdown);
/// Parts with commas between them, in lines of less than so many characters where none is longer by itself.
std::vector<std::string> in_lines(const std::vector<std::string>& parts, std::size_t columns);
/// `instructions 412, body 97.7 us`: the quantities, in lines of less than so many characters where none is longer by itself; none where the predictor
/// gives none.
std::vector<std::string> quantity_lines(const perfmodel::Breakdown& breakdown, std::size_t columns);

} // namespace fusec::cli
