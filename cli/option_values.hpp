// SPDX-License-Identifier: Apache-2.0
// What the values of options have to be: each check gives what is wrong with a text, or nothing.
#pragma once

#include <cstdint>
#include <string>

namespace fusec::cli {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 40U;

/// A whole number from `least` to most_elements; says the same number in digits where it is only written otherwise.
std::string check_elements(const std::string& text, std::uint64_t least);
/// A whole number from `least` to `most`, in digits: no sign, no fraction.
std::string check_whole(const std::string& text, std::uint64_t least, std::uint64_t most);
/// NAME=FILE
std::string check_assignment(const std::string& text);
/// Of --time-limit.
std::string check_seconds(const std::string& text);
/// sm_NN
std::string check_arch(const std::string& text);
/// Of an option that means something else where it is left out: an unset variable of the shell is no such choice.
std::string check_not_empty(const std::string& text);
/// Of a calibrated device: one that a file can be named by.
std::string check_device_name(const std::string& text);
/// The environment's FUSEC_THREADS (fusion/workers.hpp).
std::string check_threads();

} // namespace fusec::cli
