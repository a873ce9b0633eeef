// SPDX-License-Identifier: Apache-2.0
// Calibrations: figures of a device that were measured on it, in place of those of its description. JSON files:
//
//     {"schema": 1, "kind": "calibration", "name": "node7", "base": "host-generic", "date": "...", "machine": "...", "commit": "...",
//      "figures": [{"key": "stream.copy.peak", "value": 61.2, "unit": "GB/s", "points": 9, "residual": 0.012, "how": "..."}],
//      "routines": {"mmul_element(...) -> ...": {"shared_bytes": 0, "extra_shared": [0], "block_size": [8], "times": [[0.4]],
//                                                        "residual": 0.03}}}
//
// `base` is the description that the figures overlay. One that does not come with the compiler is carried along: `description` is its text.
// `points` is how many measurements a figure is fitted to, `residual` their mean relative deviation from the model with it. `routines`, in
// nanoseconds per element, may be left out of a GPU, and so may the residual of one (routine_times.hpp). A host's has the figures_of_a_host, and
// `kernels`, which names what the measured kernels load, store and loop with (codegen::name_of_host_runtime); those made before have no such name.
#pragma once

#include "perfmodel/device.hpp"
#include "perfmodel/routine_times.hpp"

#include <span>

namespace fusec {
class JsonReader;
struct JsonValue;
} // namespace fusec

namespace fusec::perfmodel {

struct CalibratedFigure {
    std::string key;
    double value = 0;
    std::string unit;
    int points = 0;
    double residual = 0;
    std::string how; ///< what was measured
    Span span = {};  ///< in the file it was read from
};

struct Calibration {
    std::string name;    ///< of the device that it makes: what `--device` takes
    std::string base;    ///< name of the description
    std::string date;    ///< ISO 8601, UTC
    std::string machine; ///< processor or GPU, as it names itself
    std::string commit;  ///< of the compiler that measured
    std::vector<CalibratedFigure> figures;
    std::map<std::string, RoutineTimes::Routine, std::less<>> routines = {}; ///< times of routines (routine_times.hpp); may be none
    std::string hash = {};                                                   ///< of its text: names it where results depend on it
    std::string kernels = {};        ///< host: names what the measured kernels load, store and loop with; empty: it does not say
    SourcePtr description = nullptr; ///< text of the base; null: it comes with the compiler
    Span name_span = {};             ///< in the file it was read from
    Span figures_span = {};          ///< the same
    Span routines_span = {};         ///< the same; that of the figures where it has none
};

inline constexpr int calibration_schema = 1;

/// Fails at the place of a `name` that none may have, a `base` that no description has and whose text does not come along, a control character
/// in what else says where a calibration, or what one is made from, comes from, an empty `machine`, or a `date` that utc_date would not write.
void check_origin(JsonReader& json, const JsonValue& root);
/// The member `description` as a text of its own, called after the file; null: there is none. Pre: check_origin.
SourcePtr read_description(JsonReader& json, const JsonValue& root);
/// Whether a calibration over the description `base` may be called `name`: that of another description would hide a device. `carried`: the text
/// of the base comes along, so that none of the compiler's descriptions is meant.
bool is_named_as_it_may(const std::string& name, const std::string& base, bool carried = false);
/// The text that a calibration over the description of `--device NAME` has to carry; null: NAME comes with the compiler, or is a file of the same
/// bytes as the one of the device's name that does. Reports a file that cannot be read.
SourcePtr carried_description(const std::string& name, const Device& device, Diagnostics& diagnostics);

/// Reports `calibration-file` at the place of the first value that is wrong: no JSON, a missing, unknown or repeated key, another schema, a
/// negative count, a name that is none, a figure that is given twice or is a limit. Figures are checked when they are laid over a device.
std::optional<Calibration> read_calibration(const std::filesystem::path& file, Diagnostics& diagnostics);
std::string to_json(const Calibration& calibration);

/// The description `base` alone: the one that is carried, or the compiler's of that name. Reports what is wrong with it, and a carried one of
/// another name.
std::optional<Device> described_device(const Calibration& calibration, Diagnostics& diagnostics);
/// What every calibration of a host has, beside a time of a routine. Measured figures of one machine beside described ones of another would make
/// a device that is neither, and without times the model of a host is another.
std::span<const char* const> figures_of_a_host();

/// The description `base` with the figures that a calibration which is being made has so far, each with its source; located errors for keys that no
/// figure of the device has, for another unit than the figure's, for values that cannot be, and an error for the name of another description.
std::optional<Device> device_so_far(const Calibration& calibration, Diagnostics& diagnostics);
/// The same of one that has been made: an error where a host's lacks what it has to have.
std::optional<Device> calibrated_device(const Calibration& calibration, Diagnostics& diagnostics);

/// The user's own, which `fusec calibrate --import` writes to: $XDG_CONFIG_HOME/fusec/calibrations, else $HOME/.config/fusec/calibrations. Nothing
/// where neither is an absolute path: others are to be ignored (XDG Base Directory Specification 0.8).
std::optional<std::filesystem::path> user_calibrations();
/// Where calibrations are looked for by the name of the device: the user's, where there are any, then those that come with the compiler.
std::vector<std::filesystem::path> calibration_folders();
/// The first folder's NAME.json, whatever is there or cannot be looked at; nothing if there is none.
std::optional<std::filesystem::path> find_calibration(const std::string& name);
/// The file of the calibration that `--device NAME` means: what find_calibration finds, or NAME itself where it ends in .json.
std::optional<std::filesystem::path> calibration_file(const std::string& name);

/// The names of all of them, and of the descriptions, sorted, each once: what `--device NAME` may say.
std::vector<std::string> known_device_names();

/// The device of `--device NAME`: the calibrated one where there is a calibration of that name, or NAME is the path of one (it ends in .json); else
/// that of the description (find_device). A damaged calibration is an error, never the description in its place.
std::optional<Device> find_calibrated_device(const std::string& name, Diagnostics& diagnostics);
/// The files that it reads.
std::vector<std::filesystem::path> files_of_device(const std::string& name);

} // namespace fusec::perfmodel
