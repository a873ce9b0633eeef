// SPDX-License-Identifier: Apache-2.0
// What an audit of a host is asked for, and the text of the points that it leaves on request.
#pragma once

#include "perfmodel/fit/point.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::bench {

/// What a calibration has nothing of, of the programs held out.
enum class Withheld : std::uint8_t {
    kernels,  ///< their kernels: what their routines and lists take alone is measured
    programs, ///< anything: what `fusec calibrate --for` the other programs gives
};

struct HostAuditOptions {
    std::vector<std::filesystem::path> programs;
    std::size_t first_held_out = 1; ///< of the programs, with every second one behind it: 1, or 0 for the other half
    std::size_t sample = 60;        ///< kernels of each program
    std::size_t rounds = 8;
    std::uint64_t seed = 1;
    Withheld withheld = Withheld::kernels;
    std::filesystem::path out;             ///< the result
    std::filesystem::path points_out = {}; ///< where given, every measured kernel is written there with its work (points_text)

    /// Whether no figure is fitted to kernels of that one of the programs.
    bool held_out(std::size_t program) const { return program % 2 == first_held_out; }
};

/// Of the words behind `audit --target host`; nothing where these are not what the command takes.
std::optional<HostAuditOptions> host_audit_options(const std::vector<std::string>& words);

/// What figures were fitted to and predictors are judged by, a kernel a line: JSON {place, kernel, fitted, elements, seconds, work}.
std::string points_text(const std::vector<perfmodel::Point>& points);

} // namespace fusec::bench
