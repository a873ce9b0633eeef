// SPDX-License-Identifier: Apache-2.0
#include "bench/scale_programs.hpp"

#include "tests/random/draw.hpp"

#include <set>
#include <vector>

namespace fusec::bench {

using random_programs::Draw;

std::string layered_program(std::uint64_t seed, int calls, int width) {
    Draw draw(seed);
    std::string text = "program layered" + std::to_string(calls) + ";\nMATRIX4x4 a0, a1, a2, a3;\ninput a0, a1, a2, a3;\n";
    std::vector<std::string> earlier = {"a0", "a1", "a2", "a3"};
    std::vector<std::string> layer = earlier;
    std::vector<std::string> next;
    std::set<std::string> unused;
    for (int i = 0; i < calls; ++i) {
        const std::string name = "t" + std::to_string(i);
        const std::string& a = draw.one_of(layer);
        const std::string& b = draw.one_of(earlier);
        constexpr const char* operators[] = {" * ", " + ", " - "};
        text += name + " = " + a + operators[draw.below(3)] + b + ";\n";
        unused.erase(a);
        unused.erase(b);
        unused.insert(name);
        next.push_back(name);
        if (static_cast<int>(next.size()) == width) {
            earlier.insert(earlier.end(), next.begin(), next.end());
            layer = std::move(next);
            next.clear();
        }
    }
    text += "return ";
    bool first = true;
    for (const std::string& name : unused) {
        text += (first ? "" : ", ") + name;
        first = false;
    }
    return text + ";\n";
}

std::string symmetrised_program(int size) {
    const std::string n = std::to_string(size), type = "MATRIX" + n + "x" + n;
    std::string text = "program symmetrised" + n + ";\n" + type + " A, S;\ninput A;\n";
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            const std::string at = "[" + std::to_string(i) + ", " + std::to_string(j) + "]";
            const std::string mirrored = "[" + std::to_string(j) + ", " + std::to_string(i) + "]";
            text += "S" + at + " = 0.5 * (A" + at + " + A" + mirrored + ");\n";
        }
    }
    return text + "return S;\n";
}

std::string assembled_program(int rows, int columns) {
    const std::string type = "MATRIX" + std::to_string(rows) + "x" + std::to_string(columns);
    std::string text = "program assembled;\nMATRIX3x3 A, B;\n" + type + " T;\ninput A, B;\n";
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            text +=
                "T[" + std::to_string(i) + ", " + std::to_string(j) + "] = mdet(A + " + std::to_string(i * columns + j + 2) + " * B);\n";
        }
    }
    return text + "return T;\n";
}

} // namespace fusec::bench
