// SPDX-License-Identifier: Apache-2.0
#include "codegen/failure_emission.hpp"

namespace fusec::codegen {

std::string string_literal(std::string_view text) {
    constexpr std::string_view digits = "01234567";
    std::string literal = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || c == '?') {
            literal += '\\';
            literal += c;
        } else if (byte < ' ' || byte == 0x7F) { // three digits: a digit behind it is not part of it
            literal += {'\\', digits[byte >> 6U], digits[byte >> 3U & 7U], digits[byte & 7U]};
        } else {
            literal += c;
        }
    }
    return literal + "\"";
}

std::string reset_of_nothing(const InterfaceText& text) {
    return "workspace == nullptr || workspace_bytes < " + std::to_string(failure_bytes) + " ? " + std::string(text.success) + " : " +
        std::string(text.reset_failure);
}

void declare_first_failure(Writer& writer, const Unit& unit, const InterfaceText& text, bool entries) {
    writer.line();
    writer.line("/* What failed first in the last launch with this workspace that returned " + std::string(text.success) + ": " +
        std::string(text.waits) + "gives");
    writer.line(
        " * the first element in which a check fails, counted from the first one of the launch, and of its checks the first; the message");
    writer.line(" * is null where none failed. n = 0 with a workspace says that none did. A workspace without a launch has no answer.");
    if (entries) {
        writer.line(" * The launch of the first block begins anew, those of the others add what they find to it.");
    }
    writer.line(" * Returns " + std::string(text.success) + " or " +
        (text.own_errors.empty() ? std::string(text.invalid_value) : "a cudaError_t") + ". */");
    writer.line("int " + unit.name + "_first_failure(const void* workspace, void* stream, size_t* element, const char** message);");
}

void write_first_failure(Writer& writer, const Unit& unit, const InterfaceText& text, bool uses_stream) {
    const auto block = writer.block("extern \"C\" int " + unit.name + "_first_failure(const void* workspace, void*" +
        (uses_stream ? " stream" : "") + ", size_t* element, const char** message)");
    writer.line("if (element == nullptr || message == nullptr)");
    writer.line("    return " + std::string(text.invalid_value) + ";");
    {
        const auto messages = writer.block("static const char* const messages[] =", ";");
        for (const Check& check : unit.checks) {
            writer.line(string_literal(check.text) + ",");
        }
    }
    writer.line("unsigned long long failure = ~0ull;");
    writer.line("const int error = workspace == nullptr ? " + std::string(text.success) + " : " + std::string(text.read_failure) + ";");
    // Memory that no launch has written is no number of a message.
    writer.line("if (failure != ~0ull && (failure & 0xffff) >= " + std::to_string(unit.checks.size()) + ")");
    writer.line("    return " + std::string(text.invalid_value) + ";");
    writer.line("const bool failed = error == " + std::string(text.success) + " && failure != ~0ull;");
    writer.line("*element = failed ? static_cast<size_t>(failure >> 16) : 0;");
    writer.line("*message = failed ? messages[failure & 0xffff] : nullptr;");
    writer.line("return error;");
}

} // namespace fusec::codegen
