// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/walk.hpp"

#include "perfmodel/analysis/warp_access.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <unordered_map>

#include <llvm/ADT/APInt.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>

namespace fusec::perfmodel::analysis {

namespace {

/// When a value is there, after the start of its thread.
struct Ready {
    double cycles = 0;
    int depth = 0;

    void raise(const Ready& other) {
        cycles = std::max(cycles, other.cycles);
        depth = std::max(depth, other.depth);
    }
};

std::uint64_t mask(unsigned width) {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::int64_t with_sign(std::int64_t bits, unsigned width) {
    return width >= 64 ? bits : static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << (64 - width)) >> (64 - width);
}

Value integer(std::uint64_t bits, unsigned width) {
    return {Value::integer, 0, static_cast<std::int64_t>(bits & mask(width))};
}

/// Of integers of the width; data where the result is undefined.
Value binary(unsigned opcode, const Value& x, const Value& y, unsigned width) {
    const auto a = static_cast<std::uint64_t>(x.bits);
    const auto b = static_cast<std::uint64_t>(y.bits);
    const std::int64_t as = with_sign(x.bits, width);
    const std::int64_t bs = with_sign(y.bits, width);
    switch (opcode) {
    case llvm::Instruction::Add:
        return integer(a + b, width);
    case llvm::Instruction::Sub:
        return integer(a - b, width);
    case llvm::Instruction::Mul:
        return integer(a * b, width);
    case llvm::Instruction::UDiv:
        return b == 0 ? Value{} : integer(a / b, width);
    case llvm::Instruction::URem:
        return b == 0 ? Value{} : integer(a % b, width);
    case llvm::Instruction::SDiv:
        return bs == 0 || bs == -1 ? Value{} : integer(static_cast<std::uint64_t>(as / bs), width);
    case llvm::Instruction::SRem:
        return bs == 0 || bs == -1 ? Value{} : integer(static_cast<std::uint64_t>(as % bs), width);
    case llvm::Instruction::Shl:
        return b >= width ? Value{} : integer(a << b, width);
    case llvm::Instruction::LShr:
        return b >= width ? Value{} : integer(a >> b, width);
    case llvm::Instruction::AShr:
        return b >= width ? Value{} : integer(static_cast<std::uint64_t>(as >> b), width);
    case llvm::Instruction::And:
        return integer(a & b, width);
    case llvm::Instruction::Or:
        return integer(a | b, width);
    case llvm::Instruction::Xor:
        return integer(a ^ b, width);
    default:
        return {};
    }
}

/// As `binary`, where an operand may be data or an address.
Value binary_of_any(unsigned opcode, const Value& x, const Value& y, unsigned width) {
    if (x.kind == Value::integer && y.kind == Value::integer) {
        return binary(opcode, x, y, width);
    }
    const auto is = [](const Value& value, std::int64_t bits) { return value.kind == Value::integer && value.bits == bits; };
    if ((opcode == llvm::Instruction::And || opcode == llvm::Instruction::Mul) && (is(x, 0) || is(y, 0))) {
        return {Value::integer, 0, 0};
    }
    if (opcode == llvm::Instruction::Add && (x.kind == Value::pointer || y.kind == Value::pointer) &&
        (x.kind == Value::integer || y.kind == Value::integer)) {
        return {Value::pointer, x.kind == Value::pointer ? x.base : y.base, x.bits + y.bits};
    }
    if ((x.kind == Value::pointer || x.kind == Value::somewhere) && opcode != llvm::Instruction::Sub) {
        return {Value::somewhere, x.base, 0};
    }
    return {};
}

std::optional<bool> compare(const Value& x, const Value& y, int predicate, unsigned width) {
    const bool addresses = x.kind == Value::pointer && y.kind == Value::pointer && x.base == y.base;
    if (!addresses && (x.kind != Value::integer || y.kind != Value::integer)) {
        return std::nullopt;
    }
    const llvm::APInt a(width, static_cast<std::uint64_t>(x.bits), true);
    const llvm::APInt b(width, static_cast<std::uint64_t>(y.bits), true);
    return llvm::ICmpInst::compare(a, b, static_cast<llvm::CmpInst::Predicate>(predicate));
}

class Walk {
public:
    Walk(const Program& program, const Launch& launch, const LatencyTable& latencies, KernelProfile& profile)
        : program_(program),
          launch_(launch),
          latencies_(latencies),
          profile_(profile),
          groups_(program.accesses.size()),
          totals_(program.accesses.size()),
          unknowns_(program.unknowns.begin(), program.unknowns.end()) {
        for (const Access& access : program.accesses) {
            profile.accesses.push_back(access.profile);
        }
        for (const Loop& loop : program.loops) {
            profile.loops.push_back(loop.profile);
        }
    }

    void run() {
        double most = -1;
        for (unsigned first = 0; first < launch_.threads && !stopped_; first += 32) {
            std::vector<std::uint64_t> of_warp(program_.blocks.size());
            for (unsigned thread = first; thread < std::min(first + 32, launch_.threads) && !stopped_; ++thread) {
                follow(thread);
                ThreadPath path{thread, {}, end_.cycles, end_.depth};
                for (std::size_t b = 0; b < executed_.size(); ++b) {
                    of_warp[b] = std::max(of_warp[b], executed_[b]);
                    add(path.counts, program_.blocks[b].mix, executed_[b]);
                }
                add(profile_.block, path.counts, 1);
                profile_.critical_path_cycles = std::max(profile_.critical_path_cycles, path.critical_path_cycles);
                if (path.counts.sum() > most) {
                    most = path.counts.sum();
                    profile_.longest = path;
                }
            }
            for (std::size_t b = 0; b < of_warp.size(); ++b) {
                add(profile_.warps, program_.blocks[b].mix, of_warp[b]);
            }
            finish_warp();
        }
        profile_.block_barriers = static_cast<int>(profile_.longest.counts[InstructionClass::block_barrier]);
        profile_.warp_barriers = static_cast<int>(profile_.longest.counts[InstructionClass::warp_barrier]);
        if (stopped_) {
            unknowns_.insert("more than " + std::to_string(launch_.most_steps) + " instructions: what follows is not counted");
        }
        finish_accesses();
        profile_.unknowns.assign(unknowns_.begin(), unknowns_.end());
    }

private:
    struct Groups {
        std::unordered_map<std::uint64_t, std::size_t> index; ///< by the rounds of the loops around
        std::vector<WarpAccess> accesses;
    };
    struct Totals {
        double transactions = 0, least = 0, l1_passes = 0;
        std::set<std::pair<Pattern, std::int64_t>> patterns; ///< but for single lanes
        std::set<std::uint32_t> bases;
        std::uint32_t last_base = ~0U;
    };

    static void add(ByClass& sum, const ByClass& each, std::uint64_t times) {
        if (times == 0) {
            return;
        }
        for (std::size_t i = 0; i < sum.values.size(); ++i) {
            sum.values[i] += static_cast<double>(times) * each.values[i];
        }
    }

    double latency(const Step& step) const {
        return step.instruction_class < 0 ? 0 : latencies_.cycles.values[static_cast<std::size_t>(step.instruction_class)];
    }

    /// One thread from the entry to the end.
    void follow(unsigned thread) {
        thread_ = thread;
        values_ = program_.start;
        ready_.assign(values_.size(), {});
        executed_.assign(program_.blocks.size(), 0);
        rounds_.assign(program_.loops.size(), 0);
        guesses_.clear();
        written_.clear();
        batches_.clear();
        open_batch_ = fence_ = control_ = memory_ = end_ = {};
        std::int32_t before = -1;
        for (std::int32_t current = 0; current >= 0;) {
            const Block& block = program_.blocks[static_cast<std::size_t>(current)];
            enter(current, before, block);
            for (std::uint32_t i = block.first; i < block.last; ++i) {
                execute(program_.steps[i], block);
            }
            steps_ += block.last - block.first + 1;
            if (steps_ > launch_.most_steps) {
                stopped_ = true;
                return;
            }
            before = current;
            current = next(current, block);
        }
    }

    void enter(std::int32_t current, std::int32_t before, const Block& block) {
        ++executed_[static_cast<std::size_t>(current)];
        if (block.loop >= 0 && program_.loops[static_cast<std::size_t>(block.loop)].header == current) {
            const auto loop = static_cast<std::size_t>(block.loop);
            const bool again = before >= 0 && inside(program_.blocks[static_cast<std::size_t>(before)].loop, block.loop);
            rounds_[loop] = again ? rounds_[loop] + 1 : 0;
            profile_.loops[loop].entries += again ? 0 : 1;
            profile_.loops[loop].iterations += 1;
        }
        for (const auto& [from, moves] : block.incoming) {
            if (from == before) {
                moved_.clear();
                for (const Move& move : moves) {
                    const auto source = static_cast<std::size_t>(move.from);
                    moved_.emplace_back(values_[source], ready_[source]);
                }
                for (std::size_t i = 0; i < moves.size(); ++i) {
                    const auto target = static_cast<std::size_t>(moves[i].to);
                    values_[target] = moved_[i].first;
                    ready_[target] = moved_[i].second;
                }
                break;
            }
        }
    }

    bool inside(std::int32_t loop, std::int32_t outer) const {
        while (loop >= 0 && loop != outer) {
            loop = program_.loops[static_cast<std::size_t>(loop)].parent;
        }
        return loop == outer;
    }

    const Value& operand(const Step& step, std::uint32_t i) const { return values_[slot(step, i)]; }
    std::size_t slot(const Step& step, std::uint32_t i) const { return static_cast<std::size_t>(program_.slots[step.operands + i]); }

    void execute(const Step& step, const Block& block) {
        Ready at = control_;
        for (std::uint32_t i = 0; i < step.operand_count; ++i) {
            at.raise(ready_[slot(step, i)]);
        }
        Value result;
        switch (step.action) {
        case Action::opaque:
            break;
        case Action::binary:
            result = binary_of_any(static_cast<unsigned>(step.code), operand(step, 0), operand(step, 1), step.width);
            break;
        case Action::compare:
            if (const auto truth = compare(operand(step, 0), operand(step, 1), step.code, step.operand_width)) {
                result = step.constant == 0 ? analysis::integer(*truth ? 1 : 0, 1) : operand(step, *truth ? 0 : 1);
            }
            break;
        case Action::choose:
            result = choose(operand(step, 0), operand(step, 1), operand(step, 2));
            break;
        case Action::truncate:
            if (operand(step, 0).kind == Value::integer) {
                result = analysis::integer(static_cast<std::uint64_t>(operand(step, 0).bits), step.width);
            }
            break;
        case Action::zero_extend:
            if (operand(step, 0).kind == Value::integer) {
                result = operand(step, 0);
            }
            break;
        case Action::sign_extend:
            if (operand(step, 0).kind == Value::integer) {
                result = analysis::integer(static_cast<std::uint64_t>(with_sign(operand(step, 0).bits, step.operand_width)), step.width);
            }
            break;
        case Action::displace:
            result = displaced(step);
            break;
        case Action::same:
            result = operand(step, 0);
            break;
        case Action::number:
            result = {Value::integer, 0, step.constant};
            break;
        case Action::thread_index:
            result = {Value::integer, 0, step.constant == 0 ? thread_ : thread_ & static_cast<unsigned>(step.constant)};
            break;
        default:
            access_memory(step, block, at, result);
            return;
        }
        finish(step, at, result);
    }

    /// The result is there once the operands are and the instruction's latency has passed.
    void finish(const Step& step, Ready at, const Value& result) {
        at.cycles += latency(step);
        at.depth += step.instruction_class < 0 ? 0 : 1;
        if (step.result >= 0) {
            values_[static_cast<std::size_t>(step.result)] = result;
            ready_[static_cast<std::size_t>(step.result)] = at;
        }
        end_.raise(at);
    }

    static Value choose(const Value& condition, const Value& first, const Value& second) {
        if (condition.kind == Value::integer) {
            return condition.bits != 0 ? first : second;
        }
        const bool addresses = (first.kind == Value::pointer || first.kind == Value::somewhere) &&
            (second.kind == Value::pointer || second.kind == Value::somewhere) && first.base == second.base;
        if (first.kind == second.kind && first.base == second.base && first.bits == second.bits) {
            return first;
        }
        return addresses ? Value{Value::somewhere, first.base, 0} : Value{};
    }

    Value displaced(const Step& step) const {
        Value result = operand(step, 0);
        if (result.kind != Value::pointer) {
            return result.kind == Value::somewhere ? result : Value{};
        }
        result.bits += step.constant;
        for (std::uint32_t i = 1; i < step.operand_count; ++i) {
            const Value& index = operand(step, i);
            if (index.kind != Value::integer) {
                return {Value::somewhere, result.base, 0};
            }
            result.bits += index.bits * program_.scales[step.scales + i - 1];
        }
        return result;
    }

    /// Memory and what orders it. A barrier waits for all that its thread has started; accesses behind it wait for the barrier.
    void access_memory(const Step& step, const Block& block, Ready at, Value& result) {
        at.raise(fence_);
        switch (step.action) {
        case Action::load: {
            const Value& address = operand(step, 0);
            record(step.access, address, block);
            if (address.kind == Value::pointer) {
                if (const auto found = written_.find(place(address)); found != written_.end()) {
                    at.raise(found->second);
                }
            }
            if (step.constant != 0) { // an address
                result = {Value::somewhere, static_cast<std::uint32_t>(step.constant - 1), 0};
            }
            break;
        }
        case Action::store:
            record(step.access, operand(step, 0), block);
            if (operand(step, 0).kind == Value::pointer) {
                Ready done = at;
                done.cycles += latency(step);
                written_[place(operand(step, 0))] = done;
            }
            break;
        case Action::copy: {
            record(step.access, operand(step, 0), block);
            record(step.access + 1, operand(step, 1), block);
            Ready done = at;
            done.cycles += latency(step);
            done.depth += 1;
            open_batch_.raise(done); // nobody waits for it before its wait
            return;
        }
        case Action::commit:
            batches_.push_back(open_batch_);
            open_batch_ = {};
            break;
        case Action::wait:
            while (static_cast<std::int64_t>(batches_.size()) > step.constant) {
                fence_.raise(batches_.front());
                end_.raise(batches_.front());
                batches_.pop_front();
            }
            at.raise(fence_);
            break;
        case Action::barrier:
            at.raise(memory_);
            at.cycles += latency(step);
            at.depth += 1;
            fence_ = at;
            end_.raise(at);
            return;
        default:
            break;
        }
        finish(step, at, result);
        Ready done = at;
        done.cycles += latency(step);
        done.depth += 1;
        memory_.raise(done);
    }

    static std::uint64_t place(const Value& address) {
        return mixed((std::uint64_t{address.base} << 40U) + static_cast<std::uint64_t>(address.bits));
    }

    void record(std::int32_t access, const Value& address, const Block& block) {
        std::uint64_t key = 0;
        for (std::int32_t loop = block.loop; loop >= 0; loop = program_.loops[static_cast<std::size_t>(loop)].parent) {
            key = mixed(key + splitmix_step * (rounds_[static_cast<std::size_t>(loop)] + 1));
        }
        Groups& groups = groups_[static_cast<std::size_t>(access)];
        const auto [found, added] = groups.index.try_emplace(key, groups.accesses.size());
        if (added) {
            groups.accesses.emplace_back();
        }
        WarpAccess& group = groups.accesses[found->second];
        group.known = group.known && address.kind == Value::pointer && (group.lanes == 0 || group.base == address.base);
        group.base = address.base;
        group.lanes |= 1U << (thread_ % 32);
        group.addresses[thread_ % 32] = address.bits;
        if (Totals& totals = totals_[static_cast<std::size_t>(access)];
            address.kind != Value::unknown && address.base != totals.last_base) {
            totals.last_base = address.base;
            totals.bases.insert(address.base);
        }
    }

    std::int32_t next(std::int32_t current, const Block& block) {
        const Branch& branch = block.branch;
        switch (branch.kind) {
        case Branch::leave:
            return -1;
        case Branch::always:
            return branch.targets.front();
        case Branch::conditional:
        case Branch::several:
            break;
        }
        const auto condition = static_cast<std::size_t>(branch.condition);
        control_.raise(ready_[condition]);
        control_.cycles = std::max(control_.cycles, ready_[condition].cycles + latencies_.cycles[InstructionClass::branch]);
        end_.raise(control_);
        const Value& value = values_[condition];
        if (value.kind != Value::integer) {
            unknowns_.insert(branch.told);
            return branch.targets[static_cast<std::size_t>(guess(current, branch))];
        }
        if (branch.kind == Branch::conditional) {
            return branch.targets[value.bits != 0 ? 0 : 1];
        }
        const auto found = std::find(branch.cases.begin(), branch.cases.end(), value.bits);
        return branch.targets[found == branch.cases.end() ? 0 : static_cast<std::size_t>(found - branch.cases.begin()) + 1];
    }

    /// A loop that ends on data is left at its end, or when it comes to its only exit again.
    std::int32_t guess(std::int32_t current, const Branch& branch) {
        if (!branch.loop_exit || branch.last_in_loop) {
            return branch.guess;
        }
        if (!branch.sole_exit || ++guesses_[current] % 2 == 1) {
            return branch.stay;
        }
        return branch.guess;
    }

    void finish_warp() {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            AccessProfile& access = profile_.accesses[i];
            Totals& totals = totals_[i];
            for (const WarpAccess& group : groups_[i].accesses) {
                const WarpCost cost = warp_cost(group, access.space, access.bytes);
                access.warp_accesses += 1;
                for (std::uint32_t lanes = group.lanes; lanes != 0; lanes &= lanes - 1) {
                    access.count += 1;
                }
                access.known = access.known && group.known;
                totals.transactions += cost.transactions;
                totals.least += cost.least;
                totals.l1_passes += cost.l1_passes;
                if (cost.pattern != Pattern::single) {
                    totals.patterns.emplace(cost.pattern, cost.stride_bytes);
                }
            }
            groups_[i] = {};
        }
    }

    void finish_accesses() {
        for (std::size_t i = 0; i < totals_.size(); ++i) {
            AccessProfile& access = profile_.accesses[i];
            const Totals& totals = totals_[i];
            if (totals.patterns.size() == 1) {
                std::tie(access.pattern, access.stride_bytes) = *totals.patterns.begin();
            } else if (!totals.patterns.empty()) {
                access.pattern = Pattern::scattered;
            }
            access.transactions = access.warp_accesses == 0 ? 0 : totals.transactions / access.warp_accesses;
            access.least_transactions = access.warp_accesses == 0 ? 0 : totals.least / access.warp_accesses;
            access.l1_passes = access.warp_accesses == 0 ? 0 : totals.l1_passes / access.warp_accesses;
            if (!access.known) {
                unknowns_.insert("where " + std::string(to_string(access.space)) + " memory is accessed in " + access.where +
                    " depends on data or on an unknown value: scattered lanes are assumed");
            }
            for (const std::uint32_t base : totals.bases) {
                access.base += (access.base.empty() ? "" : ", ") + program_.base_names[base];
            }
        }
    }

    const Program& program_;
    const Launch& launch_;
    const LatencyTable& latencies_;
    KernelProfile& profile_;
    std::vector<Groups> groups_; ///< of the warp, by access
    std::vector<Totals> totals_;
    std::set<std::string> unknowns_;
    std::uint64_t steps_ = 0;
    bool stopped_ = false;

    // Of the thread.
    unsigned thread_ = 0;
    std::vector<Value> values_; ///< by slot
    std::vector<Ready> ready_;
    std::vector<std::uint64_t> executed_; ///< by block
    std::vector<std::uint64_t> rounds_;   ///< by loop, since it was entered
    std::unordered_map<std::int32_t, int> guesses_;
    std::unordered_map<std::uint64_t, Ready> written_;
    std::deque<Ready> batches_;
    Ready open_batch_, fence_, control_, memory_, end_;
    std::vector<std::pair<Value, Ready>> moved_;
};

} // namespace

void walk(const Program& program, const Launch& launch, const LatencyTable& latencies, KernelProfile& profile) {
    Walk(program, launch, latencies, profile).run();
}

} // namespace fusec::perfmodel::analysis
