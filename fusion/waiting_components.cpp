// SPDX-License-Identifier: Apache-2.0
#include "fusion/waiting_components.hpp"

#include <algorithm>

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
    return routine(call).threads > 1 && draft_.data[index(kernel_.calls[call].result)].placement == Placement::shared;
}

bool WaitingComponents::still_known(int datum, std::size_t first, std::size_t second) const {
    return draft_.data[index(datum)].placement == Placement::memory || overwritten_[first] == overwritten_[second];
}

void WaitingComponents::find_readers(std::size_t datum) {
    const std::vector<KernelOutline::Use>& uses = kernel_.data[datum].uses;
    const auto listed = [&](const KernelOutline::Use& use) {
        const Routine& reader = routine(index(use.call));
        return !reader.components.empty() && !reader.components[use.operand].empty();
    };
    const auto one_thread = [&](const KernelOutline::Use& use) { return routine(index(use.call)).threads == 1; };
    if (std::none_of(uses.begin(), uses.end(), listed) || !std::all_of(uses.begin(), uses.end(), one_thread)) {
        return;
    }
    List& list = lists_[datum];
    list.readers.resize(index(kernel_.data[datum].shape.size()));
    list.by_component.resize(list.readers.size());
    for (const KernelOutline::Use& use : uses) {
        const std::size_t step = step_of_[index(use.call)];
        if (listed(use)) {
            for (const int component : routine(index(use.call)).components[use.operand]) {
                list.readers[index(component)].push_back(step);
            }
        } else {
            for (std::vector<std::size_t>& readers : list.readers) {
                readers.push_back(step);
            }
        }
    }
    for (std::vector<std::size_t>& readers : list.readers) {
        std::sort(readers.begin(), readers.end());
        readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    }
}

void WaitingComponents::wait(Held& held, std::size_t until, int times, int components, std::size_t step) const {
    held.until = std::max(held.until, until);
    held.often = times > 1;
    if (held.until > step || held.components > 0) {
        held.components = std::max(held.components, components);
    }
}

int WaitingComponents::read_by_component(List& list, int datum, const std::vector<int>& components, std::size_t step) {
    int free = 0;
    const auto read_one = [&](std::size_t component) {
        const std::vector<std::size_t>& readers = list.readers[component];
        std::size_t until = step;
        int times = 0;
        for (auto later = std::upper_bound(readers.begin(), readers.end(), step);
            later != readers.end() && still_known(datum, step, *later); ++later) {
            until = *later;
            ++times;
        }
        Held& held = list.by_component[component];
        wait(held, until, times, 1, step);
        free += held.components == 0 ? 1 : 0;
    };
    for (const int component : components) {
        read_one(index(component));
    }
    if (components.empty()) {
        for (std::size_t component = 0; component < list.readers.size(); ++component) {
            read_one(component);
        }
    }
    return free;
}

int WaitingComponents::read(std::size_t call, std::size_t operand, std::size_t step) {
    const int datum = kernel_.calls[call].operands[operand];
    const Routine& reader = routine(call);
    List& list = lists_[index(datum)];
    if (!list.readers.empty()) {
        static const std::vector<int> all;
        return read_by_component(list, datum, reader.components.empty() ? all : reader.components[operand], step);
    }
    std::size_t until = step;
    int times = 0, counted = -1;
    for (const KernelOutline::Use& use : kernel_.data[index(datum)].uses) {
        const Routine& other = routine(index(use.call));
        const std::size_t later = step_of_[index(use.call)];
        if (later > step && other.threads == reader.threads && other.inputs[use.operand] == reader.inputs[operand] &&
            still_known(datum, step, later)) {
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
        std::for_each(lists_[datum].by_component.begin(), lists_[datum].by_component.end(), count);
    }
    return waiting;
}

void WaitingComponents::interleave() {
    const auto release = [](Held& held) { held.components = held.often ? held.components : 0; };
    for (List& list : lists_) {
        release(list.held);
        std::for_each(list.by_component.begin(), list.by_component.end(), release);
    }
}

} // namespace fusec::fusion
