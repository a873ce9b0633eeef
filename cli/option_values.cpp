// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.hpp"

#include "codegen/codegen.hpp"
#include "perfmodel/calibration.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace fusec::cli {

std::string check_assignment(const std::string& text) {
    const std::size_t equal = text.find('=');
    return equal == std::string::npos || equal == 0 || equal + 1 == text.size() ? "NAME=FILE expected, found `" + text + "`"
                                                                                : std::string();
}

std::string check_whole(const std::string& text, std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    return digits && error == std::errc() && stop == end && value >= least && value <= most
        ? std::string()
        : "a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " expected, found `" + text + "`";
}

std::string check_seconds(const std::string& text) {
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    return *end == '\0' && seconds >= 0.001 && seconds <= 1e6
        ? ""
        : "seconds from 0.001 to 1e6 expected, found `" + text + "`"; // nan is in no range
}

std::string check_not_empty(const std::string& text) {
    return text.empty() ? "a name expected, found nothing" : "";
}

std::string check_device_name(const std::string& text) {
    return perfmodel::is_device_name(text) ? "" : "the name of a device, of letters, digits, `-` and `_`, expected, found `" + text + "`";
}

std::string check_threads() {
    const char* const text = std::getenv("FUSEC_THREADS");
    if (text == nullptr) {
        return {};
    }
    char* end = nullptr;
    const long threads = std::strtol(text, &end, 10);
    return end != text && *end == '\0' && threads >= 1 && threads <= 64
        ? std::string()
        : "FUSEC_THREADS: a number of threads from 1 to 64 expected, found `" + std::string(text) + "`";
}

std::string check_arch(const std::string& text) {
    const bool form = text.size() >= 5 && text.starts_with("sm_") && text.find_first_not_of("0123456789", 3) == std::string::npos;
    if (!form || text.size() > 6) {
        return "an architecture such as sm_90 expected, found `" + text + "`";
    }
    return std::stoi(text.substr(3)) < codegen::oldest_arch ? "sm_75 is the oldest target, found `" + text + "`" : std::string();
}

std::string check_elements(const std::string& text, std::uint64_t least) {
    const bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
    if (digits && std::stoull(text) >= least && std::stoull(text) <= most_elements) {
        return {};
    }
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool whole = !digits && end != text.c_str() && *end == '\0' && value >= static_cast<double>(least) &&
        value <= static_cast<double>(most_elements) && value == std::floor(value);
    return "a whole number of elements from " + std::to_string(least) + " to " + std::to_string(most_elements) + " expected, found `" +
        text + "`" + (whole ? "; written in digits it is " + std::to_string(static_cast<std::uint64_t>(value)) : "");
}

} // namespace fusec::cli
