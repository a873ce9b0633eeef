// SPDX-License-Identifier: Apache-2.0
#include "execute/selections.hpp"

#include "elementary-lib/selection.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace fusec::execute {

using frontend::CheckedProgram;
using frontend::DatumKind;

namespace {

/// How often each value is taken at one place.
struct Taken {
    Span place;
    std::size_t first = 0, second = 0;
};

} // namespace

std::vector<OneSidedSelection> one_sided_selections(
    const CheckedProgram& program, const library::Catalog& catalog, const ReferenceResult& result, std::size_t elements) {
    std::map<std::pair<std::string, std::size_t>, Taken> places; // by file and byte
    const auto count = [&](const frontend::Call& call) {
        const std::optional<library::Selection> selection = library::selection_of(catalog.function(call.instance.function));
        if (!selection || !call.span.source || program.datum(call.result).flag) { // an assertion is to hold
            return;
        }
        const DataId left = call.operands[selection->left], right = call.operands[selection->right];
        if (program.datum(left).kind == DatumKind::constant && program.datum(right).kind == DatumKind::constant) {
            return;
        }
        const auto value = [&](DataId id, std::size_t element) {
            return result.values[id.index()][program.datum(id).per_element() ? element : 0];
        };
        Taken& taken = places[{call.span.source->path(), call.span.begin}];
        taken.place = call.span;
        for (std::size_t element = 0; element < elements; ++element) {
            const bool holds = library::holds(selection->comparison, value(left, element), value(right, element));
            ++(holds ? taken.first : taken.second);
        }
    };
    std::for_each(program.uniform_calls.begin(), program.uniform_calls.end(), count);
    std::for_each(program.calls.begin(), program.calls.end(), count);
    std::vector<OneSidedSelection> found;
    for (const auto& [key, taken] : places) {
        if ((taken.first == 0) != (taken.second == 0)) {
            found.push_back({taken.place, taken.second == 0});
        }
    }
    return found;
}

} // namespace fusec::execute
