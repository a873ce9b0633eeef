// SPDX-License-Identifier: Apache-2.0
// Every block marked ```fus in docs/ compiles without a message but remarks; every block marked ```fus error=KIND gives errors of
// that kind only.
#include "frontend/frontend.hpp"
#include "tests/frontend/program_case.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace fusec::frontend::testing {
namespace {

struct Block {
    std::string place;
    std::string kind; ///< empty: must compile
    std::string text;
};

std::vector<Block> blocks_of(const std::filesystem::path& path) {
    std::vector<Block> blocks;
    std::ifstream in(path);
    bool inside = false;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (!inside && line.starts_with("```fus")) {
            inside = true;
            const std::size_t equals = line.find("error=");
            blocks.push_back(
                {path.filename().string() + ":" + std::to_string(number), equals == std::string::npos ? "" : line.substr(equals + 6), ""});
        } else if (inside && line.starts_with("```")) {
            inside = false;
        } else if (inside) {
            blocks.back().text += line + "\n";
        }
    }
    EXPECT_FALSE(inside) << "a block is not closed";
    return blocks;
}

TEST(Documentation, EveryProgramDoesWhatTheTextSays) {
    std::size_t programs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FUSEC_SOURCE_DIR "/docs")) {
        if (entry.path().extension() != ".md") {
            continue;
        }
        for (const Block& block : blocks_of(entry.path())) {
            SCOPED_TRACE(block.place);
            ++programs;
            Diagnostics diagnostics;
            const auto tree = parse(std::make_shared<const SourceText>("block.fus", block.text), diagnostics);
            if (tree) {
                check(*tree, catalog(), {}, diagnostics);
            }
            std::ostringstream text;
            render(diagnostics, text, false);
            EXPECT_EQ(diagnostics.has_errors(), !block.kind.empty()) << text.str();
            for (const Diagnostic& d : diagnostics.all()) {
                EXPECT_TRUE(d.kind.severity == Severity::remark || d.kind.name == block.kind) << text.str();
            }
        }
    }
    EXPECT_GE(programs, 10U) << "the blocks were not found";
}

} // namespace
} // namespace fusec::frontend::testing
