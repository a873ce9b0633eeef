// SPDX-License-Identifier: Apache-2.0
// The algebraic facts of the library: of all that metadata could declare, exactly those that are declared hold. Every other one is refused
// when the metadata are loaded, as its types do not fit, or refuted by numbers.
#include "execute/library_facts.hpp"

#include "reference_program.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace fusec::execute {
namespace {

using library::Catalog;
using library::Function;

std::string without_facts(const std::string& toml) {
    std::istringstream in(toml);
    std::string text;
    for (std::string line; std::getline(in, line);) {
        const bool fact = line.starts_with("neutral =") || line.starts_with("involution =") || line.starts_with("idempotent =") ||
            line.starts_with("symmetric =");
        text += fact ? "" : line + "\n";
    }
    return text;
}

/// What is said of a function whose metadata declare one fact: `addition` stands behind the text `place`.
struct Verdict {
    bool loads = false;
    FactCheck check;
    std::string messages;
};
Verdict verdict(const Function& function, const std::string& place, const std::string& addition, const TemporaryFolder& folder) {
    std::ostringstream file;
    file << std::ifstream(function.metadata_path).rdbuf();
    std::string toml = without_facts(file.str());
    const std::size_t at = toml.find(place);
    EXPECT_NE(at, std::string::npos) << function.name << ": " << place;
    toml.insert(at + place.size(), addition);
    std::ofstream(folder.path() / (function.name + ".toml")) << toml;
    std::ofstream(folder.path() / (function.name + ".cuh")) << function.source;
    Diagnostics diagnostics;
    Verdict result;
    if (const auto catalog = Catalog::load({folder.path()}, diagnostics)) {
        result.loads = true;
        result.check = check_facts(*catalog, FunctionId(0), 1, diagnostics);
        EXPECT_EQ(result.check.facts, 1u);
    }
    std::ostringstream text;
    render(diagnostics, text, false);
    result.messages = text.str();
    std::filesystem::remove(folder.path() / (function.name + ".toml"));
    return result;
}

TEST(LibraryFacts, ExactlyTheDeclaredOnesHold) {
    const TemporaryFolder folder;
    std::size_t declared = 0, refused = 0, refuted = 0;
    const auto expect = [&](const Function& function, const std::string& place, const std::string& addition, bool holds) {
        const Verdict found = verdict(function, place, addition, folder);
        EXPECT_EQ(found.loads && found.check.refuted == 0 && found.check.tried > 0, holds)
            << function.name << ": " << addition << " behind " << place << "\n"
            << found.messages;
        declared += holds ? 1 : 0;
        refused += found.loads ? 0 : 1;
        refuted += found.check.refuted;
    };
    const Catalog& catalog = standard_catalog();
    for (std::size_t i = 0; i < catalog.size(); ++i) {
        const Function& function = catalog.function(FunctionId(i));
        for (const library::Parameter& input : function.inputs) {
            for (const library::Neutral value : {library::Neutral::zero, library::Neutral::one, library::Neutral::identity}) {
                expect(function, "[[input]]\nname = \"" + input.name + "\"\n", "neutral = \"" + std::string(name_of(value)) + "\"\n",
                    input.neutral == value);
            }
        }
        const std::string head = "SPDX-License-Identifier: Apache-2.0\n";
        expect(function, head, "involution = true\n", function.involution);
        expect(function, head, "idempotent = true\n", function.idempotent);
        for (const library::Symmetry value : {library::Symmetry::always, library::Symmetry::kept, library::Symmetry::equal}) {
            // What is always symmetric is so for symmetric operands too; a difference of equal matrices is zero.
            const std::string fact = function.name + " " + std::string(name_of(value));
            const bool follows = fact == "msym kept" || fact == "mskew kept" || fact == "msub equal";
            expect(function, head, "symmetric = \"" + std::string(name_of(value)) + "\"\n", follows || function.symmetric == value);
        }
    }
    std::printf("             %zu declared, %zu refused by their types, %zu refuted by numbers\n", declared, refused, refuted);
    EXPECT_GT(declared, 30u);
    EXPECT_GT(refuted, 30u);
}

TEST(LibraryFacts, TheLibraryPasses) {
    Diagnostics diagnostics;
    FactCheck all;
    for (std::size_t i = 0; i < standard_catalog().size(); ++i) {
        const FactCheck one = check_facts(standard_catalog(), FunctionId(i), 7, diagnostics);
        all.facts += one.facts;
        all.tried += one.tried;
        all.refuted += one.refuted;
    }
    EXPECT_TRUE(diagnostics.all().empty());
    EXPECT_EQ(all.refuted, 0u);
    EXPECT_GT(all.tried, 16 * all.facts);
}

TEST(LibraryFacts, AFalseOneIsShownWithItsPlaceAndNumbers) {
    const TemporaryFolder folder;
    const Function& product = standard_catalog().function(standard_catalog().find("smul").value());
    const Verdict found = verdict(product, "name = \"b\"\n", "neutral = \"zero\"\n", folder);
    EXPECT_THAT(found.messages, testing::HasSubstr("smul.toml:"));
    EXPECT_THAT(found.messages,
        testing::HasSubstr("error: the metadata say that `smul` with `b` = zero is `a`, but the reference gives component 0 = "));
    EXPECT_THAT(found.messages, testing::HasSubstr("  neutral = \"zero\"\n            ^~~~~~"));
}

} // namespace
} // namespace fusec::execute
