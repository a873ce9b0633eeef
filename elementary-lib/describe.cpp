// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/describe.hpp"

#include "elementary-lib/device_source.hpp"
#include "elementary-lib/selection.hpp"
#include "support/writer.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace fusec::library {

namespace {

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

/// `A * B`, `A'`, `-A`; empty for a function without an operator.
std::string as_operator(const Function& function) {
    if (!function.operator_symbol) {
        return {};
    }
    const std::string& symbol = *function.operator_symbol;
    const std::string& first = function.inputs.at(0).name;
    if (symbol == "'") {
        return first + "'";
    }
    if (symbol == "neg") {
        return "-" + first;
    }
    const std::string& second = function.inputs.at(1).name;
    if (is_comparison(symbol)) {
        return "select(" + first + " " + symbol + " " + second + ", " + function.inputs.at(2).name + ", " + function.inputs.at(3).name +
            ")";
    }
    return first + " " + symbol + " " + second + (function.commutative ? ", " + second + " " + symbol + " " + first : "");
}

/// Relative to `here` where that is a way down.
std::string seen_from(const std::filesystem::path& here, const std::filesystem::path& path) {
    const std::filesystem::path relative = path.lexically_normal().lexically_relative(here.lexically_normal());
    return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

/// `, flops N*M`, where an implementation counts for itself.
std::string counted(const std::optional<SizeExpression>& count, const std::string& what) {
    return count ? ", " + what + " " + count->text() : "";
}

class Facts {
public:
    void add(const std::string& what, const std::string& value) {
        if (!value.empty() && value != "0") {
            writer_.line("  " + padded(what, 18) + value);
        }
    }
    Writer writer_;
};

} // namespace

std::string signature(const Function& function) {
    std::string text = function.name + "(";
    for (const Parameter& input : function.inputs) {
        text += (&input == &function.inputs.front() ? "" : ", ") + input.name;
    }
    return text + ") -> " + function.output.name;
}

std::string list(const Catalog& catalog) {
    std::map<std::string, std::vector<const Function*>> families;
    std::size_t width = 0;
    std::size_t operator_width = 0;
    for (std::size_t i = 0; i < catalog.size(); ++i) {
        const Function& function = catalog.function(FunctionId(i));
        families[function.metadata_path.parent_path().filename().string()].push_back(&function);
        width = std::max(width, signature(function).size());
        operator_width = std::max(operator_width, as_operator(function).size());
    }
    Writer writer;
    for (const auto& [family, functions] : families) {
        writer.line(family);
        for (const Function* function : functions) {
            writer.line("  " + padded(signature(*function), width) + "  " + padded(as_operator(*function), operator_width) + "  " +
                function->summary);
        }
    }
    return writer.take();
}

std::string describe(const Function& function, const std::filesystem::path& here) {
    Facts facts;
    facts.writer_.line(signature(function) + ": " + function.summary);
    for (const Parameter& input : function.inputs) {
        facts.add("operand " + input.name, pattern(input) + (input.domain == Domain::any ? "" : ", " + std::string(name_of(input.domain))));
    }
    facts.add("result " + function.output.name, pattern(function.output));
    std::string parameters;
    for (const std::string& name : function.shape) {
        parameters += (parameters.empty() ? "" : ", ") + name;
    }
    facts.add("shape", parameters);
    facts.add("where", function.where ? function.where->text() : "");
    facts.add("operator", as_operator(function));
    for (const Parameter& input : function.inputs) {
        const Parameter& other = function.inputs.back().name == input.name ? function.inputs.front() : function.inputs.back();
        facts.add("neutral", input.neutral ? input.name + " " + std::string(name_of(*input.neutral)) + ": " + other.name : "");
    }
    facts.add("twice", function.involution ? "the operand" : function.idempotent ? "as once" : "");
    facts.add("symmetric", function.symmetric == Symmetry::none ? "" : std::string(name_of(function.symmetric)));
    facts.add("reference", function.reference_text);
    facts.add("flops", function.flops.text());
    facts.add("divisions", function.divisions.text());
    facts.add("square roots", function.square_roots.text());
    facts.add("transcendentals", function.transcendentals.text());
    for (const Implementation& implementation : function.implementations) {
        std::string text = implementation.threads.text() == "1" ? "1 thread" : implementation.threads.text() + " threads";
        if (implementation.threads.text() != "1") {
            for (std::size_t i = 0; i < function.inputs.size(); ++i) {
                text += (i == 0 ? ": " : ", ") + function.inputs[i].name + " " + std::string(name_of(implementation.inputs[i]));
            }
            text += (function.inputs.empty() ? ": " : ", ") + function.output.name + " " + std::string(name_of(implementation.output));
        }
        text += implementation.limit ? ", where " + implementation.limit->text() : "";
        text += implementation.temporaries.text() == "0" ? "" : ", temporaries " + implementation.temporaries.text();
        text += implementation.barrier ? ", synchronises its threads" : "";
        text += counted(implementation.exchanges, "exchanges");
        text += counted(implementation.flops, "flops") + counted(implementation.divisions, "divisions") +
            counted(implementation.square_roots, "square roots") + counted(implementation.transcendentals, "transcendentals");
        text += implementation.routine == implementation.name ? "" : ", template `" + template_name(function, implementation) + "`";
        facts.add("by " + implementation.name, text);
    }
    facts.add("metadata", seen_from(here, function.metadata_path));
    facts.add("device source", seen_from(here, function.source_path));
    return facts.writer_.take();
}

} // namespace fusec::library
