// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda_emission.hpp"

#include "codegen/dialect.hpp"
#include "codegen/interface_emission.hpp"
#include "codegen/kernel_emission.hpp"
#include "codegen/source_file.hpp"

#include <algorithm>
#include <set>

namespace fusec::codegen {

namespace {

constexpr int ordinary_shared_bytes = 48 * 1024; ///< what a launch may use without asking
const InterfaceText cuda_interface = {cuda_dialect.success, cuda_dialect.invalid_value, "device memory", "a cudaStream_t or null"};

/// Pointers whose alignment the kernel's wide accesses depend on.
std::string aligned_lists(const Kernel& kernel, const std::vector<std::string>& pointers) {
    std::set<std::size_t> wide;
    for (const Step& step : kernel.steps) {
        std::visit(
            [&](const auto& s) {
                if constexpr (requires { s.access_bytes; }) {
                    if (s.access_bytes > bytes_of(kernel.lists.at(s.list).type.precision)) {
                        wide.insert(s.list);
                    }
                }
            },
            step);
    }
    std::string text;
    for (const std::size_t list : wide) {
        text += (text.empty() ? "" : ", ") + pointers.at(list);
    }
    return text;
}

std::string launch_call(const Unit& unit, std::size_t index, const std::vector<std::string>& pointers) {
    const Kernel& kernel = unit.kernels[index];
    std::string name = kernel_namespace(unit) + "::" + kernel_names(unit)[index];
    if (kernel.has_wide_access()) {
        name = "fusec::aligned16(" + aligned_lists(kernel, pointers) + ") ? " + name + "<true> : " + name + "<false>";
    }
    std::string call = kernel.shared_bytes > ordinary_shared_bytes ? "fusec::launch_large(" : "fusec::launch(";
    call += name + ", count, " + std::to_string(kernel.tile_elements) + ", " + std::to_string(kernel.threads) + ", " + std::to_string(kernel.shared_bytes) + ", stream";
    for (const std::string& pointer : pointers) {
        call += ", " + pointer;
    }
    return call + ")";
}

} // namespace

Emitted emit_cuda(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options) {
    const Routines routines = routines_of(unit, graph, catalog);
    const std::string kernels = kernels_text(unit, graph, catalog, [&](Writer& writer, const Kernel& kernel, const std::string& name) { write_kernel(writer, kernel, name, routines, cuda_dialect); });
    Writer interface;
    write_interface(interface, unit, cuda_interface, true, [&](std::size_t index, const std::vector<std::string>& pointers) { return launch_call(unit, index, pointers); });
    const Embedded embedded = embed(kernels + interface.text(), routines, fusion::Target::cuda);
    const std::string arch_macro(cuda_dialect.arch_macro);
    std::vector<std::string> preamble;
    if (options.embed_runtime) { // the runtime's headers include what they use
        const std::string text = kernels + interface.text() + join_chunks(embedded.chunks);
        const auto include = [&](std::string_view header, std::string_view user) {
            if (text.find(user) != std::string::npos) {
                preamble.push_back("#include <" + std::string(header) + ">");
            }
        };
        include("cstdint", "std::uintptr_t");
        include(cuda_dialect.copies_header, cuda_dialect.copies_prefix);
        include(cuda_dialect.runtime_header, "");
        include("type_traits", "std::conditional_t");
        preamble.emplace_back();
    }
    preamble.insert(preamble.end(), {"#if defined(" + arch_macro + ") && " + arch_macro + " < " + std::to_string(options.arch * 10), "#error \"made for sm_" + std::to_string(options.arch) + " and later\"", "#endif"});
    return {source_file(unit, options, embedded, preamble, kernels, interface.text()), interface_header(unit, options, cuda_interface)};
}

} // namespace fusec::codegen
