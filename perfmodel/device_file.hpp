// SPDX-License-Identifier: Apache-2.0
// The text of a device description as located figures; toml++ stays behind it.
#pragma once

#include "perfmodel/device.hpp"
#include "support/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

/// A figure with the place that wrote it.
struct LocatedFigure {
    Figure figure; ///< key with its tables: "stream.read.tau_ns"
    Span span;
};

struct DeviceFile {
    std::string name;
    std::string summary;
    std::string target;
    Span target_span;
    std::vector<LocatedFigure> figures; ///< in file order
    Span whole;                         ///< where to report what is missing
};

/// Reads the shape of a description: three texts, and tables of `key = { value, unit, source }`. Reports `device-syntax` for text that
/// is not TOML and `invalid-figure` for an entry of another form or without a source; the keys themselves are judged by the caller.
std::optional<DeviceFile> read_device_file(const SourcePtr& source, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
