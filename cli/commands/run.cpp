// SPDX-License-Identifier: Apache-2.0
// `fusec run`: emit for the host, build (cached by content), execute with given or random inputs, write NumPy files.
#include "cli/commands.hpp"
#include "cli/pipeline.hpp"
#include "cli/report_text.hpp"
#include "execute/buffer.hpp"
#include "execute/build_folder.hpp"
#include "execute/compiler.hpp"
#include "execute/domains.hpp"
#include "execute/loaded_library.hpp"
#include "execute/npy.hpp"
#include "support/counted.hpp"
#include "support/distinct_files.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <map>

namespace fusec::cli {

namespace {

/// The lists of one execution: one buffer per datum of the interface, in interface order.
struct Lists {
    std::uint64_t elements = 0;
    std::vector<DataId> data;
    std::vector<execute::Buffer> buffers;
};

std::size_t list_bytes(const frontend::Datum& datum, std::uint64_t elements) {
    const std::uint64_t values = execute::per_element(datum) ? elements : 1;
    return static_cast<std::size_t>(values) * static_cast<std::size_t>(datum.list_bytes());
}

std::vector<DataId> listed_outputs(const frontend::CheckedProgram& program) {
    return {program.outputs.begin(), program.outputs.begin() + static_cast<std::ptrdiff_t>(program.listed_outputs())};
}

/// Files by the datum they name; reports names that are not of `allowed`, and names given twice.
std::map<DataId, Path> by_datum(const std::vector<std::pair<std::string, Path>>& files, const std::vector<DataId>& allowed,
    const char* role, const frontend::CheckedProgram& program, Diagnostics& diagnostics) {
    std::map<DataId, Path> result;
    std::vector<std::string> names;
    for (const DataId id : allowed) {
        names.push_back(program.list_name(id));
    }
    for (const auto& [name, path] : files) {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) {
            Diagnostic& error =
                diagnostics.report(kind::unknown_list, {}, fmt::format("program `{}` has no {} `{}`", program.name, role, name));
            error.hint = fmt::format("its {}s are {}", role, fmt::join(names, ", "));
        } else if (!result.emplace(allowed[static_cast<std::size_t>(found - names.begin())], path).second) {
            diagnostics.report(kind::unknown_list, {}, fmt::format("{} `{}` is given twice", role, name));
        }
    }
    return result;
}

/// The bytes of random components, rounded to the precision.
std::string random_list(
    const frontend::CheckedProgram& program, DataId id, const execute::Demands& demands, std::uint64_t elements, std::uint64_t seed) {
    const frontend::Datum& datum = program.datum(id);
    const Type type = datum.list_type();
    std::string bytes;
    bytes.reserve(list_bytes(datum, elements));
    for (std::uint64_t e = 0; e < (execute::per_element(datum) ? elements : 1); ++e) {
        for (const double component : execute::random_value(type, demands, seed, id.value, e, 0)) {
            if (type.precision == Precision::f32) {
                const auto narrow = static_cast<float>(component);
                bytes.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
            } else {
                bytes.append(reinterpret_cast<const char*>(&component), sizeof component);
            }
        }
    }
    return bytes;
}

/// Reports `memory-limit` when the lists are larger than this machine's memory.
bool fits_memory(const frontend::CheckedProgram& program, std::uint64_t elements, Diagnostics& diagnostics) {
    double needed = 0;
    for (const frontend::Datum& datum : program.data) {
        const bool listed =
            datum.kind == frontend::DatumKind::input || (datum.output && !datum.flag); // an updated list is copied on the way in and out
        needed += listed ? static_cast<double>(datum.list_bytes()) * static_cast<double>(elements) : 0;
    }
    const double available = execute::memory_bytes();
    if (needed > available) {
        constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
        diagnostics.report(kind::memory_limit, {},
            fmt::format("{} {} {:.1f} GiB, this machine has {:.1f} GiB", counted(elements, "element"), elements == 1 ? "needs" : "need",
                needed / gibibyte, available / gibibyte));
        return false;
    }
    return true;
}

/// Reads the files, settles the number of elements, draws the rest. Nothing after a report.
std::optional<Lists> gather(const Run& command, const Compilation& c, const std::map<DataId, Path>& files, Diagnostics& diagnostics) {
    const frontend::CheckedProgram& program = *c.program;
    std::map<DataId, execute::NumpyList> read;
    std::optional<std::uint64_t> elements = command.elements;
    std::string settled_by = "-n";
    for (const auto& [id, path] : files) {
        const frontend::Datum& datum = program.datum(id);
        const bool uniform = !execute::per_element(datum);
        auto list = execute::read_numpy(path, {.datum = program.list_name(id), .type = datum.list_type(), .uniform = uniform}, diagnostics);
        if (!list) {
            continue;
        }
        if (!uniform) {
            if (elements && *elements != list->elements) {
                diagnostics.report(kind::element_count, {},
                    fmt::format("`{}` has {}, {} gives {}", path.string(), counted(list->elements, "element"), settled_by, *elements));
            }
            elements = list->elements;
            settled_by = "`" + path.string() + "`";
        }
        read.emplace(id, std::move(*list));
    }
    if (diagnostics.has_errors()) {
        return std::nullopt;
    }
    Lists lists;
    lists.elements = elements.value_or(1024);
    if (!fits_memory(program, lists.elements, diagnostics)) {
        return std::nullopt;
    }
    const std::vector<execute::Demands> demands = execute::demands(program, *c.catalog);
    for (const DataId id : program.inputs) {
        const auto found = read.find(id);
        lists.data.push_back(id);
        lists.buffers.emplace_back(
            found != read.end() ? found->second.bytes : random_list(program, id, demands.at(id.index()), lists.elements, command.seed));
        if (found == read.end()) {
            std::cerr << fmt::format("{}: `{}` is random (seed {})\n", program.name, program.list_name(id), command.seed);
        }
    }
    for (const DataId id : listed_outputs(program)) {
        lists.data.push_back(id);
        lists.buffers.emplace_back(program.old_value(id) ? 0 : list_bytes(program.datum(id), lists.elements)); // else updated in place
    }
    return lists;
}

/// The library in memory: its file may be gone by the time it runs.
std::optional<execute::LoadedLibrary> build(const Compilation& c, Diagnostics& diagnostics) {
    const auto compiler = execute::find_host_compiler(diagnostics);
    const auto folder = compiler ? execute::BuildFolder::open(execute::default_cache_folder(), diagnostics) : std::nullopt;
    if (!folder) {
        return std::nullopt;
    }
    execute::BuildRequest request;
    request.kind = execute::BuildKind::host_product;
    request.files = {{c.program->name + ".cpp", c.emitted.source}, {c.header_name, c.emitted.header}};
    request.include_folders = {library::standard_library_folder() / "runtime"};
    const auto path = execute::build_library(request, *compiler, folder->path(), diagnostics);
    return path ? execute::LoadedLibrary::open(*path, diagnostics) : std::nullopt;
}

/// Launches the program: whole, or with `blocks` by their functions, one after the other. What they took, for the last line of the command.
std::string launch(const execute::UnitFunctions& functions, const std::vector<std::string>& blocks, const std::vector<void*>& lists,
    std::uint64_t elements, execute::Buffer& workspace) {
    void* const memory = workspace.size() == 0 ? nullptr : workspace.data();
    double all = 0;
    const auto timed = [&](const auto& function) {
        const auto start = std::chrono::steady_clock::now();
        const int status = function(lists.data(), elements, memory, workspace.size(), nullptr);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        internal_check(status == 0, "the host kernels refused their arguments");
        all += seconds;
        return time_text(seconds);
    };
    if (blocks.empty()) {
        timed(functions.launch);
        return time_text(all);
    }
    std::string each;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        each += (b == 0 ? "" : ", ") + fmt::format("`{}` {}", blocks[b], timed(functions.entries.at(b).launch));
    }
    return time_text(all) + ": " + each;
}

/// Reports the first element in which an assertion fails, at the assertion.
void report_failure(const frontend::CheckedProgram& program, const execute::UnitFunctions& functions, const void* workspace,
    std::uint64_t elements, Diagnostics& diagnostics) {
    if (program.checks.empty()) {
        return;
    }
    std::size_t element = 0;
    const char* message = nullptr;
    internal_check(functions.first_failure(workspace, nullptr, &element, &message) == 0, "the first failure cannot be read");
    if (message != nullptr) {
        std::uint64_t word = 0; // its lower half-word is the number: texts need not differ
        std::memcpy(&word, workspace, sizeof word);
        diagnostics.report(kind::failed_assertion, program.checks.at(word & 0xFFFFU).span,
            fmt::format("assertion fails in element {} of {}: {}", element, elements, message));
    }
}

/// Prints the first elements of an output, for a look without a NumPy file.
void print_head(const frontend::Datum& datum, const std::string& bytes, std::uint64_t elements) {
    constexpr std::uint64_t most = 3;
    const auto components = static_cast<std::size_t>(datum.type.shape.size());
    std::cout << fmt::format("{} : {}\n", datum.name, to_string(datum.type, datum.storage));
    for (std::uint64_t e = 0; e < std::min(elements, most); ++e) {
        std::cout << fmt::format("  [{}]", e);
        for (std::size_t k = 0; k < components; ++k) {
            const std::size_t at = static_cast<std::size_t>(e) * components + k;
            double value = 0;
            if (datum.list_type().precision == Precision::f32) {
                float narrow = 0;
                std::memcpy(&narrow, bytes.data() + at * sizeof narrow, sizeof narrow);
                value = static_cast<double>(narrow);
            } else {
                std::memcpy(&value, bytes.data() + at * sizeof value, sizeof value);
            }
            std::cout << fmt::format(" {:g}", value);
        }
        std::cout << '\n';
    }
    if (elements > most) {
        std::cout << fmt::format("  ... {} more\n", elements - most);
    }
}

} // namespace

void run_command(const Run& command, Diagnostics& diagnostics) {
    Compilation c;
    c.options = command.options;
    c.options.elements = std::max<std::uint64_t>(command.elements.value_or(c.options.elements), 1);
    if (!run_pipeline(c, diagnostics, "emit")) {
        return;
    }
    const auto inputs = by_datum(command.inputs, c.program->inputs, "input", *c.program, diagnostics);
    const auto outputs = by_datum(command.outputs, listed_outputs(*c.program), "output", *c.program, diagnostics);
    std::vector<Path> read = {command.options.program};
    for (const auto& [id, path] : inputs) {
        read.push_back(path);
    }
    std::vector<Path> written;
    for (const auto& [id, path] : outputs) {
        written.push_back(path);
    }
    if (diagnostics.has_errors() || !distinct_files(written, read, diagnostics)) {
        return;
    }
    auto lists = gather(command, c, inputs, diagnostics);
    if (!lists) {
        return;
    }
    const auto library = build(c, diagnostics);
    const std::vector<std::string> blocks = c.options.entries ? c.unit->blocks : std::vector<std::string>{};
    const auto functions =
        library ? execute::UnitFunctions::find(*library, c.unit->name, diagnostics, blocks, !c.program->checks.empty()) : std::nullopt;
    if (!functions) {
        return;
    }
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < lists->buffers.size(); ++i) {
        if (!c.program->old_value(lists->data[i])) {
            pointers.push_back(lists->buffers[i].data());
        }
    }
    execute::Buffer workspace(functions->workspace_bytes(lists->elements));
    const std::string took = launch(*functions, blocks, pointers, lists->elements, workspace);

    std::vector<OutputFile> files;
    for (std::size_t i = 0; i < c.program->listed_outputs(); ++i) {
        const DataId id = c.program->outputs[i];
        const frontend::Datum& datum = c.program->datum(id);
        const auto update = std::ranges::find(c.program->updates, i, &frontend::Update::output);
        const std::size_t buffer = update == c.program->updates.end() ? c.program->inputs.size() + i : update->input;
        const std::string bytes = lists->buffers[buffer].text();
        if (const auto file = outputs.find(id); file != outputs.end()) {
            files.push_back({file->second, execute::numpy_file({.elements = lists->elements, .bytes = bytes}, datum.list_type(), false)});
        } else {
            print_head(datum, bytes, lists->elements);
        }
    }
    if (!write_files(files, diagnostics, read)) {
        return;
    }
    report_failure(*c.program, *functions, workspace.data(), lists->elements, diagnostics);
    if (!diagnostics.has_errors()) {
        diagnostics.conclude(
            fmt::format("{}: {} in {} (first call, not a benchmark)", c.program->name, counted(lists->elements, "element"), took));
    }
}

} // namespace fusec::cli
