// SPDX-License-Identifier: Apache-2.0
#include "hand_unit.hpp"

#include "execute/run_text.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace fusec::execute {

namespace {

std::string test_file(const std::string& name) {
    std::ifstream stream(std::string(FUSEC_SOURCE_DIR) + "/tests/execute/units/" + name);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) {
        throw std::runtime_error("cannot read the test file " + name);
    }
    return text.str();
}

std::string renamed(std::string text, const std::string& name) {
    constexpr std::string_view unit = "cross";
    for (std::size_t at = text.find(unit); at != std::string::npos; at = text.find(unit, at + name.size())) {
        text.replace(at, unit.size(), name);
    }
    return text;
}

} // namespace

RunInterface cross_interface(std::size_t elements) {
    const Type vector{{Form::vector, 3, 1}, Precision::f32}, scalar{{Form::scalar, 1, 1}, Precision::f32};
    RunInterface unit{"cross", {{"a", vector, false, {}, {}}, {"b", vector, false, {}, {}}, {"mu", scalar, true, {2}, {}}},
        {{"c", vector, false, {}, {}}, {"s", scalar, false, {}, {}}}, std::vector<int>{12}};
    for (std::size_t e = 0; e < elements; ++e) {
        const auto x = static_cast<double>(e);
        const double a[] = {x + 1, x + 2, 3}, b[] = {2 * x + 1, 5, 7 - x};
        const double c[] = {2 * (a[1] * b[2] - a[2] * b[1]), 2 * (a[2] * b[0] - a[0] * b[2]), 2 * (a[0] * b[1] - a[1] * b[0])};
        unit.inputs[0].values.insert(unit.inputs[0].values.end(), a, a + 3);
        unit.inputs[1].values.insert(unit.inputs[1].values.end(), b, b + 3);
        unit.outputs[0].values.insert(unit.outputs[0].values.end(), c, c + 3);
        unit.outputs[1].values.push_back(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    }
    for (RunList& output : unit.outputs) {
        for (const double value : output.values) {
            output.bounds.push_back(std::abs(value));
        }
    }
    return unit;
}

std::string cross_source() {
    return test_file("cross.cu");
}

RunJob cross_job(const std::string& source, const std::string& name) {
    const std::vector<RunCase> cases = standard_cases(cross_tile, 1);
    const std::string kernels = name + "_kernels::";
    RunInterface interface = cross_interface(most_elements(cases));
    interface.unit = name;
    return {{name, {{name + ".cu", renamed(source, name)}, {name + ".h", renamed(test_file("cross.h"), name)}},
                {{kernels + "d", {{"a", 0, 384}, {"b", 384, 384}, {"d", 768, 384}}}, {kernels + "s", {{"d/c", 0, 384}}}}},
        interface, cases};
}

RunSetup cross_setup(const std::filesystem::path& cache) {
    Diagnostics diagnostics;
    const auto compiler = find_host_compiler(diagnostics);
    if (!compiler) {
        throw std::runtime_error(diagnostics.all().at(0).message);
    }
    RunSetup setup{*compiler, cache, std::string(FUSEC_SOURCE_DIR) + "/elementary-lib", 1, 10};
    setup.step_seconds = 1;
    return setup;
}

RunReport run_cross(const std::string& source, const std::filesystem::path& cache) {
    return run_texts({cross_job(source)}, BuildKind::emulated, cross_setup(cache)).at(0);
}

} // namespace fusec::execute
