// SPDX-License-Identifier: Apache-2.0
#include "support/located_json.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <sstream>

namespace fusec {
namespace {

using testing::HasSubstr;
using Kind = JsonValue::Kind;

SourcePtr source_of(std::string text) {
    return std::make_shared<const SourceText>("file.json", std::move(text));
}

/// What reading the text reports; the text itself where nothing is wrong.
std::string messages(const std::string& text, const std::function<void(JsonReader&, const JsonValue&)>& read = {}) {
    Diagnostics diagnostics;
    const std::optional<JsonValue> value = parse_json(source_of(text), kind::plan_file, diagnostics);
    if (value && read) {
        JsonReader reader(kind::plan_file, diagnostics);
        try {
            read(reader, *value);
        } catch (const JsonReader::Failed&) {
        }
    }
    std::ostringstream out;
    render(diagnostics, out, false);
    return std::move(out).str();
}

TEST(LocatedJson, ValuesKnowTheirPlaces) {
    Diagnostics diagnostics;
    const auto root = parse_json(
        source_of("\xEF\xBB\xBF { \"a\\u0062\" : [1, -2.5, true,null, \"x\\\"y\"],\n \"c\":{} }\n"), kind::plan_file, diagnostics);
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root->kind, Kind::object);
    ASSERT_EQ(root->members.size(), 2U);
    EXPECT_EQ(root->members[0].key, "ab");
    const std::vector<JsonValue>& items = root->members[0].value.items;
    ASSERT_EQ(items.size(), 5U);
    EXPECT_TRUE(items[0].whole);
    EXPECT_EQ(items[1].number, -2.5);
    EXPECT_FALSE(items[1].whole);
    EXPECT_EQ(items[1].span.text(), "-2.5");
    EXPECT_TRUE(items[2].truth);
    EXPECT_EQ(items[3].kind, Kind::null);
    EXPECT_EQ(items[4].text, "x\"y");
    EXPECT_EQ(items[4].span.text(), "\"x\\\"y\"");
    EXPECT_EQ(root->members[1].value.span.text(), "{}");
    EXPECT_EQ(root->members[1].value.span.source->line(root->members[1].value.span.begin), 2U);
}

TEST(LocatedJson, WhatIsNoJsonIsToldWhereItStops) {
    EXPECT_THAT(messages("{\"a\": 1,\n \"b\": }"), HasSubstr("file.json:2:7: error: not json: "));
    EXPECT_THAT(messages(""), HasSubstr("file.json:1:1: error: not json: "));
    EXPECT_THAT(messages("[1] 2"), HasSubstr("not json: "));
    EXPECT_THAT(messages("[1e999]"), HasSubstr("file.json:1:2: error: not json: number overflow parsing '1e999'"));
    EXPECT_THAT(messages("{\"1e400\": \"\\\"1e400\", \"a\": [1e300, -2.5E-7, 1e-400,\n  -1.5e+400]}"),
        HasSubstr("file.json:2:3: error: not json: number overflow parsing '-1.5e+400'"));
    EXPECT_THAT(messages(std::string(17, '[') + std::string(17, ']')), HasSubstr("json nested 17 deep, possible are 16"));
    EXPECT_THAT(messages(std::string(100000, '[') + std::string(100000, ']')), HasSubstr("json nested 100000 deep, possible are 16"));
    EXPECT_EQ(messages(std::string(16, '[') + std::string(16, ']')), "");
}

TEST(LocatedJson, WrongValuesAreToldWhereTheyStand) {
    const std::string text = "{\"name\": 3, \"count\": 1.5, \"nmae\": 1,\n \"name\": \"n\"}";
    EXPECT_THAT(messages(text, [](JsonReader& r, const JsonValue& v) { r.text(v, "name"); }),
        HasSubstr("file.json:1:10: error: a value of kind number where string is expected [plan-file]"));
    EXPECT_THAT(messages(text, [](JsonReader& r, const JsonValue& v) { r.whole(v, "count"); }),
        HasSubstr("file.json:1:22: error: 1.5 where a whole number from 0 on is expected"));
    EXPECT_THAT(messages(text, [](JsonReader& r, const JsonValue& v) { r.whole(v, "size"); }),
        HasSubstr("file.json:1:1: error: no key `size` in this object"));
    EXPECT_THAT(messages(text, [](JsonReader& r, const JsonValue& v) { r.only(v, {"count", "name"}); }),
        HasSubstr("file.json:2:10: error: key `name` is given twice"));
    EXPECT_THAT(messages("{\"nane\": 1}", [](JsonReader& r, const JsonValue& v) { r.only(v, {"count", "name"}); }),
        testing::AllOf(HasSubstr("file.json:1:10: error: unknown key `nane`"), HasSubstr("did you mean `name`?")));
    for (const char* number : {"-1", "1.0", "1e3", "18446744073709551615"}) {
        EXPECT_THAT(messages(number, [](JsonReader& r, const JsonValue& v) { r.whole(v); }),
            HasSubstr(std::string(number) + " where a whole number from 0 on is expected"));
    }
}

} // namespace
} // namespace fusec
