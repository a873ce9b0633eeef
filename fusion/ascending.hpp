// SPDX-License-Identifier: Apache-2.0
// Questions to ascending lists of ids.
#pragma once

#include <algorithm>

namespace fusec::fusion {

/// Pre: `ascending` is sorted.
bool contains(const auto& ascending, auto value) {
    return std::binary_search(ascending.begin(), ascending.end(), value);
}

} // namespace fusec::fusion
