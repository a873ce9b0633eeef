// SPDX-License-Identifier: Apache-2.0
// The figures that a device description can have: key, unit, which devices have it, what is a possible value, where it goes.
#pragma once

#include "perfmodel/device.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fusec::perfmodel {

struct Field {
    /// Which devices have it.
    enum class For {
        cuda,
        host,
        both
    };

    const char* key;
    const char* unit;
    For target;
    double least; ///< bounds are wide of any device, and near enough that nothing computed from figures overflows an int or leaves the
    double most;  ///< range of a double
    bool whole;
    bool required;                ///< every description of the target has it
    double (*get)(const Device&); ///< null: kept in Device::optional_figures where there is one, as is
    void (*set)(Device&, double); ///< this
    bool power_of_two = false;    ///< whole, and one of these

    bool serves(fusion::Target of) const;
    /// In the bounds, and whole or a power of 2 if it has to be; NaN is not.
    bool possible(double value) const;
};

/// All of them, in the order in which descriptions give them.
std::span<const Field> device_fields();
/// The figure of that key of devices of that target; null: none has that name.
const Field* find_field(std::string_view key, fusion::Target target);
/// Stores a possible value.
void store(const Field& field, Device& device, double value);
/// Stores a figure that a file gives, or reports at its place why it is none: an unknown key, another unit, a value that cannot be.
bool store(const Figure& figure, const Span& place, Device& device, Diagnostics& diagnostics);

/// Figures that a file gives, and where: reports at one of them where some of those that belong together are given and another is not: the
/// five of `pipeline`'s correction, the eight of `wave`'s lines of a launch, the two of a host's last level.
void check_complete(const std::vector<std::pair<std::string, Span>>& given, Diagnostics& diagnostics);

} // namespace fusec::perfmodel
