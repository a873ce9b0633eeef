// SPDX-License-Identifier: Apache-2.0
#include "execute/timing_lists.hpp"

#include "execute/agreement.hpp"
#include "execute/domains.hpp"
#include "execute/eviction.hpp"
#include "execute/verify_cases.hpp"

#include <algorithm>
#include <cstring>

namespace fusec::execute {

namespace {

constexpr std::size_t different_elements = 64;

// A processor may take a load for one of what an earlier store writes while the last twelve bits of their addresses agree, and waits for the
// store. Lists that start at the same place of their pages make every load wait so. Of each list to the next it is so many cache lines, modulo
// the page, in one placement after the other. They are odd: no two of 64 lists start at the same line. Once to four times each of them is ten
// lines or more from the nearest multiple of the page: so far apart start any two of five lists in a row. Lists that are further apart in the
// order may start at neighbouring lines.
constexpr std::size_t page_bytes = 4096, line_bytes = 64;
constexpr std::size_t line_steps[] = {39, 25, 27, 37, 11, 53, 13, 51};

std::size_t bytes_of_entry(const codegen::List& list) {
    return static_cast<std::size_t>(list.list_type().bytes());
}

/// A list that has memory of its own: the first unit's view of it, and the most elements of any.
struct Wanted {
    const codegen::List* list;
    std::uint64_t elements = 0;
    HugePages pages = HugePages::large;
    bool read = false; ///< by a unit

    std::size_t bytes() const { return static_cast<std::size_t>(elements) * bytes_of_entry(*list); }
};

/// Calls back for each pointer that a unit's launch takes, in its order.
template <class Function>
void for_arguments(const codegen::Unit& unit, Function function) {
    for (const codegen::List& list : unit.inputs) {
        function(list);
    }
    for (const codegen::List& list : unit.outputs) {
        if (!list.updated) {
            function(list);
        }
    }
}

std::map<std::pair<const dag::CallGraph*, std::uint32_t>, Wanted> wanted_lists(const std::vector<TimedUnit>& units) {
    std::map<std::pair<const dag::CallGraph*, std::uint32_t>, Wanted> wanted;
    for (const TimedUnit& unit : units) {
        for_arguments(unit.unit, [&](const codegen::List& list) {
            Wanted& each = wanted.try_emplace({unit.graph, list.datum.value}, Wanted{&list}).first->second;
            each.elements = std::max<std::uint64_t>(each.elements, list.uniform ? 1 : unit.elements);
            if (!unit.cached && !list.uniform) { // of which a part is timed, for lists of any length
                each.pages = HugePages::all;
            }
        });
        for (const codegen::List& list : unit.unit.inputs) {
            wanted.at({unit.graph, list.datum.value}).read = true;
        }
    }
    return wanted;
}

/// The values, as the list has them in memory, again and again until it is full.
void fill(Buffer& buffer, const std::vector<double>& values, Precision precision) {
    internal_check(!values.empty(), "a list to measure with has no values");
    std::vector<char> bytes;
    for (const double value : values) {
        const auto append = [&](const auto component) {
            const char* const begin = reinterpret_cast<const char*>(&component);
            bytes.insert(bytes.end(), begin, begin + sizeof component);
        };
        if (precision == Precision::f32) {
            append(static_cast<float>(value));
        } else {
            append(value);
        }
    }
    for (std::size_t at = 0; at < buffer.size(); at += bytes.size()) {
        std::memcpy(buffer.data() + at, bytes.data(), std::min(bytes.size(), buffer.size() - at));
    }
}

/// Elements that are compared with the reference, as first and past the last: of the first tiles of a launch and of its last, which are others.
std::vector<std::pair<std::size_t, std::size_t>> looked_at(std::uint64_t launched) {
    const auto elements = static_cast<std::size_t>(launched);
    const std::size_t few = std::min(different_elements, elements);
    return {{0, few}, {std::max(few, elements - few), elements}};
}

double component(const Buffer& buffer, std::size_t index, Precision precision) {
    const auto read = [&](auto value) {
        std::memcpy(&value, buffer.data() + index * sizeof value, sizeof value);
        return static_cast<double>(value);
    };
    return precision == Precision::f32 ? read(float{}) : read(double{});
}

} // namespace

double timing_bytes(const std::vector<TimedUnit>& units) {
    double bytes = 0;
    for (const auto& [key, wanted] : wanted_lists(units)) {
        bytes += static_cast<double>(wanted.bytes());
    }
    return bytes;
}

double timing_memory(const std::vector<TimedUnit>& units) {
    double bytes = 0;
    for (const auto& [key, wanted] : wanted_lists(units)) {
        bytes += static_cast<double>(Buffer::occupied(wanted.bytes() + page_bytes, wanted.pages));
    }
    return bytes;
}

TimingLists::TimingLists(const std::vector<TimedUnit>& units, std::uint64_t seed, std::size_t placement, HugeMemory* memory)
    : units_(units) {
    for (const TimedUnit& unit : units) {
        if (!references_.contains(unit.graph)) {
            const frontend::CheckedProgram& program = unit.graph->program();
            references_.emplace(
                unit.graph, draw_cases(program, *unit.catalog, different_elements, seed, demands(program, *unit.catalog)).reference);
        }
    }
    for (const auto& [key, wanted] : wanted_lists(units)) {
        Buffer buffer(wanted.bytes(), page_bytes, wanted.pages, memory);
        List& list = lists_.emplace(key, List{std::move(buffer), wanted.list->list_type().precision, wanted.read}).first->second;
        if (!list.read) { // else place fills it
            fill(list.memory, references_.at(key.first).values.at(key.second), list.precision);
        }
    }
    place(placement);
}

void TimingLists::place(std::size_t placement) {
    const std::size_t step = line_steps[placement % std::size(line_steps)] * line_bytes;
    std::size_t behind = 0;
    for (auto& [key, list] : lists_) {
        list.memory.start_behind(behind);
        if (list.read) {
            fill(list.memory, references_.at(key.first).values.at(key.second), list.precision);
        }
        behind = (behind + step) % page_bytes;
    }
}

bool TimingLists::any_updated() const {
    return std::ranges::any_of(
        units_, [](const TimedUnit& unit) { return std::ranges::any_of(unit.unit.inputs, &codegen::List::updated); });
}

std::vector<void*> TimingLists::arguments(std::size_t unit, std::uint64_t first) {
    std::vector<void*> pointers;
    for_arguments(units_.at(unit).unit, [&](const codegen::List& list) {
        const std::size_t behind = list.uniform ? 0 : first * bytes_of_entry(list);
        pointers.push_back(lists_.at(key_of(units_[unit], list)).memory.data() + behind);
    });
    return pointers;
}

void TimingLists::spoil_outputs(std::size_t unit) {
    for (const codegen::List& list : units_.at(unit).unit.outputs) {
        if (!list.updated) {
            Buffer& buffer = lists_.at(key_of(units_[unit], list)).memory;
            // Not more than the launch writes: another unit, of more elements, may read the list.
            for (const auto& [first, last] : looked_at(units_[unit].elements)) {
                std::memset(buffer.data() + first * bytes_of_entry(list), 0xAA, (last - first) * bytes_of_entry(list));
            }
        }
    }
}

void TimingLists::restore_updated(std::size_t unit) {
    for (const codegen::List& list : units_.at(unit).unit.inputs) {
        if (list.updated) {
            fill(lists_.at(key_of(units_[unit], list)).memory, references_.at(units_[unit].graph).values.at(list.datum.index()),
                list.list_type().precision);
        }
    }
}

std::size_t TimingLists::evict(std::size_t unit) const {
    std::size_t lines = 0;
    for_arguments(units_.at(unit).unit, [&](const codegen::List& list) {
        const std::uint64_t entries = list.uniform ? 1 : units_[unit].elements;
        lines += evict_lines(lists_.at(key_of(units_[unit], list)).memory.data(), entries * bytes_of_entry(list));
    });
    return lines;
}

std::string TimingLists::wrong_output(std::size_t unit) const {
    const TimedUnit& timed = units_.at(unit);
    const RunInterface interface = run_interface(timed.unit, references_.at(timed.graph));
    for (std::size_t i = 0; i < timed.unit.outputs.size(); ++i) {
        const RunList& expected = interface.outputs[i];
        const codegen::List& list = expected.updates ? timed.unit.inputs.at(*expected.updates) : timed.unit.outputs[i];
        const Buffer& memory = lists_.at(key_of(timed, list)).memory;
        const auto components = static_cast<std::size_t>(list.list_type().shape.size());
        std::vector<double> found, values, bounds;
        for (const auto& [first, last] : looked_at(timed.elements)) {
            for (std::size_t k = first * components; k < last * components; ++k) {
                found.push_back(component(memory, k, expected.type.precision));
                values.push_back(expected.values.at(k % expected.values.size()));
                bounds.push_back(expected.bounds.at(k % expected.bounds.size()));
            }
        }
        if (const Agreement agreement = compare(found, values, bounds, expected.type.precision); agreement.mismatches != 0) {
            return std::to_string(agreement.mismatches) + " of " + std::to_string(found.size()) + " components of `" + list.name +
                "` are not what the reference computes";
        }
    }
    return {};
}

} // namespace fusec::execute
