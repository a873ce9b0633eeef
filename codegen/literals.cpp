// SPDX-License-Identifier: Apache-2.0
#include "codegen/literals.hpp"

#include "support/diagnostics.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace fusec::codegen {

std::string number(int value) {
    return std::to_string(value);
}

std::string literal(double value, Precision precision) {
    internal_check(std::isfinite(value), "a constant is not finite");
    std::array<char, 64> buffer{};
    const auto end = precision == Precision::f32 ? std::to_chars(buffer.begin(), buffer.end(), static_cast<float>(value)).ptr
                                                 : std::to_chars(buffer.begin(), buffer.end(), value).ptr;
    std::string text(buffer.begin(), end);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return precision == Precision::f32 ? text + 'f' : text;
}

std::string braced_literals(const std::vector<double>& values, Precision precision) {
    std::string text = "{";
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += (i == 0 ? "" : ", ") + literal(values[i], precision);
    }
    return text + "}";
}

} // namespace fusec::codegen
