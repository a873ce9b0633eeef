// SPDX-License-Identifier: Apache-2.0
#include "codegen/names.hpp"

#include <algorithm>

namespace fusec::codegen {

std::string Names::make(std::string wanted) {
    // C++ keeps names with two underscores for itself: those that come about where names are joined, `demo_` and `F`.
    wanted.erase(std::unique(wanted.begin(), wanted.end(), [](char a, char b) { return a == '_' && b == '_'; }), wanted.end());
    while (!taken_.insert(wanted).second) {
        wanted += wanted.back() == '_' ? '1' : '_';
    }
    return wanted;
}

} // namespace fusec::codegen
