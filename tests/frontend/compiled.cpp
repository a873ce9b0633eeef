// SPDX-License-Identifier: Apache-2.0
#include "tests/frontend/compiled.hpp"
#include "frontend/ast.hpp"
#include "tests/frontend/program_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sstream>

namespace fusec::frontend::testing {

namespace {

// A limit against hanging, generous for sanitizers; linear time is tested by ratio.
#if defined(__SANITIZE_ADDRESS__)
constexpr double longest_seconds = 60; // 20 were too few beside other tests
#else
constexpr double longest_seconds = 20;
#endif

std::string type_and_values(const Datum& datum) {
    std::string text = to_string(datum.type) + "(";
    for (const double value : datum.values) {
        char number[40];
        std::snprintf(number, sizeof number, " %a", value);
        text += number;
    }
    return text + ")";
}

} // namespace

std::optional<std::string> MemoryReader::read(const std::filesystem::path& path, const Span& from, Diagnostics& diagnostics) {
    ++reads_;
    const auto file = files_.find(identity(path));
    if (file == files_.end()) {
        diagnostics.report(kind::unreadable_file, from, "no file `" + path.string() + "`");
        return std::nullopt;
    }
    return file->second;
}

std::string Compiled::text() const {
    std::ostringstream out;
    render(diagnostics, out, false);
    return out.str();
}

Compiled compile(const std::string& text, FileReader* reader, const CheckOptions& options) {
    Compiled compiled;
    const std::clock_t begin = std::clock();
    const auto tree = parse(std::make_shared<const SourceText>("hostile.fus", text), compiled.diagnostics, reader);
    EXPECT_EQ(tree == nullptr, compiled.diagnostics.has_errors());
    if (tree) {
        EXPECT_FALSE(to_text(*tree).empty() && !tree->statements.empty());
        compiled.program = check(*tree, catalog(), options, compiled.diagnostics);
        EXPECT_EQ(compiled.program.has_value(), !compiled.diagnostics.has_errors());
        if (compiled.program) {
            verify(*compiled.program, catalog());
            EXPECT_FALSE(to_text(*compiled.program, catalog()).empty());
        }
    }
    compiled.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    for (const Diagnostic& d : compiled.diagnostics.all()) {
        EXPECT_TRUE(d.span.source) << "a message without a place: " << d.message;
        EXPECT_LE(d.span.begin, d.span.end);
        EXPECT_LE(d.span.end, d.span.source ? d.span.source->text().size() : 0);
        EXPECT_FALSE(d.message.empty());
    }
    EXPECT_LT(compiled.seconds, longest_seconds);
    return compiled;
}

std::string repeated(std::string_view unit, std::size_t bytes) {
    std::string text;
    text.reserve(bytes + unit.size());
    while (text.size() < bytes) {
        text += unit;
    }
    return text;
}

std::string without_names(const CheckedProgram& program) {
    const auto described = [&](DataId id) {
        const Datum& datum = program.datum(id);
        if (datum.kind == DatumKind::computed) {
            return "call " + std::to_string(datum.producer->index());
        }
        const auto given = std::find(program.inputs.begin(), program.inputs.end(), id);
        return given == program.inputs.end() ? type_and_values(datum) : "input " + std::to_string(given - program.inputs.begin());
    };
    std::string text;
    for (const DataId id : program.inputs) {
        text += to_string(program.datum(id).type) + (program.datum(id).kind == DatumKind::uniform ? " uniform\n" : "\n");
    }
    for (const Call& call : program.calls) {
        text += catalog().function(call.instance.function).name + " " + to_string(call.instance.result) + ":";
        for (const DataId operand : call.operands) {
            text += " [" + described(operand) + "]";
        }
        text += "\n";
    }
    for (const DataId id : program.outputs) {
        text += "output " + described(id) + "\n";
    }
    return text;
}

} // namespace fusec::frontend::testing
