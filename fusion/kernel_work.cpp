// SPDX-License-Identifier: Apache-2.0
// What a finished candidate does, as counts that every predictor understands. Sources are the sections of the CUDA notes.
//
// Data pipe (notes 1, 3): a staged load passes once with cp.async, twice through registers; each distinct read of a tile and each
// result written to one costs its simulated passes; a staged store is read once and sent once, a direct one only sent.
// Registers (notes 0.6, 4.2): 25 + w (L + N): L live components per thread, one row N of every operand that is not in registers,
// w = 1 (f32) or 2 (f64); copies through registers hold 14 more (2.2). Each hand-over of a result in registers from
// call to call adds 0.4 of what exceeds 64 registers, as if ptxas started on the next call's operands before it is done (fitted to
// nvcc 13.0, sm_90, demo16: without this term 219 for all of {4 4 1}, {4 4} and {4 4 4}, which take 246, 248 and 255 + 14 spilled).
// Spills (fitted to 4.2): each of the excess registers is stored and loaded 3 * demand / limit times.
// Instructions (fitted to 4.1): 1.15 (arithmetic + accesses + copies + 20 per item and step + 4 per thread and barrier).
#include "fusion/instruction_rates.hpp"
#include "fusion/kernel_builder.hpp"

#include <algorithm>
#include <tuple>

namespace fusec::fusion {

namespace {

constexpr double base_registers = 25;
constexpr double copy_registers = 14;
constexpr double free_hand_over = 64; // registers of a result that pass from call to call without further ones
constexpr double hand_over_registers = 0.4;

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
        last_step_.assign(kernel_.data.size(), 0);
        for (std::size_t step = 0; step < draft_.steps.size(); ++step) {
            for_each_datum(draft_.steps[step], [&](int datum) { last_step_[static_cast<std::size_t>(datum)] = step; });
        }
        made_.assign(kernel_.data.size(), false);
        for (std::size_t step = 0; step < draft_.steps.size(); ++step) {
            count_barrier(draft_.barriers[step]);
            count(draft_.steps[step], step);
        }
        finish();
        return work_;
    }

private:
    const KernelDraft::Datum& plan(int datum) const { return draft_.data[static_cast<std::size_t>(datum)]; }
    const KernelOutline::Datum& datum(int index) const { return kernel_.data[static_cast<std::size_t>(index)]; }
    const KernelDraft::Tile& tile(int datum) const { return draft_.tiles[static_cast<std::size_t>(plan(datum).tile)]; }

    template <class Visit>
    void for_each_datum(const KernelDraft::Step& step, Visit visit) const {
        if (step.kind == Step::Kind::compute) {
            const auto& call = kernel_.calls[static_cast<std::size_t>(step.index)];
            std::for_each(call.operands.begin(), call.operands.end(), visit);
            visit(call.result);
        } else if (step.index >= 0) {
            visit(step.index);
        }
    }

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

    void count(const KernelDraft::Step& step, std::size_t number) {
        switch (step.kind) {
        case Step::Kind::load:
            count_load(step.index);
            break;
        case Step::Kind::async_wait:
            phase_open_ = false;
            instructions_ += largest_;
            break;
        case Step::Kind::compute:
            count_compute(static_cast<std::size_t>(step.index), number);
            break;
        case Step::Kind::store:
            count_store(step.index);
            break;
        case Step::Kind::block_barrier:
        case Step::Kind::warp_barrier:
            throw InternalError("kernel work: barriers of a draft are no steps");
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
            through_registers_ = true;
            break;
        case Staging::words:
            work_.shared_wavefronts += 2 * bytes / 128;
            instructions_ += 2 * bytes / kernel_.word_bytes();
            through_registers_ = true;
            break;
        case Staging::lanes: // an access and about one shuffle per component, for all lanes of the vector at once
            instructions_ += 2.0 * datum(loaded).shape.size();
            made_[static_cast<std::size_t>(loaded)] = true;
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

    void count_compute(std::size_t index, std::size_t number) {
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
        if (previous_threads_ != 0 && previous_threads_ != routine.threads) {
            ++work_.remaps;
        }
        previous_threads_ = routine.threads;
        items_ += routine.threads;
        ++computes_;

        double needed = routine.temporaries;
        for (std::size_t operand = 0; operand < call.operands.size(); ++operand) {
            const int read = call.operands[operand];
            const AccessCost& cost = *costs[operand];
            const Placement placement = plan(read).placement;
            if (placement == Placement::registers && datum(read).producer >= 0) {
                hand_over_ += hand_over_registers * std::max(0.0, words_per_component() * part_held(read) - free_hand_over);
            } else if (placement == Placement::shared || placement == Placement::memory) {
                needed += std::min(cost.components, cost.columns);
                if (first_read(read, routine.threads, routine.inputs[operand])) {
                    read_in(read, cost, routine.threads);
                }
            }
        }
        const AccessCost& result = *costs.back();
        const KernelDraft::Datum& made = plan(call.result);
        if (made.placement == Placement::shared) {
            needed += std::min(result.components, result.columns);
            work_.shared_wavefronts += tile(call.result).group != 0 ? result.padded : result.plain;
            instructions_ += result.accesses;
        }
        made_[static_cast<std::size_t>(call.result)] = true;
        needed -= made_over_operand(index, number);
        for (std::size_t live = 0; live < kernel_.data.size(); ++live) {
            if (made_[live] && draft_.data[live].placement == Placement::registers && last_step_[live] >= number) {
                needed += part_held(static_cast<int>(live));
            }
        }
        components_ = std::max(components_, needed);
    }

    /// Components of a result that take the registers of an operand: entry-wise calls (at most two operations per entry) use up each
    /// entry of an operand that is not needed later as they make the result's.
    double made_over_operand(std::size_t index, std::size_t number) const {
        const auto& call = kernel_.calls[index];
        const Shape& shape = datum(call.result).shape;
        if (plan(call.result).placement != Placement::registers || call.routines->operations.flops > 2.0 * shape.size()) {
            return 0;
        }
        const bool reused = std::any_of(call.operands.begin(), call.operands.end(), [&](int operand) {
            return plan(operand).placement == Placement::registers && datum(operand).shape == shape &&
                last_step_[static_cast<std::size_t>(operand)] == number;
        });
        return reused ? part_held(call.result) : 0;
    }

    /// Components per thread of a datum in registers.
    double part_held(int held) const {
        const KernelDraft::Datum& entry = plan(held);
        return entry.threads == 1 ? datum(held).shape.size() : library::components_touched(datum(held).shape, entry.touch, entry.threads);
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
        const double demand = base_registers + words_per_component() * components_ + hand_over_ + (through_registers_ ? copy_registers : 0);
        const double limit = limits_.target == Target::host ? demand : limits_.registers_per_thread;
        work_.registers = static_cast<int>(std::min(demand, limit));
        if (demand > limit) {
            const double stored = 4 * (demand - limit) * 3 * demand / limit;
            work_.spill_bytes = 2 * stored * largest_;
        }
        // A warp-instruction is 32 thread-instructions; for the host, a vector instruction serves all lanes.
        work_.instructions = instruction_overhead * instructions_ / (limits_.target == Target::host ? draft_.elements : 32);
    }

    double words_per_component() const { return kernel_.precision == Precision::f32 ? 1 : 2; }
    int largest_thread_count() const { return limits_.target == Target::host ? 1 : largest_; }

    const KernelOutline& kernel_;
    const Combination& routines_;
    const DeviceLimits& limits_;
    const KernelDraft& draft_;
    int largest_; ///< granularity; 0 for the host
    KernelWork work_;

    std::vector<std::size_t> last_step_; ///< per datum
    std::vector<bool> made_;             ///< per datum, holds registers from here to its last step
    std::vector<std::tuple<int, int, library::Touch>> reads_;
    double instructions_ = 0; ///< thread-instructions per element
    double components_ = 0;   ///< most live components per thread
    double hand_over_ = 0;    ///< further registers
    bool through_registers_ = false;
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
