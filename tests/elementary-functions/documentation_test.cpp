// SPDX-License-Identifier: Apache-2.0
// docs/library.md lists what the library has: every function with its operands, summary, operator and implementations.
#include "elementary-lib/catalog.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace fusec::library {

namespace {

TEST(LibraryDocumentation, TableIsTheLibrary) {
    Diagnostics diagnostics;
    const auto catalog = Catalog::load({std::string(FUSEC_SOURCE_DIR) + "/elementary-lib"}, diagnostics);
    ASSERT_TRUE(catalog);
    std::set<std::string> expected;
    for (const std::string& name : catalog->names()) {
        const Function& function = catalog->function(*catalog->find(name));
        std::string row = "| `" + name + "(";
        for (std::size_t i = 0; i < function.inputs.size(); ++i)
            row += (i == 0 ? "" : ", ") + function.inputs[i].name;
        row += ")` | " + function.summary + " | " + (function.operator_symbol ? "`" + *function.operator_symbol + "`" : "") + " | ";
        for (std::size_t i = 0; i < function.implementations.size(); ++i)
            row += (i == 0 ? "" : ", ") + function.implementations[i].name;
        expected.insert(row + " |");
    }
    std::set<std::string> documented;
    std::ifstream file(std::string(FUSEC_SOURCE_DIR) + "/docs/library.md");
    bool in_section = false;
    for (std::string line; std::getline(file, line);) {
        in_section = in_section || line == "## Functions";
        if (in_section && line.substr(0, 3) == "| `")
            documented.insert(line);
    }
    EXPECT_EQ(documented, expected);
}

} // namespace

} // namespace fusec::library
