// SPDX-License-Identifier: Apache-2.0
// A TOML file as values that know their place in it.
#pragma once

#include "support/diagnostics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::library {

struct TomlKey {
    std::string name;
    Span place;
};

struct TomlMember;

struct TomlValue {
    enum class Kind {
        table,
        array,
        string,
        integer,
        floating_point,
        boolean,
        date_or_time
    } kind = Kind::table;
    Span place; ///< of an array of tables or a table with a head: the head's
    std::string string;
    std::int64_t integer = 0;
    bool boolean = false;
    std::vector<TomlMember> members; ///< of a table, by key
    std::vector<TomlValue> entries;  ///< of an array

    /// The member of this key; null when there is none.
    const TomlValue* find(std::string_view key) const;
};

struct TomlMember {
    TomlKey key;
    TomlValue value;
};

/// With its article: "a table", "an array", ...
std::string_view name_of(TomlValue::Kind kind);

/// The file's table; reports `library-syntax` and returns nothing when the text is not TOML.
std::optional<TomlValue> parse_toml(const SourcePtr& text, Diagnostics& diagnostics);

} // namespace fusec::library
