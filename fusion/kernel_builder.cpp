// SPDX-License-Identifier: Apache-2.0
// Placements, steps and addresses of a kernel.
#include "fusion/kernel_builder.hpp"

#include <algorithm>
#include <numeric>

namespace fusec::fusion {

namespace {

/// Nodes of the placement's search for one candidate: the greedy starts often meet the lower bound, and thousands of candidates
/// are placed. A stop early costs bytes, not soundness.
constexpr std::size_t placement_nodes = 500;

bool wants_tile(LoadPolicy policy, const KernelOutline::Datum& datum) {
    switch (policy) {
    case LoadPolicy::in_place:
        return false;
    case LoadPolicy::async_but_small:
    case LoadPolicy::vectors_but_small:
        return !small(datum);
    case LoadPolicy::async:
    case LoadPolicy::vectors:
    case LoadPolicy::words:
        return true;
    }
    return true;
}

Staging staging(LoadPolicy policy) {
    switch (policy) {
    case LoadPolicy::async:
    case LoadPolicy::async_but_small:
        return Staging::async;
    case LoadPolicy::vectors:
    case LoadPolicy::vectors_but_small:
        return Staging::vectors;
    case LoadPolicy::words:
        return Staging::words;
    case LoadPolicy::in_place:
        break;
    }
    return Staging::none;
}

bool wants_tile(StorePolicy policy, const KernelOutline::Datum& datum) {
    switch (policy) {
    case StorePolicy::direct:
        return false;
    case StorePolicy::vectors_but_small:
        return !small(datum);
    case StorePolicy::vectors:
    case StorePolicy::words:
        return true;
    }
    return true;
}

} // namespace

Rejection Refusal::explained() const {
    const auto amount = [](long bytes) {
        return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB" : std::to_string(bytes) + " B";
    };
    const std::string block = " (blocks of " + std::to_string(elements) + " elements)";
    switch (reason) {
    case Rejection::Reason::shared_memory:
        return {reason, amount(needed) + " of shared memory needed, " + amount(available) + " available" + block};
    case Rejection::Reason::registers:
        return {reason, std::to_string(needed) + " registers per block needed, " + std::to_string(available) + " available" + block};
    case Rejection::Reason::threads_per_block:
        return {reason, std::to_string(needed) + " threads per block needed, " + std::to_string(available) + " available" + block};
    case Rejection::Reason::not_convex:
    case Rejection::Reason::not_connected:
    case Rejection::Reason::too_large:
    case Rejection::Reason::no_implementation:
        break;
    }
    throw InternalError("refusal: not a limit of the device");
}

void KernelBuilder::decide_order(Candidate& out) {
    largest_threads_ = 1;
    for (int call : kernel_->ordered(choice_->order)) {
        const Routine& chosen = routine(call);
        out.order.push_back({kernel_->calls[static_cast<std::size_t>(call)].id, chosen.implementation, chosen.threads});
        largest_threads_ = std::max(largest_threads_, chosen.threads);
    }
    const bool host = limits_.target == Target::host;
    out.instances_per_block = choice_->elements;
    out.threads_per_block = host ? 1 : choice_->elements * largest_threads_;
}

void KernelBuilder::decide_placements(Candidate& out) {
    const bool host = limits_.target == Target::host;
    for (const KernelOutline::Datum& datum : kernel_->data) {
        DatumPlan& plan = out.data.emplace_back();
        plan.datum = datum.id;
        plan.loaded = datum.loaded || datum.kind == frontend::DatumKind::uniform;
        plan.stored = datum.stored;
        if (datum.kind == frontend::DatumKind::constant) {
            plan.placement = Placement::constant;
        } else if (datum.kind == frontend::DatumKind::uniform) {
            plan.placement = Placement::memory;
        } else if (host) {
            plan.placement = Placement::registers;
            plan.load = datum.loaded ? Staging::lanes : Staging::none;
            plan.store = !datum.stored ? Staging::none : choice_->streaming ? Staging::lanes_streaming
                                                                            : Staging::lanes;
        } else if (datum.loaded) {
            const bool tile = wants_tile(choice_->loads, datum);
            plan.placement = tile ? Placement::shared : Placement::memory;
            plan.load = tile ? staging(choice_->loads) : Staging::none;
        } else if (fits_registers(*kernel_, *routines_, datum) && !(datum.stored && wants_tile(choice_->stores, datum))) {
            plan.placement = Placement::registers;
            plan.touch = routine(datum.producer).output;
            plan.threads = routine(datum.producer).threads;
        } else {
            plan.placement = Placement::shared;
            plan.store = !datum.stored ? Staging::none : choice_->stores == StorePolicy::words ? Staging::words
                                                                                               : Staging::vectors;
        }
        if (plan.placement == Placement::shared) {
            SharedSlot& slot = plan.slot.emplace();
            slot.element_words = datum.shape.size();
            decide_padding(datum, slot);
            slot.bytes = tile_bytes(choice_->elements, slot.element_words, kernel_->word_bytes(), slot.group, slot.pad_words);
            slot.first_step = -1;
        }
    }
}

/// Pads where that saves passes (CUDA notes 3.2, 3.5): only elements of a multiple of 32 bytes meet in banks.
void KernelBuilder::decide_padding(const KernelOutline::Datum& datum, SharedSlot& slot) const {
    const int group = padding_group(datum.bytes);
    if (datum.bytes % 32 != 0 || group >= choice_->elements) {
        return;
    }
    double plain = 0;
    double padded = 0;
    const auto count = [&](const AccessCost& access) {
        plain += access.plain;
        padded += access.padded;
    };
    if (datum.producer >= 0) {
        count(cost(datum.producer, kernel_->calls[static_cast<std::size_t>(datum.producer)].operands.size()));
    }
    for (const auto& use : datum.uses) {
        count(cost(use.call, use.operand));
    }
    if (padded < plain) {
        slot.group = group;
        slot.pad_words = 16 / kernel_->word_bytes();
    }
}

void KernelBuilder::add_step(Candidate& out, Step::Kind kind, int call, int datum) {
    Step& step = out.steps.emplace_back();
    step.kind = kind;
    const int number = static_cast<int>(out.steps.size()) - 1;
    const auto touch = [&](int touched) {
        DatumPlan& plan = out.data[static_cast<std::size_t>(touched)];
        if (plan.slot) {
            plan.slot->first_step = plan.slot->first_step < 0 ? number : plan.slot->first_step;
            plan.slot->last_step = number;
        }
    };
    if (call >= 0) {
        const auto& entry = kernel_->calls[static_cast<std::size_t>(call)];
        step.call = entry.id;
        for (int operand : entry.operands) {
            touch(operand);
        }
        touch(entry.result);
    }
    if (datum >= 0) {
        step.datum = kernel_->data[static_cast<std::size_t>(datum)].id;
        touch(datum);
    }
}

void KernelBuilder::schedule(Candidate& out) {
    const std::vector<int>& order = kernel_->ordered(choice_->order);
    loaded_.assign(kernel_->data.size(), false);
    bool in_flight = false; // an asynchronous copy has no wait yet
    const auto load_operands = [&](int call) {
        for (int operand : kernel_->calls[static_cast<std::size_t>(call)].operands) {
            const auto index = static_cast<std::size_t>(operand);
            const DatumPlan& plan = out.data[index];
            if (plan.load != Staging::none && !loaded_[index]) {
                loaded_[index] = true;
                in_flight = in_flight || plan.load == Staging::async;
                add_step(out, Step::Kind::load, -1, operand);
            }
        }
    };
    const auto wait_for_operands = [&](int call) {
        const auto& operands = kernel_->calls[static_cast<std::size_t>(call)].operands;
        if (in_flight && std::any_of(operands.begin(), operands.end(), [&](int operand) { return out.data[static_cast<std::size_t>(operand)].load == Staging::async; })) {
            in_flight = false;
            add_step(out, Step::Kind::async_wait, -1, -1);
        }
    };
    if (choice_->order == LoadOrder::first) {
        for (int call : order) {
            load_operands(call);
        }
    }
    for (int call : order) {
        load_operands(call);
        wait_for_operands(call);
        add_step(out, Step::Kind::compute, call, -1);
        const int result = kernel_->calls[static_cast<std::size_t>(call)].result;
        const DatumPlan& plan = out.data[static_cast<std::size_t>(result)];
        if (plan.stored && (choice_->order == LoadOrder::at_use || !plan.slot)) {
            add_step(out, Step::Kind::store, -1, result);
        }
    }
    if (choice_->order == LoadOrder::first) {
        for (int call : order) {
            const int result = kernel_->calls[static_cast<std::size_t>(call)].result;
            const DatumPlan& plan = out.data[static_cast<std::size_t>(result)];
            if (plan.stored && plan.slot) {
                add_step(out, Step::Kind::store, -1, result);
            }
        }
    }
}

void KernelBuilder::place_tiles(Candidate& out) {
    // Only the order of the steps and the proportions of the sizes (all multiples of the alignment) matter to the placement.
    ranks_.clear();
    int unit = 0;
    for (const DatumPlan& plan : out.data) {
        if (plan.slot) {
            ranks_.push_back(plan.slot->first_step);
            ranks_.push_back(plan.slot->last_step);
            unit = std::gcd(unit, plan.slot->bytes);
        }
    }
    if (ranks_.empty()) {
        return;
    }
    std::sort(ranks_.begin(), ranks_.end());
    ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
    const auto rank = [&](int step) { return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), step) - ranks_.begin()); };
    key_.clear();
    for (const DatumPlan& plan : out.data) {
        if (plan.slot) {
            key_.insert(key_.end(), {rank(plan.slot->first_step), rank(plan.slot->last_step), plan.slot->bytes / unit});
        }
    }
    auto found = arenas_.find(key_);
    if (found == arenas_.end()) {
        std::vector<LiveRange> ranges;
        for (std::size_t i = 0; i < key_.size(); i += 3) {
            ranges.push_back({key_[i], key_[i + 1], key_[i + 2]});
        }
        found = arenas_.emplace(key_, place(ranges, 1, placement_nodes)).first;
    }
    std::size_t next = 0;
    for (DatumPlan& plan : out.data) {
        if (plan.slot) {
            plan.slot->offset = unit * found->second.offsets[next++];
        }
    }
    out.shared_bytes = unit * found->second.bytes;
}

std::optional<Refusal> KernelBuilder::build(const KernelOutline& kernel, const Combination& routines, const KernelChoice& choice, Candidate& out) {
    kernel_ = &kernel;
    routines_ = &routines;
    choice_ = &choice;
    out.calls.clear();
    out.loads.clear();
    out.stores.clear();
    out.order.clear();
    out.data.clear();
    out.steps.clear();
    out.shared_bytes = 0;
    decide_order(out);
    if (limits_.target == Target::cuda && out.threads_per_block > limits_.threads_per_block) {
        return Refusal{Rejection::Reason::threads_per_block, out.threads_per_block, limits_.threads_per_block, choice.elements};
    }
    decide_placements(out);
    schedule(out);
    place_tiles(out);
    if (limits_.target == Target::cuda && out.shared_bytes > limits_.shared_bytes_per_block) {
        return Refusal{Rejection::Reason::shared_memory, out.shared_bytes, limits_.shared_bytes_per_block, choice.elements};
    }
    insert_barriers(kernel, routines, limits_, out);
    for (const auto& call : kernel.calls) {
        out.calls.push_back(call.id);
    }
    for (const auto& datum : kernel.data) {
        if (datum.loaded) {
            out.loads.push_back(datum.id);
        }
        if (datum.stored) {
            out.stores.push_back(datum.id);
        }
    }
    out.work = measure_work(kernel, routines, limits_, out);
    if (limits_.target == Target::cuda) {
        // Registers are handed out in units of 8 per thread.
        const long needed = static_cast<long>((out.work.registers + 7) / 8 * 8) * out.threads_per_block;
        if (needed > limits_.registers_per_sm) {
            return Refusal{Rejection::Reason::registers, needed, limits_.registers_per_sm, choice.elements};
        }
    }
    return std::nullopt;
}

} // namespace fusec::fusion
