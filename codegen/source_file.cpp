// SPDX-License-Identifier: Apache-2.0
#include "codegen/source_file.hpp"

#include "codegen/formulas.hpp"
#include "codegen/interface_emission.hpp"

namespace fusec::codegen {

namespace {

/// The runtime and the routines in `namespace NAME_kernels { namespace fusec {`, so that two generated files can share a translation unit.
void write_runtime(Writer& writer, const Embedded& embedded, const EmitOptions& options) {
    const bool quiet = options.embed_runtime && options.target == fusion::Target::host;
    if (quiet) { // as in the headers
        writer.line("#pragma GCC diagnostic push");
        writer.line("#pragma GCC diagnostic ignored \"-Wsign-conversion\"");
    }
    writer.line("namespace fusec {");
    if (options.embed_runtime) {
        writer.lines(join_chunks(embedded.chunks));
    } else {
        writer.line("using namespace ::fusec;");
    }
    for (const std::string& text : embedded.templates) {
        writer.line();
        writer.lines(text);
    }
    writer.line("} // namespace fusec");
    if (quiet) {
        writer.line("#pragma GCC diagnostic pop");
    }
}

} // namespace

std::string kernels_text(const Unit& unit, const dag::CallGraph& graph, const library::Catalog& catalog,
    const std::function<void(Writer&, const Kernel&, const std::string& name)>& write) {
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

std::string source_file(const Unit& unit, const EmitOptions& options, const Embedded& embedded, const std::vector<std::string>& preamble,
    const std::string& kernels, const std::string& interface) {
    Writer writer;
    write_title(writer, unit, options);
    writer.line("#include \"" + options.header_name + "\"");
    writer.line();
    if (!options.embed_runtime) {
        for (const std::string& header : embedded.headers) {
            writer.line("#include <fusec/" + header + ">");
        }
        writer.line();
    }
    for (const std::string& line : preamble) {
        writer.line(line);
    }
    writer.line();
    writer.line("namespace " + kernel_namespace(unit) + " {");
    write_runtime(writer, embedded, options);
    writer.line();
    writer.lines(kernels);
    writer.line();
    writer.lines(interface);
    writer.line();
    writer.line("} // namespace " + kernel_namespace(unit));
    return writer.take();
}

} // namespace fusec::codegen
