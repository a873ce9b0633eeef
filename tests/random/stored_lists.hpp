// SPDX-License-Identifier: Apache-2.0
// Random programs of which some lists are stored in the other precision.
#pragma once

#include "frontend/frontend.hpp"
#include "tests/random/draw.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace fusec::random_programs {

/// The program with about half of its lists stored in the other precision: inputs, updated lists and outputs, as the checker knows them.
/// Pre: it compiles, and its values have one precision.
inline std::string with_stored_lists(std::string text, std::uint64_t seed, const library::Catalog& catalog) {
    Diagnostics diagnostics;
    const auto tree = frontend::parse(std::make_shared<const SourceText>("program.fus", text), diagnostics);
    const auto program = tree ? frontend::check(*tree, catalog, {}, diagnostics) : std::nullopt;
    if (!program) {
        throw std::runtime_error("a random program does not compile:\n" + text);
    }
    Draw draw(seed ^ 0x1b873593U);
    const auto store = [&](DataId id) {
        const frontend::Datum& datum = program->datum(id);
        const std::string other = datum.type.precision == Precision::f64 ? "store float " : "store double ";
        const std::string declared = to_string(datum.type) + " " + program->list_name(id) + ";\n";
        if (!draw.chance(50)) {
            return;
        }
        if (const std::size_t at = text.find("\n" + declared); at != std::string::npos) {
            text.insert(at + 1, other);
        } else if (text.find(" " + program->list_name(id) + ";\n") >= text.rfind("return ")) { // what returns it, alone or last
            text.insert(text.find('\n') + 1, other + declared);
        }
    };
    for (const DataId id : program->inputs) {
        if (program->datum(id).per_element()) {
            store(id);
        }
    }
    for (const DataId id : program->outputs) {
        if (!program->old_value(id)) {
            store(id);
        }
    }
    return text;
}

} // namespace fusec::random_programs
