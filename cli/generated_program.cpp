// SPDX-License-Identifier: Apache-2.0
// Programs that nothing was fitted to.
#include "cli/gpu_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

namespace fusec::cli {

namespace {

enum class Kind : std::size_t {
    scalar,
    vector3,
    matrix3,
    vector4,
    matrix4
};

struct Operation {
    const char* text; ///< of operands {0} and {1}
    Kind result;
    std::vector<Kind> operands;
};

const std::vector<Operation>& operations() {
    using enum Kind;
    static const std::vector<Operation> all = {
        {"{0} * {1}", matrix3, {matrix3, matrix3}},
        {"{0} + {1}", matrix3, {matrix3, matrix3}},
        {"{0} * {1}", matrix3, {scalar, matrix3}},
        {"vouter({0}, {1})", matrix3, {vector3, vector3}},
        {"{0} * {1}", vector3, {matrix3, vector3}},
        {"{0} - {1}", vector3, {vector3, vector3}},
        {"vcross({0}, {1})", vector3, {vector3, vector3}},
        {"vdot({0}, {1})", scalar, {vector3, vector3}},
        {"mtrace({0})", scalar, {matrix3}},
        {"{0} * {1}", matrix4, {matrix4, matrix4}},
        {"{0} - {1}", matrix4, {matrix4, matrix4}},
        {"{0} * {1}", matrix4, {scalar, matrix4}},
        {"{0} * {1}", vector4, {matrix4, vector4}},
        {"vdot({0}, {1})", scalar, {vector4, vector4}},
    };
    return all;
}

constexpr std::array type_names{"SCALAR", "VECTOR3", "MATRIX3x3", "VECTOR4", "MATRIX4x4"};

} // namespace

std::string generated_program(int seed) {
    constexpr std::size_t calls = 8;
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::array<std::vector<std::string>, type_names.size()> known{{{"s", "t"}, {"a", "b"}, {"A", "B"}, {"c", "d"}, {"C", "D"}}};
    const auto inputs = known;
    std::vector<std::string> used, made;
    std::string body;
    for (std::size_t call = 0; call < calls; ++call) {
        const Operation& operation = operations()[random() % operations().size()];
        std::array<std::string, 2> operands;
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const std::vector<std::string>& from = known.at(static_cast<std::size_t>(operation.operands[i]));
            const std::size_t back = random() % std::min<std::size_t>(from.size(), 3); // of late, so that calls depend on each other
            operands.at(i) = from[from.size() - 1 - back];
            used.push_back(operands.at(i));
        }
        const std::string name = fmt::format("r{}", call);
        body += name + " = " + fmt::format(fmt::runtime(operation.text), operands[0], operands[1]) + ";\n";
        known.at(static_cast<std::size_t>(operation.result)).push_back(name);
        made.push_back(name);
    }
    const auto is_used = [&](const std::string& name) { return std::find(used.begin(), used.end(), name) != used.end(); };
    std::string declarations, listed, returned;
    for (std::size_t kind = 0; kind < inputs.size(); ++kind) {
        for (const std::string& name : inputs.at(kind)) {
            if (is_used(name)) {
                declarations += fmt::format("{} {};\n", type_names.at(kind), name);
                listed += (listed.empty() ? "" : ", ") + name;
            }
        }
    }
    for (const std::string& name : made) {
        if (!is_used(name)) {
            returned += (returned.empty() ? "" : ", ") + name;
        }
    }
    return fmt::format("program generated_{};\n{}input {};\n{}return {};\n", seed, declarations, listed, body, returned);
}

} // namespace fusec::cli
