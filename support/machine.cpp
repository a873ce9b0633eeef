// SPDX-License-Identifier: Apache-2.0
#include "support/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <fstream>
#include <map>

namespace fusec {

std::string utc_date() {
    std::array<char, 32> date{};
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return date.data();
}

bool is_utc_date(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    const auto fits = [](char found, char wanted) { return wanted == '0' ? found >= '0' && found <= '9' : found == wanted; };
    if (!std::ranges::equal(text, form, fits)) {
        return false;
    }
    const auto number = [&](std::size_t from, std::size_t digits) {
        int value = 0;
        std::from_chars(text.data() + from, text.data() + from + digits, value);
        return value;
    };
    const std::chrono::year_month_day day{std::chrono::year(number(0, 4)), std::chrono::month(static_cast<unsigned>(number(5, 2))),
        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
    return day.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) <= 60; // with leap seconds
}

std::string processor_name() {
    std::ifstream processors("/proc/cpuinfo");
    std::map<std::string, std::string> first; // of the first processor, by key
    for (std::string line; std::getline(processors, line) && !line.empty();) {
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos) {
            first.emplace(line.substr(0, line.find_last_not_of(" \t", line.find(':') - 1) + 1), line.substr(colon + 2));
        }
    }
    if (first["model name"].empty()) {
        return "unknown";
    }
    if (!first.contains("cpu family") || !first.contains("model")) {
        return first["model name"];
    }
    return first["model name"] + ", family " + first["cpu family"] + " model " + first["model"];
}

} // namespace fusec
