// SPDX-License-Identifier: Apache-2.0
#include "codegen/interface_emission.hpp"

#include "codegen/failure_emission.hpp"
#include "codegen/names.hpp"
#include "frontend/identifiers.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace fusec::codegen {

namespace {

std::string pointer_type(const List& list) {
    return std::string(list.written || list.updated ? "" : "const ") + list.c_type() + "*";
}

std::string list_comment(const List& list) {
    return to_string(list.type.shape) + (list.type.shape.packed ? ", the rows of its lower triangle" : "") +
        (list.storage ? std::string(", computed in ") + c_name(list.type.precision) : "") +
        (list.uniform          ? ", one for all elements"
                : list.updated ? ", updated in place"
                               : "") +
        (list.program_name.empty() || list.program_name == list.name ? "" : "; `" + list.program_name + "` of the program");
}

/// The members of NAME_arguments with their comments in one column.
void write_members(Writer& writer, const Unit& unit) {
    std::vector<std::pair<std::string, std::string>> members;
    std::size_t width = 0;
    for (const auto* lists : {&unit.inputs, &unit.outputs}) {
        for (const List& list : *lists) {
            if (list.written && list.updated) {
                continue; // the member of its old value
            }
            members.emplace_back(pointer_type(list) + " " + list.name + ";", list_comment(list));
            width = std::max(width, members.back().first.size());
        }
    }
    for (const auto& [declaration, comment] : members) {
        writer.line(declaration + std::string(width - declaration.size() + 1, ' ') + "/* " + comment + " */");
    }
}

std::string arguments_type(const Unit& unit) {
    return "const struct " + unit.name + "_arguments*";
}

/// True when some kernel is faster for aligned lists.
bool any_wide(const Unit& unit) {
    const auto streams = [](const Step& step) {
        const auto* store = std::get_if<StoreValue>(&step);
        return store != nullptr && store->staging == fusion::Staging::lanes_streaming;
    };
    return std::any_of(unit.kernels.begin(), unit.kernels.end(),
        [&](const Kernel& kernel) { return kernel.has_wide_access() || std::any_of(kernel.steps.begin(), kernel.steps.end(), streams); });
}

/// The number of elements up to which the workspace has a size: what launches take, or less where the sum of its slots leaves 64 bits.
std::string most_elements_text(const Unit& unit) {
    constexpr std::uint64_t launched = std::uint64_t{1} << 40U, rounding = 255;
    std::uint64_t per_element = 0;
    for (const int bytes : unit.slots) {
        per_element += static_cast<std::uint64_t>(bytes);
    }
    if (per_element == 0) {
        return "size_t{1} << 40";
    }
    const std::uint64_t front = unit.checks.empty() ? 0 : failure_bytes;
    const std::uint64_t most = (UINT64_MAX - rounding * unit.slots.size() - front) / per_element;
    return most < launched ? "size_t{" + std::to_string(most) + "}" : "size_t{1} << 40";
}

/// The array that says the bytes per element of each slot, where there are several.
std::string slots_name(const Unit& unit) {
    return unit.name + "_slots";
}

bool has_workspace(const Unit& unit) {
    return !unit.workspace.empty() || !unit.checks.empty();
}

/// Bytes of the first slots for `n` elements, and of what stands in front of them. Pre: there is some.
std::string slots_bytes(const Unit& unit, const std::string& n, std::size_t slots) {
    if (!unit.checks.empty()) {
        Unit unchecked; // what the slots need is said as of a unit without checks
        unchecked.name = unit.name;
        unchecked.slots = unit.slots;
        return std::to_string(failure_bytes) + (slots == 0 ? "" : " + " + slots_bytes(unchecked, n, slots));
    }
    if (slots == 1) {
        return "fusec::slot_bytes(" + n + ", " + std::to_string(unit.slots.front()) + ")";
    }
    return "fusec::slots_bytes(" + n + ", " + slots_name(unit) + (slots == unit.slots.size() ? "" : ", " + std::to_string(slots)) + ")";
}

/// A function like NAME_launch_range: kernels first .. end - 1.
struct LaunchPart {
    std::string function;
    std::size_t first = 0, end = 0;
};

/// The body of one.
class LaunchRange {
public:
    LaunchRange(Writer& writer, const Unit& unit, const InterfaceText& text, LaunchPart part, bool uses_stream, const StartKernel& start)
        : writer_(writer),
          unit_(unit),
          text_(text),
          part_(std::move(part)),
          start_(start),
          names_({"fusec", "arguments", "first", "count", "workspace", "workspace_bytes", "stream", "needed_bytes", "lists", "error",
              "size_t", "float4", "double2"}) {
        for (const std::string& kernel : kernel_names(unit)) {
            names_.make(kernel);
        }
        names_.make(slots_name(unit));
        failure_ = unit.checks.empty() ? "" : names_.make("failure");
        uses_stream_ = uses_stream && (part_.first != part_.end || resets());
    }

    void write() {
        const bool workspace = has_workspace(unit_);
        const auto block = writer_.block("extern \"C\" int " + part_.function + "(" + arguments_type(unit_) +
            " arguments, size_t first, size_t count, void*" + (workspace ? " workspace, size_t workspace_bytes, " : ", size_t, ") +
            "void*" + (uses_stream_ ? " stream" : "") + ")");
        if (workspace) {
            writer_.line("if (count == 0)");
            writer_.line("    return " + (resets() ? reset_of_nothing(text_) : std::string(text_.success)) + ";");
            writer_.line("const size_t needed_bytes = " + unit_.name + "_workspace_bytes(count);");
            fail_if("arguments == nullptr || workspace_bytes < needed_bytes || reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0");
        } else {
            writer_.line("if (count == 0 || arguments == nullptr)");
            writer_.line("    return count == 0 ? " + std::string(text_.success) + " : " + std::string(text_.invalid_value) + ";");
        }
        name_lists();
        check_lists(workspace);
        if (resets() || reports()) {
            writer_.line("unsigned long long* const " + failure_ + " = static_cast<unsigned long long*>(workspace);");
        }
        if (resets()) {
            writer_.line("if (const int error = " + std::string(text_.reset_failure) + "; error != " + std::string(text_.success) + ")");
            writer_.line("    return error;");
        }
        name_workspace();
        for (std::size_t i = part_.first; i < part_.end; ++i) {
            start_kernel(i);
        }
        if (part_.first == part_.end) {
            writer_.line("return " + std::string(text_.success) + ";");
        }
    }

private:
    void fail_if(const std::string& condition) {
        writer_.line("if (" + condition + ")");
        writer_.line("    return " + std::string(text_.invalid_value) + ";");
    }

    /// The members of the arguments as variables.
    void name_lists() {
        std::string bindings;
        for (const auto* group : {&unit_.inputs, &unit_.outputs}) {
            for (const List& list : *group) {
                if (list.written && list.updated) { // the pointer of its old value
                    const auto old = std::find_if(unit_.inputs.begin(), unit_.inputs.end(),
                        [&](const List& input) { return input.updated && input.name == list.name; });
                    variables_.emplace(list.datum, variables_.at(old->datum));
                    pointers_.emplace(list.datum, pointers_.at(old->datum));
                    continue;
                }
                const std::string& name = variables_.emplace(list.datum, names_.make(list.name)).first->second;
                bindings += (bindings.empty() ? "" : ", ") + name;
                const int words = list.type.shape.size();
                pointers_.emplace(list.datum, list.uniform ? name : name + " + first" + (words == 1 ? "" : " * " + std::to_string(words)));
            }
        }
        writer_.line("const auto [" + bindings + "] = *arguments;");
    }

    void check_lists(bool workspace) {
        std::string lists;
        std::size_t read_only = 0;
        for (const auto* group : {&unit_.inputs, &unit_.outputs}) { // what is updated is listed with what is written
            for (const List& list : *group) {
                if (!list.written && list.updated) {
                    continue;
                }
                read_only += list.written ? 0 : 1;
                lists += (lists.empty() ? "{" : ", {") + variables_.at(list.datum) + ", " + std::to_string(list.list_type().bytes()) +
                    (list.uniform ? ", true}" : "}");
            }
        }
        lists += workspace ? ", {workspace, needed_bytes, true}" : "";
        writer_.line("const fusec::list lists[] = {" + lists + "};");
        constexpr std::size_t few = 32; // up to here comparing all pairs is short, in text and in time
        const bool many = read_only + unit_.outputs.size() > few;
        fail_if(std::string(many ? "!fusec::many_lists_valid<" : "!fusec::lists_valid<") + std::to_string(read_only) +
            ">(lists, first, count)");
    }

    /// The first part of a launch forgets the failures of the one before.
    bool resets() const { return !failure_.empty() && part_.first == 0; }
    bool reports() const {
        return std::any_of(unit_.kernels.begin() + static_cast<std::ptrdiff_t>(part_.first),
            unit_.kernels.begin() + static_cast<std::ptrdiff_t>(part_.end), [](const Kernel& kernel) { return kernel.reports(); });
    }

    void name_workspace() {
        for (const WorkspaceList& list : unit_.workspace) {
            if (!is_used(list.datum)) {
                continue;
            }
            const std::string& name = pointers_.emplace(list.datum, names_.make(list.name)).first->second;
            const std::string before = list.slot == 0 && failure_.empty() ? "" : " + " + slots_bytes(unit_, "count", list.slot);
            const std::string start = "static_cast<unsigned char*>(workspace)" + before;
            const std::string type = std::string(c_name(list.type.precision)) + "*";
            writer_.line(type + " const " + name + " = reinterpret_cast<" + type + ">(" + start + ");");
        }
    }

    /// By a kernel of this function.
    bool is_used(DataId datum) const {
        for (std::size_t i = part_.first; i < part_.end; ++i) {
            const std::vector<List>& lists = unit_.kernels[i].lists;
            if (std::any_of(lists.begin(), lists.end(), [&](const List& list) { return list.datum == datum; })) {
                return true;
            }
        }
        return false;
    }

    void start_kernel(std::size_t index) {
        std::vector<std::string> lists;
        for (const List& list : unit_.kernels[index].lists) {
            if (is_parameter(list)) {
                lists.push_back(pointers_.at(list.datum));
            }
        }
        if (unit_.kernels[index].reports()) {
            lists.push_back(failure_);
        }
        const std::string call = start_(index, lists);
        if (index + 1 == part_.end) {
            writer_.line("return " + call + ";");
        } else {
            writer_.line("if (const int error = " + call + "; error != " + std::string(text_.success) + ")");
            writer_.line("    return error;");
        }
    }

    Writer& writer_;
    const Unit& unit_;
    const InterfaceText& text_;
    LaunchPart part_;
    bool uses_stream_;
    const StartKernel& start_;
    Names names_;                             ///< of the function
    std::string failure_;                     ///< the word of the first failure; empty without checks
    std::map<DataId, std::string> variables_; ///< the interface lists
    std::map<DataId, std::string> pointers_;  ///< to the first element of the range
};

constexpr std::string_view launch_parameters = " arguments, size_t n, void* workspace, size_t workspace_bytes, void* stream)";
constexpr std::string_view range_parameters =
    " arguments, size_t first, size_t count, void* workspace, size_t workspace_bytes, void* stream)";

/// NAME_launch_BLOCK: with `_range` behind it, the other one.
std::string entry_name(const Unit& unit, const std::string& block) {
    return unit.name + "_launch_" + block;
}

/// FUNCTION for elements 0 .. n - 1, by FUNCTION_range.
void write_launch(Writer& writer, const Unit& unit, const std::string& function) {
    const auto block = writer.block("extern \"C\" int " + function + "(" + arguments_type(unit) + std::string(launch_parameters));
    writer.line("return " + function + "_range(arguments, 0, n, workspace, workspace_bytes, stream);");
}

/// A function for each program block, and NAME_launch_range, which calls them in order.
void write_entries(Writer& writer, const Unit& unit, const InterfaceText& text, bool uses_stream, const StartKernel& start) {
    for (std::size_t b = 0; b < unit.blocks.size(); ++b) {
        const auto of = [&](std::size_t least) {
            const auto kernel = std::find_if(unit.kernels.begin(), unit.kernels.end(), [&](const Kernel& k) { return k.block >= least; });
            return static_cast<std::size_t>(kernel - unit.kernels.begin());
        };
        const std::string name = entry_name(unit, unit.blocks[b]);
        LaunchRange(writer, unit, text, {name + "_range", of(b), of(b + 1)}, uses_stream, start).write();
        writer.line();
        write_launch(writer, unit, name);
        writer.line();
    }
    const auto block =
        writer.block("extern \"C\" int " + unit.name + "_launch_range(" + arguments_type(unit) + std::string(range_parameters));
    for (const std::string& one : unit.blocks) {
        const std::string call = entry_name(unit, one) + "_range(arguments, first, count, workspace, workspace_bytes, stream)";
        if (&one == &unit.blocks.back()) {
            writer.line("return " + call + ";");
        } else {
            writer.line("if (const int error = " + call + "; error != " + std::string(text.success) + ")");
            writer.line("    return error;");
        }
    }
}

void declare_entries(Writer& writer, const Unit& unit) {
    writer.line();
    writer.line(
        "/* The blocks of the program one by one, with the same arguments. All of them in this order, with one workspace that nothing");
    writer.line(
        " * else writes in between, are one launch. A block may be launched again as long as lists and workspace are as it found them. */");
    for (const std::string& block : unit.blocks) {
        const std::string name = entry_name(unit, block);
        writer.line("int " + name + "(" + arguments_type(unit) + std::string(launch_parameters) + ";");
        writer.line("int " + name + "_range(" + arguments_type(unit) + std::string(range_parameters) + ";");
    }
}

} // namespace

std::string kernel_namespace(const Unit& unit) {
    return unit.name + "_kernels";
}

std::vector<std::string> kernel_names(const Unit& unit) {
    // The functions of the interface stand in the same namespace.
    Names names({"fusec", "size_t", "dim3", unit.name + "_arguments", unit.name + "_workspace_bytes", unit.name + "_launch",
        unit.name + "_launch_range", unit.name + "_first_failure", slots_name(unit)});
    for (const std::string& block : unit.blocks) {
        names.make(entry_name(unit, block));
        names.make(entry_name(unit, block) + "_range");
    }
    std::vector<std::string> result;
    for (const Kernel& kernel : unit.kernels) {
        const std::string name = names.make(unit.name + "_" + kernel.name);
        result.push_back(frontend::is_reserved(name) ? names.make(name + "_") : name); // `static` and `cast`
    }
    return result;
}

void write_title(Writer& writer, const Unit& unit, const EmitOptions& options) {
    writer.line("// " + unit.name + ": made by fusec " FUSEC_VERSION + (options.options_text.empty() ? "" : " " + options.options_text) +
        ", plan " + plan_id(unit));
    if (!options.summary.empty()) {
        writer.line("// " + options.summary);
    }
}

std::string interface_header(const Unit& unit, const EmitOptions& options, const InterfaceText& text) {
    const std::string& name = unit.name;
    Writer writer;
    Writer title;
    write_title(title, unit, options);
    std::string_view rest = title.text();
    while (!rest.empty()) { // C comments, for C before 1999
        const std::size_t end = rest.find('\n');
        writer.line("/* " + std::string(rest.substr(3, end - 3)) + " */");
        rest.remove_prefix(end + 1);
    }
    writer.line("#pragma once");
    writer.line();
    writer.line("#include <stddef.h>");
    writer.line();
    writer.line("#ifdef __cplusplus");
    writer.line("extern \"C\" {");
    writer.line("#endif");
    writer.line();
    writer.line("/* Compiled by " + text.compiler + ". */");
    writer.line("/* Lists in " + std::string(text.memory) +
        ", one entry per element, matrices row-major. Outputs overlap neither inputs nor each other. */");
    if (any_wide(unit)) {
        writer.line("/* Fast when the first element of a launch is at a multiple of " + std::to_string(text.fast_alignment) +
            " bytes in every list with an entry per element; any other alignment is served too. */");
    }
    {
        const auto block = writer.block("struct " + name + "_arguments", ";");
        write_members(writer, unit);
    }
    writer.line();
    writer.line(!has_workspace(unit) ? "/* Bytes of workspace for n elements: none is needed, the workspace may be null. */"
                                     : "/* Bytes of workspace for n elements, in " + std::string(text.memory) +
                " at a multiple of 256; SIZE_MAX above 2^40 elements. */");
    writer.line("size_t " + name + "_workspace_bytes(size_t n);");
    writer.line();
    writer.line("/* Elements 0 .. n - 1, n <= 2^40; `stream` is " + std::string(text.stream) + ". n = 0 " +
        (unit.checks.empty() ? "does nothing" : "touches no list") + ", whatever the pointers. Returns " + std::string(text.success) + ",");
    writer.line(" * " + std::string(text.invalid_value) + " for null arguments, a null list, an output that overlaps another list" +
        (has_workspace(unit) ? " or the workspace, a workspace too small or misaligned" : "") + ", or n > 2^40" +
        (text.own_errors.empty() ? "" : ", or " + std::string(text.own_errors)) + ". */");
    writer.line("int " + name + "_launch(" + arguments_type(unit) +
        " arguments, size_t n, void* workspace, size_t workspace_bytes, void* stream);");
    writer.line();
    writer.line(
        "/* Elements first .. first + count - 1 of the same lists, first + count <= 2^40; the workspace is that of `count` elements. */");
    writer.line("int " + name + "_launch_range(" + arguments_type(unit) +
        " arguments, size_t first, size_t count, void* workspace, size_t workspace_bytes, void* stream);");
    if (options.entries) {
        declare_entries(writer, unit);
    }
    if (!unit.checks.empty()) {
        declare_first_failure(writer, unit, text, options.entries && unit.blocks.size() > 1);
    }
    writer.line();
    writer.line("#ifdef __cplusplus");
    writer.line("}");
    writer.line();
    writer.line("namespace " + frontend::namespace_name(name) + " {");
    writer.line("using arguments = " + name + "_arguments;");
    const auto forward = [&](const std::string& head, const std::string& call) {
        const auto block = writer.block("inline " + head);
        writer.line("return " + name + "_" + call + ";");
    };
    forward("size_t workspace_bytes(size_t n)", "workspace_bytes(n)");
    forward("int launch(const arguments& lists, size_t n, void* workspace = nullptr, size_t bytes = 0, void* stream = nullptr)",
        "launch(&lists, n, workspace, bytes, stream)");
    forward("int launch_range(const arguments& lists, size_t first, size_t count, void* workspace = nullptr, size_t bytes = 0, void* "
            "stream = nullptr)",
        "launch_range(&lists, first, count, workspace, bytes, stream)");
    for (std::size_t b = 0; options.entries && b < unit.blocks.size(); ++b) {
        const std::string& one = unit.blocks[b];
        forward(
            "int launch_" + one + "(const arguments& lists, size_t n, void* workspace = nullptr, size_t bytes = 0, void* stream = nullptr)",
            "launch_" + one + "(&lists, n, workspace, bytes, stream)");
        forward("int launch_" + one +
                "_range(const arguments& lists, size_t first, size_t count, void* workspace = nullptr, size_t bytes = 0, void* "
                "stream = nullptr)",
            "launch_" + one + "_range(&lists, first, count, workspace, bytes, stream)");
    }
    if (!unit.checks.empty()) {
        forward("int first_failure(const void* workspace, void* stream, size_t& element, const char*& message)",
            "first_failure(workspace, stream, &element, &message)");
    }
    writer.line("} // namespace " + frontend::namespace_name(name));
    writer.line("#endif");
    return writer.take();
}

void write_interface(
    Writer& writer, const Unit& unit, const InterfaceText& text, bool entries, bool uses_stream, const StartKernel& start) {
    if (unit.slots.size() > 1) {
        std::string figures;
        for (const int bytes : unit.slots) {
            figures += (figures.empty() ? "" : ", ") + std::to_string(bytes);
        }
        writer.line("constexpr size_t " + slots_name(unit) + "[] = {" + figures + "}; // bytes per element of the slots of the workspace");
        writer.line();
    }
    {
        const auto block =
            writer.block("extern \"C\" size_t " + unit.name + "_workspace_bytes(size_t" + (has_workspace(unit) ? " n)" : ")"));
        writer.line("return " +
            (!has_workspace(unit) ? "0"
                                  : "n > " + most_elements_text(unit) + " ? ~size_t{0} : " + slots_bytes(unit, "n", unit.slots.size())) +
            ";");
    }
    writer.line();
    if (entries) {
        write_entries(writer, unit, text, uses_stream, start);
    } else {
        LaunchRange(writer, unit, text, {unit.name + "_launch_range", 0, unit.kernels.size()}, uses_stream, start).write();
    }
    writer.line();
    if (!unit.checks.empty()) {
        write_first_failure(writer, unit, text, uses_stream);
        writer.line();
    }
    write_launch(writer, unit, unit.name + "_launch");
}

} // namespace fusec::codegen
