// SPDX-License-Identifier: Apache-2.0
#include "codegen/source_file.hpp"

#include "codegen/formulas.hpp"
#include "codegen/interface_emission.hpp"

namespace fusec::codegen {

namespace {

constexpr std::size_t embedded_columns = 180;

/// The runtime and the routines in `namespace NAME_kernels { namespace fusec {`, so that two generated files can share a translation unit.
void write_runtime(Writer& writer, const Embedded& embedded, bool embed_runtime) {
    writer.line("// clang-format off: the parts of the runtime and of the elementary library that this file uses");
    writer.line("namespace fusec {");
    if (!embed_runtime) {
        writer.line("using namespace ::fusec;");
    }
    std::string templates;
    for (const std::string& text : embedded.templates) {
        templates += text;
    }
    writer.lines(compact((embed_runtime ? join_chunks(embedded.chunks) : "") + templates, embedded_columns));
    writer.line("} // namespace fusec");
    writer.line("// clang-format on");
}

} // namespace

std::string kernels_text(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog, const std::function<void(Writer&, const Kernel&, const std::string& name)>& write) {
    const std::vector<std::string> names = kernel_names(unit);
    Writer writer;
    for (std::size_t i = 0; i < unit.kernels.size(); ++i) {
        if (i > 0) {
            writer.line();
        }
        for (const std::string& formula : formulas(unit.kernels[i], graph, catalog)) {
            writer.line("// " + formula);
        }
        writer.line("// " + program_lines(unit.kernels[i], graph));
        write(writer, unit.kernels[i], names[i]);
    }
    return writer.take();
}

std::string source_file(const Unit& unit, const EmitOptions& options, const Embedded& embedded, const std::vector<std::string>& preamble, const std::string& kernels, const std::string& interface) {
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
    for (const std::string& line : preamble) {
        writer.line(line);
    }
    writer.line();
    writer.line("namespace " + kernel_namespace(unit) + " {");
    write_runtime(writer, embedded, options.embed_runtime);
    writer.line();
    writer.lines(kernels);
    writer.line();
    writer.line("} // namespace " + kernel_namespace(unit));
    writer.line();
    writer.lines(interface);
    return writer.take();
}

} // namespace fusec::codegen
