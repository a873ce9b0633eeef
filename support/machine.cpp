// SPDX-License-Identifier: Apache-2.0
#include "support/machine.hpp"

#include <array>
#include <ctime>
#include <fstream>

namespace fusec {

std::string utc_date() {
    std::array<char, 32> date{};
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return date.data();
}

std::string processor_name() {
    std::ifstream processors("/proc/cpuinfo");
    for (std::string line; std::getline(processors, line);) {
        if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
            return line.substr(line.find(": ") + 2);
        }
    }
    return "unknown";
}

} // namespace fusec
