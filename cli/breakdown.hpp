// SPDX-License-Identifier: Apache-2.0
// What a predictor's answer is made of, in words.
#pragma once

#include "perfmodel/predictor.hpp"

#include <string>

namespace fusec::cli {

/// `dram 91.1 us, l2 61.9 us, instructions 412`: seconds of each bound, then the quantities; empty where the predictor gives none.
std::string terms_text(const perfmodel::Breakdown& breakdown);

} // namespace fusec::cli
