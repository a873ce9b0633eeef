// SPDX-License-Identifier: Apache-2.0
#include "fusion/followed_lists.hpp"

#include "fusion/instruction_rates.hpp"

#include <algorithm>

namespace fusec::fusion {

namespace {

constexpr int register_bytes = 64; // of every processor that lists are left to

} // namespace

bool follows_lists(const std::vector<LoadedList>& loaded, Precision widest) {
    // A list of wider words than all that is computed with comes in parts, of as many lanes as a register has of them.
    const auto lanes_at_once = [&](const LoadedList& list) {
        return register_bytes / std::max(bytes_of(widest), bytes_of(list.precision));
    };
    // What is asked for is loaded in strips where it might be in halves (load_transposed).
    const auto is_in_strips = [&](const LoadedList& list) {
        return list.components > most_words_transposed_at_once &&
            (list.updated || !is_loaded_in_halves(list.components, lanes_at_once(list), bytes_of(list.precision)));
    };
    return !loaded.empty() && loaded.size() <= most_lists_followed && std::ranges::none_of(loaded, is_in_strips);
}

bool has_long_tiles(int element_bytes, Precision widest) {
    return register_bytes / bytes_of(widest) * element_bytes > most_bytes_of_a_short_tile;
}

bool has_light_tiles(const KernelWork& work, const std::vector<LoadedList>& loaded, Precision widest) {
    if (!follows_lists(loaded, widest)) {
        return false;
    }
    library::OperationCounts operations;
    operations.flops = work.flops;
    operations.divisions = work.divisions;
    operations.square_roots = work.square_roots;
    operations.transcendentals = work.transcendentals;
    const double instructions = instruction_overhead * arithmetic_instructions(operations, work.precision, Target::host);
    const double lines = work.read_bytes / bytes_of(work.precision); // of 64 bytes each, of as many elements as so many bytes have values
    return lines > 0 && instructions <= most_instructions_of_a_light_line * lines;
}

bool is_in_bursts(const LoadedList& list, const std::vector<LoadedList>& loaded, Precision widest) {
    return list.components == 1 &&
        std::ranges::any_of(loaded, [](const LoadedList& other) { return other.components >= least_components_beside_bursts; }) &&
        std::ranges::none_of(
            loaded, [&](const LoadedList& other) { return has_long_tiles(other.components * bytes_of(other.precision), widest); });
}

} // namespace fusec::fusion
