// SPDX-License-Identifier: Apache-2.0
// What a finished candidate does, as counts that every predictor understands. Sources are the sections of the CUDA notes.
//
// Data pipe (notes 1, 3): a staged load passes once with cp.async, twice through registers; each distinct read of a tile and each
// result written to one costs its simulated passes; a routine of several threads whose result goes to a tile reads what several entries
// share anew for each of them, as the compiler of the kernel cannot tell the words apart (OperandReuse::times); a staged store is read once and sent once, a direct one only sent.
// Registers and spills: register_demand.cpp.
// An exchanged word is an instruction of each thread and, for a warp, a pass of the data pipe: shuffles give 32 results per clock and
// multiprocessor (CUDA programming guide, throughput of native arithmetic instructions: warp shuffle, all compute capabilities).
// Instructions (fitted to 4.1): 1.15 (arithmetic + accesses + copies + 10 for the address of each part of a tile or list that a thread reads
// or writes + 6 per thread where the threads of an element change or a barrier stands + 4 per thread and barrier). What stays in registers
// costs its arithmetic alone, a move none. Each belongs to the threads that execute it: steps follow each other, so a thread's path is the
// sum over steps of its share in them.
#include "fusion/instruction_rates.hpp"
#include "fusion/joined_sums.hpp"
#include "fusion/kernel_builder.hpp"
#include "fusion/register_demand.hpp"
#include "fusion/step_recorder.hpp"
#include "fusion/waiting_components.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace fusec::fusion {

namespace {

class Meter {
public:
    Meter(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, bool with_steps, const KernelDraft& draft,
        std::vector<KernelDraft::Share>& shares)
        : kernel_(kernel),
          routines_(routines),
          limits_(limits),
          draft_(draft),
          shares_(shares),
          largest_(limits.target == Target::host ? 0 : draft.largest_threads),
          recorder_(with_steps ? &work_ : nullptr) {}

    KernelWork run() {
        work_.precision = kernel_.precision;
        work_.write_bytes = kernel_.write_bytes;
        words_read_.resize(kernel_.data.size());
        made_by_.assign(kernel_.data.size(), StepRecorder::unmade);
        for (std::size_t i = 0; i < kernel_.data.size(); ++i) {
            const KernelOutline::Datum& datum = kernel_.data[i];
            work_.read_bytes += datum.loaded ? bytes_read(static_cast<int>(i)) : 0;
            work_.read_lists += datum.loaded;
            work_.write_lists += datum.stored && !datum.flag;
        }
        for (std::size_t i = 0; i < kernel_.derivations.size(); ++i) {
            recorder_.begin(WorkStep::Kind::derive, static_cast<int>(i), std::max(largest_, 1));
            count_derivation(kernel_.derivations[i]);
            recorder_.end();
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

    /// Of a list that is loaded, per element.
    double bytes_read(int loaded) const {
        const bool in_place = plan(loaded).placement == Placement::memory && limits_.target == Target::cuda;
        return in_place ? datum(loaded).touched_bytes : datum(loaded).list_bytes;
    }

    /// Thread-instructions per element of a step that so many threads of each element execute.
    /// `arithmetic` of them are a call's.
    void count_instructions(double instructions, int threads, double arithmetic = 0) {
        recorder_.instructions(instruction_overhead * instructions);
        const auto share =
            std::find_if(shares_.begin(), shares_.end(), [&](const KernelDraft::Share& known) { return known.threads == threads; });
        if (share == shares_.end()) {
            shares_.push_back({threads, instructions, arithmetic});
        } else {
            share->instructions += instructions;
            share->arithmetic += arithmetic;
        }
    }

    void count_barrier(Barrier barrier) {
        if (barrier == Barrier::none) {
            return;
        }
        recorder_.begin(barrier == Barrier::warp ? WorkStep::Kind::warp_barrier : WorkStep::Kind::block_barrier, -1, std::max(largest_, 1));
        phase_open_ = false;
        guarded_threads_ = 0;
        count_instructions(instructions_per_barrier * largest_, largest_);
        if (barrier == Barrier::warp) {
            ++work_.warp_barriers;
        } else {
            ++work_.block_barriers;
        }
        forget_reads();
        recorder_.end();
    }

    void count(const KernelDraft::Step& step) {
        std::optional<int> made;
        switch (step.kind) {
        case Step::Kind::load:
            recorder_.begin(WorkStep::Kind::load, step.index, std::max(largest_, 1));
            count_load(step.index);
            break;
        case Step::Kind::async_wait:
            recorder_.begin(WorkStep::Kind::wait, -1, std::max(largest_, 1));
            phase_open_ = false;
            count_instructions(largest_, largest_);
            break;
        case Step::Kind::compute:
            recorder_.begin(WorkStep::Kind::compute, step.index, std::max(1, routine_of(step.index).threads));
            count_compute(static_cast<std::size_t>(step.index));
            made = kernel_.calls[static_cast<std::size_t>(step.index)].result;
            break;
        case Step::Kind::store:
            recorder_.begin(WorkStep::Kind::store, step.index, storing_threads(step.index));
            count_store(step.index);
            break;
        case Step::Kind::block_barrier:
        case Step::Kind::warp_barrier:
        case Step::Kind::derive:
            throw InternalError("kernel work: barriers and derivations of a draft are no steps");
        }
        recorder_.end();
        if (made) {
            made_by_[static_cast<std::size_t>(*made)] = recorder_.last();
        }
    }

    const Routine& routine_of(int call) const {
        const auto index = static_cast<std::size_t>(call);
        return kernel_.calls[index].routines->routines[routines_[index]];
    }
    int storing_threads(int stored) const { return std::max(1, plan(stored).store == Staging::none ? plan(stored).threads : largest_); }

    int list_word_bytes(int list) const { return datum(list).list_bytes / datum(list).shape.size(); }
    /// A copy of the list by threads side by side, of so many bytes each.
    void record_copy(int list, bool store, int bytes, bool asynchronous = false, bool streaming = false) {
        const double all = datum(list).list_bytes;
        const bool lanes = limits_.target == Target::host;
        recorder_.access({store, Addressing::unit, bytes, all / bytes, all / 32, asynchronous, true, streaming,
            lanes ? static_cast<double>(bytes) * draft_.elements / limits_.vector_bytes : 1, lanes && datum(list).converts()});
    }
    /// Of the same place by every thread of a warp, which asks for one sector.
    void record_broadcast(int list, double accesses) {
        recorder_.access({false, Addressing::broadcast, list_word_bytes(list), accesses, accesses / 32, false});
    }
    /// Each thread its part, or a share of it, in place. Neighbours stand side by side where a part is one component and the list nothing else, in order.
    void record_owned(int list, bool store, const AccessCost& cost, int threads, double share = 1) {
        const bool unit = cost.components == 1 && datum(list).shape.size() == threads && cost.excess_store < 1e-9;
        recorder_.access(
            {store, unit ? Addressing::unit : Addressing::strided, list_word_bytes(list), share * cost.words, share * cost.sectors, false});
    }

    /// Passes of a copy into or out of the datum's tile.
    double copied(int index) const {
        const KernelDraft::Tile& of = tile(index);
        return copied_wavefronts(datum(index).bytes, of.padding == Padding::rows ? of.run * datum(index).word_bytes() : 0);
    }

    /// Elements of the tile that a register has room for, in the list's precision.
    int lanes_at_once(int list) const { return std::min(draft_.elements, limits_.vector_bytes / list_word_bytes(list)); }
    bool in_strips(int list, bool stored) const {
        const int words = datum(list).shape.size(), lanes = lanes_at_once(list), bytes = list_word_bytes(list);
        return words > most_words_transposed_at_once &&
            !(stored ? is_stored_in_halves(words, lanes, bytes) : is_loaded_in_halves(words, lanes, bytes));
    }

    /// Vector instructions between memory and lanes: an access per component, and the stages or sweeps of the transposition, one per bit of a lane's
    /// number where components are even, else a permutation and one per bit of the amounts (runtime/fusec/transposition.hpp); of strips, the last
    /// overlaps the one before. Of a list whose words are wider than its values, a register holds part of the tile, and joining or dividing takes an
    /// instruction per component.
    double transposed(int list, bool stored) const {
        const int words = datum(list).shape.size(), lanes = lanes_at_once(list);
        const bool strips = in_strips(list, stored);
        const int vectors = strips ? (words + lanes - 1) / lanes * lanes : words;
        const auto width = static_cast<unsigned>(lanes), of_strip = static_cast<unsigned>(strips ? lanes : words);
        const int steps =
            static_cast<int>(of_strip % 2 == 0 ? std::bit_width(width - 1) : 1 + std::bit_width(std::min(of_strip, width) - 1));
        const double part = words == 1 ? 1 : (1.0 + steps) * vectors;
        const int parts = draft_.elements / lanes;
        return parts * (part + conversions(datum(list))) + (parts - 1) * words;
    }
    /// Lines of a later tile that are asked for; of strips that are loaded, those of each element.
    double asked_for(int list, bool stored) const {
        const int words = datum(list).shape.size(), line = bytes_of_line / list_word_bytes(list), lanes = lanes_at_once(list);
        const int part = !stored && in_strips(list, false) ? lanes * ((words + line - 1) / line) : (lanes * words + line - 1) / line;
        const int parts = draft_.elements / lanes;
        return parts * part;
    }
    /// Vectors that go through memory of the kernel's own on their way past the caches, written and read: those of strips whose rows are no lines.
    double staged(int list) const {
        const int words = datum(list).shape.size(), lanes = lanes_at_once(list);
        const bool rows_are_lines = words % lanes == 0 && lanes * list_word_bytes(list) == bytes_of_line;
        return in_strips(list, true) && !rows_are_lines ? 2.0 * words : 0;
    }

    void read_global() {
        if (!phase_open_) {
            phase_open_ = true;
            ++phases_;
            recorder_.round_trip();
        }
    }

    void count_load(int loaded) {
        const double bytes = datum(loaded).bytes;
        double instructions = instructions_per_copy_step * largest_ + (limits_.target == Target::host ? 0 : conversions(datum(loaded)));
        read_global();
        recorder_.reads(bytes_read(loaded));
        switch (plan(loaded).load) {
        case Staging::async:
            record_copy(loaded, false, 16, true);
            work_.async_copies = true;
            work_.shared_wavefronts += copied(loaded);
            instructions += bytes / 16;
            break;
        case Staging::vectors:
            record_copy(loaded, false, 16);
            work_.shared_wavefronts += bytes / 128 + copied(loaded);
            instructions += 2 * bytes / 16;
            break;
        case Staging::words:
            record_copy(loaded, false, list_word_bytes(loaded));
            work_.shared_wavefronts += datum(loaded).list_bytes / 128.0 + copied(loaded);
            instructions += 2 * bytes / datum(loaded).word_bytes();
            break;
        case Staging::lanes:
            record_copy(loaded, false, list_word_bytes(loaded));
            instructions += transposed(loaded, false) + asked_for(loaded, false);
            break;
        case Staging::none:
        case Staging::lanes_streaming:
            throw InternalError("kernel work: a load step without a way to load");
        }
        count_instructions(instructions, largest_);
    }

    /// An instruction per component on the way between the chip and a list that is stored otherwise.
    static double conversions(const KernelOutline::Datum& list) { return list.converts() ? list.shape.size() : 0; }

    void count_store(int stored) {
        const double bytes = datum(stored).bytes;
        recorder_.writes(datum(stored).list_bytes);
        work_.shared_wavefronts += limits_.target == Target::host ? 0 : datum(stored).list_bytes / 128.0;
        count_instructions(limits_.target == Target::host ? 0 : conversions(datum(stored)), storing_threads(stored));
        switch (plan(stored).store) {
        case Staging::words:
            record_copy(stored, true, list_word_bytes(stored));
            work_.shared_wavefronts += copied(stored);
            count_instructions(2 * bytes / datum(stored).word_bytes() + instructions_per_copy_step * largest_, largest_);
            break;
        case Staging::vectors:
            record_copy(stored, true, 16);
            work_.shared_wavefronts += copied(stored);
            count_instructions(2 * bytes / 16 + instructions_per_copy_step * largest_, largest_);
            break;
        case Staging::none: {
            const std::size_t producer = static_cast<std::size_t>(datum(stored).producer);
            const AccessCost& cost = *(*kernel_.calls[producer].costs)[routines_[producer]].back();
            work_.store_requests += cost.excess_store;
            record_owned(stored, true, cost, plan(stored).threads);
            count_instructions(
                static_cast<double>(cost.components) * plan(stored).threads + addresses(plan(stored).threads), plan(stored).threads);
            break;
        }
        case Staging::lanes_streaming:
            count_instructions(staged(stored), largest_);
            [[fallthrough]];
        case Staging::lanes:
            if (datum(stored).flag) { // is looked at, and written where the check fails
                count_instructions(1, largest_);
                break;
            }
            if (plan(stored).store == Staging::lanes && datum(stored).old_value < 0) {
                work_.allocated_bytes += datum(stored).list_bytes;
            }
            record_copy(stored, true, list_word_bytes(stored), false, plan(stored).store == Staging::lanes_streaming);
            count_instructions(transposed(stored, true) + (plan(stored).store == Staging::lanes ? asked_for(stored, true) : 0), largest_);
            break;
        case Staging::async:
            throw InternalError("kernel work: stores are not asynchronous");
        }
    }

    /// Of the components that a thread reads of the operand, the share that it has not read: what it has comes from registers until a barrier or
    /// a write that may change it.
    double fresh_share(int read, const Routine& routine, std::size_t operand, const AccessCost* cost) {
        if (routine.threads > 1) {
            return first_read(read, routine.threads, cost) ? 1 : 0;
        }
        std::vector<bool>& known = words_read_[static_cast<std::size_t>(read)];
        known.resize(static_cast<std::size_t>(datum(read).shape.size()));
        const bool parts = !routine.components.empty() && !routine.components[operand].empty();
        const std::size_t all = parts ? routine.components[operand].size() : known.size();
        std::size_t fresh = 0;
        for (std::size_t i = 0; i < all; ++i) {
            std::vector<bool>::reference word = known[parts ? static_cast<std::size_t>(routine.components[operand][i]) : i];
            fresh += word ? 0U : 1U;
            word = true;
        }
        return static_cast<double>(fresh) / static_cast<double>(all);
    }

    /// True the first time, unless so many threads have each read all of it. `cost`: of the access; equal accesses, which read the same part,
    /// have one; null of a derivation.
    bool first_read(int read, int threads, const AccessCost* cost) {
        if (std::any_of(reads_.begin(), reads_.end(), [&](const PartRead& other) {
                return other.datum == read && other.threads == threads && (other.cost == cost || other.cost->whole);
            })) {
            return false;
        }
        reads_.push_back({read, threads, cost});
        return true;
    }
    void forget_reads() {
        // Lists in place are const and restrict: no barrier makes the compiler read them again.
        std::erase_if(reads_, [&](const PartRead& known) { return plan(known.datum).placement == Placement::shared; });
        for (std::size_t read = 0; read < words_read_.size(); ++read) {
            if (draft_.data[read].placement == Placement::shared) {
                words_read_[read].clear();
            }
        }
    }

    /// Every thread of the block does it, whatever its elements are; the host does it once for all of them.
    void count_derivation(const KernelOutline::Derivation& derivation) {
        const library::OperationCounts& operations = derivation.routine->operations;
        recorder_.routine(derivation.routine->signature);
        const Precision precision = datum(derivation.result).precision;
        count_arithmetic(work_, operations, precision, largest_);
        const int conversions = datum(derivation.operands.front()).precision == precision ? 0 : datum(derivation.result).shape.size();
        const double instructions = (arithmetic_instructions(operations, precision, limits_.target) + conversions) * largest_;
        count_instructions(instructions, largest_, instructions);
        for (const int operand : derivation.operands) {
            if (plan(operand).placement == Placement::memory && largest_ > 0 && first_read(operand, 0, nullptr)) {
                const int words = datum(operand).shape.size() * largest_;
                read_global();
                record_broadcast(operand, words);
                count_instructions(words, largest_);
                work_.l1_wavefronts += words / 32.0;
            }
        }
    }

    double arithmetic_of(std::size_t index) const {
        const auto& call = kernel_.calls[index];
        return arithmetic_instructions(call.routines->routines[routines_[index]].operations, kernel_.precision_of(call), limits_.target) +
            kernel_.conversions(call);
    }
    /// A sum that is executed in the instructions of a product has none of its own, and the product has those of both.
    double host_arithmetic(int call) const {
        if (product_of_sum(kernel_, call, draft_.elements) >= 0) {
            return 0;
        }
        const int sum = sum_of_product(kernel_, call, draft_.elements);
        return arithmetic_of(static_cast<std::size_t>(call)) + (sum >= 0 ? arithmetic_of(static_cast<std::size_t>(sum)) : 0);
    }

    void count_compute(std::size_t index) {
        const auto& call = kernel_.calls[index];
        const Routine& routine = call.routines->routines[routines_[index]];
        const auto& costs = (*call.costs)[routines_[index]];
        const library::OperationCounts& operations = routine.operations;
        const Precision precision = kernel_.precision_of(call);
        recorder_.routine(routine.signature);
        count_arithmetic(work_, operations, precision, 1);
        const double arithmetic = limits_.target == Target::host ? host_arithmetic(static_cast<int>(index)) : arithmetic_of(index);
        count_instructions(arithmetic, routine.threads, arithmetic);
        count_guard(routine.threads);
        if (routine.exchanges != 0) {
            const double words = static_cast<double>(routine.exchanges) * bytes_of(precision) / 4 * routine.threads;
            work_.exchanges += routine.exchanges;
            work_.shared_wavefronts += words / 32;
            count_instructions(words, routine.threads);
        }
        if (previous_threads_ != 0 && previous_threads_ != routine.threads) {
            ++work_.remaps;
            recorder_.remap();
        }
        previous_threads_ = routine.threads;
        if (limits_.target == Target::host && recorder_.records()) {
            std::vector<int> makers;
            std::ranges::transform(
                call.operands, std::back_inserter(makers), [&](int operand) { return made_by_[static_cast<std::size_t>(operand)]; });
            recorder_.after(std::move(makers));
            // What is executed with a sum stays as far as the sum does.
            const int sum = sum_of_product(kernel_, static_cast<int>(index), draft_.elements);
            const double with_sum = sum >= 0 ? kernel_.calls[static_cast<std::size_t>(sum)].remaining : 0;
            recorder_.remaining(std::max(call.remaining, with_sum), call.alone);
        }

        const bool writes = writes_unknown_words(plan(call.result).placement, routine);
        std::vector<std::size_t> operands(call.operands.size());
        std::iota(operands.begin(), operands.end(), std::size_t{0});
        std::ranges::stable_sort(operands, std::greater(), [&](std::size_t operand) { return costs[operand]->components; });
        for (const std::size_t operand : operands) { // of an operand that stands twice, first what has most of it
            const int read = call.operands[operand];
            const Placement placement = plan(read).placement;
            const int times = writes && placement == Placement::shared ? routine.reuse[operand].times : 1;
            if (placement == Placement::shared || placement == Placement::memory) {
                const double share = fresh_share(read, routine, operand, costs[operand]);
                if (share > 0 || times > 1) {
                    read_in(read, *costs[operand], routine.threads, times > 1 ? times : share);
                }
            }
        }
        if (writes) {
            forget_reads();
        }
        if (plan(call.result).placement == Placement::shared) {
            const AccessCost& result = *costs.back();
            work_.shared_wavefronts += result.passes(tile(call.result).padding);
            count_instructions(result.accesses + addresses(routine.threads), routine.threads);
        }
    }

    /// Statements of the same threads per element share their condition until a barrier.
    void count_guard(int threads) {
        if (limits_.target == Target::cuda && guarded_threads_ != threads) {
            guarded_threads_ = threads;
            count_instructions(instructions_per_guard * threads, threads);
        }
    }

    /// Each thread finds its part; of a lane of the host, the part is where the loop is.
    double addresses(int threads) const { return limits_.target == Target::cuda ? instructions_per_address * threads : 0; }

    /// `times` each component that the threads read; a fraction: of some of them.
    void read_in(int read, const AccessCost& cost, int threads, double times) {
        if (plan(read).placement == Placement::shared) {
            work_.shared_wavefronts += times * cost.passes(tile(read).padding);
            count_instructions(times * cost.accesses + addresses(threads), threads);
            return;
        }
        read_global();
        const bool uniform = datum(read).kind == frontend::DatumKind::uniform;
        const double components = times * cost.words;
        count_instructions(components * (datum(read).converts() ? 2 : 1) + (uniform ? 0 : addresses(threads)), threads);
        if (uniform) {
            record_broadcast(read, components);
        } else {
            recorder_.reads(datum(read).loaded && recorder_.first(read) ? bytes_read(read) : 0);
            record_owned(read, false, cost, threads, times);
        }
        if (limits_.target == Target::host) {
            return;
        }
        // A uniform is one line for all threads: a pass per load of a warp.
        work_.l1_wavefronts += uniform ? components / 32 : times * cost.direct;
    }

    void finish() {
        work_.dependent_phases = std::max(phases_, 1);
        if (limits_.target == Target::cuda) {
            count_registers();
        }
        double instructions = 0;
        for (const KernelDraft::Share& share : shares_) {
            instructions += share.instructions;
            work_.path_instructions += instruction_overhead * share.instructions / std::max(share.threads, 1);
        }
        work_.instructions = instruction_overhead * instructions / 32; // of the host, where a vector instruction serves all lanes, too
    }

    void count_registers() {
        work_.demand = register_demand(kernel_, routines_, draft_);
        work_.registers = std::min(registers_needed(work_.demand), limits_.registers_per_thread);
    }

    const KernelOutline& kernel_;
    const Combination& routines_;
    const DeviceLimits& limits_;
    const KernelDraft& draft_;
    std::vector<KernelDraft::Share>& shares_;
    int largest_; ///< granularity; 0 for the host
    KernelWork work_;
    StepRecorder recorder_;

    struct PartRead {
        int datum, threads;
        const AccessCost* cost;
    };
    std::vector<PartRead> reads_;               ///< by several threads, or in derivations
    std::vector<int> made_by_;                  ///< by datum: the recorded step of the call that makes it
    std::vector<std::vector<bool>> words_read_; ///< by datum, of a thread that does an element alone
    bool phase_open_ = false;
    int phases_ = 0;
    int previous_threads_ = 0;
    int guarded_threads_ = 0; ///< of the statements so far that no barrier has ended
};

} // namespace

void measure_work(
    const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits, bool with_steps, KernelDraft& draft) {
    draft.shares.clear();
    draft.work = Meter(kernel, routines, limits, with_steps, draft, draft.shares).run();
}

void count_whole_warps(const DeviceLimits& limits, KernelDraft& draft) {
    const auto slots = [&](double KernelDraft::Share::* kind) {
        double working = 0;
        double taken = 0;
        for (const KernelDraft::Share& share : draft.shares) {
            const int threads = std::max(share.threads * draft.elements, 1);
            const int warps = (threads + limits.warp_size - 1) / limits.warp_size;
            working += share.*kind;
            taken += share.*kind * warps * limits.warp_size / threads;
        }
        return working == 0 ? 1 : std::max(1.0, taken / working); // sums of the same shares may differ in their last bit
    };
    draft.work.lane_slots = slots(&KernelDraft::Share::instructions);
    draft.work.arithmetic_lane_slots = slots(&KernelDraft::Share::arithmetic);
}

} // namespace fusec::fusion
