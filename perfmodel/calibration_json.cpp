// SPDX-License-Identifier: Apache-2.0
// The text of calibrations.
#include "perfmodel/calibration.hpp"
#include "perfmodel/routine_times_json.hpp"
#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/located_json.hpp"
#include "support/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace fusec::perfmodel {

namespace {

CalibratedFigure read_figure(JsonReader& json, const JsonValue& entry) {
    json.expect(entry, JsonValue::Kind::object);
    json.only(entry, {"key", "value", "unit", "points", "residual", "how"});
    CalibratedFigure figure{json.text(entry, "key"), json.number(entry, "value"), json.text(entry, "unit"), 0,
        json.number(entry, "residual"), json.text(entry, "how"), entry.span};
    if (has_control_character(figure.how)) {
        json.fail(*JsonReader::find(entry, "how"), "a control character in `how`");
    }
    const std::uint64_t points = json.whole(entry, "points");
    if (points == 0 || points > 1000000) {
        json.fail(*JsonReader::find(entry, "points"), "fitted to " + std::to_string(points) + " points, possible are 1 to 1000000");
    }
    figure.points = static_cast<int>(points);
    if (figure.residual < 0) {
        json.fail(*JsonReader::find(entry, "residual"), "a residual below zero");
    }
    return figure;
}

} // namespace

void check_origin(JsonReader& json, const JsonValue& root) {
    const bool carried = JsonReader::find(root, "description") != nullptr; // of such a base the name is what its text says
    const std::string base = json.text(root, "base");
    for (const char* key : {"name", "base"}) {
        if (!is_device_name(json.text(root, key)) && (key == std::string_view("name") || !carried)) {
            json.fail(*JsonReader::find(root, key), "no name of a device: letters, digits, `-` and `_` are possible");
        }
    }
    for (const char* key : {"base", "date", "machine", "commit"}) {
        if (has_control_character(json.text(root, key))) {
            json.fail(*JsonReader::find(root, key), fmt::format("a control character in `{}`", key));
        }
    }
    if (json.text(root, "machine").find_first_not_of(' ') == std::string::npos) {
        json.fail(*JsonReader::find(root, "machine"), "`machine` is empty", "it is the processor or the GPU, as it names itself");
    }
    if (!is_utc_date(json.text(root, "date"))) {
        json.fail(*JsonReader::find(root, "date"), "no date of the form `2026-11-23T12:00:00Z`");
    }
    const std::vector<std::string> described = device_names();
    if (!carried && std::find(described.begin(), described.end(), base) == described.end()) {
        json.fail(*JsonReader::find(root, "base"), fmt::format("no device is described as `{}`: {}", base, known_instead(base, described)));
    }
}

SourcePtr read_description(JsonReader& json, const JsonValue& root) {
    const JsonValue* const found = JsonReader::find(root, "description");
    return found == nullptr
        ? nullptr
        : std::make_shared<const SourceText>(root.span.source->path() + " (description)", json.text(root, "description"));
}

namespace {

Calibration read(JsonReader& json, const JsonValue& root) {
    json.expect(root, JsonValue::Kind::object);
    json.only(root, {"schema", "kind", "name", "base", "date", "machine", "commit", "kernels", "figures", "routines", "description"});
    if (const std::uint64_t schema = json.whole(root, "schema"); schema != calibration_schema) {
        json.fail(*JsonReader::find(root, "schema"),
            "calibration of schema " + std::to_string(schema) + ", this compiler reads schema " + std::to_string(calibration_schema));
    }
    if (json.text(root, "kind") != "calibration") {
        json.fail(*JsonReader::find(root, "kind"), "`" + json.text(root, "kind") + "` where `calibration` is expected");
    }
    Calibration result{json.text(root, "name"), json.text(root, "base"), json.text(root, "date"), json.text(root, "machine"),
        json.text(root, "commit"), {}};
    result.name_span = JsonReader::find(root, "name")->span;
    check_origin(json, root);
    result.description = read_description(json, root);
    if (const JsonValue* kernels = JsonReader::find(root, "kernels")) {
        result.kernels = json.text(root, "kernels");
        if (result.kernels.empty() || has_control_character(result.kernels)) {
            json.fail(*kernels, "`kernels` names nothing, or has a control character");
        }
    }
    const JsonValue& figures = json.member(root, "figures", JsonValue::Kind::array);
    result.figures_span = result.routines_span = figures.span;
    for (const JsonValue& entry : figures.items) {
        CalibratedFigure figure = read_figure(json, entry);
        const auto same = [&](const CalibratedFigure& other) { return other.key == figure.key; };
        if (std::any_of(result.figures.begin(), result.figures.end(), same)) {
            json.fail(entry, "figure `" + figure.key + "` is given twice");
        }
        if (figure.key.starts_with("limits.") && figure.key != "limits.vector_bytes") { // of a host, whose processor says it
            json.fail(entry, "`" + figure.key + "` is a limit of the device, which is described and not measured");
        }
        result.figures.push_back(std::move(figure));
    }
    if (result.figures.empty()) {
        json.fail(figures, "a calibration without figures");
    }
    if (const JsonValue* routines = JsonReader::find(root, "routines")) {
        result.routines = read_routines(json, *routines);
        result.routines_span = routines->span;
    }
    return result;
}

} // namespace

std::optional<Calibration> read_calibration(const std::filesystem::path& file, Diagnostics& diagnostics) {
    std::optional<std::string> text = read_text(file, diagnostics);
    if (!text) {
        return std::nullopt;
    }
    const std::string hash = hexadecimal(Fnv1a().add(*text).value());
    const auto source = std::make_shared<const SourceText>(file.string(), std::move(*text));
    const std::optional<JsonValue> root = parse_json(source, kind::calibration_file, diagnostics);
    if (!root) {
        return std::nullopt;
    }
    JsonReader json(kind::calibration_file, diagnostics);
    try {
        Calibration result = read(json, *root);
        result.hash = hash;
        return result;
    } catch (const JsonReader::Failed&) {
        return std::nullopt;
    }
}

std::string to_json(const Calibration& calibration) {
    nlohmann::ordered_json json{{"schema", calibration_schema}, {"kind", "calibration"}, {"name", calibration.name},
        {"base", calibration.base}, {"date", calibration.date}, {"machine", calibration.machine}, {"commit", calibration.commit},
        {"figures", nlohmann::ordered_json::array()}};
    if (!calibration.kernels.empty()) {
        json["kernels"] = calibration.kernels;
    }
    for (const CalibratedFigure& figure : calibration.figures) {
        json["figures"].push_back({{"key", figure.key}, {"value", figure.value}, {"unit", figure.unit}, {"points", figure.points},
            {"residual", figure.residual}, {"how", figure.how}});
    }
    if (!calibration.routines.empty()) {
        json["routines"] = nlohmann::ordered_json::parse(routines_json(calibration.routines));
    }
    if (calibration.description != nullptr) {
        json["description"] = calibration.description->text();
    }
    return json.dump(2) + "\n";
}

} // namespace fusec::perfmodel
