// SPDX-License-Identifier: Apache-2.0
#include "tests/random/program_blocks.hpp"

#include <set>
#include <sstream>

namespace fusec::random_programs {

std::string in_program_blocks(const std::string& body, const std::vector<std::size_t>& starts, Draw& draw) {
    std::set<std::size_t> cuts;
    const int blocks = 2 + draw.below(3);
    for (int i = 1; i < blocks; ++i) {
        if (const std::size_t at = draw.one_of(starts); at != 0) {
            cuts.insert(at);
        }
    }
    std::string definitions, text = "block part0 {\n";
    std::istringstream lines(body);
    std::size_t at = 0, number = 0;
    bool defines = false;
    for (std::string line; std::getline(lines, line); at += line.size() + 1) {
        if (cuts.contains(at)) {
            text += "}\nblock part" + std::to_string(++number) + " {\n";
        }
        defines = defines || line.starts_with("def ");
        (defines ? definitions : text) += line + "\n";
        defines = defines && line != "}";
    }
    return definitions + text + "}\n";
}

} // namespace fusec::random_programs
