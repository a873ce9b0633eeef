// SPDX-License-Identifier: Apache-2.0
// The least work of a column: the counts of kernel_work.cpp with every choice at its cheapest, list by list.
#include "fusion/least_work.hpp"

#include "fusion/instruction_rates.hpp"

#include <algorithm>

namespace fusec::fusion {

LeastWork::Access LeastWork::access(const AccessCost& cost, int threads) {
    const double addresses = instructions_per_address * threads;
    return {cost.fewest_passes(), cost.accesses + addresses, cost.direct, cost.words + addresses};
}

LeastWork::Access LeastWork::cheapest(const Access& a, const Access& b) {
    return {std::min(a.tile_passes, b.tile_passes), std::min(a.tile_instructions, b.tile_instructions),
        std::min(a.direct_passes, b.direct_passes), std::min(a.direct_instructions, b.direct_instructions)};
}

const LeastWork::OfCall& LeastWork::of_call(CallId id) {
    if (calls_.empty()) {
        calls_.resize(graph_.calls());
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            const frontend::Call& call = graph_.call(CallId(i));
            const std::vector<Routine>& routines = routines_[i].routines;
            const Precision precision = graph_.datum(call.result).type.precision;
            const CallCosts::Table& costs = costs_.of(CallId(i));
            const auto least = [&](std::size_t list) {
                Access result;
                for (std::size_t r = 0; r < routines.size(); ++r) {
                    const Access one = access(*costs[r][list], routines[r].threads);
                    result = r == 0 ? one : cheapest(result, one);
                }
                return result;
            };
            OfCall& entry = calls_[i];
            for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
                entry.operands.push_back(least(operand));
            }
            entry.result = least(call.operands.size());
            entry.instructions = arithmetic_instructions(routines_[i].operations, precision, limits_.target);
        }
    }
    return calls_[id.index()];
}

KernelWork LeastWork::of(const Column& column) {
    KernelWork work;
    for (CallId id : column.executes) {
        const frontend::Call& call = graph_.call(id);
        work.precision = std::max(work.precision, graph_.datum(call.result).type.precision);
        for (const DataId operand : call.operands) {
            work.precision = std::max(work.precision, graph_.datum(operand).type.precision);
        }
    }
    work.read_lists = static_cast<int>(column.loads.size());
    work.write_lists =
        static_cast<int>(std::count_if(column.stores.begin(), column.stores.end(), [&](DataId list) { return !graph_.datum(list).flag; }));
    for (CallId call : column.executes) {
        count_arithmetic(work, routines_[call.index()].operations, graph_.datum(graph_.call(call).result).type.precision, 1);
    }
    for (DataId list : column.loads) {
        work.read_bytes += costs_.touched_bytes(list, column.executes);
    }
    for (DataId list : column.stores) {
        work.write_bytes += graph_.datum(list).list_bytes();
    }
    if (limits_.target == Target::host) {
        return work; // few implementations: not worth a closer look
    }

    double instructions = 0;
    std::vector<Access> reads(
        column.loads.size(), {ColumnSource::impossible, ColumnSource::impossible, ColumnSource::impossible, ColumnSource::impossible});
    for (CallId id : column.executes) {
        const OfCall& least = of_call(id);
        instructions += least.instructions;
        const std::vector<DataId>& operands = graph_.call(id).operands;
        for (std::size_t operand = 0; operand < operands.size(); ++operand) {
            const auto list = std::lower_bound(column.loads.begin(), column.loads.end(), operands[operand]);
            if (list == column.loads.end() || *list != operands[operand]) {
                continue;
            }
            Access& read = reads[static_cast<std::size_t>(list - column.loads.begin())];
            const Access& one = least.operands[operand];
            read = cheapest(read, one);
        }
    }
    for (std::size_t i = 0; i < column.loads.size(); ++i) {
        const double bytes = graph_.datum(column.loads[i]).list_bytes();
        // Copied to a tile and read there at least once, or read in place.
        work.shared_wavefronts += std::min(bytes / 128 + reads[i].tile_passes, reads[i].direct_passes);
        instructions += std::min(bytes / 16 + instructions_per_copy_step + reads[i].tile_instructions, reads[i].direct_instructions);
    }
    for (DataId list : column.stores) {
        const double bytes = graph_.datum(list).list_bytes();
        // Sent once; by its owners, or written to a tile, read there and sent.
        const Access& made = of_call(*graph_.datum(list).producer).result;
        work.shared_wavefronts += bytes / 128;
        instructions += std::min(made.direct_instructions, made.tile_instructions + 2 * bytes / 16 + instructions_per_copy_step);
    }
    work.instructions = instruction_overhead * instructions / 32;
    return work;
}

KernelWork LeastWork::with_routines(const KernelOutline& kernel, const Combination& routines, const KernelWork& least) const {
    KernelWork work = least;
    double passes = 0;
    double instructions = 0;
    for (std::size_t index = 0; index < kernel.calls.size(); ++index) {
        const CallRoutines& call = *kernel.calls[index].routines;
        instructions += arithmetic_instructions(call.operations, kernel.precision_of(kernel.calls[index]), limits_.target);
    }
    for (const KernelOutline::Datum& datum : kernel.data) {
        const double bytes = datum.bytes;
        if (datum.loaded) {
            // The first reader reads it; another may find its part in registers.
            const KernelOutline::Use& use = datum.uses.front();
            Access read = access(
                *(*kernel.calls[static_cast<std::size_t>(use.call)].costs)[routines[static_cast<std::size_t>(use.call)]][use.operand],
                kernel.calls[static_cast<std::size_t>(use.call)].routines->routines[routines[static_cast<std::size_t>(use.call)]].threads);
            for (const KernelOutline::Use& other : datum.uses) {
                const auto& reader = kernel.calls[static_cast<std::size_t>(other.call)];
                const std::uint8_t routine = routines[static_cast<std::size_t>(other.call)];
                read = cheapest(read, access(*(*reader.costs)[routine][other.operand], reader.routines->routines[routine].threads));
            }
            passes += std::min(bytes / 128 + read.tile_passes, read.direct_passes);
            instructions += std::min(bytes / 16 + instructions_per_copy_step + read.tile_instructions, read.direct_instructions);
        }
        if (datum.stored) {
            const auto& maker = kernel.calls[static_cast<std::size_t>(datum.producer)];
            const std::uint8_t routine = routines[static_cast<std::size_t>(datum.producer)];
            const Access made = access(*(*maker.costs)[routine].back(), maker.routines->routines[routine].threads);
            passes += bytes / 128;
            instructions += std::min(made.direct_instructions, made.tile_instructions + 2 * bytes / 16 + instructions_per_copy_step);
        }
    }
    work.shared_wavefronts = passes;
    work.instructions = instruction_overhead * instructions / 32;
    return work;
}

} // namespace fusec::fusion
