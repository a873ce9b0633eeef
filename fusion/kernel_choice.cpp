// SPDX-License-Identifier: Apache-2.0
// Enumeration of the decisions of a kernel.
#include "fusion/kernel_choice.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace fusec::fusion {

namespace {

const Routine& routine(const KernelOutline& kernel, const Combination& routines, int call) {
    const auto index = static_cast<std::size_t>(call);
    return kernel.calls[index].routines->routines[routines[index]];
}

/// Combinations, each once: first those that choose the same kind of routine for every call, then their neighbours, then all others.
class Combinations {
public:
    Combinations(const KernelOutline& kernel, std::size_t most) : kernel_(kernel), most_(most) {
        for (const auto& call : kernel.calls) {
            total_ *= static_cast<double>(call.routines->routines.size());
        }
    }

    std::vector<Combination> list() {
        uniform();
        uniform_count_ = list_.size();
        if (total_ <= static_cast<double>(most_)) {
            all();
        } else {
            neighbours();
        }
        return std::move(list_);
    }
    std::size_t uniform_count() const { return uniform_count_; }
    double total() const { return total_; }

private:
    /// Unless it is among the first `compared` of the list.
    void add(const Combination& combination, std::size_t compared) {
        // Few combinations: looking through them is quicker than a set of them.
        if (list_.size() < most_ &&
            std::find(list_.begin(), list_.begin() + static_cast<std::ptrdiff_t>(compared), combination) ==
                list_.begin() + static_cast<std::ptrdiff_t>(compared)) {
            list_.push_back(combination);
        }
    }

    template <class Pick>
    void add_picked(Pick pick) {
        Combination combination;
        for (const auto& call : kernel_.calls) {
            const auto& routines = call.routines->routines;
            const auto found = std::find_if(routines.begin(), routines.end(), pick);
            combination.push_back(static_cast<std::uint8_t>(found == routines.end() ? 0 : found - routines.begin()));
        }
        add(combination, list_.size());
    }

    /// All but the calls whose threads would have to exchange values, which one thread each makes; then with them too.
    void uniform() {
        uniform(false);
        const bool exchanges = std::any_of(kernel_.calls.begin(), kernel_.calls.end(), [](const KernelOutline::Call& call) {
            const auto& routines = call.routines->routines;
            return std::any_of(routines.begin(), routines.end(), [](const Routine& option) { return option.exchanges != 0; });
        });
        if (exchanges) {
            uniform(true);
        }
    }

    void uniform(bool exchanging) {
        add(Combination(kernel_.calls.size(), 0), list_.size()); // routines are sorted by threads: the first has the fewest
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
        add(combination, list_.size());
    }

    /// One call at a time takes another routine than in a uniform combination.
    void neighbours() {
        for (std::size_t base = 0; base < uniform_count_; ++base) {
            for (std::size_t call = 0; call < kernel_.calls.size() && list_.size() < most_; ++call) {
                Combination combination = list_[base];
                for (std::size_t option = 0; option < kernel_.calls[call].routines->routines.size(); ++option) {
                    combination[call] = static_cast<std::uint8_t>(option);
                    add(combination, list_.size());
                }
            }
        }
    }

    /// Every combination, in lexicographic order.
    void all() {
        Combination combination(kernel_.calls.size(), 0);
        for (std::size_t call = 0; call < combination.size();) {
            add(combination, uniform_count_); // the others differ from each other
            for (call = 0; call < combination.size(); ++call) {
                if (++combination[call] < kernel_.calls[call].routines->routines.size()) {
                    break;
                }
                combination[call] = 0;
            }
        }
    }

    const KernelOutline& kernel_;
    std::size_t most_;
    double total_ = 1;
    std::size_t uniform_count_ = 0;
    std::vector<Combination> list_;
};

/// At most `most` values in place: dozens of these are made per column.
template <class T, std::size_t most>
class Few {
public:
    void push_back(T value) {
        internal_check(size_ < most, "kernel choice: more alternatives than there is room for");
        values_[size_++] = value;
    }
    std::size_t size() const { return size_; }
    const T& operator[](std::size_t index) const { return values_[index]; }

private:
    std::array<T, most> values_{};
    std::size_t size_ = 0;
};

/// What may be chosen for one combination; the first `core_*` of each list are the usual ones.
struct Axes {
    Few<int, 6> elements;
    Few<LoadPolicy, 6> loads;
    Few<StorePolicy, 4> stores;
    Few<LoadOrder, 2> orders;
    std::size_t core_elements = 0;
    std::size_t core_loads = 0;
    std::size_t core_stores = 0;
    std::size_t core_orders = 1;

    std::size_t count() const { return elements.size() * loads.size() * stores.size() * orders.size(); }
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

Axes axes(const KernelOutline& kernel, const Combination& routines, const DeviceLimits& limits) {
    int largest = 1;
    for (std::size_t call = 0; call < kernel.calls.size(); ++call) {
        largest = std::max(largest, routine(kernel, routines, static_cast<int>(call)).threads);
    }
    Axes result;
    result.elements = block_elements(largest, limits.warp_size);
    result.core_elements = std::min<std::size_t>(3, result.elements.size());

    std::size_t small_loads = 0;
    std::size_t large_loads = 0;
    std::size_t small_results = 0; // results that owners could store from registers
    std::size_t large_results = 0;
    for (const auto& datum : kernel.data) {
        if (datum.loaded) {
            ++(small(datum) ? small_loads : large_loads);
        }
        if (datum.stored && fits_registers(kernel, routines, datum)) {
            ++(small(datum) ? small_results : large_results);
        }
    }
    const bool any_loads = small_loads + large_loads != 0;
    if (any_loads) {
        const bool mixed = small_loads != 0 && large_loads != 0;
        if (limits.has_async_copy()) {
            result.loads.push_back(LoadPolicy::async);
        } else {
            result.loads.push_back(LoadPolicy::vectors);
        }
        result.loads.push_back(LoadPolicy::in_place);
        if (mixed) {
            result.loads.push_back(limits.has_async_copy() ? LoadPolicy::async_but_small : LoadPolicy::vectors_but_small);
        }
        result.core_loads = result.loads.size();
        if (limits.has_async_copy()) {
            result.loads.push_back(LoadPolicy::vectors);
            if (mixed) {
                result.loads.push_back(LoadPolicy::vectors_but_small);
            }
        }
        result.loads.push_back(LoadPolicy::words);
    } else {
        result.loads.push_back(LoadPolicy::in_place);
        result.core_loads = 1;
    }
    result.stores.push_back(StorePolicy::vectors);
    result.core_stores = 1;
    if (small_results + large_results != 0) {
        result.stores.push_back(StorePolicy::direct);
        result.core_stores = 2;
        if (small_results != 0 && large_results != 0) {
            result.stores.push_back(StorePolicy::vectors_but_small);
            result.core_stores = 3;
        }
    }
    result.stores.push_back(StorePolicy::words);
    result.orders.push_back(LoadOrder::first);
    const bool one_kernel = kernel.calls.size() == 1; // the order of loads does not matter before a single call
    if (!one_kernel) {
        result.orders.push_back(LoadOrder::at_use);
    }
    return result;
}

/// Appends the core of the axes, or what is not in the core.
void append(const Axes& from, std::uint32_t combination, bool core, std::size_t most, std::vector<KernelChoice>& list) {
    for (std::size_t order = 0; order < from.orders.size(); ++order) {
        for (std::size_t store = 0; store < from.stores.size(); ++store) {
            for (std::size_t load = 0; load < from.loads.size(); ++load) {
                for (std::size_t size = 0; size < from.elements.size() && list.size() < most; ++size) {
                    const bool in_core =
                        order < from.core_orders && store < from.core_stores && load < from.core_loads && size < from.core_elements;
                    if (in_core == core) {
                        list.push_back({combination, from.elements[size], from.loads[load], from.stores[store], from.orders[order], false});
                    }
                }
            }
        }
    }
}

/// The host keeps everything in SIMD lanes: the width is the machine's, only the kind of stores is open.
Choices host_choices(const KernelOutline& kernel, const DeviceLimits& limits) {
    Choices result;
    Combinations combinations(kernel, 64);
    result.combinations = combinations.list();
    result.unexplored = 2 * (combinations.total() - static_cast<double>(result.combinations.size()));
    for (std::uint32_t index = 0; index < result.combinations.size(); ++index) {
        for (bool streaming : {false, true}) {
            KernelChoice choice;
            choice.combination = index;
            choice.elements = limits.vector_bytes / kernel.word_bytes();
            choice.order = LoadOrder::at_use;
            choice.streaming = streaming;
            result.list.push_back(choice);
        }
    }
    return result;
}

} // namespace

bool small(const KernelOutline::Datum& datum) {
    return datum.bytes <= 16 && (datum.bytes & (datum.bytes - 1)) == 0;
}

bool fits_registers(const KernelOutline& kernel, const Combination& routines, const KernelOutline::Datum& datum) {
    if (datum.producer < 0) {
        return false;
    }
    const Routine& producer = routine(kernel, routines, datum.producer);
    if (producer.synchronises || library::components_touched(datum.shape, producer.output, producer.threads) == 0) {
        return false; // threads of an instance pass parts of the result to each other
    }
    return std::all_of(datum.uses.begin(), datum.uses.end(), [&](const KernelOutline::Use& use) {
        const Routine& consumer = routine(kernel, routines, use.call);
        return consumer.threads == producer.threads && consumer.inputs[use.operand] == producer.output;
    });
}

Choices choices(const KernelOutline& kernel, const DeviceLimits& limits, std::size_t most) {
    if (limits.target == Target::host) {
        return host_choices(kernel, limits);
    }
    Choices result;
    // A combination has at least a dozen usual choices; more combinations than this would not be reached.
    Combinations combinations(kernel, std::max<std::size_t>(most / 4, 16));
    result.combinations = combinations.list();
    std::vector<Axes> all;
    all.reserve(result.combinations.size());
    double listed = 0;
    for (const Combination& combination : result.combinations) {
        all.push_back(axes(kernel, combination, limits));
        listed += static_cast<double>(all.back().count());
    }
    const auto count = static_cast<std::uint32_t>(all.size());
    const auto uniform = static_cast<std::uint32_t>(combinations.uniform_count());
    const auto tier = [&](std::uint32_t first, std::uint32_t last, bool core) {
        for (std::uint32_t index = first; index < last && result.list.size() < most; ++index) {
            append(all[index], index, core, most, result.list);
        }
    };
    tier(0, uniform, true);
    tier(0, uniform, false);
    tier(uniform, count, true);
    tier(uniform, count, false);
    // Combinations that were not even listed are taken to have as many choices as the listed ones on average.
    const double per_combination = listed / static_cast<double>(count);
    result.unexplored =
        listed - static_cast<double>(result.list.size()) + (combinations.total() - static_cast<double>(count)) * per_combination;
    return result;
}

} // namespace fusec::fusion
