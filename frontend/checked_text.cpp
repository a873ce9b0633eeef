// SPDX-License-Identifier: Apache-2.0
// A checked program as text.
#include "frontend/frontend.hpp"
#include "support/writer.hpp"

#include <charconv>

namespace fusec::frontend {

namespace {

std::string number_text(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string datum_text(const Datum& datum) {
    std::string text = datum.name + ": " + to_string(datum.type, datum.storage);
    return datum.identifier == datum.name ? text : text + " as " + datum.identifier;
}

std::string values_text(const Datum& datum) {
    std::string text;
    for (const double value : datum.values) {
        text += " " + number_text(value);
    }
    return text;
}

} // namespace

std::string to_text(const CheckedProgram& program, const library::Catalog& catalog) {
    const library::Catalog functions = catalog.with(program.functions);
    Writer out;
    out.line("program " + program.name);
    for (const DataId id : program.inputs) {
        const char* const role = program.datum(id).kind == DatumKind::uniform ? "uniform " : program.new_value(id) ? "inout " : "input ";
        out.line(role + datum_text(program.datum(id)));
    }
    for (const Datum& datum : program.data) {
        if (datum.kind == DatumKind::constant) {
            out.line("constant " + datum_text(datum) + " =" + values_text(datum));
        }
    }
    const auto call_line = [&](const Call& call) {
        std::string operands;
        for (const DataId operand : call.operands) {
            operands += (operands.empty() ? "" : ", ") + program.datum(operand).name;
        }
        return datum_text(program.datum(call.result)) + " = " + functions.function(call.instance.function).name + "(" + operands + ")" +
            (call.instance.swapped ? " swapped" : "");
    };
    for (const Call& call : program.uniform_calls) {
        out.line("derived " + call_line(call));
    }
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        if (!program.blocks.empty() && (i == 0 || program.calls[i - 1].block != program.calls[i].block)) {
            out.line("block " + program.block_name(CallId{i}));
        }
        out.line(call_line(program.calls[i]));
    }
    std::string outputs;
    for (std::size_t i = 0; i < program.listed_outputs(); ++i) {
        outputs += " " + program.datum(program.outputs[i]).name;
    }
    out.line("return" + outputs);
    for (const Check& check : program.checks) {
        out.line("check " + program.datum(program.outputs[check.output]).name + " \"" + check.text + "\"");
    }
    return out.take();
}

} // namespace fusec::frontend
