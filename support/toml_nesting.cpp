// SPDX-License-Identifier: Apache-2.0
#include "support/toml_nesting.hpp"

#include <algorithm>

namespace fusec {

namespace {

constexpr int deepest = 16;

/// The offset behind a string that begins at `at`; a quote behind a backslash ends none that has double quotes.
std::size_t behind_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
    const bool lines = text.substr(at).starts_with(three);
    for (std::size_t i = at + (lines ? 3 : 1); i < text.size(); ++i) {
        if (text[i] == '\\' && quote == '"') {
            ++i;
        } else if (lines ? text.substr(i).starts_with(three) : text[i] == quote) {
            return i + (lines ? 3 : 1);
        } else if (!lines && text[i] == '\n') { // no TOML, which the parser says
            return i;
        }
    }
    return text.size();
}

} // namespace

std::optional<TomlNesting> too_deep_toml(std::string_view text) {
    int dots = 0, brackets = 0;
    bool header = false, first = true; // of a table; nothing but blanks so far in the line
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            first = false;
            i = behind_string(text, i);
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (c == '.') {
            if (++dots >= deepest) {
                return TomlNesting{i + 1 < text.size() ? i + 1 : i, "a key of more than " + std::to_string(deepest) + " parts"};
            }
        } else if (c == '[' || c == '{') {
            header = header || (first && brackets == 0);
            dots = 0;
            if (++brackets > deepest) {
                return TomlNesting{i, "values nested more than " + std::to_string(deepest) + " deep"};
            }
        } else if (c == ']' || c == '}') {
            dots = 0;
            brackets = std::max(0, brackets - 1);
        } else if (c == '=' || c == ',' || c == '\n') {
            dots = 0;
        }
        if (c == '\n') {
            brackets = header ? 0 : brackets; // a header ends with its line, closed or not
            header = false;
            first = true;
        } else {
            first = first && (c == ' ' || c == '\t' || c == '\r');
        }
        ++i;
    }
    return std::nullopt;
}

} // namespace fusec
