// SPDX-License-Identifier: Apache-2.0
// Values of one key each: a string, a flag, one of a set, a size expression, tables. What is not of the wanted form is reported where
// it stands, and gives nothing.
#pragma once

#include "elementary-lib/located_toml.hpp"
#include "elementary-lib/metadata.hpp"

#include <initializer_list>

namespace fusec::library {

/// `input` and 2 make `input[2]`; `input[2]` and `name` make `input[2].name`: the paths of Metadata::places.
std::string entry_path(const std::string& array, std::size_t index);
std::string member_path(const std::string& table, std::string_view key);

class KeyReader {
public:
    KeyReader(Metadata& metadata, Diagnostics& diagnostics) : metadata_(metadata), diagnostics_(diagnostics) {}

    /// Reports every other key of the table, and remembers the places of the values.
    void known_keys(const TomlValue& table, const std::string& path, std::initializer_list<std::string_view> keys);

    /// The member of `key`; null when there is none, which is reported if it is `required`.
    const TomlValue* find(const TomlValue& table, const std::string& path, std::string_view key, bool required);

    std::optional<std::string> text(const TomlValue& table, const std::string& path, std::string_view key, bool required = true);
    bool flag(const TomlValue& table, const std::string& path, std::string_view key);
    std::optional<std::string> choice(
        const TomlValue& table, const std::string& path, std::string_view key, const std::vector<std::string>& values);
    /// Over the shape parameters of the function, which have been read.
    std::optional<SizeExpression> expression(const TomlValue& table, const std::string& path, std::string_view key, bool required);
    /// The entries of an array of tables, each with its path.
    std::vector<std::pair<std::string, const TomlValue*>> tables(const TomlValue& root, const std::string& key, bool required);

    /// An expression that starts `offset` bytes into the string `value`.
    std::optional<SizeExpression> parse_expression(std::string_view source, const Span& value, std::size_t offset);
    void wrong_type(const TomlValue& value, const std::string& what, std::string_view needed);
    Diagnostic& report(const DiagnosticKind& kind, const Span& span, std::string message) {
        return diagnostics_.report(kind, span, std::move(message));
    }
    /// Hints at the one of `known` that `word` may have meant.
    static void suggest(Diagnostic& diagnostic, std::string_view word, const std::vector<std::string>& known);

protected:
    Metadata& metadata_;

private:
    Diagnostics& diagnostics_;
};

} // namespace fusec::library
