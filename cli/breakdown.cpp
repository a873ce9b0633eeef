// SPDX-License-Identifier: Apache-2.0
#include "cli/breakdown.hpp"

#include "cli/report_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace fusec::cli {

namespace {

std::vector<std::string> quantities_of(const perfmodel::Breakdown& breakdown) {
    std::vector<std::string> said;
    for (const perfmodel::Quantity& quantity : breakdown.quantities) {
        if (!std::isfinite(quantity.value)) { // what there is none of, which the name says
            said.push_back(quantity.name);
            continue;
        }
        const bool is_time = quantity.unit == "s";
        said.push_back(quantity.name + " " +
            (is_time ? time_text(quantity.value)
                     : fmt::format("{:.6g}{}", quantity.value, quantity.unit.empty() ? "" : " " + quantity.unit)));
    }
    return said;
}

} // namespace

std::string bound_times_text(const perfmodel::Breakdown& breakdown) {
    std::vector<std::string> said;
    for (const auto& [bound, seconds] : breakdown.bounds) {
        said.push_back(fmt::format("{} {}", fusion::to_string(bound), time_text(seconds)));
    }
    return fmt::to_string(fmt::join(said, ", "));
}

std::vector<std::string> in_lines(const std::vector<std::string>& parts, std::size_t columns) {
    std::vector<std::string> lines;
    for (const std::string& part : parts) {
        if (lines.empty() || lines.back().size() + 2 + part.size() >= columns) {
            lines.push_back(part);
        } else {
            lines.back() += ", " + part;
        }
    }
    return lines;
}

std::vector<std::string> quantity_lines(const perfmodel::Breakdown& breakdown, std::size_t columns) {
    return in_lines(quantities_of(breakdown), columns);
}

} // namespace fusec::cli
