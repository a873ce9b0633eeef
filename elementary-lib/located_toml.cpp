// SPDX-License-Identifier: Apache-2.0
// The only file that sees toml++.
#include "elementary-lib/located_toml.hpp"

#include "support/toml_nesting.hpp"

#include <algorithm>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace fusec::library {

namespace {

std::size_t offset_of(const SourceText& text, toml::source_position position) {
    const std::size_t line = std::clamp<std::size_t>(position.line, 1, text.line_count());
    std::size_t offset = text.line_start(line);
    const std::size_t end = offset + text.line_text(line).size();
    // toml++ counts columns in code points; a span counts bytes.
    for (toml::source_index column = 1; column < position.column && offset < end; ++column) {
        do {
            ++offset;
        } while (offset < end && (static_cast<unsigned char>(text.text()[offset]) & 0xC0U) == 0x80U);
    }
    return offset;
}

Span span_of(const SourcePtr& text, const toml::source_region& region) {
    const std::size_t begin = offset_of(*text, region.begin);
    const std::size_t end = std::max(offset_of(*text, region.end), begin);
    return {text, begin, std::min(std::max(end, begin + 1), std::max(text->text().size(), begin))};
}

TomlValue::Kind kind_of(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::none: // of no node of a parsed file
    case toml::node_type::table:
        return TomlValue::Kind::table;
    case toml::node_type::array:
        return TomlValue::Kind::array;
    case toml::node_type::string:
        return TomlValue::Kind::string;
    case toml::node_type::integer:
        return TomlValue::Kind::integer;
    case toml::node_type::floating_point:
        return TomlValue::Kind::floating_point;
    case toml::node_type::boolean:
        return TomlValue::Kind::boolean;
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
        return TomlValue::Kind::date_or_time;
    }
    return TomlValue::Kind::table;
}

/// Recurses as deep as the parser allows values to nest (256).
TomlValue located(const SourcePtr& text, const toml::node& node) {
    TomlValue value;
    value.kind = kind_of(node);
    value.place = span_of(text, node.source());
    if (const auto* string = node.as_string()) {
        value.string = string->get();
    } else if (const auto* integer = node.as_integer()) {
        value.integer = integer->get();
    } else if (const auto* boolean = node.as_boolean()) {
        value.boolean = boolean->get();
    } else if (const auto* table = node.as_table()) {
        for (const auto& [key, member] : *table) {
            value.members.push_back({{std::string(key.str()), span_of(text, key.source())}, located(text, member)});
        }
    } else if (const auto* array = node.as_array()) {
        for (const toml::node& entry : *array) {
            value.entries.push_back(located(text, entry));
        }
    }
    return value;
}

} // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
    const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.key.name == key; });
    return found == members.end() ? nullptr : &found->value;
}

std::string_view name_of(TomlValue::Kind kind) {
    switch (kind) {
    case TomlValue::Kind::table:
        return "a table";
    case TomlValue::Kind::array:
        return "an array";
    case TomlValue::Kind::string:
        return "a string";
    case TomlValue::Kind::integer:
        return "an integer";
    case TomlValue::Kind::floating_point:
        return "a floating-point number";
    case TomlValue::Kind::boolean:
        return "a boolean";
    case TomlValue::Kind::date_or_time:
        return "a date or time";
    }
    return {};
}

std::optional<TomlValue> parse_toml(const SourcePtr& text, Diagnostics& diagnostics) {
    if (const auto deep = too_deep_toml(text->text())) {
        diagnostics.report(kind::library_syntax, {text, deep->at, deep->at + 1}, deep->message);
        return std::nullopt;
    }
    const toml::parse_result parsed = toml::parse(text->text());
    if (!parsed) {
        diagnostics.report(
            kind::library_syntax, span_of(text, parsed.error().source()), "not TOML: " + std::string(parsed.error().description()));
        return std::nullopt;
    }
    return located(text, parsed.table());
}

} // namespace fusec::library
