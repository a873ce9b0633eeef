// SPDX-License-Identifier: Apache-2.0
// Loading standard descriptions in tests: a broken one fails the test with its messages.
#pragma once

#include "perfmodel/device.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace fusec::perfmodel {

inline Device standard_device(const std::string& name) {
    Diagnostics diagnostics;
    const std::optional<Device> device = find_device(name, diagnostics);
    std::ostringstream text;
    render(diagnostics, text, false);
    EXPECT_TRUE(device.has_value()) << text.str();
    return device.value_or(Device{});
}

} // namespace fusec::perfmodel
