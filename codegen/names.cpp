// SPDX-License-Identifier: Apache-2.0
#include "codegen/names.hpp"

namespace fusec::codegen {

std::string Names::make(std::string wanted) {
    while (!taken_.insert(wanted).second) {
        wanted += '_';
    }
    return wanted;
}

} // namespace fusec::codegen
