// SPDX-License-Identifier: Apache-2.0
#include "support/machine.hpp"

#include <array>
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

std::string processor_name() {
    std::ifstream processors("/proc/cpuinfo");
    std::map<std::string, std::string> first; // of the first processor, by key
    for (std::string line; std::getline(processors, line) && !line.empty();) {
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos) {
            first.emplace(line.substr(0, line.find_last_not_of(" \t", line.find(':') - 1) + 1), line.substr(colon + 2));
        }
    }
    if (!first.contains("model name")) {
        return "unknown";
    }
    if (!first.contains("cpu family") || !first.contains("model")) {
        return first["model name"];
    }
    return first["model name"] + ", family " + first["cpu family"] + " model " + first["model"];
}

} // namespace fusec
