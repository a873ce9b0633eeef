// SPDX-License-Identifier: Apache-2.0
// What a finished candidate does, as counts that every predictor understands. Sources are the sections of the CUDA notes.
//
// Data pipe (notes 1, 3): a staged load passes once with cp.async, twice through registers; each distinct read of a tile and each
// result written to one costs its simulated passes; a staged store is read once and sent once, a direct one only sent.
// Registers and spills: register_demand.cpp.
// An exchanged word is an instruction of each thread and, for a warp, a pass of the data pipe: shuffles give 32 results per clock and
// multiprocessor (CUDA programming guide, throughput of native arithmetic instructions: warp shuffle, all compute capabilities).
// Instructions (fitted to 4.1): 1.15 (arithmetic + accesses + copies + 20 per item and step + 4 per thread and barrier).
#include "fusion/instruction_rates.hpp"
#include "fusion/kernel_builder.hpp"
#include "fusion/register_demand.hpp"

#include <algorithm>
#include <tuple>

namespace fusec::fusion {

namespace {

class Meter {
public:
    Meter(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, const KernelDraft& draft)
        : kernel_(kernel),
          routines_(routines),
          limits_(limits),
          draft_(draft),
          largest_(limits.target == Target::host ? 0 : draft.largest_threads) {}

    KernelWork run() {
        work_.precision = kernel_.precision;
        work_.read_bytes = kernel_.read_bytes;
        work_.write_bytes = kernel_.write_bytes;
        for (const KernelOutline::Datum& datum : kernel_.data) {
            work_.read_lists += datum.loaded;
            work_.write_lists += datum.stored;
        }
        for (const KernelOutline::Derivation& derivation : kernel_.derivations) {
            count_derivation(derivation);
        }
        for (std::size_t step = 0; step < draft_.steps.size(); ++step) {
            count_barrier(draft_.barriers[step]);
            count(draft_.steps[step]);
        }
        finish();
        return work_;
    }

private:
    const KernelDraft::Datum& plan(int datum) const { return draft_.data[static_cast<std::size_t>(datum)]; }
    const KernelOutline::Datum& datum(int index) const { return kernel_.data[static_cast<std::size_t>(index)]; }
    const KernelDraft::Tile& tile(int datum) const { return draft_.tiles[static_cast<std::size_t>(plan(datum).tile)]; }

    void count_barrier(Barrier barrier) {
        if (barrier == Barrier::none) {
            return;
        }
        phase_open_ = false;
        instructions_ += instructions_per_barrier * largest_;
        if (barrier == Barrier::warp) {
            ++work_.warp_barriers;
        } else {
            ++work_.block_barriers;
            forget_reads();
        }
    }

    void count(const KernelDraft::Step& step) {
        switch (step.kind) {
        case Step::Kind::load:
            count_load(step.index);
            break;
        case Step::Kind::async_wait:
            phase_open_ = false;
            instructions_ += largest_;
            break;
        case Step::Kind::compute:
            count_compute(static_cast<std::size_t>(step.index));
            break;
        case Step::Kind::store:
            count_store(step.index);
            break;
        case Step::Kind::block_barrier:
        case Step::Kind::warp_barrier:
        case Step::Kind::derive:
            throw InternalError("kernel work: barriers and derivations of a draft are no steps");
        }
    }

    void read_global() {
        if (!phase_open_) {
            phase_open_ = true;
            ++phases_;
        }
    }

    void count_load(int loaded) {
        const double bytes = datum(loaded).bytes;
        read_global();
        switch (plan(loaded).load) {
        case Staging::async:
            work_.async_copies = true;
            work_.shared_wavefronts += bytes / 128;
            instructions_ += bytes / 16;
            break;
        case Staging::vectors:
            work_.shared_wavefronts += 2 * bytes / 128;
            instructions_ += 2 * bytes / 16;
            break;
        case Staging::words:
            work_.shared_wavefronts += 2 * bytes / 128;
            instructions_ += 2 * bytes / kernel_.word_bytes();
            break;
        case Staging::lanes: // an access and about one shuffle per component, for all lanes of the vector at once
            instructions_ += 2.0 * datum(loaded).shape.size();
            break;
        case Staging::none:
        case Staging::lanes_streaming:
            throw InternalError("kernel work: a load step without a way to load");
        }
        instructions_ += instructions_per_copy_step * largest_;
    }

    void count_store(int stored) {
        const double bytes = datum(stored).bytes;
        work_.shared_wavefronts += limits_.target == Target::host ? 0 : bytes / 128;
        switch (plan(stored).store) {
        case Staging::words:
            work_.shared_wavefronts += bytes / 128;
            instructions_ += 2 * bytes / kernel_.word_bytes() + instructions_per_copy_step * largest_;
            break;
        case Staging::vectors:
            work_.shared_wavefronts += bytes / 128;
            instructions_ += 2 * bytes / 16 + instructions_per_copy_step * largest_;
            break;
        case Staging::none: {
            const std::size_t producer = static_cast<std::size_t>(datum(stored).producer);
            const AccessCost& cost = *(*kernel_.calls[producer].costs)[routines_[producer]].back();
            work_.store_requests += cost.excess_store;
            instructions_ += static_cast<double>(cost.components) * plan(stored).threads;
            break;
        }
        case Staging::lanes_streaming:
            work_.streaming_stores = true;
            [[fallthrough]];
        case Staging::lanes:
            instructions_ += 2.0 * datum(stored).shape.size();
            break;
        case Staging::async:
            throw InternalError("kernel work: stores are not asynchronous");
        }
    }

    /// True the first time; reads of the same part by the same threads again come from registers until a barrier.
    bool first_read(int read, int threads, library::Touch touch) {
        const std::tuple<int, int, library::Touch> key{read, threads, touch};
        if (std::find(reads_.begin(), reads_.end(), key) != reads_.end()) {
            return false;
        }
        reads_.push_back(key);
        return true;
    }
    void forget_reads() {
        // Lists in place are const and restrict: no barrier makes the compiler read them again.
        std::erase_if(reads_, [&](const auto& key) { return plan(std::get<0>(key)).placement == Placement::shared; });
    }

    /// Every thread of the block does it, whatever its elements are; the host does it once for all of them.
    void count_derivation(const KernelOutline::Derivation& derivation) {
        const library::OperationCounts& operations = derivation.routine->operations;
        work_.flops += operations.flops * largest_;
        work_.divisions += operations.divisions * largest_;
        work_.square_roots += operations.square_roots * largest_;
        work_.transcendentals += operations.transcendentals * largest_;
        instructions_ += arithmetic_instructions(operations, kernel_.precision) * largest_;
        for (const int operand : derivation.operands) {
            if (plan(operand).placement == Placement::memory && largest_ > 0 && first_read(operand, 0, library::Touch::all)) {
                const int words = datum(operand).shape.size() * largest_;
                read_global();
                instructions_ += words;
                work_.l1_wavefronts += words / 32.0;
            }
        }
    }

    void count_compute(std::size_t index) {
        const auto& call = kernel_.calls[index];
        const Routine& routine = call.routines->routines[routines_[index]];
        const auto& costs = (*call.costs)[routines_[index]];
        const library::OperationCounts& operations = routine.operations;
        work_.flops += operations.flops;
        work_.divisions += operations.divisions;
        work_.square_roots += operations.square_roots;
        work_.transcendentals += operations.transcendentals;
        instructions_ += arithmetic_instructions(operations, kernel_.precision) +
            (limits_.target == Target::host ? 0 : instructions_per_item * routine.threads);
        if (routine.exchanges != 0) {
            const double words = static_cast<double>(routine.exchanges) * kernel_.word_bytes() / 4 * routine.threads;
            work_.exchanges += routine.exchanges;
            work_.shared_wavefronts += words / 32;
            instructions_ += words;
        }
        if (previous_threads_ != 0 && previous_threads_ != routine.threads) {
            ++work_.remaps;
        }
        previous_threads_ = routine.threads;
        items_ += routine.threads;
        ++computes_;

        for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
            const int read = call.operands[operand];
            const Placement placement = plan(read).placement;
            if ((placement == Placement::shared || placement == Placement::memory) &&
                first_read(read, routine.threads, routine.inputs[operand])) {
                read_in(read, *costs[operand], routine.threads);
            }
        }
        if (plan(call.result).placement == Placement::shared) {
            const AccessCost& result = *costs.back();
            work_.shared_wavefronts += tile(call.result).group != 0 ? result.padded : result.plain;
            instructions_ += result.accesses;
        }
    }

    void read_in(int read, const AccessCost& cost, int threads) {
        if (plan(read).placement == Placement::shared) {
            work_.shared_wavefronts += tile(read).group != 0 ? cost.padded : cost.plain;
            instructions_ += cost.accesses;
            return;
        }
        read_global();
        instructions_ += static_cast<double>(cost.components) * threads;
        if (limits_.target == Target::host) {
            return;
        }
        // A uniform is one line for all threads: a pass per load of a warp.
        work_.l1_wavefronts +=
            datum(read).kind == frontend::DatumKind::uniform ? static_cast<double>(cost.components) * threads / 32 : cost.direct;
    }

    void finish() {
        work_.dependent_phases = std::max(phases_, 1);
        work_.idle_fraction = 1 - static_cast<double>(items_) / (static_cast<double>(largest_thread_count()) * std::max(computes_, 1));
        if (limits_.target == Target::cuda) {
            count_registers();
        }
        // A warp-instruction is 32 thread-instructions; for the host, a vector instruction serves all lanes.
        work_.instructions = instruction_overhead * instructions_ / (limits_.target == Target::host ? draft_.elements : 32);
    }

    void count_registers() {
        work_.demand = register_demand(kernel_, routines_, draft_);
        work_.registers = std::min(registers_needed(work_.demand), limits_.registers_per_thread);
    }

    int largest_thread_count() const { return limits_.target == Target::host ? 1 : largest_; }

    const KernelOutline& kernel_;
    const Combination& routines_;
    const DeviceLimits& limits_;
    const KernelDraft& draft_;
    int largest_; ///< granularity; 0 for the host
    KernelWork work_;

    std::vector<std::tuple<int, int, library::Touch>> reads_;
    double instructions_ = 0; ///< thread-instructions per element
    bool phase_open_ = false;
    int phases_ = 0;
    int previous_threads_ = 0;
    int items_ = 0;
    int computes_ = 0;
};

} // namespace

KernelWork measure_work(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, const KernelDraft& draft) {
    return Meter(kernel, routines, limits, draft).run();
}

} // namespace fusec::fusion
