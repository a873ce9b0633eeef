// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda_emission.hpp"

#include "codegen/embedding.hpp"
#include "codegen/formulas.hpp"
#include "codegen/interface_emission.hpp"
#include "codegen/kernel_emission.hpp"

#include <algorithm>
#include <set>

namespace fusec::codegen {

namespace {

constexpr std::size_t embedded_columns = 180;
constexpr int ordinary_shared_bytes = 48 * 1024; ///< what a launch may use without asking
const InterfaceText cuda_interface = {cuda_dialect.success, cuda_dialect.invalid_value, "device memory", "a cudaStream_t or null"};

void write_kernels(Writer& writer, const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog) {
    const std::vector<std::string> names = kernel_names(unit);
    for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
        if (i > 0) {
            writer.line();
        }
        for (const std::string& formula : formulas(unit.kernels[i], graph, catalog)) {
            writer.line("// " + formula);
        }
        writer.line("// " + program_lines(unit.kernels[i], graph));
        write_kernel(writer, unit.kernels[i], names[i], cuda_dialect);
    }
}

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
    Writer kernels;
    write_kernels(kernels, unit, graph, catalog);
    Writer interface;
    write_interface(interface, unit, cuda_interface, true, [&](std::size_t index, const std::vector<std::string>& pointers) { return launch_call(unit, index, pointers); });
    const Embedded embedded = embed(kernels.text() + interface.text(), unit, graph, catalog);

    Writer writer;
    write_title(writer, unit, options);
    writer.line("#include \"" + options.header_name + "\"");
    writer.line();
    if (!options.embed_runtime) {
        for (const RuntimeHeader& header : runtime_headers()) {
            if (embedded.headers.count(std::string(header.name)) != 0) {
                writer.line("#include <fusec/" + std::string(header.name) + ">");
            }
        }
        writer.line();
    }
    writer.line("#include <cstdint>");
    writer.line("#include <" + std::string(cuda_dialect.runtime_header) + ">");
    writer.line("#include <type_traits>");
    writer.line();
    writer.line("#if defined(" + std::string(cuda_dialect.arch_macro) + ") && " + std::string(cuda_dialect.arch_macro) + " < " + std::to_string(options.arch * 10));
    writer.line("#error \"made for sm_" + std::to_string(options.arch) + " and later\"");
    writer.line("#endif");
    writer.line();
    writer.line("namespace " + kernel_namespace(unit) + " {");
    writer.line("// clang-format off: the parts of the runtime and of the elementary library that this file uses");
    writer.line("namespace fusec {");
    if (!options.embed_runtime) {
        writer.line("using namespace ::fusec;");
    }
    std::string templates;
    for (const std::string& text : embedded.templates) {
        templates += text;
    }
    writer.lines(compact((options.embed_runtime ? join_chunks(embedded.chunks) : "") + templates, embedded_columns));
    writer.line("} // namespace fusec");
    writer.line("// clang-format on");
    writer.line();
    writer.lines(kernels.text());
    writer.line();
    writer.line("} // namespace " + kernel_namespace(unit));
    writer.line();
    writer.lines(interface.text());
    return {writer.take(), interface_header(unit, options, cuda_interface)};
}

} // namespace fusec::codegen
