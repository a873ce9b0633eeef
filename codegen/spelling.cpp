// SPDX-License-Identifier: Apache-2.0
#include "codegen/spelling.hpp"

#include <algorithm>

namespace fusec::codegen {

using library::Touch;

namespace {

template <class Call>
bool can_be_written_out(
    const Kernel& kernel, const Call& step, const Routine& routine, const std::function<bool(const std::string&)>& taken) {
    std::vector<OperandText> operands;
    for (const Operand& operand : step.operands) {
        if (!operand.unread) {
            operands.push_back({OperandText::Form::view, {}, {}, type_of(kernel, operand.place).shape});
        }
    }
    const Type& result = type_of(kernel, step.result.place);
    operands.push_back({OperandText::Form::view, {}, {}, result.shape});
    const bool whole =
        std::all_of(step.operands.begin(), step.operands.end(), [](const Operand& operand) { return operand.touch == Touch::all; });
    return whole && step.result.touch == Touch::all && written_out(routine.text, operands, result.precision, taken);
}

} // namespace

Spelling choose_spelling(const Kernel& kernel, const Routines& routines, const std::function<bool(const std::string&)>& taken) {
    Spelling spelling;
    const auto view = [&](const Place& place) {
        if (place.kind == Place::Kind::value) {
            spelling.viewed.insert(place.index);
        }
    };
    const auto view_all = [&](const auto& call) {
        for (const Operand& operand : call.operands) {
            view(operand.place);
        }
        view(call.result.place);
    };
    for (const Step& step : kernel.steps) {
        if (const auto* derive = std::get_if<Derive>(&step)) {
            const Routine& routine = routines.at(derive->routine);
            if (routine.write_out && can_be_written_out(kernel, *derive, routine, taken)) {
                spelling.written_out_derivations.insert(derive->datum);
            } else {
                view_all(*derive);
            }
        } else if (const auto* compute = std::get_if<Compute>(&step)) {
            const Routine& routine = routines.at(compute->routine);
            if (routine.write_out && compute->threads == 1 && can_be_written_out(kernel, *compute, routine, taken)) {
                spelling.written_out.insert(compute->call);
            } else {
                view_all(*compute);
            }
        } else if (const auto* load = std::get_if<LoadValue>(&step)) {
            spelling.viewed.insert(load->value);
        } else if (const auto* store = std::get_if<StoreValue>(&step)) {
            spelling.viewed.insert(store->value);
        }
    }
    return spelling;
}

} // namespace fusec::codegen
