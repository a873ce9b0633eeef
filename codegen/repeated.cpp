// SPDX-License-Identifier: Apache-2.0
#include "codegen/repeated.hpp"

#include <algorithm>
#include <variant>

namespace fusec::codegen {

std::string repetitions_name(const std::string& unit) {
    return unit + "_repetitions";
}

std::string chained_name(const std::string& unit) {
    return unit + "_chained";
}

const Value* chained_operand(const Kernel& kernel, const Compute& call) {
    const Value& result = kernel.values.at(call.result.place.index);
    const Value* smallest = nullptr;
    for (const Operand& operand : call.operands) {
        if (operand.unread || operand.place.kind != Place::Kind::value) {
            continue;
        }
        const bool uniform = std::ranges::any_of(kernel.steps, [&](const Step& step) {
            const auto* const load = std::get_if<LoadValue>(&step);
            return std::holds_alternative<Derive>(step)
                ? std::get<Derive>(step).result.place.index == operand.place.index
                : load != nullptr && load->value == operand.place.index && kernel.lists.at(load->list).uniform;
        });
        const Value& value = kernel.values.at(operand.place.index);
        if (!uniform && value.type.precision == result.type.precision &&
            (smallest == nullptr || value.type.shape.size() < smallest->type.shape.size())) {
            smallest = &value;
        }
    }
    constexpr int most_components = 16; // all registers of AVX2, half of those of AVX-512
    return smallest != nullptr && smallest->type.shape.size() + result.type.shape.size() <= most_components ? smallest : nullptr;
}

bool can_chain(const Kernel& kernel) {
    return std::ranges::all_of(kernel.steps, [&](const Step& step) {
        const auto* const call = std::get_if<Compute>(&step);
        return call == nullptr || chained_operand(kernel, *call) != nullptr;
    });
}

} // namespace fusec::codegen
