// SPDX-License-Identifier: Apache-2.0
#include "support/located_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace fusec {

namespace {

using Json = nlohmann::json;
using Kind = JsonValue::Kind;

std::string_view name_of(Kind kind) {
    switch (kind) {
    case Kind::null:
        return "null";
    case Kind::boolean:
        return "boolean";
    case Kind::number:
        return "number";
    case Kind::text:
        return "string";
    case Kind::array:
        return "array";
    case Kind::object:
        return "object";
    }
    throw InternalError("unknown kind of json");
}

/// Builds the values of a text that is known to be JSON. The parser keeps no places.
class Scanner {
public:
    explicit Scanner(const SourcePtr& source) : source_(source), text_(source->text()) {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        at_ = text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    }

    JsonValue value() {
        blanks();
        JsonValue result;
        const std::size_t begin = at_;
        if (text_[at_] == '{' || text_[at_] == '[') {
            const bool object = text_[at_] == '{';
            result.kind = object ? Kind::object : Kind::array;
            ++at_;
            blanks();
            while (text_[at_] != '}' && text_[at_] != ']') {
                if (object) {
                    std::string key = string();
                    blanks();
                    ++at_; // the colon
                    result.members.push_back({std::move(key), value()});
                } else {
                    result.items.push_back(value());
                }
                blanks();
                at_ += text_[at_] == ',' ? 1U : 0U;
                blanks();
            }
            ++at_;
        } else if (text_[at_] == '"') {
            result.kind = Kind::text;
            result.text = string();
        } else {
            while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) {
                ++at_;
            }
            literal(text_.substr(begin, at_ - begin), result);
        }
        result.span = {source_, begin, at_};
        return result;
    }

private:
    void blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }
    std::string string() {
        const std::size_t begin = at_++;
        while (text_[at_] != '"') {
            at_ += text_[at_] == '\\' ? 2U : 1U;
        }
        ++at_;
        return Json::parse(text_.substr(begin, at_ - begin)).get<std::string>(); // undoes escapes
    }
    static void literal(std::string_view spelling, JsonValue& result) {
        const Json json = Json::parse(spelling);
        if (json.is_number()) {
            result.kind = Kind::number;
            result.number = json.get<double>();
            result.whole = json.is_number_unsigned() && json.get<std::uint64_t>() <= std::uint64_t{1} << 53U;
        } else if (json.is_boolean()) {
            result.kind = Kind::boolean;
            result.truth = json.get<bool>();
        }
    }

    const SourcePtr& source_;
    std::string_view text_;
    std::size_t at_ = 0;
};

/// How deep it nests; throws what the parser throws.
int nesting(std::string_view text) {
    int deepest = 0;
    const Json parsed = Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
        deepest = std::max(deepest, depth + 1); // the parser counts from 0
        return depth < 32;                      // what is deeper is not kept
    });
    return deepest;
}

/// The first number outside of strings that no double holds. Pre: there is one, and what stands before it is JSON.
std::string_view overflowing_number(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at) {
                at += text[at] == '\\' ? 1U : 0U;
            }
        } else if (text[at] == '-' || std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
            const std::size_t end = std::min(text.find_first_not_of("0123456789+-.eE", at), text.size());
            const std::string number(text.substr(at, end - at));
            if (std::isinf(std::strtod(number.c_str(), nullptr))) {
                return text.substr(at, end - at);
            }
            at = end - 1;
        }
    }
    return {};
}

} // namespace

std::optional<JsonValue> parse_json(const SourcePtr& source, const DiagnosticKind& kind, Diagnostics& diagnostics) {
    constexpr int deepest = 16;
    const std::string_view text = source->text();
    try {
        if (const int depth = nesting(text); depth > deepest) {
            diagnostics.report(
                kind, {source, 0, 0}, "json nested " + std::to_string(depth) + " deep, possible are " + std::to_string(deepest));
            return std::nullopt;
        }
        return Scanner(source).value();
    } catch (const Json::out_of_range& error) { // a number that no double holds; the parser does not say where
        const std::string what = error.what();
        const std::string_view number = overflowing_number(text);
        const std::size_t begin = number.empty() ? 0 : static_cast<std::size_t>(number.data() - text.data());
        diagnostics.report(
            kind, {source, begin, begin + number.size()}, "not json: " + what.substr(std::min(what.size(), what.find("] ") + 2)));
    } catch (const Json::parse_error& error) {
        // `byte` counts from 1 and names the last byte read; the message's own position repeats it.
        const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
        std::string what = error.what();
        if (const std::size_t colon = what.rfind("column "); colon != std::string::npos) {
            const std::size_t end = what.find(": ", colon);
            what = end == std::string::npos ? what : what.substr(end + 2);
        }
        std::replace(what.begin(), what.end(), '\n', ' ');
        diagnostics.report(kind, {source, at, std::min(at + 1, text.size())}, "not json: " + what);
    }
    return std::nullopt;
}

void JsonReader::fail(const JsonValue& at, std::string message, std::string hint) {
    diagnostics_.report(kind_, at.span, std::move(message)).hint = std::move(hint);
    throw Failed{};
}

const JsonValue& JsonReader::expect(const JsonValue& value, Kind kind) {
    if (value.kind != kind) {
        fail(value, "a value of kind " + std::string(name_of(value.kind)) + " where " + std::string(name_of(kind)) + " is expected");
    }
    return value;
}

void JsonReader::only(const JsonValue& object, const std::vector<std::string>& keys) {
    for (auto member = object.members.begin(); member != object.members.end(); ++member) {
        if (std::find(keys.begin(), keys.end(), member->key) == keys.end()) {
            const std::string near = nearest(member->key, keys);
            fail(member->value, "unknown key `" + member->key + "`", near.empty() ? "" : "did you mean `" + near + "`?");
        }
        const auto same = [&](const auto& other) { return other.key == member->key; };
        if (std::any_of(member + 1, object.members.end(), same)) {
            fail(std::find_if(member + 1, object.members.end(), same)->value, "key `" + member->key + "` is given twice");
        }
    }
}

const JsonValue* JsonReader::find(const JsonValue& object, std::string_view key) {
    const auto found = std::find_if(object.members.begin(), object.members.end(), [&](const auto& member) { return member.key == key; });
    return found == object.members.end() ? nullptr : &found->value;
}

const JsonValue& JsonReader::required(const JsonValue& object, std::string_view key) {
    const JsonValue* found = find(object, key);
    if (found == nullptr) {
        fail(object, "no key `" + std::string(key) + "` in this object");
    }
    return *found;
}

const JsonValue& JsonReader::member(const JsonValue& object, std::string_view key, Kind kind) {
    return expect(required(object, key), kind);
}

std::uint64_t JsonReader::whole(const JsonValue& value) {
    if (!value.whole) {
        fail(value,
            (value.kind == Kind::number ? std::string(value.span.text()) : "a value of kind " + std::string(name_of(value.kind))) +
                " where a whole number from 0 on is expected");
    }
    return static_cast<std::uint64_t>(value.number);
}

std::uint64_t JsonReader::whole(const JsonValue& object, std::string_view key) {
    return whole(required(object, key));
}

} // namespace fusec
