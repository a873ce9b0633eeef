// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_measurements.hpp"

#include "perfmodel/calibration.hpp"
#include "perfmodel/fit/kernel_work_json.hpp"
#include "support/files.hpp"
#include "support/located_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace fusec::perfmodel {

namespace {

/// What a number of a row may be.
struct Range {
    double least, most;
    bool whole = true;
};
constexpr Range positive{1e-15, 1e15, false}, gigahertz{0.01, 100, false}, few{1, 1e6}, from_zero{0, 1e6}, count{1, 1e15};
constexpr Range threads{1, 1024};  ///< of a block
constexpr Range registers{1, 255}; ///< of a thread

struct NumberKey {
    const char* key;
    Range range;
};

struct TextKey {
    const char* key;
    std::vector<std::string> words = {}; ///< that the probe writes there; empty: any, which is judged where it is used
};

struct ProbeKeys {
    const char* probe;
    std::vector<TextKey> texts;
    std::vector<NumberKey> numbers;
};

const std::vector<ProbeKeys>& known_probes() {
    constexpr NumberKey seconds{"seconds", positive}, cycles{"cycles", positive};
    constexpr NumberKey block{"block", threads}, resident{"resident", few}, elements{"elements", count}, of_thread{"registers", registers};
    static const TextKey level{"level", {"dram", "l2"}};
    const std::vector<std::string>& operations = gpu_probe_operations();
    static const TextKey mode{"mode", {"stream", "event", "graph"}};
    static const std::vector<ProbeKeys> all = {
        {"launch", {mode}, {{"blocks", few}, {"threads", threads}, seconds}},
        {"arguments", {mode}, {{"pointers", few}, {"blocks", few}, {"threads", threads}, seconds}},
        {"grid", {{"kernel"}}, {{"wave", few}, {"blocks", few}, {"threads", threads}, seconds}},
        {"chase", {{"space", {"global", "shared"}}}, {{"bytes", count}, cycles}},
        {"stream", {{"kernel"}}, {block, resident, elements, seconds}},
        {"width", {}, {of_thread, {"word", few}, {"loads", few}, block, {"words", count}, seconds}},
        {"volume", {{"cache"}}, {block, elements, seconds}},
        {"stride", {level}, {{"stride", few}, {"words", count}, block, seconds}},
        {"record", {level}, {{"record", few}, elements, block, seconds}},
        {"pipe", {{"operation", operations}}, {{"independent", few}, {"warps", few}, cycles}},
        {"pair", {{"first", operations}, {"second", operations}}, {{"warps", few}, cycles}},
        {"shared", {{"way", {"load", "store"}}}, {{"word", few}, {"stride", from_zero}, cycles}},
        {"barrier", {}, {{"warps", few}, resident, cycles}},
        {"overlap", {{"kernel"}}, {{"fmas", from_zero}, block, resident, of_thread, elements, seconds}},
        {"async", {{"way", {"threads", "bulk"}}}, {{"tile", few}, {"stages", few}, resident, {"bytes", count}, seconds}},
        {"kernel", {{"role"}, {"name"}, {"program"}},
            {{"seed", from_zero}, block, elements, {"extra_shared", from_zero}, resident, of_thread, {"repetitions", few}, seconds}},
    };
    return all;
}

/// Of every row: the multiprocessors' clock, and from schema 5 on whether it is that under load.
constexpr NumberKey clock_key{"clock_ghz", gigahertz};
const TextKey& clock_state() {
    static const TextKey key{"clock", {"load", "idle"}};
    return key;
}

constexpr const char* kernel_roles[] = {"occupancy", "held-out", "routine", "transfer", "remap"};

double checked_number(JsonReader& json, const JsonValue& entry, const NumberKey& key) {
    const double value = json.number(entry, key.key);
    const auto& [least, most, integral] = key.range;
    if (value < least || value > most || (integral && value != std::floor(value))) {
        json.fail(*JsonReader::find(entry, key.key),
            fmt::format("`{}` has to be {} from {:g} to {:g}", key.key, integral ? "a whole number" : "positive,", least, most));
    }
    return value;
}

const std::string& checked_text(JsonReader& json, const JsonValue& entry, const std::string& probe, const TextKey& key) {
    const std::string& text = json.text(entry, key.key);
    if (!key.words.empty() && std::find(key.words.begin(), key.words.end(), text) == key.words.end()) {
        const std::string near = nearest(text, key.words);
        json.fail(*JsonReader::find(entry, key.key), fmt::format("`{}` has no {} `{}`", probe, key.key, text),
            near.empty() ? fmt::format("it has {}", fmt::join(key.words, ", ")) : fmt::format("did you mean `{}`?", near));
    }
    return text;
}

ProbeRow read_row(JsonReader& json, const JsonValue& entry, std::uint64_t schema) {
    json.expect(entry, JsonValue::Kind::object);
    ProbeRow row;
    row.span = entry.span;
    row.probe = json.text(entry, "probe");
    const auto known =
        std::find_if(known_probes().begin(), known_probes().end(), [&](const ProbeKeys& each) { return row.probe == each.probe; });
    if (known == known_probes().end()) {
        json.fail(*JsonReader::find(entry, "probe"), "no probe is called `" + row.probe + "`");
    }
    std::vector<std::string> keys{"probe", clock_key.key};
    for (const TextKey& key : known->texts) {
        keys.emplace_back(key.key);
    }
    for (const NumberKey& key : known->numbers) {
        keys.emplace_back(key.key);
    }
    const bool says_state = schema > oldest_gpu_measurements_schema;
    if (says_state) {
        keys.emplace_back(clock_state().key);
    }
    const bool emitted = row.probe == "kernel";
    if (emitted) {
        keys.emplace_back("work");
        keys.emplace_back("counted");
    }
    json.only(entry, keys);
    if (emitted && JsonReader::find(entry, "counted") != nullptr) {
        row.texts.emplace("counted", json.text(entry, "counted"));
    }
    for (const TextKey& key : known->texts) {
        row.texts.emplace(key.key, checked_text(json, entry, row.probe, key));
    }
    for (const NumberKey& key : known->numbers) {
        row.numbers.emplace(key.key, checked_number(json, entry, key));
    }
    row.numbers.emplace(clock_key.key, checked_number(json, entry, clock_key));
    row.texts.emplace(clock_state().key, says_state ? checked_text(json, entry, row.probe, clock_state()) : "idle");
    if (emitted) {
        const std::string& role = row.text("role");
        if (std::find(std::begin(kernel_roles), std::end(kernel_roles), role) == std::end(kernel_roles)) {
            json.fail(*JsonReader::find(entry, "role"), "no kernel is measured as `" + role + "`");
        }
        row.work = std::make_shared<const fusion::KernelWork>(read_kernel_work(json, json.member(entry, "work", JsonValue::Kind::object)));
        if (row.work->threads_per_block != row.number("block")) {
            json.fail(*JsonReader::find(entry, "block"),
                fmt::format("blocks of {:g} threads, the work is of blocks of {}", row.number("block"), row.work->threads_per_block));
        }
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
        {"schema", "kind", "name", "base", "description", "date", "machine", "commit", "arch", "multiprocessors", "l2_bytes", "driver",
            "runtime", "peak_clock_ghz", "memory_clock_ghz", "rows"});
    if (json.text(root, "kind") != gpu_measurements_kind) {
        json.fail(*JsonReader::find(root, "kind"),
            "`" + json.text(root, "kind") + "` where `" + std::string(gpu_measurements_kind) + "` is expected");
    }
    const std::uint64_t schema = json.whole(root, "schema");
    if (schema < oldest_gpu_measurements_schema || schema > gpu_measurements_schema) {
        json.fail(*JsonReader::find(root, "schema"),
            fmt::format("measurements of schema {}, this compiler reads schemas {} and {}", schema, oldest_gpu_measurements_schema,
                gpu_measurements_schema),
            schema < gpu_measurements_schema
                ? "`fusec calibrate --target cuda --emit DIR` writes the probes anew; what those measure has schema " +
                    std::to_string(gpu_measurements_schema)
                : "a later compiler has written the probes, and it reads what they measured");
    }
    GpuMeasurements result{json.text(root, "name"), json.text(root, "base"), json.text(root, "date"), json.text(root, "machine"),
        json.text(root, "commit"), whole(json, root, "arch"), whole(json, root, "multiprocessors"),
        checked_number(json, root, {"l2_bytes", count}), {}};
    for (const char* key : {"driver", "runtime"}) { // versions of CUDA, 1000 * major + 10 * minor
        whole(json, root, key);
    }
    for (const char* key : {"peak_clock_ghz", "memory_clock_ghz"}) {
        if (json.number(root, key) < 0) { // 0: the driver does not say
            json.fail(*JsonReader::find(root, key), fmt::format("`{}` has to be 0 or more", key));
        }
    }
    check_origin(json, root);
    result.description = read_description(json, root);
    for (const JsonValue& entry : json.array(root, "rows")) {
        result.rows.push_back(read_row(json, entry, schema));
    }
    return result;
}

} // namespace

std::vector<std::string> gpu_probe_names() {
    std::vector<std::string> names;
    for (const ProbeKeys& each : known_probes()) {
        names.emplace_back(each.probe);
    }
    return names;
}

const std::vector<std::string>& gpu_probe_operations() {
    static const std::vector<std::string> all = {"add_f32", "mul_f32", "fma_f32", "add_f64", "mul_f64", "fma_f64", "add_i32", "mad_i32",
        "lop3_b32", "reciprocal", "reciprocal_root", "exponential_2", "logarithm_2", "sine", "convert", "shuffle", "shared_load",
        "expf_near_1", "logf_near_1", "sinf_near_1", "sinf_of_1e6", "sqrtf_near_1", "powf_near_1", "division_f32", "exp_near_1",
        "log_near_1", "sin_near_1", "sin_of_1e6", "sqrt_near_1", "pow_near_1", "division_f64"};
    return all;
}

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
    Diagnostics ignored; // whoever reads it reports what is wrong
    const std::optional<std::string> text = read_text(file, ignored);
    if (!text) {
        return false;
    }
    const auto root = parse_json(std::make_shared<const SourceText>(file.string(), *text), kind::invalid_measurement, ignored);
    if (!root) { // as of a run that was stopped
        return text->find("\"kind\": \"" + std::string(gpu_measurements_kind) + "\"") != std::string::npos;
    }
    const JsonValue* kind = root->kind == JsonValue::Kind::object ? JsonReader::find(*root, "kind") : nullptr;
    return kind != nullptr && kind->text == gpu_measurements_kind;
}

} // namespace fusec::perfmodel
