// SPDX-License-Identifier: Apache-2.0
#include "codegen/codegen.hpp"

#include "codegen/cuda_emission.hpp"
#include "codegen/host_emission.hpp"
#include "codegen/repeated.hpp"

namespace fusec::codegen {

namespace {

Emitted emit_for(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int repeated) {
    switch (options.target) {
    case fusion::Target::cuda:
        return emit_cuda(unit, graph, catalog, options, repeated);
    case fusion::Target::host:
        return emit_host(unit, graph, catalog, options, repeated);
    }
    throw InternalError("an unknown target");
}

} // namespace

Emitted emit(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options) {
    return emit_for(unit, graph, catalog, options, 0);
}

Emitted emit_repeated(
    const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int copies) {
    internal_check(copies > 0, "calls are repeated once at least");
    return emit_for(unit, graph, catalog, options, copies);
}

} // namespace fusec::codegen
