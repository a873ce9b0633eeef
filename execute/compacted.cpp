// SPDX-License-Identifier: Apache-2.0
#include "execute/compacted.hpp"

#include <algorithm>

namespace fusec::execute {

using frontend::Call;
using frontend::CheckedProgram;
using frontend::Datum;
using frontend::DatumKind;

CheckedProgram compacted(const CheckedProgram& program, const std::vector<bool>& removed) {
    std::vector<bool> needed; // by datum: given data, outputs, and what the calls that stay use
    for (const Datum& datum : program.data) {
        needed.push_back(datum.kind == DatumKind::input || datum.kind == DatumKind::uniform || datum.output);
    }
    const auto stays = [&](std::size_t call) { return !removed[call] && needed[program.calls[call].result.index()]; };
    for (std::size_t i = program.calls.size(); i-- > 0;) {
        if (stays(i)) {
            for (const DataId operand : program.calls[i].operands) {
                needed[operand.index()] = true;
            }
        }
    }
    CheckedProgram result;
    result.name = program.name;
    result.source = program.source;
    result.functions = program.functions;
    result.written = program.written;
    result.blocks = program.blocks;
    std::vector<DataId> moved(program.data.size());
    for (std::size_t i = 0; i < program.data.size(); ++i) {
        if (needed[i]) {
            moved[i] = DataId(result.data.size());
            result.data.push_back(program.data[i]);
            result.data.back().producer.reset();
        }
    }
    const auto move = [&](std::vector<DataId> ids) {
        std::transform(ids.begin(), ids.end(), ids.begin(), [&](DataId id) { return moved[id.index()]; });
        return ids;
    };
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        if (stays(i)) {
            const Call& call = program.calls[i];
            const DataId made = moved[call.result.index()];
            result.data[made.index()].producer = CallId(result.calls.size());
            result.calls.push_back({call.instance, move(call.operands), made, call.span, call.operand_spans, call.block});
        }
    }
    result.inputs = move(program.inputs);
    result.outputs = move(program.outputs);
    result.updates = program.updates;
    result.checks = program.checks;
    return result;
}

} // namespace fusec::execute
