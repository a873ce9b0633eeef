// SPDX-License-Identifier: Apache-2.0
#include "codegen/codegen.hpp"

#include "codegen/cuda_emission.hpp"
#include "codegen/host_emission.hpp"

namespace fusec::codegen {

Emitted emit(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options) {
    switch (options.target) {
    case fusion::Target::cuda:
        return emit_cuda(unit, graph, catalog, options);
    case fusion::Target::host:
        return emit_host(unit, graph, catalog, options);
    }
    throw InternalError("an unknown target");
}

} // namespace fusec::codegen
