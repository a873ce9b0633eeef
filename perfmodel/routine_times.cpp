// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/routine_times.hpp"

#include "fusion/instruction_rates.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace fusec::perfmodel {

namespace {

/// Where a value lies on an axis: between `low` and `low + 1`, or on `low` with nothing of the next.
struct Place {
    std::size_t low = 0;
    double share = 0; ///< of the next
    bool clamped = false;
};

Place place_on(const std::vector<double>& axis, double value) {
    if (value < axis.front()) {
        return {0, 0, true};
    }
    if (value >= axis.back()) {
        return {axis.size() - 1, 0, value > axis.back()};
    }
    const auto next = std::upper_bound(axis.begin(), axis.end(), value);
    const auto low = static_cast<std::size_t>(next - axis.begin()) - 1;
    return {low, (value - axis[low]) / (axis[low + 1] - axis[low]), false};
}

} // namespace

RoutineTime time_at(const RoutineTimes::Routine& routine, double extra_shared, double block_size) {
    const Place row = place_on(routine.extra_shared, extra_shared);
    const Place column = place_on(routine.block_size, block_size);
    const auto in_row = [&](std::size_t index) {
        const double* const times = routine.ns.data() + index * routine.block_size.size() + column.low;
        return column.share == 0 ? times[0] : (1 - column.share) * times[0] + column.share * times[1];
    };
    const double low = in_row(row.low);
    return {row.share == 0 ? low : (1 - row.share) * low + row.share * in_row(row.low + 1), row.clamped || column.clamped};
}

std::optional<std::string> compute_routine(const fusion::WorkStep& step) {
    if (step.routine == nullptr) {
        return std::nullopt;
    }
    return step.kind == fusion::WorkStep::Kind::derive ? "derive " + *step.routine : *step.routine;
}

std::string transfer_routine(const fusion::GlobalAccess& access) {
    const auto bytes = std::llround(access.count * access.bytes);
    std::string name =
        std::string(access.store ? "store " : "load ") + std::to_string(bytes) + " bytes, " + std::to_string(access.bytes) + " at a time";
    if (access.asynchronous) {
        name += ", asynchronous";
    }
    if (access.streaming) {
        name += ", streaming";
    }
    if (access.registers != 1) {
        name += access.registers < 1 ? half_registers : ", in two registers";
    }
    if (access.converted) {
        name += ", converted";
    }
    if (!access.staged) {
        name += access.addressing == fusion::Addressing::unit ? ", in place" : ", in place, strided";
    }
    return name;
}

std::string cached_transfer(fusion::GlobalAccess access) {
    access.streaming = false;
    return "cached " + transfer_routine(access);
}

std::optional<double> cached_transfer_by_size(const RoutineTimes& times, const fusion::GlobalAccess& access) {
    const std::string name = cached_transfer(access);
    const std::size_t digits = name.find_first_of("0123456789");
    const std::size_t behind = name.find(' ', digits);
    const std::string_view before = std::string_view(name).substr(0, digits), after = std::string_view(name).substr(behind);
    const double wanted = access.count * access.bytes;
    struct Size {
        double bytes, ns_per_byte;
    };
    std::optional<Size> smaller, larger;
    for (auto at = times.routines.lower_bound(before); at != times.routines.end() && at->first.starts_with(before); ++at) {
        double bytes = 0;
        const std::string_view other = at->first;
        const auto [end, error] = std::from_chars(other.data() + digits, other.data() + other.size(), bytes);
        const double ns = at->second.ns.front();
        if (error != std::errc() || ns <= 0 || other.substr(static_cast<std::size_t>(end - other.data())) != after) {
            continue;
        }
        if (bytes < wanted && (!smaller || bytes > smaller->bytes)) {
            smaller = Size{bytes, ns / bytes};
        } else if (bytes > wanted && (!larger || bytes < larger->bytes)) {
            larger = Size{bytes, ns / bytes};
        }
    }
    if (smaller && larger) {
        const double share = (wanted - smaller->bytes) / (larger->bytes - smaller->bytes);
        return wanted * ((1 - share) * smaller->ns_per_byte + share * larger->ns_per_byte);
    }
    return smaller && smaller->bytes > 2 * fusion::most_words_transposed_at_once * access.bytes
        ? std::optional(wanted * smaller->ns_per_byte)
        : std::nullopt;
}

std::vector<std::string> transfer_routines(const fusion::WorkStep& step) {
    std::vector<std::string> names;
    for (const fusion::GlobalAccess& access : step.accesses) {
        if (access.addressing != fusion::Addressing::broadcast) {
            names.push_back(transfer_routine(access));
        }
    }
    return names;
}

} // namespace fusec::perfmodel
