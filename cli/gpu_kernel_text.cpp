// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_kernel_text.hpp"

#include "codegen/interface_emission.hpp"
#include "codegen/repeated.hpp"
#include "execute/domains.hpp"
#include "perfmodel/fit/kernel_work_json.hpp"
#include "support/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fusec::cli {

namespace {

constexpr std::size_t cases = 64;
constexpr std::uint64_t seed = 20;

std::string numbers(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
        text += fmt::format("{}{:.17g}", text.empty() ? "" : ", ", value);
    }
    return text;
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    }
    return result + "\"";
}

/// The kernels of one program.
class ProgramText {
public:
    ProgramText(std::size_t index, const Compilation& program, int arch, std::vector<std::string>& notes)
        : program_(program), arch_(arch), name_(fmt::format("emitted_{}", index)), notes_(notes) {
        execute::RandomCases drawn = execute::draw_cases(*program.program, *program.catalog, cases, seed);
        values_ = std::move(drawn.reference.values);
        for (std::size_t datum = 0; datum < values_.size(); ++datum) { // exact where they are read
            if (program.program->data[datum].type.precision == Precision::f32) {
                std::ranges::transform(values_[datum], values_[datum].begin(), [](double x) { return double{static_cast<float>(x)}; });
            }
        }
    }

    void add(const GpuKernel& kernel, std::size_t number) {
        codegen::Unit unit = codegen::lower(kernel.candidate, fmt::format("k{}", number), *program_.graph, *program_.catalog);
        codegen::Kernel& made = unit.kernels.front();
        made.resident_blocks = kernel.resident_blocks;
        codegen::verify(unit);
        const execute::ReferenceResult expected =
            execute::evaluate(*program_.program, *program_.catalog, kernel.candidate.calls, cases, values_);
        for (const codegen::List& list : made.lists) {
            const auto& shown = list.written ? expected.values : values_;
            if (!std::ranges::all_of(shown.at(list.datum.index()), [](double value) { return std::isfinite(value); })) {
                notes_.push_back(fmt::format("`{}` of `{}` is not measured: not all of `{}` are numbers", kernel.name,
                    program_.program->name, program_.program->datum(list.datum).name));
                return;
            }
        }
        codegen::EmitOptions options;
        options.arch = arch_;
        options.header_name = name_ + ".h";
        options.summary = kernel.role + ": " + kernel.name;
        const codegen::Emitted emitted = kernel.repeated > 0
            ? codegen::emit_repeated(unit, *program_.graph, *program_.catalog, options, kernel.repeated)
            : codegen::emit(unit, *program_.graph, *program_.catalog, options);
        header_ += emitted.header + "\n";
        kernels_ += emitted.source + "\n";
        write_table(kernel, unit, expected);
    }

    /// Source and header; none without kernels.
    std::vector<OutputFile> files() {
        if (kernels_.empty()) {
            return {};
        }
        Writer text;
        text.line("// Kernels of `" + program_.program->name + "` that are measured: written by `fusec calibrate`.");
        text.lines(kernels_);
        text.line("#include \"kernels.cuh\"");
        text.line();
        text.line("namespace {");
        text.line();
        text.lines(values_text_);
        text.line();
        text.lines(launches_.take());
        text.line("} // namespace");
        text.line();
        text.line("namespace fusec::probe {");
        text.line();
        {
            const auto block = text.block("void add_" + name_ + "(std::vector<EmittedKernel>& kernels)");
            text.lines(entries_.take());
        }
        text.line();
        text.line("} // namespace fusec::probe");
        return {{name_ + ".cu", text.take()}, {name_ + ".h", header_}};
    }
    const std::string& name() const { return name_; }

private:
    /// The name of an array of these.
    std::string array(const std::vector<double>& values) {
        const std::string text = numbers(values);
        const auto [found, fresh] = arrays_.try_emplace(text, fmt::format("values_{}", arrays_.size()));
        if (fresh) {
            values_text_ += fmt::format("const double {}[] = {{{}}};\n", found->second, text);
        }
        return found->second;
    }

    void write_table(const GpuKernel& kernel, const codegen::Unit& unit, const execute::ReferenceResult& expected) {
        const codegen::Kernel& made = unit.kernels.front();
        std::string types;
        for (const Precision precision : made.wide_precisions()) {
            types += (types.empty() ? "<" : ", ") + std::string(precision == Precision::f32 ? "float4" : "double2");
        }
        const std::string function =
            codegen::kernel_namespace(unit) + "::" + codegen::kernel_names(unit).front() + types + (types.empty() ? "" : ">");
        std::string arguments, lists;
        std::size_t place = 0;
        for (const codegen::List& list : made.lists) {
            const bool written = list.written;
            const std::vector<double>& values = (written ? expected.values : values_).at(list.datum.index());
            arguments += fmt::format("static_cast<{}{}*>(lists[{}]), ", written ? "" : "const ", list.c_type(), place++);
            std::string allowed = "nullptr";
            if (written) {
                std::vector<double> each;
                for (const double bound : expected.bounds.at(list.datum.index())) {
                    each.push_back(bound == execute::not_compared ? -1 : execute::allowed_error(bound, list.type.precision));
                }
                allowed = array(each);
            }
            lists += fmt::format("{}{{{}, {}, {}, {}, {}, {}}}", lists.empty() ? "" : ", ", bytes_of(list.list_type().precision),
                list.type.shape.size(), list.uniform, written, array(values), allowed);
        }
        {
            const auto block = launches_.block(fmt::format("void launch_{}(unsigned blocks, std::size_t elements, int shared_bytes, int{}, "
                                                           "void* const* lists)",
                unit.name, kernel.repeated > 0 ? " repetitions" : ""));
            launches_.line(fmt::format("{}<<<blocks, {}, shared_bytes>>>({}{}0, static_cast<{}>(elements));", function, made.threads,
                arguments, kernel.repeated > 0 ? "repetitions, " : "", codegen::c_name(made.first)));
        }
        std::string extra;
        for (const int bytes : kernel.extra_shared) {
            extra += fmt::format("{}{}", extra.empty() ? "" : ", ", bytes);
        }
        entries_.line(fmt::format("kernels.push_back({{{}, {}, {}, {}, R\"work({})work\", {}, {}, {}, {}, {}, {}, {{{}}}, {}, {{{}}}, "
                                  "address_of({}), launch_{}}});",
            quoted(kernel.role), quoted(kernel.name), quoted(program_.program->name), kernel.seed,
            perfmodel::to_json(kernel.candidate.work), made.threads, made.tile_elements, made.shared_bytes, kernel.repeated, kernel.cached,
            kernel.sweep, extra, cases, lists, function, unit.name));
    }

    const Compilation& program_;
    int arch_;
    std::string name_;
    std::vector<std::string>& notes_;
    execute::DataValues values_;                ///< of all data
    std::map<std::string, std::string> arrays_; ///< by their text: names
    std::string header_, kernels_, values_text_;
    Writer launches_, entries_;
};

} // namespace

std::vector<OutputFile> gpu_kernel_files(const GpuKernels& kernels, int arch, std::vector<std::string>& notes) {
    std::vector<OutputFile> files;
    std::vector<std::string> names;
    std::size_t number = 0;
    for (const Compilation& program : kernels.programs) {
        if (std::ranges::none_of(kernels.kernels, [&](const GpuKernel& kernel) { return kernel.program == &program; })) {
            continue;
        }
        ProgramText text(names.size(), program, arch, notes);
        for (const GpuKernel& kernel : kernels.kernels) {
            if (kernel.program == &program) {
                text.add(kernel, number++);
            }
        }
        std::vector<OutputFile> made = text.files();
        if (!made.empty()) {
            names.push_back(text.name());
            std::ranges::move(made, std::back_inserter(files));
        }
    }
    Writer table;
    table.line("// All kernels that are measured: written by `fusec calibrate`.");
    table.line("#include \"kernels.cuh\"");
    table.line();
    table.line("namespace fusec::probe {");
    table.line();
    for (const std::string& name : names) {
        table.line("void add_" + name + "(std::vector<EmittedKernel>& kernels);");
    }
    table.line();
    {
        const auto block = table.block("std::vector<EmittedKernel> emitted_kernels()");
        table.line("std::vector<EmittedKernel> kernels;");
        for (const std::string& name : names) {
            table.line("add_" + name + "(kernels);");
        }
        table.line("return kernels;");
    }
    table.line();
    table.line("} // namespace fusec::probe");
    files.push_back({"emitted.cu", table.take()});
    return files;
}

} // namespace fusec::cli
