// SPDX-License-Identifier: Apache-2.0
#include "tests/frontend/hostile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::frontend::testing {

const Diagnostic& only_error(const Compiled& compiled) {
    static const Diagnostic none{};
    EXPECT_EQ(compiled.diagnostics.error_count(), 1U) << compiled.text().substr(0, 2000);
    for (const Diagnostic& d : compiled.diagnostics.all()) {
        if (d.kind.severity == Severity::error) {
            return d;
        }
    }
    return none;
}

void expect_only_error(const Compiled& compiled, const DiagnosticKind& kind, int exit_code) {
    EXPECT_EQ(only_error(compiled).kind.name, kind.name) << compiled.text().substr(0, 2000);
    EXPECT_EQ(compiled.diagnostics.exit_code(), exit_code);
}

void expect_errors_of_noise(const Compiled& compiled) {
    EXPECT_TRUE(compiled.diagnostics.has_errors());
    EXPECT_THAT(compiled.diagnostics.exit_code(), ::testing::AnyOf(1, 3));
    EXPECT_LE(compiled.diagnostics.error_count(), 101U);
}

} // namespace fusec::frontend::testing
