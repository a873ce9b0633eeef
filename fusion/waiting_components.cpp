// SPDX-License-Identifier: Apache-2.0
#include "fusion/waiting_components.hpp"

#include <algorithm>
#include <utility>

namespace fusec::fusion {

namespace {

std::size_t index(int number) {
    return static_cast<std::size_t>(number);
}

} // namespace

WaitingComponents::WaitingComponents(const KernelOutline& kernel, const Combination& routines, const KernelDraft& draft)
    : kernel_(kernel), routines_(routines), draft_(draft), step_of_(kernel.calls.size(), 0), lists_(kernel.data.size()) {
    std::size_t times = 0;
    for (std::size_t step = 0; step < draft.steps.size(); ++step) {
        overwritten_.push_back(times);
        const bool computes = draft.steps[step].kind == Step::Kind::compute;
        if (computes) {
            step_of_[index(draft.steps[step].index)] = step;
        }
        const bool barrier = step + 1 < draft.barriers.size() && draft.barriers[step + 1] != Barrier::none;
        times += barrier || (computes && writes_unknown_words(index(draft.steps[step].index))) ? 1U : 0U;
    }
    for (std::size_t datum = 0; datum < kernel.data.size(); ++datum) {
        find_readers(datum);
    }
}

const Routine& WaitingComponents::routine(std::size_t call) const {
    return kernel_.calls[call].routines->routines[routines_[call]];
}

bool WaitingComponents::writes_unknown_words(std::size_t call) const {
    return fusion::writes_unknown_words(draft_.data[index(kernel_.calls[call].result)].placement, routine(call));
}

bool WaitingComponents::still_known(int datum, std::size_t first, std::size_t second) const {
    return draft_.data[index(datum)].placement == Placement::memory || overwritten_[first] == overwritten_[second];
}

void WaitingComponents::find_readers(std::size_t datum) {
    const Placement placement = draft_.data[datum].placement;
    if (placement != Placement::shared && placement != Placement::memory) {
        return; // nothing of it is read twice from memory
    }
    const std::vector<KernelOutline::Use>& uses = kernel_.data[datum].uses;
    const auto listed = [&](const KernelOutline::Use& use) {
        const Routine& reader = routine(index(use.call));
        return !reader.components.empty() && !reader.components[use.operand].empty();
    };
    const auto one_thread = [&](const KernelOutline::Use& use) { return routine(index(use.call)).threads == 1; };
    if (std::none_of(uses.begin(), uses.end(), listed) || !std::all_of(uses.begin(), uses.end(), one_thread)) {
        return;
    }
    uses_.clear();
    for (const KernelOutline::Use& use : uses) {
        uses_.push_back(&use);
    }
    const auto step_of = [&](const KernelOutline::Use* use) { return step_of_[index(use->call)]; };
    std::sort(uses_.begin(), uses_.end(), [&](const auto* a, const auto* b) { return step_of(a) < step_of(b); });
    List& list = lists_[datum];
    list.begin = components_.size();
    list.end = list.begin + index(kernel_.data[datum].shape.size());
    components_.resize(list.end);
    const auto for_each_read = [&](const KernelOutline::Use& use, auto visit) {
        if (listed(use)) {
            for (const int component : routine(index(use.call)).components[use.operand]) {
                visit(components_[list.begin + index(component)]);
            }
        } else {
            std::for_each(components_.begin() + static_cast<std::ptrdiff_t>(list.begin), components_.end(), visit);
        }
    };
    for (const KernelOutline::Use* use : uses_) {
        for_each_read(*use, [](Component& component) { ++component.end; });
    }
    std::size_t end = readers_.size();
    for (std::size_t i = list.begin; i < list.end; ++i) { // room for all readers, none of them there yet
        Component& component = components_[i];
        component.first = end;
        end += std::exchange(component.end, end);
    }
    readers_.resize(end);
    for (const KernelOutline::Use* use : uses_) {
        for_each_read(*use, [&, step = step_of(use)](Component& component) {
            if (component.end == component.first || readers_[component.end - 1] != step) {
                readers_[component.end++] = step;
            }
        });
    }
}

void WaitingComponents::wait(Held& held, std::size_t until, int times, int components, std::size_t step) const {
    held.until = std::max(held.until, until);
    held.often = times > 1;
    if (held.until > step || held.components > 0) {
        held.components = std::max(held.components, components);
    }
}

int WaitingComponents::read_by_component(const List& list, int datum, const std::vector<int>& components, std::size_t step) {
    int free = 0;
    const auto read_one = [&](Component& component) {
        std::size_t until = step;
        int times = 0;
        const auto end = readers_.begin() + static_cast<std::ptrdiff_t>(component.end);
        for (auto later = std::upper_bound(readers_.begin() + static_cast<std::ptrdiff_t>(component.first), end, step);
            later != end && still_known(datum, step, *later); ++later) {
            until = *later;
            ++times;
        }
        wait(component.held, until, times, 1, step);
        free += component.held.components == 0 ? 1 : 0;
    };
    for (const int component : components) {
        read_one(components_[list.begin + index(component)]);
    }
    if (components.empty()) {
        for (std::size_t component = list.begin; component < list.end; ++component) {
            read_one(components_[component]);
        }
    }
    return free;
}

int WaitingComponents::read(std::size_t call, std::size_t operand, std::size_t step) {
    const int datum = kernel_.calls[call].operands[operand];
    const Routine& reader = routine(call);
    List& list = lists_[index(datum)];
    if (list.by_component()) {
        static const std::vector<int> all;
        return read_by_component(list, datum, reader.components.empty() ? all : reader.components[operand], step);
    }
    std::size_t until = step;
    int times = 0, counted = -1;
    for (const KernelOutline::Use& use : kernel_.data[index(datum)].uses) {
        const Routine& other = routine(index(use.call));
        const std::size_t later = step_of_[index(use.call)];
        if (later > step && other.threads == reader.threads && other.inputs[use.operand] == reader.inputs[operand] &&
            same_loads(other, use.operand, reader, operand) && still_known(datum, step, later)) {
            until = std::max(until, later);
            times += counted == use.call ? 0 : 1;
            counted = use.call;
        }
    }
    const int components = reader.reuse[operand].read;
    wait(list.held, until, times, components, step);
    return list.held.components > 0 ? 0 : components;
}

WaitingComponents::Waiting WaitingComponents::during(std::size_t step) {
    Waiting waiting;
    for (std::size_t datum = 0; datum < lists_.size(); ++datum) {
        const int word = kernel_.data[datum].word_bytes() / 4;
        const auto count = [&](Held& held) {
            waiting.all += held.components * word;
            waiting.often += held.often ? held.components * word : 0;
            held.components = held.until <= step ? 0 : held.components;
        };
        count(lists_[datum].held);
        for (std::size_t component = lists_[datum].begin; component < lists_[datum].end; ++component) {
            count(components_[component].held);
        }
    }
    return waiting;
}

void WaitingComponents::interleave() {
    const auto release = [](Held& held) { held.components = held.often ? held.components : 0; };
    for (List& list : lists_) {
        release(list.held);
    }
    for (Component& component : components_) {
        release(component.held);
    }
}

} // namespace fusec::fusion
