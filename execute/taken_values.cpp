// SPDX-License-Identifier: Apache-2.0
#include "execute/taken_values.hpp"

#include "elementary-lib/selection.hpp"

#include <algorithm>

namespace fusec::execute {

TakenValues::TakenValues(
    const frontend::CheckedProgram& program, const library::Catalog& catalog, const ReferenceResult& result, std::size_t elements) {
    const auto entries = [&](DataId datum) { return per_element(program.datum(datum)) ? elements : 1; };
    for (std::size_t i = 0; i < program.data.size(); ++i) {
        taken_.emplace_back(entries(DataId(i)), '\0');
    }
    for (const DataId output : program.outputs) {
        std::ranges::fill(taken_[output.index()], '\1');
    }
    const auto value = [&](DataId datum, std::size_t element) {
        return result.values[datum.index()][per_element(program.datum(datum)) ? element : 0];
    };
    const auto take = [&](DataId datum, std::size_t element) {
        taken_[datum.index()][per_element(program.datum(datum)) ? element : 0] = '\1';
    };
    const auto pass_on = [&](const frontend::Call& call) {
        const auto selection = library::selection_of(catalog.function(call.instance.function));
        for (std::size_t element = 0; element < entries(call.result); ++element) {
            if (!taken(call.result, element)) {
                continue;
            }
            for (std::size_t i = 0; i < call.operands.size(); ++i) {
                const bool chosen_from =
                    selection && (i == selection->chosen || i == selection->otherwise) && i != selection->left && i != selection->right;
                if (!chosen_from) {
                    take(call.operands[i], element);
                }
            }
            if (selection) {
                const bool first = library::holds(
                    selection->comparison, value(call.operands[selection->left], element), value(call.operands[selection->right], element));
                take(call.operands[first ? selection->chosen : selection->otherwise], element);
            }
        }
    };
    // Backwards: all uses of a result come before the call that makes it.
    std::for_each(program.calls.rbegin(), program.calls.rend(), pass_on);
    std::for_each(program.uniform_calls.rbegin(), program.uniform_calls.rend(), pass_on);
}

} // namespace fusec::execute
