// SPDX-License-Identifier: Apache-2.0
// What a breakdown says of a prediction, by name.
#pragma once

#include "perfmodel/predictor.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace fusec::perfmodel {

/// A breakdown without such a quantity fails the test.
inline double quantity(const Breakdown& breakdown, std::string_view name) {
    for (const Quantity& each : breakdown.quantities) {
        if (each.name == name) {
            return each.value;
        }
    }
    ADD_FAILURE() << "no quantity " << name;
    return 0;
}

} // namespace fusec::perfmodel
