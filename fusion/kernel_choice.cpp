// SPDX-License-Identifier: Apache-2.0
// Enumeration of the decisions of a kernel.
#include "fusion/kernel_choice.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace fusec::fusion {

namespace {

const Routine& routine(const KernelOutline& kernel, const Combination& routines, int call) {
    const auto index = static_cast<std::size_t>(call);
    return kernel.calls[index].routines->routines[routines[index]];
}

/// The combinations that choose the same kind of routine for every call, each once.
class UniformCombinations {
public:
    explicit UniformCombinations(const KernelOutline& kernel) : kernel_(kernel) {}

    /// All but the calls whose threads would have to exchange values, which one thread each makes; then with them too.
    std::vector<Combination> list() {
        add_all(false);
        const bool exchanges = std::any_of(kernel_.calls.begin(), kernel_.calls.end(), [](const KernelOutline::Call& call) {
            const auto& routines = call.routines->routines;
            return std::any_of(routines.begin(), routines.end(), [](const Routine& option) { return option.exchanges != 0; });
        });
        if (exchanges) {
            add_all(true);
        }
        return std::move(list_);
    }

private:
    void add(Combination combination) {
        if (std::find(list_.begin(), list_.end(), combination) == list_.end()) {
            list_.push_back(std::move(combination));
        }
    }

    /// Then the same with the arithmetic of components, of which each thread does little, by one thread.
    template <class Pick>
    void add_picked(Pick pick) {
        add_picked(pick, true);
        add_picked(pick, false);
    }

    template <class Pick>
    void add_picked(Pick pick, bool components) {
        Combination combination;
        for (const auto& call : kernel_.calls) {
            const auto& routines = call.routines->routines;
            const bool one = !components && !routines.front().components.empty();
            const auto found = one ? routines.end() : std::find_if(routines.begin(), routines.end(), pick);
            combination.push_back(static_cast<std::uint8_t>(found == routines.end() ? 0 : found - routines.begin()));
        }
        add(std::move(combination));
    }

    void add_all(bool exchanging) {
        add(Combination(kernel_.calls.size(), 0)); // routines are sorted by threads: the first has the fewest
        std::set<int> threads;
        std::set<library::Touch> outputs;
        for (const auto& call : kernel_.calls) {
            for (const Routine& option : call.routines->routines) {
                if (exchanging || option.exchanges == 0) {
                    threads.insert(option.threads);
                    outputs.insert(option.output);
                }
            }
        }
        // One thread per row everywhere (3 for 3x3, 5 for 5x5), per column, per entry. A routine per row of a matrix makes the
        // entries of a vector.
        for (library::Touch output : {library::Touch::row, library::Touch::column, library::Touch::rows, library::Touch::entry}) {
            if (outputs.count(output) != 0) {
                add_picked([&](const Routine& option) { return option.output == output && (exchanging || option.exchanges == 0); });
            }
        }
        if (outputs.count(library::Touch::row) != 0) {
            add_rows_and_vector_entries(exchanging);
        }
        for (int count : threads) {
            add_picked([&](const Routine& option) { return option.threads == count && (exchanging || option.exchanges == 0); });
        }
    }

    void add_rows_and_vector_entries(bool exchanging) {
        Combination combination;
        for (const auto& call : kernel_.calls) {
            const auto& routines = call.routines->routines;
            const bool vector = kernel_.data[static_cast<std::size_t>(call.result)].shape.form == Form::vector;
            const auto found = std::find_if(routines.begin(), routines.end(), [&](const Routine& option) {
                return option.output == (vector ? library::Touch::entry : library::Touch::row) && (exchanging || option.exchanges == 0);
            });
            combination.push_back(static_cast<std::uint8_t>(found == routines.end() ? 0 : found - routines.begin()));
        }
        add(std::move(combination));
    }

    const KernelOutline& kernel_;
    std::vector<Combination> list_;
};

/// Block sizes in elements, preferred first. Fewer than 32 only where the largest granularity fills whole warps with them.
Few<int, 6> block_elements(int largest_threads, int warp_size) {
    static constexpr std::array<int, 6> fine = {64, 128, 32, 256, 16, 8};
    static constexpr std::array<int, 6> medium = {32, 64, 16, 128, 8, 256};
    static constexpr std::array<int, 6> coarse = {8, 16, 32, 4, 64, 128};
    static constexpr std::array<int, 6> coarsest = {4, 2, 8, 1, 16, 32};
    Few<int, 6> result;
    for (int elements : largest_threads <= 2 ? fine : largest_threads <= 8 ? medium : largest_threads < 64 ? coarse : coarsest) {
        if (elements * largest_threads % warp_size == 0) {
            result.push_back(elements);
        }
    }
    return result;
}

ChoiceAxes axes_of(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits) {
    int largest = 1;
    for (std::size_t call = 0; call < kernel.calls.size(); ++call) {
        largest = std::max(largest, routine(kernel, routines, static_cast<int>(call)).threads);
    }
    ChoiceAxes result;
    result.elements = block_elements(largest, limits.warp_size);
    result.usual_elements = std::min<std::size_t>(3, result.elements.size());

    std::size_t small_loads = 0;
    std::size_t large_loads = 0;
    std::size_t small_results = 0; // results that owners could store from registers
    std::size_t large_results = 0;
    bool copied_loads = false; // a list that may be copied as it is: those that convert go by words
    bool copied_stores = false;
    for (const auto& datum : kernel.data) {
        copied_loads = copied_loads || (datum.loaded && !datum.converts());
        copied_stores = copied_stores || (datum.stored && !datum.converts());
        if (datum.loaded) {
            ++(small(datum) ? small_loads : large_loads);
        }
        if (datum.stored && !datum.flag && fits_registers(kernel, routines, datum)) {
            ++(small(datum) ? small_results : large_results);
        }
    }
    const bool any_loads = small_loads + large_loads != 0;
    if (any_loads) {
        const bool mixed = small_loads != 0 && large_loads != 0;
        const bool async = copied_loads && limits.has_async_copy();
        if (async) {
            result.loads.push_back(LoadPolicy::async);
        } else {
            result.loads.push_back(LoadPolicy::vectors);
        }
        result.loads.push_back(LoadPolicy::in_place);
        if (mixed) {
            result.loads.push_back(async ? LoadPolicy::async_but_small : LoadPolicy::vectors_but_small);
        }
        result.usual_loads = result.loads.size();
        if (async) {
            result.loads.push_back(LoadPolicy::vectors);
            if (mixed) {
                result.loads.push_back(LoadPolicy::vectors_but_small);
            }
        }
        if (copied_loads) {
            result.loads.push_back(LoadPolicy::words);
        }
    } else {
        result.loads.push_back(LoadPolicy::in_place);
        result.usual_loads = 1;
    }
    result.stores.push_back(StorePolicy::vectors);
    result.usual_stores = 1;
    if (small_results + large_results != 0) {
        result.stores.push_back(StorePolicy::direct);
        result.usual_stores = 2;
        if (small_results != 0 && large_results != 0) {
            result.stores.push_back(StorePolicy::vectors_but_small);
            result.usual_stores = 3;
        }
    }
    if (copied_stores) {
        result.stores.push_back(StorePolicy::words);
    }
    result.orders.push_back(LoadOrder::first);
    if (kernel.calls.size() > 1) { // before a single call the order of loads does not matter
        result.orders.push_back(LoadOrder::at_use);
    }
    result.streaming.push_back(false);
    return result;
}

/// The host keeps everything in SIMD lanes: the width is the machine's, only the kind of stores is open. A tile has as many elements as a
/// register has components of the widest datum: floats beside doubles lie in half registers.
ChoiceAxes host_axes(const KernelOutline& kernel, const DeviceLimits& limits) {
    ChoiceAxes result;
    result.elements.push_back(limits.vector_bytes / kernel.widest_bytes());
    result.loads.push_back(LoadPolicy::vectors);
    result.stores.push_back(StorePolicy::vectors);
    result.orders.push_back(LoadOrder::at_use);
    result.streaming.push_back(false);
    if (std::any_of(kernel.data.begin(), kernel.data.end(), [](const auto& datum) { return datum.stored; })) {
        result.streaming.push_back(true);
    }
    return result;
}

} // namespace

bool small(const KernelOutline::Datum& datum) {
    return datum.list_bytes <= 16 && (datum.list_bytes & (datum.list_bytes - 1)) == 0;
}

bool fits_registers(const KernelOutline& kernel, const Combination& routines, const KernelOutline::Datum& datum) {
    if (datum.producer < 0) {
        return false;
    }
    const Routine& producer = routine(kernel, routines, datum.producer);
    if ((datum.shape.packed && producer.threads > 1) || producer.synchronises ||
        library::components_touched(datum.shape, producer.output, producer.threads) == 0) {
        return false; // threads of an instance pass parts of the result to each other; of what is packed, they have none of their own
    }
    return std::all_of(datum.uses.begin(), datum.uses.end(), [&](const KernelOutline::Use& use) {
        const Routine& consumer = routine(kernel, routines, use.call);
        return consumer.threads == producer.threads && consumer.inputs[use.operand] == producer.output;
    });
}

ChoiceSpace::ChoiceSpace(const KernelOutline& kernel, const DeviceLimits& limits) : kernel_(kernel), limits_(limits) {
    for (const auto& call : kernel.calls) {
        total_ *= static_cast<double>(call.routines->routines.size());
    }
    for (Combination& combination : UniformCombinations(kernel).list()) {
        add(std::move(combination));
    }
    uniform_ = combinations_.size();
}

std::size_t ChoiceSpace::neighbour(std::size_t combination, std::size_t call, std::size_t routine) {
    Combination changed = combinations_[combination];
    changed[call] = static_cast<std::uint8_t>(routine);
    // Few combinations are listed: looking through them is quicker than a set of them.
    const auto found = std::find(combinations_.begin(), combinations_.end(), changed);
    return found == combinations_.end() ? add(std::move(changed)) : static_cast<std::size_t>(found - combinations_.begin());
}

std::size_t ChoiceSpace::add(Combination combination) {
    axes_.push_back(limits_.target == Target::host ? host_axes(kernel_, limits_) : axes_of(kernel_, combination, limits_));
    listed_choices_ += static_cast<double>(axes_.back().count());
    combinations_.push_back(std::move(combination));
    return combinations_.size() - 1;
}

double ChoiceSpace::size() const {
    return total_ * (listed_choices_ / static_cast<double>(combinations_.size()));
}

} // namespace fusec::fusion
