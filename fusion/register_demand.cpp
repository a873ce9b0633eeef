// SPDX-License-Identifier: Apache-2.0
#include "fusion/register_demand.hpp"

#include "fusion/waiting_components.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

// Fitted with bench/register_fit.py to what nvcc 13.0 reported for sm_90 of 178 candidates of four examples and of products and solves of 4x4
// to 12x12, during development.
constexpr double base_registers = 12;      ///< addresses, indices, loops of copies, what rounding up leaves
constexpr double several_threads = 2;      ///< lane and element of the thread, and addresses that depend on them
constexpr double passing_share_one = 0.6;  ///< of the words on their way: ptxas loads ahead while there are registers
constexpr double passing_share_many = 0.4; ///< ... less so with several threads
constexpr int most_passing = 24;           ///< words that it loads ahead at most
constexpr double copy_registers = 14;      ///< 16-byte copies through registers on their way (CUDA notes 2.2)
/// Forces of hexahedra of 4, 8 and 9 points in double (59 to 138 calls): 251 registers where 238 were expected, and 16 to 40 bytes spilled where
/// 246 were (nvcc 13.0, sm_80 and sm_90).
constexpr int many_calls_registers = 13;
constexpr std::size_t many_calls = 32;
/// Up to here a single thread's statements stay in their order.
constexpr int sure_registers = 255;
/// Of products whose entries stay in registers, ptxas interleaves the rows when that saves registers: seen for 544 words that are read
/// again (16x16 in double, examples/demo16.fus, 206 registers), not for 576 (24x24 in float: 7 KB are spilled). The entries then all wait.
constexpr int most_reordered = 550;
/// Words of a part of a result that a thread of several sends to its list as they are made. A row of 64 floats waits until it is whole: 168
/// registers for a product of 64x64 (nvcc 13.0, sm_80).
constexpr int most_stored_at_once = 32;

/// Words that a thread stores to local memory and loads from it, together, per register that it has too few. Middle of 2 to 11 seen for
/// products and solves of 24x24 and 64x64 (nvcc 13.0, sm_80).
constexpr double spilled_words_per_excess = 8;

class Demand {
public:
    Demand(const KernelOutline& kernel, const Combination& routines, const KernelDraft& draft)
        : kernel_(kernel), routines_(routines), draft_(draft), waiting_(kernel, routines, draft) {}

    RegisterDemand run() {
        last_step_.assign(kernel_.data.size(), 0);
        made_.assign(kernel_.data.size(), false);
        for (std::size_t number = 0; number < draft_.steps.size(); ++number) {
            const KernelDraft::Step& step = draft_.steps[number];
            if (step.kind == Step::Kind::compute) {
                const auto& call = kernel_.calls[index(step.index)];
                for (const int operand : call.operands) {
                    last_step_[index(operand)] = number;
                }
                last_step_[index(call.result)] = number;
            } else if (step.index >= 0) {
                last_step_[index(step.index)] = number;
            }
            const Staging copy = step.kind == Step::Kind::load ? plan(step.index).load
                : step.kind == Step::Kind::store               ? plan(step.index).store
                                                               : Staging::none;
            if (step.kind == Step::Kind::load && (copy == Staging::vectors || copy == Staging::words)) {
                copies_ = true;
            }
        }
        for (std::size_t number = 0; number < draft_.steps.size(); ++number) {
            if (draft_.steps[number].kind == Step::Kind::compute) {
                count(index(draft_.steps[number].index), number);
            }
        }
        demand_.call = std::max(demand_.call, 0);
        return demand_;
    }

private:
    static std::size_t index(int number) { return static_cast<std::size_t>(number); }
    const KernelDraft::Datum& plan(int datum) const { return draft_.data[index(datum)]; }
    const KernelOutline::Datum& datum(int number) const { return kernel_.data[index(number)]; }
    const Routine& routine(std::size_t call) const { return kernel_.calls[call].routines->routines[routines_[call]]; }

    /// Registers of a component.
    int word(int number) const { return datum(number).word_bytes() / 4; }

    /// Components per thread of a datum in registers, at this step.
    int part(int number, std::size_t now) const {
        const KernelDraft::Datum& held = plan(number);
        if (held.threads > 1) {
            return library::components_touched(datum(number).shape, held.touch, held.threads);
        }
        const int producer = datum(number).producer;
        return producer >= 0 && moves(index(producer)) ? moved_components(index(producer), now) : datum(number).shape.size();
    }

    /// The call computes nothing: its result is components of its operands, and zeros.
    bool moves(std::size_t call) const { return only_moves(routine(call)); }
    bool moves_into_registers(std::size_t call) const {
        return moves(call) && plan(kernel_.calls[call].result).placement == Placement::registers;
    }

    /// Zeros are no registers, and a component of an operand in registers is the operand's as long as it has one.
    int moved_components(std::size_t call, std::size_t now) const {
        int result = 0;
        for (std::size_t i = 0; i < kernel_.calls[call].operands.size(); ++i) {
            const int operand = kernel_.calls[call].operands[i];
            const bool held = plan(operand).placement == Placement::registers || plan(operand).placement == Placement::derived;
            const bool there = held && last_step_[index(operand)] >= now;
            const std::vector<int>& components = routine(call).components[i];
            result += there ? 0 : components.empty() ? datum(operand).shape.size() : static_cast<int>(components.size());
        }
        return std::min(result, datum(kernel_.calls[call].result).shape.size());
    }

    void count(std::size_t call, std::size_t now) {
        const KernelOutline::Call& made = kernel_.calls[call];
        const Routine& used = routine(call);
        RegisterDemand demand;
        demand.temporaries = used.temporaries * word(made.result);
        demand.call = static_cast<int>(call);
        for (std::size_t operand = 0; operand < made.operands.size(); ++operand) {
            const int number = made.operands[operand];
            const OperandReuse& reuse = used.reuse[operand];
            switch (plan(number).placement) {
            case Placement::shared:
            case Placement::memory: {
                const int free = waiting_.read(call, operand, now);
                const bool again = plan(number).placement == Placement::shared && waiting_.writes_unknown_words(call);
                if (moves_into_registers(call)) {
                    break; // what it reads is the result
                }
                const int kept = again ? 0 : std::min(free, reuse.kept);
                demand.kept += kept * word(number);
                demand.passing += (free - kept) * word(number);
                break;
            }
            case Placement::registers:
            case Placement::constant:
            case Placement::derived:
                break;
            }
        }
        if (plan(made.result).placement == Placement::shared) {
            demand.passing += library::components_touched(datum(made.result).shape, used.output, used.threads) * word(made.result);
        }
        const WaitingComponents::Waiting waiting = waiting_.during(now);
        demand.kept += waiting.all;
        for (std::size_t number = 0; number < kernel_.data.size(); ++number) {
            const int held = static_cast<int>(number);
            if (plan(held).placement == Placement::registers && last_step_[number] >= now && made_[number]) {
                (passes_on(held, call) ? demand.passing : demand.live) += part(held, now) * word(held);
            } else if (plan(held).placement == Placement::derived) {
                // Made before the first call. What only others are derived from is gone by then.
                demand.live += !datum(held).uses.empty() && last_step_[number] >= now ? part(held, now) * word(held) : 0;
            }
        }
        if (plan(made.result).placement == Placement::registers) {
            (passes_on(made.result, call) ? demand.passing : demand.live) +=
                part(made.result, now) * word(made.result) - made_over_operand(call, now);
        }
        made_[index(made.result)] = true;
        demand.several_threads = draft_.largest_threads > 1;
        demand.copies = copies_;
        const int row = word(made.result) * datum(made.result).shape.columns;
        const int kept_long = waiting.often;
        if (plan(made.result).placement == Placement::registers && demand.kept <= most_reordered) {
            // Nothing orders the statements of this step but their data: entries are made side by side, and a row of an operand waits.
            if (demand.kept > kept_long + row && (used.threads > 1 || registers_needed(demand) > sure_registers)) {
                demand.passing += demand.kept - kept_long - row;
                demand.kept = kept_long + row;
                demand.live += passes_on(made.result, call) ? word(made.result) * part(made.result, now) : 0;
                waiting_.interleave(); // seen for examples/spd_solve12.fus: 254 registers, no spill
            } else if (used.threads > 1 && demand.kept + demand.passing > 2 * row) {
                demand.kept = std::max(demand.kept, row);
            }
        }
        if (demand_.call < 0 || registers_needed(demand) > registers_needed(demand_)) {
            demand_ = demand;
        }
    }

    /// At most two operations per entry of an operand of the result's shape.
    bool entry_wise(std::size_t call, const Shape& operand) const {
        const Shape& shape = datum(kernel_.calls[call].result).shape;
        return shape == operand && kernel_.calls[call].routines->operations.flops <= 2.0 * shape.size();
    }

    /// Between the step that makes a datum and the last that uses or stores it: all of it is alive there.
    bool waits_for_barrier(int number) const {
        const int producer = datum(number).producer;
        const auto first = draft_.barriers.begin() + static_cast<std::ptrdiff_t>(producer < 0 ? 0 : waiting_.step_of(index(producer))) + 1;
        const auto last = draft_.barriers.begin() + static_cast<std::ptrdiff_t>(last_step_[index(number)]) + 1;
        return std::any_of(first, std::max(first, last), [](Barrier barrier) { return barrier != Barrier::none; });
    }

    /// During this call, which makes it or uses it: its entries go on as they are made, to the list or to entry-wise calls.
    bool passes_on(int number, std::size_t call) const {
        const KernelOutline::Datum& passed = datum(number);
        const bool takes_part = passed.producer == static_cast<int>(call) ||
            std::any_of(passed.uses.begin(), passed.uses.end(), [&](const KernelOutline::Use& use) { return index(use.call) == call; });
        const bool stored_at_once = passed.uses.empty() && word(number) * part(number, waiting_.step_of(call)) <= most_stored_at_once;
        return takes_part && !waits_for_barrier(number) && (stored_at_once || routine(call).threads == 1) && goes_on(passed);
    }

    /// All that use it are entry-wise; and what they only move goes on too.
    bool goes_on(const KernelOutline::Datum& passed) const {
        return std::all_of(passed.uses.begin(), passed.uses.end(), [&](const KernelOutline::Use& use) {
            const int result = kernel_.calls[index(use.call)].result;
            return entry_wise(index(use.call), passed.shape) &&
                (!moves_into_registers(index(use.call)) || (!waits_for_barrier(result) && goes_on(datum(result))));
        });
    }

    /// Words of a result that take the registers of an operand: entry-wise calls use up each entry of an operand that is not needed
    /// later as they make the result's.
    int made_over_operand(std::size_t call, std::size_t now) const {
        const KernelOutline::Call& made = kernel_.calls[call];
        int reused = 0; // words of a component
        for (const int operand : made.operands) {
            const bool ends = plan(operand).placement == Placement::registers && entry_wise(call, datum(operand).shape) &&
                last_step_[index(operand)] == now;
            reused = std::max(reused, ends ? std::min(word(operand), word(made.result)) : 0);
        }
        return reused == 0 ? 0 : reused * part(made.result, now);
    }

    const KernelOutline& kernel_;
    const Combination& routines_;
    const KernelDraft& draft_;
    std::vector<std::size_t> last_step_;
    std::vector<bool> made_; ///< per datum: a call before this one made it
    WaitingComponents waiting_;
    bool copies_ = false;
    RegisterDemand demand_{.call = -1};
};

} // namespace

int registers_needed(const RegisterDemand& demand) {
    const double share = demand.several_threads ? passing_share_many : passing_share_one;
    return static_cast<int>(base_registers + (demand.several_threads ? several_threads : 0) + (demand.copies ? copy_registers : 0) +
        demand.live + demand.kept + demand.temporaries + share * std::min(demand.passing, most_passing));
}

RegisterDemand register_demand(const KernelOutline& kernel, const Combination& routines, const KernelDraft& draft) {
    return Demand(kernel, routines, draft).run();
}

int registers_available(const DeviceLimits& limits, int threads_per_block) {
    return std::min(limits.registers_per_thread, limits.registers_per_sm / threads_per_block / 8 * 8);
}

void count_spills(KernelWork& work, const DeviceLimits& limits, int threads_per_block, int threads_per_element) {
    const int available = registers_available(limits, threads_per_block);
    work.registers_needed = registers_needed(work.demand);
    if (available < limits.registers_per_thread) {
        work.registers_needed = work.registers_needed * 3 / 2; // what the estimate misses would spill
    }
    work.spill_bytes = spilled_bytes(work.registers_needed, available, threads_per_element);
}

int registers_of_many_calls(std::size_t calls) {
    return calls > many_calls ? many_calls_registers : 0;
}

double spilled_bytes(int needed, int available, int threads_per_element) {
    return spilled_words_per_excess * 4 * std::max(0, needed - available) * threads_per_element;
}

} // namespace fusec::fusion
