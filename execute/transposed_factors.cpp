// SPDX-License-Identifier: Apache-2.0
#include "execute/transposed_factors.hpp"

#include "elementary-lib/product.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace fusec::execute {

using frontend::Call;
using frontend::CheckedProgram;

namespace {

/// A product with `matrix` in place of its transpose `turned`; nothing if the library has none.
std::optional<Call> product_without(
    const CheckedProgram& program, const library::Catalog& catalog, const Call& call, DataId turned, DataId matrix) {
    const auto product = library::product_of(catalog.function(call.instance.function));
    if (!product) {
        return std::nullopt;
    }
    DataId left = call.operands[product->left], right = call.operands[product->right];
    const bool turns_left = left == turned, turns_right = right == turned;
    left = turns_left ? matrix : left;
    right = turns_right ? matrix : right;
    const auto found = library::find_product(catalog, program.datum(left).type, product->left_transposed != turns_left,
        program.datum(right).type, product->right_transposed != turns_right);
    if (!found || found->instance.result.shape != call.instance.result.shape.full()) {
        return std::nullopt;
    }
    Call made = call;
    made.instance = found->instance;
    made.instance.result = call.instance.result; // stored as before
    made.operands = found->swapped ? std::vector{right, left} : std::vector{left, right};
    if (found->swapped != (product->left == 1) && made.operand_spans.size() == 2) {
        std::swap(made.operand_spans[0], made.operand_spans[1]);
    }
    return made;
}

} // namespace

bool read_through_transposes(CheckedProgram& program, const library::Catalog& catalog, GroupedMessages& messages) {
    std::vector<std::vector<std::size_t>> users(program.data.size());
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        for (const DataId operand : program.calls[i].operands) {
            if (users[operand.index()].empty() || users[operand.index()].back() != i) {
                users[operand.index()].push_back(i);
            }
        }
    }
    bool changed = false;
    for (const Call& call : program.calls) {
        const DataId turned = call.result;
        if (!library::is_transposition(catalog.function(call.instance.function)) || users[turned.index()].empty() ||
            call.instance.result.shape.packed != program.datum(call.operands[0]).type.shape.packed) { // it would be one triangle twice
            continue;
        }
        const DataId matrix = call.operands[0];
        std::vector<Call> made;
        for (const std::size_t user : users[turned.index()]) {
            if (auto product = product_without(program, catalog, program.calls[user], turned, matrix)) {
                made.push_back(std::move(*product));
            }
        }
        if (made.size() != users[turned.index()].size()) {
            continue;
        }
        const frontend::Datum& named = program.datum(turned);
        for (std::size_t i = 0; i < made.size(); ++i) {
            const std::size_t user = users[turned.index()][i];
            if (named.name.find('.') == std::string::npos) {
                messages.add(kind::simplified_call, made[i].span, program.datum(made[i].result).name,
                    "`" + program.datum(made[i].result).name + "` is a call of `" + catalog.function(made[i].instance.function).name +
                        "`: `" + named.name + "` is `" + program.datum(matrix).name + "` transposed");
            }
            const std::vector<DataId>& before = program.calls[user].operands;
            if (std::find(before.begin(), before.end(), matrix) == before.end()) {
                users[matrix.index()].push_back(user);
            }
            program.calls[user] = std::move(made[i]);
        }
        users[turned.index()].clear();
        changed = true;
    }
    return changed;
}

} // namespace fusec::execute
