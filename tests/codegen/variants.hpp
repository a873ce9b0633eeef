// SPDX-License-Identifier: Apache-2.0
// One unit for each thing the emitter can print.
#pragma once

#include "samples.hpp"

#include <string>
#include <vector>

namespace fusec::codegen::test {

struct Variant {
    std::string name;
    std::shared_ptr<const Sample> program;
    Unit unit;
    int repeated = 0; ///< copies of each call in a pass of the loop over it; 0: the text is that of emit()

    Emitted emit(int arch, bool embed_runtime) const;
};

/// In a fixed order; built once.
const std::vector<Variant>& variants();
const Variant& variant(const std::string& name);

} // namespace fusec::codegen::test
