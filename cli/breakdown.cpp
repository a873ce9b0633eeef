// SPDX-License-Identifier: Apache-2.0
#include "cli/breakdown.hpp"

#include "cli/report_text.hpp"

#include <fmt/format.h>

namespace fusec::cli {

std::string terms_text(const perfmodel::Breakdown& breakdown) {
    std::string terms;
    for (const auto& [bound, seconds] : breakdown.bounds) {
        terms += fmt::format("{}{} {}", terms.empty() ? "" : ", ", fusion::to_string(bound), time_text(seconds));
    }
    for (const perfmodel::Quantity& quantity : breakdown.quantities) {
        terms += fmt::format(
            "{}{} {:.6g}{}", terms.empty() ? "" : ", ", quantity.name, quantity.value, quantity.unit.empty() ? "" : " " + quantity.unit);
    }
    return terms;
}

} // namespace fusec::cli
