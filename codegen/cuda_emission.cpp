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

InterfaceText cuda_interface(int arch) {
    return {cuda_dialect.success, cuda_dialect.invalid_value, "device memory", "a cudaStream_t or null",
        "nvcc of CUDA 11.8 or later for sm_" + std::to_string(arch) + " or later, as C++17 or later", "a launch's own cudaError_t", 16,
        "fusec::reset_failure(workspace, stream)", "fusec::read_failure(&failure, workspace, stream)", "waits for the stream and "};
}

bool is_one_statement(const std::string& text) {
    return std::count(text.begin(), text.end(), ';') == 1 && text.find("for (") == std::string::npos;
}

/// A unit with few short calls reads best as the loops it is made of; a longer one as a list of calls, and of assignments where a routine is
/// no more than that.
void write_out_short_routines(const Unit& unit, Routines& routines) {
    constexpr std::ptrdiff_t most_lines = 64;
    std::ptrdiff_t lines = 0;
    for (const Kernel& kernel : unit.kernels) {
        for (const Step& step : kernel.steps) {
            const auto count = [&](const std::string& routine) {
                const std::string& text = routines.at(routine).text;
                lines += std::count(text.begin(), text.end(), '\n');
            };
            if (const auto* compute = std::get_if<Compute>(&step)) {
                count(compute->routine);
            } else if (const auto* derive = std::get_if<Derive>(&step)) {
                count(derive->routine);
            }
        }
    }
    for (auto& [name, routine] : routines) {
        routine.write_out = (lines <= most_lines || is_one_statement(routine.text)) && !routine.takes_lane;
    }
}

std::string launch_call(const Unit& unit, std::size_t index, const std::vector<std::string>& pointers, int repeated) {
    const Kernel& kernel = unit.kernels[index];
    std::string name = kernel_names(unit)[index];
    if (kernel.has_wide_access()) {
        std::string vectors, components;
        for (const Precision precision : kernel.wide_precisions()) {
            vectors += (vectors.empty() ? "" : ", ") + std::string(precision == Precision::f32 ? "float4" : "double2");
            components += (components.empty() ? "" : ", ") + std::string(c_name(precision));
        }
        name = "fusec::aligned16(lists, first) ? " + name + "<" + vectors + "> : " + name + "<" + components + ">";
    }
    std::string call = kernel.shared_bytes > ordinary_shared_bytes ? "fusec::launch_large(" : "fusec::launch(";
    call += name + ", count, " + std::to_string(kernel.tile_elements) + ", " + std::to_string(kernel.threads) + ", " +
        std::to_string(kernel.shared_bytes) + ", stream";
    for (const std::string& pointer : pointers) {
        call += ", " + pointer;
    }
    return call + (repeated > 0 ? ", " + std::to_string(repeated) : "") + ")";
}

} // namespace

Emitted emit_cuda(
    const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const EmitOptions& options, int repeated) {
    Routines routines = routines_of(unit, graph, catalog);
    if (repeated == 0) { // what is repeated is a call
        write_out_short_routines(unit, routines);
    }
    const std::string kernels = kernels_text(unit, graph, catalog, [&](Writer& writer, const Kernel& kernel, const std::string& name) {
        write_kernel(writer, kernel, name, routines, cuda_dialect, repeated);
    });
    Writer interface;
    const InterfaceText text_of_target = cuda_interface(options.arch);
    write_interface(interface, unit, text_of_target, options.entries, true,
        [&](std::size_t index, const std::vector<std::string>& pointers) { return launch_call(unit, index, pointers, repeated); });
    const Embedded embedded = embed(kernels + interface.text(), routines, fusion::Target::cuda);
    const std::string arch_macro(cuda_dialect.arch_macro), arch = std::to_string(options.arch);
    std::vector<std::string> preamble;
    if (options.embed_runtime) { // the runtime's headers include what they use
        const std::string text = kernels + interface.text() + join_chunks(embedded.chunks);
        const auto include = [&](std::string_view header, std::string_view user) {
            if (text.find(user) != std::string::npos) {
                preamble.push_back("#include <" + std::string(header) + ">");
            }
        };
        include("algorithm", "std::sort");
        include("cstdint", "std::uintptr_t");
        include(cuda_dialect.copies_header, cuda_dialect.copies_prefix);
        include(cuda_dialect.runtime_header, "");
        include("type_traits", "std::conditional_t");
        preamble.emplace_back();
    }
    preamble.insert(preamble.end(),
        {"#if defined(" + arch_macro + ") && " + arch_macro + " < " + std::to_string(options.arch * 10),
            "#error \"made for sm_" + arch + " and later: compile with -arch=sm_" + arch + "\"", "#endif"});
    return {source_file(unit, options, embedded, preamble, kernels, interface.text()), interface_header(unit, options, text_of_target)};
}

} // namespace fusec::codegen
