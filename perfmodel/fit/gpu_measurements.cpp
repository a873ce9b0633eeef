// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_measurements.hpp"

#include "support/files.hpp"
#include "support/located_json.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

namespace fusec::perfmodel {

namespace {

/// What a number of a row may be at least.
enum class Least {
    zero,
    one,
    positive
};

struct NumberKey {
    const char* key;
    Least least;
};

struct ProbeKeys {
    const char* probe;
    std::vector<const char*> texts;
    std::vector<NumberKey> numbers;
};

const std::vector<ProbeKeys>& known_probes() {
    constexpr NumberKey seconds{"seconds", Least::positive}, clock{"clock_ghz", Least::positive}, cycles{"cycles", Least::positive};
    constexpr NumberKey block{"block", Least::one}, resident{"resident", Least::one}, elements{"elements", Least::one};
    static const std::vector<ProbeKeys> all = {
        {"launch", {"mode"}, {{"blocks", Least::one}, {"threads", Least::one}, seconds}},
        {"grid", {"kernel"}, {{"wave", Least::one}, {"blocks", Least::one}, {"threads", Least::one}, seconds}},
        {"chase", {"space"}, {{"bytes", Least::one}, cycles, clock}},
        {"stream", {"kernel"}, {block, resident, elements, seconds, clock}},
        {"width", {}, {{"word", Least::one}, {"loads", Least::one}, block, {"words", Least::one}, seconds, clock}},
        {"volume", {"cache"}, {block, elements, seconds, clock}},
        {"stride", {"level"}, {{"stride", Least::one}, {"words", Least::one}, block, seconds, clock}},
        {"record", {"level"}, {{"record", Least::one}, elements, block, seconds, clock}},
        {"pipe", {"operation"}, {{"independent", Least::one}, {"warps", Least::one}, cycles}},
        {"pair", {"first", "second"}, {{"warps", Least::one}, cycles}},
        {"shared", {"way"}, {{"word", Least::one}, {"stride", Least::zero}, cycles}},
        {"barrier", {}, {{"warps", Least::one}, resident, cycles}},
        {"overlap", {"kernel"}, {{"fmas", Least::zero}, {"passes", Least::one}, block, resident, {"blocks", Least::one}, seconds, clock}},
        {"async", {"way"}, {{"tile", Least::one}, {"stages", Least::one}, resident, {"bytes", Least::one}, seconds, clock}},
    };
    return all;
}

double checked_number(JsonReader& json, const JsonValue& entry, const NumberKey& key) {
    const double value = json.number(entry, key.key);
    const double least = key.least == Least::one ? 1 : key.least == Least::zero ? 0 : std::numeric_limits<double>::min();
    if (value < least) {
        json.fail(*JsonReader::find(entry, key.key),
            "`" + std::string(key.key) + "` has to be " +
                (key.least == Least::positive ? "positive" : "at least " + std::to_string(static_cast<int>(least))));
    }
    return value;
}

ProbeRow read_row(JsonReader& json, const JsonValue& entry) {
    json.expect(entry, JsonValue::Kind::object);
    ProbeRow row;
    row.span = entry.span;
    row.probe = json.text(entry, "probe");
    const auto known =
        std::find_if(known_probes().begin(), known_probes().end(), [&](const ProbeKeys& each) { return row.probe == each.probe; });
    if (known == known_probes().end()) {
        json.fail(*JsonReader::find(entry, "probe"), "no probe is called `" + row.probe + "`");
    }
    std::vector<std::string> keys{"probe"};
    keys.insert(keys.end(), known->texts.begin(), known->texts.end());
    for (const NumberKey& key : known->numbers) {
        keys.emplace_back(key.key);
    }
    json.only(entry, keys);
    for (const char* key : known->texts) {
        row.texts.emplace(key, json.text(entry, key));
    }
    for (const NumberKey& key : known->numbers) {
        row.numbers.emplace(key.key, checked_number(json, entry, key));
    }
    return row;
}

int whole(JsonReader& json, const JsonValue& root, const char* key) {
    const std::uint64_t value = json.whole(root, key);
    if (value == 0 || value > 1000000) {
        json.fail(*JsonReader::find(root, key), "`" + std::string(key) + "` has to be from 1 to 1000000");
    }
    return static_cast<int>(value);
}

GpuMeasurements read(JsonReader& json, const JsonValue& root) {
    json.expect(root, JsonValue::Kind::object);
    json.only(root,
        {"schema", "kind", "name", "base", "date", "machine", "commit", "arch", "multiprocessors", "l2_bytes", "driver", "runtime",
            "rows"});
    if (json.text(root, "kind") != gpu_measurements_kind) {
        json.fail(*JsonReader::find(root, "kind"),
            "`" + json.text(root, "kind") + "` where `" + std::string(gpu_measurements_kind) + "` is expected");
    }
    if (const std::uint64_t schema = json.whole(root, "schema"); schema != gpu_measurements_schema) {
        json.fail(*JsonReader::find(root, "schema"),
            "measurements of schema " + std::to_string(schema) + ", this compiler reads schema " + std::to_string(gpu_measurements_schema));
    }
    GpuMeasurements result{json.text(root, "name"), json.text(root, "base"), json.text(root, "date"), json.text(root, "machine"),
        json.text(root, "commit"), whole(json, root, "arch"), whole(json, root, "multiprocessors"),
        checked_number(json, root, {"l2_bytes", Least::one}), {}};
    for (const JsonValue& entry : json.array(root, "rows")) {
        result.rows.push_back(read_row(json, entry));
    }
    return result;
}

} // namespace

std::vector<const ProbeRow*> GpuMeasurements::of(std::string_view probe) const {
    std::vector<const ProbeRow*> found;
    for (const ProbeRow& row : rows) {
        if (row.probe == probe) {
            found.push_back(&row);
        }
    }
    return found;
}

std::optional<GpuMeasurements> read_gpu_measurements(const std::filesystem::path& file, Diagnostics& diagnostics) {
    std::optional<std::string> text = read_text(file, diagnostics);
    if (!text) {
        return std::nullopt;
    }
    const auto source = std::make_shared<const SourceText>(file.string(), std::move(*text));
    const std::optional<JsonValue> root = parse_json(source, kind::invalid_measurement, diagnostics);
    if (!root) {
        return std::nullopt;
    }
    JsonReader json(kind::invalid_measurement, diagnostics);
    try {
        return read(json, *root);
    } catch (const JsonReader::Failed&) {
        return std::nullopt;
    }
}

bool has_gpu_measurements(const std::filesystem::path& file) {
    Diagnostics ignored; // whoever reads it as something else reports what is wrong
    std::optional<std::string> text = read_text(file, ignored);
    const auto root = text
        ? parse_json(std::make_shared<const SourceText>(file.string(), std::move(*text)), kind::invalid_measurement, ignored)
        : std::nullopt;
    const JsonValue* kind = root && root->kind == JsonValue::Kind::object ? JsonReader::find(*root, "kind") : nullptr;
    return kind != nullptr && kind->text == gpu_measurements_kind;
}

} // namespace fusec::perfmodel
