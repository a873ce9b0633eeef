// SPDX-License-Identifier: Apache-2.0
// What the generated source of every target is made of: title, includes, the pieces of the runtime, kernels with their formulas, interface.
#pragma once

#include "codegen/codegen.hpp"
#include "codegen/embedding.hpp"
#include "support/writer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fusec::codegen {

/// Every kernel below its formula and program lines; `write` gets the kernel and its name.
std::string kernels_text(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog,
    const std::function<void(Writer&, const Kernel&, const std::string& name)>& write);

/// The source file. `preamble`: what stands between the runtime's includes and the kernels' namespace, one line each.
std::string source_file(const Unit& unit, const EmitOptions& options, const Embedded& embedded, const std::vector<std::string>& preamble,
    const std::string& kernels, const std::string& interface);

} // namespace fusec::codegen
