// SPDX-License-Identifier: Apache-2.0
#include "fusion/places.hpp"

namespace fusec::fusion {

Places find_places(const dag::CallGraph& graph, const library::Catalog& catalog) {
    std::vector<bool> result(graph.calls(), false);
    for (std::size_t index = 0; index < graph.calls(); ++index) {
        const CallId id(index);
        const frontend::Call& call = graph.call(id);
        const std::vector<CallId>& users = graph.consumers(call.result);
        result[index] = std::holds_alternative<library::ComponentMap>(catalog.function(call.instance.function).reference) &&
            !graph.old_value(call.result) &&
            std::none_of(
                call.operands.begin(), call.operands.end(), [&](DataId operand) { return graph.new_value(operand).has_value(); }) &&
            std::all_of(users.begin(), users.end(), [&](CallId user) { return graph.block(user) == graph.block(id); });
    }
    return Places(std::move(result));
}

} // namespace fusec::fusion
