// SPDX-License-Identifier: Apache-2.0
// A routine of the standard library at the shapes of its operands.
#pragma once

#include "fusion/routines.hpp"
#include "tests/fusion/program_builder.hpp"

#include <gtest/gtest.h>

namespace fusec::test {

/// Of a call with these operands in float; the test fails if the function has no such implementation there.
inline fusion::Routine routine(const std::string& function, const std::vector<Shape>& shapes, const std::string& implementation) {
    ProgramBuilder builder;
    std::vector<DataId> operands;
    for (const Shape& shape : shapes) {
        operands.push_back(builder.input("x" + std::to_string(operands.size()), shape));
    }
    builder.output(builder.call(function, operands, "result"));
    const dag::CallGraph graph = builder.graph();
    const library::Function& declared = catalog().function(graph.call(CallId(0)).instance.function);
    const std::vector<fusion::CallRoutines> routines = fusion::find_routines(graph, catalog(), fusion::DeviceLimits());
    for (const fusion::Routine& found : routines.front().routines) {
        if (declared.implementations[found.implementation].name == implementation) {
            return found;
        }
    }
    ADD_FAILURE() << function << " has no implementation " << implementation;
    return {};
}

} // namespace fusec::test
