// SPDX-License-Identifier: Apache-2.0
// Tables of routine times as JSON: written with nlohmann-json, read with places.
#include "perfmodel/routine_times_json.hpp"
#include "support/located_json.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace fusec::perfmodel {

namespace {

using Json = nlohmann::json; // keeps keys sorted
using Value = JsonValue;

/// What a table says, from its values.
class Reader {
public:
    explicit Reader(JsonReader& json) : json_(json) {}

    RoutineMap routines(const Value& object) {
        RoutineMap result;
        for (const auto& [name, entry] : object.members) {
            if (result.contains(name)) {
                json_.fail(entry, "routine `" + name + "` is given twice");
            }
            result.emplace(name, routine(entry));
        }
        return result;
    }

private:
    double number(const Value& value, double least, const std::string& needed) {
        constexpr double most = 1e9;
        const double result = json_.expect(value, Value::Kind::number).number;
        if (!(result >= least && result <= most)) {
            json_.fail(value, std::string(value.span.text()) + " where " + needed + " is needed");
        }
        return result;
    }
    std::vector<double> axis(const Value& entry, const std::string& key, double least, const std::string& needed) {
        const Value& values = json_.member(entry, key, Value::Kind::array);
        std::vector<double> result;
        for (const Value& value : values.items) {
            const double each = number(value, least, needed);
            if (!result.empty() && each <= result.back()) {
                json_.fail(value,
                    std::string(value.span.text()) + " after " + std::string(values.items[result.size() - 1].span.text()) +
                        ", needed ascending");
            }
            result.push_back(each);
        }
        if (result.empty()) {
            json_.fail(values, "`" + key + "` is empty");
        }
        return result;
    }
    RoutineTimes::Routine routine(const Value& entry) {
        json_.expect(entry, Value::Kind::object);
        json_.only(entry, {"block_size", "extra_shared", "residual", "shared_bytes", "times"});
        RoutineTimes::Routine result;
        const std::string bytes = "a number of bytes from 0 to 1e9";
        result.shared_bytes = number(json_.member(entry, "shared_bytes", Value::Kind::number), 0, bytes);
        result.extra_shared = axis(entry, "extra_shared", 0, bytes);
        result.block_size = axis(entry, "block_size", 1, "a number of elements from 1 to 1e9");
        const Value& rows = json_.member(entry, "times", Value::Kind::array);
        size(rows, result.extra_shared.size(), "extra_shared");
        for (const Value& row : rows.items) {
            size(json_.expect(row, Value::Kind::array), result.block_size.size(), "block_size");
            for (const Value& time : row.items) {
                result.ns.push_back(number(time, std::numeric_limits<double>::min(), "a time above 0 and up to 1e9 ns"));
            }
        }
        if (const Value* const residual = JsonReader::find(entry, "residual")) { // files of before have none
            result.residual = number(*residual, 0, "a share from 0 to 1e9");
        }
        return result;
    }
    void size(const Value& array, std::size_t needed, const std::string& axis) {
        if (array.items.size() != needed) {
            json_.fail(array, std::to_string(array.items.size()) + " entries, needed " + std::to_string(needed) + " as in `" + axis + "`");
        }
    }

    JsonReader& json_;
};

} // namespace

namespace {

Json to_json(const RoutineMap& map) {
    Json routines = Json::object();
    for (const auto& [name, routine] : map) {
        Json rows = Json::array();
        for (auto row = routine.ns.begin(); row != routine.ns.end(); row += static_cast<std::ptrdiff_t>(routine.block_size.size())) {
            rows.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(routine.block_size.size())));
        }
        routines[name] = {{"shared_bytes", routine.shared_bytes}, {"extra_shared", routine.extra_shared},
            {"block_size", routine.block_size}, {"times", std::move(rows)}};
        if (routine.residual) {
            routines[name]["residual"] = *routine.residual;
        }
    }
    return routines;
}

} // namespace

RoutineMap read_routines(JsonReader& json, const JsonValue& object) {
    return Reader(json).routines(json.expect(object, Value::Kind::object));
}

std::string routines_json(const RoutineMap& routines) {
    return to_json(routines).dump();
}

} // namespace fusec::perfmodel
