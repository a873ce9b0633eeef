// SPDX-License-Identifier: Apache-2.0
// JSON files that people edit and machines move about: every value with its place, so that what is wrong in one is told where it stands.
#pragma once

#include "support/diagnostics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fusec {

struct JsonMember;

struct JsonValue {
    enum class Kind : std::uint8_t {
        null,
        boolean,
        number,
        text,
        array,
        object
    } kind = Kind::null;
    Span span;
    bool truth = false;              ///< boolean
    double number = 0;               ///< number
    bool whole = false;              ///< number: written without fraction, exponent and sign, and exact as a double
    std::string text;                ///< text, without its escapes
    std::vector<JsonValue> items;    ///< array
    std::vector<JsonMember> members; ///< object, in the order of the file
};

struct JsonMember {
    std::string key;
    JsonValue value;
};

/// The value that the source is. Reports `kind` at the place, and gives nothing, for what is no JSON (RFC 8259), a number that no double holds, or
/// nesting deeper than 16. Linear in the text.
std::optional<JsonValue> parse_json(const SourcePtr& source, const DiagnosticKind& kind, Diagnostics& diagnostics);

/// Reads typed values; the first wrong one is reported at its place and ends the reading by `Failed`, which whoever reads the file catches.
class JsonReader {
public:
    struct Failed {};

    JsonReader(const DiagnosticKind& kind, Diagnostics& diagnostics) : kind_(kind), diagnostics_(diagnostics) {}

    [[noreturn]] void fail(const JsonValue& at, std::string message, std::string hint = {});
    /// Of that kind, or a failure.
    const JsonValue& expect(const JsonValue& value, JsonValue::Kind kind);
    /// A key that nobody reads is a misspelt one, and a key given twice contradicts itself. Pre: an object.
    void only(const JsonValue& object, const std::vector<std::string>& keys);
    /// Null: the object has no such member.
    static const JsonValue* find(const JsonValue& object, std::string_view key);
    const JsonValue& member(const JsonValue& object, std::string_view key, JsonValue::Kind kind);
    const std::string& text(const JsonValue& object, std::string_view key) { return member(object, key, JsonValue::Kind::text).text; }
    double number(const JsonValue& object, std::string_view key) { return member(object, key, JsonValue::Kind::number).number; }
    /// A whole number from 0 on that an int64 holds.
    std::uint64_t whole(const JsonValue& value);
    std::uint64_t whole(const JsonValue& object, std::string_view key);
    const std::vector<JsonValue>& array(const JsonValue& object, std::string_view key) {
        return member(object, key, JsonValue::Kind::array).items;
    }

private:
    const JsonValue& required(const JsonValue& object, std::string_view key);

    const DiagnosticKind& kind_;
    Diagnostics& diagnostics_;
};

} // namespace fusec
