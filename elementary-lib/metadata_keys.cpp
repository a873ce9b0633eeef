// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/metadata_keys.hpp"

#include <algorithm>
#include <cctype>

namespace fusec::library {

namespace {

std::string article(std::string_view kind) {
    return (std::string_view("aeiou").find(kind.front()) == std::string_view::npos ? "a " : "an ") + std::string(kind);
}

/// `input[2]` is one of `input`.
std::string array_of(const std::string& path) {
    return path.substr(0, path.find('['));
}

/// Where `name` stands as a word of its own. Pre: it does.
std::size_t word_position(std::string_view text, std::string_view name) {
    const auto is_word = [&](std::size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    std::size_t at = text.find(name);
    while (at != std::string_view::npos && ((at > 0 && is_word(at - 1)) || is_word(at + name.size()))) {
        at = text.find(name, at + 1);
    }
    return at;
}

} // namespace

std::string entry_path(const std::string& array, std::size_t index) {
    return array + "[" + std::to_string(index) + "]";
}
std::string member_path(const std::string& table, std::string_view key) {
    return table.empty() ? std::string(key) : table + "." + std::string(key);
}

void KeyReader::suggest(Diagnostic& diagnostic, std::string_view word, const std::vector<std::string>& known) {
    if (const std::string near = nearest(word, known); !near.empty()) {
        diagnostic.hint = "did you mean `" + near + "`?";
    }
}

void KeyReader::known_keys(const TomlValue& table, const std::string& path, std::initializer_list<std::string_view> keys) {
    const std::vector<std::string> known(keys.begin(), keys.end());
    for (const auto& [key, value] : table.members) {
        if (std::find(known.begin(), known.end(), key.name) != known.end()) {
            metadata_.places[member_path(path, key.name)] = value.place;
            continue;
        }
        suggest(report(kind::library_unknown_key, key.place,
                    "`" + key.name + "` is no key of " + (path.empty() ? "a function" : "`" + array_of(path) + "`")),
            key.name, known);
    }
}

const TomlValue* KeyReader::find(const TomlValue& table, const std::string& path, std::string_view key, bool required) {
    const TomlValue* value = table.find(key);
    if (value == nullptr && required) {
        // It would have to stand below the table's head, or at the file's start.
        report(kind::library_missing_key, metadata_.place(path),
            "`" + std::string(key) + "` is missing" + (path.empty() ? "" : " in this `" + array_of(path) + "`"));
    }
    return value;
}

void KeyReader::wrong_type(const TomlValue& value, const std::string& what, std::string_view needed) {
    report(kind::library_wrong_type, value.place,
        "`" + what + "` is " + std::string(name_of(value.kind)) + ", but " + article(needed) + " is needed");
}

std::optional<std::string> KeyReader::text(const TomlValue& table, const std::string& path, std::string_view key, bool required) {
    const TomlValue* value = find(table, path, key, required);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (value->kind != TomlValue::Kind::string) {
        wrong_type(*value, std::string(key), "string");
        return std::nullopt;
    }
    return value->string;
}

bool KeyReader::flag(const TomlValue& table, const std::string& path, std::string_view key) {
    const TomlValue* value = find(table, path, key, false);
    if (value != nullptr && value->kind != TomlValue::Kind::boolean) {
        wrong_type(*value, std::string(key), "boolean");
    }
    return value != nullptr && value->boolean;
}

std::optional<std::string> KeyReader::choice(
    const TomlValue& table, const std::string& path, std::string_view key, const std::vector<std::string>& values) {
    const std::optional<std::string> value = text(table, path, key);
    if (!value || std::find(values.begin(), values.end(), *value) != values.end()) {
        return value;
    }
    std::string list;
    for (const std::string& one : values) {
        list += (list.empty() ? "`" : ", `") + one + "`";
    }
    suggest(report(kind::library_wrong_value, metadata_.place(member_path(path, key)),
                "`" + *value + "` is no value of `" + std::string(key) + "` (" + list + ")"),
        *value, values);
    return std::nullopt;
}

std::optional<SizeExpression> KeyReader::parse_expression(std::string_view source, const Span& value, std::size_t offset) {
    const std::vector<std::string>& parameters = metadata_.function.shape;
    std::string error;
    std::size_t where = 0;
    std::optional<SizeExpression> parsed = SizeExpression::parse(source, error, where);
    if (!parsed) {
        report(kind::library_expression, inside(value, offset + where), "not a size expression: " + error);
        return std::nullopt;
    }
    for (const std::string& name : parsed->names()) {
        if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
            const Span place = inside(value, offset + word_position(source, name), name.size());
            suggest(report(kind::library_expression, place, "`" + name + "` is not a shape parameter"), name, parameters);
            return std::nullopt;
        }
    }
    return parsed;
}

std::optional<SizeExpression> KeyReader::expression(const TomlValue& table, const std::string& path, std::string_view key, bool required) {
    const TomlValue* value = find(table, path, key, required);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (value->kind == TomlValue::Kind::integer) {
        return parse_expression(std::to_string(value->integer), value->place, 0);
    }
    if (value->kind != TomlValue::Kind::string) {
        wrong_type(*value, std::string(key), "expression (a string)");
        return std::nullopt;
    }
    return parse_expression(value->string, value->place, 0);
}

std::vector<std::pair<std::string, const TomlValue*>> KeyReader::tables(const TomlValue& root, const std::string& key, bool required) {
    std::vector<std::pair<std::string, const TomlValue*>> found;
    const TomlValue* value = find(root, "", key, required);
    if (value == nullptr) {
        return found;
    }
    if (value->kind != TomlValue::Kind::array) {
        report(kind::library_wrong_type, value->place,
            "`" + key + "` is " + std::string(name_of(value->kind)) + ", but an array of tables is needed")
            .hint = "each one is written under its own `[[" + key + "]]`";
        return found;
    }
    if (required && value->entries.empty()) {
        report(kind::library_missing_key, value->place, "`" + key + "` has no entry");
    }
    for (const TomlValue& entry : value->entries) {
        const std::string path = entry_path(key, found.size());
        metadata_.places[path] = entry.place;
        if (entry.kind == TomlValue::Kind::table) {
            found.emplace_back(path, &entry);
        } else {
            wrong_type(entry, key, "table");
        }
    }
    return found;
}

} // namespace fusec::library
