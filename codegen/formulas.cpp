// SPDX-License-Identifier: Apache-2.0
#include "codegen/formulas.hpp"

#include "elementary-lib/selection.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace fusec::codegen {

namespace {

/// How tightly the outermost operation of a text binds, loosest first.
enum class Binding {
    sum,
    quotient, ///< as a factor it needs brackets: without them what follows seems to be divided by
    product,
    sign,
    suffix,
    atom
};

struct Text {
    std::string text;
    Binding binding = Binding::atom;
    bool bracketed = false; ///< one pair of parentheses holds all of it

    /// Between brackets or commas, where it needs none of its own.
    std::string bare() const { return bracketed ? text.substr(1, text.size() - 2) : text; }
};

/// Functions that mathematics writes with brackets around their operand or a sign between two. Others are written as calls.
struct Notation {
    std::string_view function, before, between, after;
};
constexpr std::array notations{
    Notation{"venorm", "||", "", "||"},
    Notation{"mfnorm", "||", "", "||"},
    Notation{"sabs", "|", "", "|"},
    Notation{"mdet", "det(", "", ")"},
    Notation{"mtrace", "tr(", "", ")"},
    Notation{"mddot", "(", " : ", ")"},
    Notation{"vdot", "(", " . ", ")"},
    Notation{"vcross", "(", " x ", ")"},
};

/// What comments leave out.
constexpr std::size_t most_operands_written = 6;
constexpr int most_components_written = 4;
constexpr std::size_t longest_component = 80;
constexpr std::size_t longest_formula = 160;                                             ///< of a call within which others stand
constexpr std::size_t most_lines = 12, most_names = 16, first_shown = 8, last_shown = 3; ///< of more, so many
constexpr std::size_t longest_line = 300, line_start = 200, line_end = 60;               ///< in characters; of a longer one, so many

/// What a kernel derives, then what it computes for each element.
std::vector<const frontend::Call*> calls_of(const Kernel& kernel, const dag::CallGraph& graph) {
    std::vector<const frontend::Call*> calls;
    for (const Step& step : kernel.steps) {
        if (const auto* derive = std::get_if<Derive>(&step)) {
            calls.push_back(&graph.program().derivation(derive->datum));
        }
    }
    for (const CallId call : kernel.calls) {
        calls.push_back(&graph.call(call));
    }
    return calls;
}

class FormulaPrinter {
public:
    FormulaPrinter(const Kernel& kernel, const dag::CallGraph& graph, const library::Catalog& catalog) : graph_(graph), catalog_(catalog) {
        std::map<DataId, int> uses;
        for (const frontend::Call* call : calls_of(kernel, graph)) {
            inside_.emplace(call->result, call);
            for (const DataId operand : call->operands) {
                ++uses[operand];
            }
        }
        for (const List& list : kernel.lists) {
            if (list.written) {
                named_.insert(list.datum);
            }
        }
        for (const Step& step : kernel.steps) {
            if (const auto* report = std::get_if<Report>(&step)) {
                named_.insert(kernel.values.at(report->value).datum);
            }
        }
        for (const auto& [datum, count] : uses) {
            if (count > 1) {
                named_.insert(datum);
            }
        }
        for (const frontend::Call* call : calls_of(kernel, graph)) {
            if (has_component_line(*call)) {
                named_.insert(call->result);
            } else {
                name_long_operands(*call);
            }
        }
    }

    bool named(DataId datum) const { return named_.count(datum) != 0; }
    std::string line(DataId result) const {
        const frontend::Call& call = *inside_.at(result);
        return has_component_line(call)
            ? component_line(result, std::get<library::ComponentProgram>(catalog_.function(call.instance.function).reference))
            : graph_.datum(result).name + " = " + call_text(call).text;
    }

private:
    /// Formulas of several components have a line of their own.
    bool has_component_line(const frontend::Call& call) const {
        const auto* made = std::get_if<library::ComponentProgram>(&catalog_.function(call.instance.function).reference);
        return made != nullptr && made->result.size() > 1;
    }

    /// Until the line of the call is short enough, the operand with the longest formula has one of its own; of a sum, the longest term.
    void name_long_operands(const frontend::Call& call) {
        while (call_text(call).text.size() > longest_formula) {
            const auto [length, longest] = longest_operand(call);
            if (length <= longest_component) {
                return; // a long one of short ones
            }
            named_.insert(longest);
        }
    }

    std::pair<std::size_t, DataId> longest_operand(const frontend::Call& call) const {
        std::pair<std::size_t, DataId> longest{0, call.result};
        for (const DataId operand : call.operands) {
            const auto producer = inside_.find(operand);
            if (producer == inside_.end() || named(operand)) {
                continue;
            }
            const bool goes_on = producer->second->instance.function == call.instance.function;
            longest = std::max(longest, goes_on ? longest_operand(*producer->second) : std::pair(datum_text(operand).text.size(), operand));
        }
        return longest;
    }

    Text datum_text(DataId id) const {
        const auto producer = inside_.find(id);
        if (producer == inside_.end() || named(id)) {
            const std::string& name = graph_.datum(id).name;
            return {name, !name.empty() && name.front() == '-' ? Binding::sign : Binding::atom};
        }
        return call_text(*producer->second);
    }

    static std::string bracketed(const Text& text, Binding least) { return text.binding < least ? "(" + text.text + ")" : text.text; }

    Text call_text(const frontend::Call& call) const {
        const library::Function& function = catalog_.function(call.instance.function);
        std::vector<Text> operands;
        std::transform(call.operands.begin(), call.operands.end(), std::back_inserter(operands), [&](DataId o) { return datum_text(o); });
        if (const auto* made = std::get_if<library::ComponentProgram>(&function.reference)) {
            return made->result.size() == 1 ? value_text(*made, made->values.front(), operands) : call_of("components", operands);
        }
        if (const auto* map = std::get_if<library::ComponentMap>(&function.reference)) {
            if (const std::string slice = library::slice_text(*map); !slice.empty()) {
                return {bracketed(operands[0], Binding::suffix) + slice, Binding::suffix};
            }
            const std::size_t hash = function.name.find_last_of('_'); // of names that say nothing else
            const bool numbered = function.name.starts_with("assembly_") || function.name.starts_with("selection_");
            return call_of(numbered ? function.name.substr(0, hash) : function.name, operands);
        }
        if (const library::Conversion* conversion = library::conversion_of(function)) {
            return call_of(c_name(conversion->to), operands);
        }
        return applied(function, operands);
    }

    /// A list of operands that is cut where it is long.
    static Text call_of(const std::string& function, const std::vector<Text>& operands) {
        std::string text = function + "(";
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (i == most_operands_written && operands.size() > most_operands_written + 1) {
                text += ", ... " + std::to_string(operands.size() - i) + " more";
                break;
            }
            text += (i == 0 ? "" : ", ") + operands[i].bare();
        }
        return {text + ")"};
    }

    static Text applied(const library::Function& function, const std::vector<Text>& operands) {
        if (function.operator_symbol) {
            const std::string& symbol = *function.operator_symbol;
            if (operands.size() == 2 && symbol == "*") {
                return {bracketed(operands[0], Binding::product) + " " + bracketed(operands[1], Binding::suffix), Binding::product};
            }
            if (operands.size() == 2 && symbol == "/") {
                return {bracketed(operands[0], Binding::quotient) + " / " + bracketed(operands[1], Binding::suffix), Binding::quotient};
            }
            if (operands.size() == 2) { // + and -
                return {
                    bracketed(operands[0], Binding::sum) + " " + symbol + " " + bracketed(operands[1], Binding::quotient), Binding::sum};
            }
            if (library::is_comparison(symbol)) {
                return {"select(" + bracketed(operands[0], Binding::sum) + " " + symbol + " " + bracketed(operands[1], Binding::sum) +
                    ", " + operands[2].bare() + ", " + operands[3].bare() + ")"};
            }
            if (symbol == "neg") {
                return {"-" + bracketed(operands[0], Binding::suffix), Binding::sign};
            }
            return {bracketed(operands[0], Binding::suffix) + symbol, Binding::suffix};
        }
        if (function.called() == "minv") {
            return {bracketed(operands[0], Binding::suffix) + "^-1", Binding::suffix};
        }
        const auto notation =
            std::find_if(notations.begin(), notations.end(), [&](const Notation& n) { return n.function == function.called(); });
        const bool written = notation != notations.end();
        std::string text = written ? std::string(notation->before) : function.called() + "(";
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (i > 0) {
                text += written ? notation->between : ", ";
            }
            text += written && operands.size() == 2 ? bracketed(operands[i], Binding::product) : operands[i].bare();
        }
        return {text + (written ? std::string(notation->after) : ")"), Binding::atom, written && notation->before == "("};
    }

    static std::string index_text(const Shape& shape, int component) {
        const std::string row = std::to_string(component / shape.columns);
        return shape.form == Form::scalar ? ""
            : shape.form == Form::vector  ? "[" + row + "]"
                                          : "[" + row + "," + std::to_string(component % shape.columns) + "]";
    }

    /// A value of a component program; what is long is left out.
    Text value_text(const library::ComponentProgram& made, const library::ComponentValue& value, const std::vector<Text>& operands) const {
        switch (value.kind) {
        case library::ComponentValue::Kind::zero:
            return {"0"};
        case library::ComponentValue::Kind::component: {
            const auto operand = static_cast<std::size_t>(value.source.operand);
            const std::string index = index_text(made.operands[operand], value.source.component);
            return index.empty() ? operands[operand] : Text{bracketed(operands[operand], Binding::suffix) + index, Binding::suffix};
        }
        case library::ComponentValue::Kind::step:
            break;
        }
        const library::ScalarStep& step = made.steps[static_cast<std::size_t>(value.step)];
        std::vector<Text> texts;
        for (const library::ComponentValue& operand : step.operands) {
            texts.push_back(value_text(made, operand, operands));
            if (texts.back().text.size() > longest_component || texts.back().text == "...") {
                return {"..."};
            }
        }
        return applied(catalog_.function(step.function), texts);
    }

    /// `K[0,0] = 0.5 A[0,0], K[0,1] = ..., 9 components`
    std::string component_line(DataId result, const library::ComponentProgram& made) const {
        const frontend::Call& call = *inside_.at(result);
        std::vector<Text> operands;
        std::transform(call.operands.begin(), call.operands.end(), std::back_inserter(operands), [&](DataId o) { return datum_text(o); });
        std::string text;
        const Shape& shape = graph_.datum(result).type.shape;
        const std::vector<int> order = components_by_interest(made, shape);
        const std::size_t written = shape.size() <= most_components_written ? order.size() : 2;
        for (std::size_t i = 0; i < written; ++i) {
            text += (i == 0 ? "" : ", ") + graph_.datum(result).name + index_text(made.result, order[i]) + " = " +
                value_text(made, made.values[static_cast<std::size_t>(order[i])], operands).bare();
        }
        return written == order.size() ? text : text + ", ... " + std::to_string(shape.size()) + " components";
    }

    /// Those that are stored, in the order of their indices; of many, those that are computed before those that are the operands'.
    static std::vector<int> components_by_interest(const library::ComponentProgram& made, const Shape& shape) {
        std::vector<int> order;
        for (int component = 0; component < shape.components(); ++component) {
            if (shape.stored(component) == component) { // else above the diagonal of what is packed
                order.push_back(component);
            }
        }
        if (shape.size() > most_components_written) {
            std::stable_partition(order.begin(), order.end(), [&](int component) {
                return made.values[static_cast<std::size_t>(component)].kind == library::ComponentValue::Kind::step;
            });
        }
        return order;
    }

    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    std::map<DataId, const frontend::Call*> inside_; ///< results made in the kernel
    std::set<DataId> named_;                         ///< written by name wherever they are used
};

/// The first and the last of many, and between them how many there are.
std::vector<std::string> with_some_left_out(std::vector<std::string> all, std::size_t most) {
    if (all.size() > most) {
        const std::string left_out = "... " + std::to_string(all.size() - first_shown - last_shown) + " more";
        all.erase(all.begin() + first_shown, all.end() - last_shown);
        all.insert(all.begin() + first_shown, left_out);
    }
    return all;
}

/// The start and the end of a long line, between blanks.
std::string shortened(const std::string& line) {
    if (line.size() <= longest_line) {
        return line;
    }
    const std::size_t start = line.rfind(' ', line_start), end = line.find(' ', line.size() - line_end);
    const bool blanks = start != std::string::npos && end != std::string::npos;
    return blanks ? line.substr(0, start) + " ..." + line.substr(end) : line.substr(0, line_start) + " ...";
}

/// `3,5-7`
std::string ranges(const std::set<std::size_t>& lines) {
    std::string text;
    for (auto first = lines.begin(); first != lines.end();) {
        auto last = first;
        auto next = std::next(first);
        while (next != lines.end() && *next == *last + 1) {
            last = next++;
        }
        text += (text.empty() ? "" : ",") + std::to_string(*first) + (first == last ? "" : "-" + std::to_string(*last));
        first = next;
    }
    return text;
}

/// The file's name without its folder, so that texts do not depend on where a program lies.
std::string file_word(const SourcePtr& source, const std::string& otherwise) {
    std::string file = source ? std::filesystem::path(source->path()).filename().string() : otherwise;
    // The name stands in a `//` comment: a line break would end it, a backslash could continue it.
    std::replace_if(file.begin(), file.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\\'; }, '_');
    return file;
}

} // namespace

std::vector<std::string> formulas(const Kernel& kernel, const dag::CallGraph& graph, const library::Catalog& catalog) {
    const FormulaPrinter printer(kernel, graph, catalog);
    std::vector<std::string> lines;
    for (const frontend::Call* call : calls_of(kernel, graph)) {
        if (printer.named(call->result)) {
            lines.push_back(shortened(printer.line(call->result)));
        }
    }
    return with_some_left_out(std::move(lines), most_lines);
}

std::string program_lines(const Kernel& kernel, const dag::CallGraph& graph) {
    // The program's file comes first, then those that it includes, in the order of the calls.
    std::vector<std::pair<SourcePtr, std::set<std::size_t>>> files{{graph.program().source, {}}};
    std::vector<std::string> names;
    for (const frontend::Call* call : calls_of(kernel, graph)) {
        const Span& span = call->span;
        if (span.source) {
            auto file = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == span.source; });
            file = file == files.end() ? files.insert(file, {span.source, {}}) : file;
            for (std::size_t line = span.source->line(span.begin); line <= span.source->line(std::max(span.begin + 1, span.end) - 1);
                ++line) {
                file->second.insert(line);
            }
        }
        names.push_back(graph.datum(call->result).name);
    }
    std::string places;
    for (const auto& [source, lines] : files) {
        if (!lines.empty() || files.size() == 1) {
            places += (places.empty() ? "" : ", ") + file_word(source, graph.program().name) + (lines.empty() ? "" : ":" + ranges(lines));
        }
    }
    std::string calls;
    for (const std::string& name : with_some_left_out(std::move(names), most_names)) {
        calls += (calls.empty() ? "" : ", ") + name;
    }
    return places + ": " + calls;
}

} // namespace fusec::codegen
