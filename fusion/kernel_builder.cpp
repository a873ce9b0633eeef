// SPDX-License-Identifier: Apache-2.0
// Placements, steps and addresses of a kernel.
#include "fusion/kernel_builder.hpp"

#include "fusion/register_demand.hpp"

#include <algorithm>
#include <numeric>

namespace fusec::fusion {

namespace {

/// Nodes of the placement's search for one candidate: the greedy starts often meet the lower bound, and thousands of candidates
/// are placed. A node costs the square of the tiles. A stop early costs bytes, not soundness, and the candidate says so.
std::size_t placement_nodes(std::size_t tiles) {
    return std::max<std::size_t>(4, 500 * 256 / std::max<std::size_t>(256, tiles * tiles));
}

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
    const auto amount = [](long bytes) { return bytes % 1024 == 0 ? std::to_string(bytes / 1024) + " KiB" : std::to_string(bytes) + " B"; };
    const std::string block = " (blocks of " + std::to_string(elements) + " elements)";
    switch (reason) {
    case Rejection::Reason::shared_memory:
        return {reason, amount(needed) + " of shared memory needed, " + amount(available) + " available" + block};
    case Rejection::Reason::registers:
        return {reason, std::to_string(needed) + " registers per block needed, " + std::to_string(available) + " available" + block};
    case Rejection::Reason::threads_per_block:
        return {reason, std::to_string(needed) + " threads per block needed, " + std::to_string(available) + " available" + block};
    case Rejection::Reason::stack:
        return {reason, amount(needed) + " of stack needed, " + amount(available) + " available" + block};
    case Rejection::Reason::parameters:
        return {reason,
            std::to_string(needed) + " B of kernel parameters needed, " + std::to_string(available) + " B available (a pointer per list)"};
    case Rejection::Reason::several_blocks:
    case Rejection::Reason::not_convex:
    case Rejection::Reason::not_connected:
    case Rejection::Reason::too_large:
    case Rejection::Reason::no_implementation:
        break;
    }
    throw InternalError("refusal: not a limit of the device");
}

void KernelBuilder::begin(const KernelOutline& kernel) {
    kernel_ = &kernel;
    routines_ = nullptr;
    arenas_.clear();
}

bool KernelBuilder::same_pattern(const Combination& routines, const KernelChoice& choice) const {
    return routines_ == &routines && choice_.loads == choice.loads && choice_.stores == choice.stores && choice_.order == choice.order &&
        choice_.streaming == choice.streaming && (limits_.target == Target::cuda || choice_.elements == choice.elements);
}

void KernelBuilder::decide_placements() {
    const bool host = limits_.target == Target::host;
    draft_.data.clear();
    draft_.tiles.clear();
    draft_.largest_threads = 1;
    for (std::size_t call = 0; call < kernel_->calls.size(); ++call) {
        draft_.largest_threads = std::max(draft_.largest_threads, routine(static_cast<int>(call)).threads);
    }
    for (const KernelOutline::Datum& datum : kernel_->data) {
        KernelDraft::Datum& plan = draft_.data.emplace_back();
        if (datum.kind == frontend::DatumKind::constant) {
            plan.placement = Placement::constant;
        } else if (datum.kind == frontend::DatumKind::uniform) {
            plan.placement = Placement::memory;
        } else if (datum.kind == frontend::DatumKind::derived) {
            plan.placement = Placement::derived;
        } else if (host) {
            plan.placement = Placement::registers;
            plan.load = datum.loaded ? Staging::lanes : Staging::none;
            // What has just been loaded is in the caches: storing around them would not save reading it.
            const bool streams = choice_.streaming && datum.old_value < 0 && !datum.flag;
            plan.store = !datum.stored ? Staging::none : streams ? Staging::lanes_streaming : Staging::lanes;
        } else if (datum.loaded) {
            const bool tile = wants_tile(choice_.loads, datum);
            plan.placement = tile ? Placement::shared : Placement::memory;
            plan.load = !tile ? Staging::none : datum.converts() ? Staging::words : staging(choice_.loads);
        } else if (fits_registers(*kernel_, *routines_, datum) && (datum.flag || !(datum.stored && wants_tile(choice_.stores, datum)))) {
            plan.placement = Placement::registers;
            plan.touch = routine(datum.producer).output;
            plan.threads = routine(datum.producer).threads;
        } else {
            plan.placement = Placement::shared;
            const bool words = choice_.stores == StorePolicy::words || datum.converts();
            plan.store = !datum.stored ? Staging::none : words ? Staging::words : Staging::vectors;
        }
        if (plan.placement == Placement::shared) {
            plan.tile = static_cast<int>(draft_.tiles.size());
            KernelDraft::Tile& tile = draft_.tiles.emplace_back();
            tile.datum = static_cast<int>(draft_.data.size()) - 1;
            tile.element_words = datum.shape.size();
            tile.wanted = padding_of(tile.datum);
        }
    }
}

/// The padding with the fewest passes (CUDA notes 3.2, 3.5). Elements meet in banks only where they are multiples of 32 bytes. Rows are
/// not padded where one thread writes what each of several has made: it writes word after word.
Padding KernelBuilder::padding_of(int index) const {
    const KernelOutline::Datum& datum = kernel_->data[static_cast<std::size_t>(index)];
    const auto passes = [&](Padding padding) {
        double sum = tile_copies(index) * copied_wavefronts(datum.bytes, padding == Padding::rows ? row_bytes(datum) : 0);
        if (datum.producer >= 0) {
            sum += cost(datum.producer, kernel_->calls[static_cast<std::size_t>(datum.producer)].operands.size()).passes(padding);
        }
        for (const auto& use : datum.uses) {
            sum += cost(use.call, use.operand).passes(padding);
        }
        return sum;
    };
    Padding best = Padding::none;
    double fewest = passes(best);
    const bool by_leader =
        datum.producer >= 0 && routine(datum.producer).threads > 1 && routine(datum.producer).output == library::Touch::all;
    const bool may[] = {datum.bytes % 32 == 0, row_bytes(datum) != 0 && !by_leader};
    for (const Padding padding : {Padding::elements, Padding::rows}) {
        if (may[padding == Padding::rows ? 1 : 0] && passes(padding) < fewest) {
            fewest = passes(padding);
            best = padding;
        }
    }
    return best;
}

/// Copies of a tile between the lists and shared memory: it comes in, goes out, both or neither.
int KernelBuilder::tile_copies(int index) const {
    const KernelDraft::Datum& plan = draft_.data[static_cast<std::size_t>(index)];
    return (plan.load != Staging::none ? 1 : 0) + (plan.store != Staging::none ? 1 : 0);
}

int KernelBuilder::row_bytes(const KernelOutline::Datum& datum) const {
    return run_of_rows(datum.shape, datum.word_bytes()) * datum.word_bytes();
}

void KernelBuilder::touch(int datum) {
    if (const int tile = draft_.data[static_cast<std::size_t>(datum)].tile; tile >= 0) {
        KernelDraft::Tile& touched = draft_.tiles[static_cast<std::size_t>(tile)];
        touched.last = static_cast<int>(draft_.steps.size()) - 1;
        touched.first = touched.first < 0 ? touched.last : touched.first;
    }
}

void KernelBuilder::add_step(Step::Kind kind, int index) {
    draft_.steps.push_back({kind, index});
    if (kind == Step::Kind::compute) {
        const auto& call = kernel_->calls[static_cast<std::size_t>(index)];
        for (int operand : call.operands) {
            touch(operand);
        }
        touch(call.result);
    } else if (index >= 0) {
        touch(index);
    }
}

void KernelBuilder::schedule() {
    const std::vector<int>& order = kernel_->ordered(choice_.order);
    draft_.steps.clear();
    loaded_.assign(kernel_->data.size(), false);
    bool in_flight = false; // an asynchronous copy has no wait yet
    const auto load_operands = [&](int call) {
        for (int operand : kernel_->calls[static_cast<std::size_t>(call)].operands) {
            const auto index = static_cast<std::size_t>(operand);
            const KernelDraft::Datum& plan = draft_.data[index];
            if (plan.load != Staging::none && !loaded_[index]) {
                loaded_[index] = true;
                in_flight = in_flight || plan.load == Staging::async;
                add_step(Step::Kind::load, operand);
            }
        }
    };
    const auto wait_for_operands = [&](int call) {
        const auto& operands = kernel_->calls[static_cast<std::size_t>(call)].operands;
        if (in_flight && std::any_of(operands.begin(), operands.end(), [&](int operand) {
                return draft_.data[static_cast<std::size_t>(operand)].load == Staging::async;
            })) {
            in_flight = false;
            add_step(Step::Kind::async_wait, -1);
        }
    };
    const auto stored = [&](int datum) { return kernel_->data[static_cast<std::size_t>(datum)].stored; };
    const auto in_tile = [&](int datum) { return draft_.data[static_cast<std::size_t>(datum)].tile >= 0; };
    if (choice_.order == LoadOrder::first) {
        for (int call : order) {
            load_operands(call);
        }
    }
    for (int call : order) {
        load_operands(call);
        wait_for_operands(call);
        add_step(Step::Kind::compute, call);
        const int result = kernel_->calls[static_cast<std::size_t>(call)].result;
        if (stored(result) && (choice_.order == LoadOrder::at_use || !in_tile(result))) {
            add_step(Step::Kind::store, result);
        }
    }
    if (choice_.order == LoadOrder::first) {
        for (int call : order) {
            const int result = kernel_->calls[static_cast<std::size_t>(call)].result;
            if (stored(result) && in_tile(result)) {
                add_step(Step::Kind::store, result);
            }
        }
    }
}

/// Steps of the tiles as ranks in key_: only their order matters to the placement.
void KernelBuilder::rank_steps() {
    ranks_.clear();
    for (const KernelDraft::Tile& tile : draft_.tiles) {
        ranks_.push_back(tile.first);
        ranks_.push_back(tile.last);
    }
    std::sort(ranks_.begin(), ranks_.end());
    ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
    const auto rank = [&](int step) { return static_cast<int>(std::lower_bound(ranks_.begin(), ranks_.end(), step) - ranks_.begin()); };
    key_.clear();
    for (const KernelDraft::Tile& tile : draft_.tiles) {
        key_.insert(key_.end(), {rank(tile.first), rank(tile.last), 0});
    }
}

bool KernelBuilder::size_tiles(int elements, bool padded) {
    bool as_before = true;
    for (KernelDraft::Tile& tile : draft_.tiles) {
        const KernelOutline::Datum& datum = kernel_->data[static_cast<std::size_t>(tile.datum)];
        const int word_bytes = datum.word_bytes();
        const int run = tile.wanted == Padding::none ? 0
            : tile.wanted == Padding::rows           ? run_of_rows(datum.shape, word_bytes)
                                                     : run_of_elements(tile.element_words, word_bytes);
        const Padding padding = padded && run < elements * tile.element_words ? tile.wanted : Padding::none;
        as_before = as_before && padding == tile.padding;
        tile.padding = padding;
        tile.run = padding == Padding::none ? 0 : run;
        tile.pad_words = padding == Padding::none ? 0 : 16 / word_bytes;
        tile.bytes = tile_bytes(elements, tile.element_words, word_bytes, tile.run, tile.pad_words);
    }
    return as_before;
}

void KernelBuilder::place_tiles() {
    draft_.shared_bytes = 0;
    draft_.placement_cut = false;
    if (draft_.tiles.empty()) {
        return;
    }
    // The proportions of the sizes (all multiples of the alignment) decide.
    int unit = 0;
    for (const KernelDraft::Tile& tile : draft_.tiles) {
        unit = std::gcd(unit, tile.bytes);
    }
    for (std::size_t i = 0; i < draft_.tiles.size(); ++i) {
        key_[3 * i + 2] = draft_.tiles[i].bytes / unit;
    }
    auto found = arenas_.find(key_);
    if (found == arenas_.end()) {
        std::vector<LiveRange> ranges;
        for (std::size_t i = 0; i < key_.size(); i += 3) {
            ranges.push_back({key_[i], key_[i + 1], key_[i + 2]});
        }
        found = arenas_.emplace(key_, place(ranges, 1, placement_nodes(ranges.size()))).first;
    }
    for (std::size_t i = 0; i < draft_.tiles.size(); ++i) {
        draft_.tiles[i].offset = unit * found->second.offsets[i];
    }
    draft_.shared_bytes = unit * found->second.bytes;
    draft_.placement_cut = !found->second.optimal;
}

/// Of a host kernel: each value is an array of the elements of a tile, and all of them live for the whole kernel. The text follows the
/// vectors of the machine that it is compiled for, which may be wider than the device's.
long KernelBuilder::stack_bytes() const {
    constexpr int widest_vector = 64; // bytes
    const long lanes = std::max(choice_.elements, widest_vector / kernel_->widest_bytes());
    long bytes = 0;
    for (std::size_t i = 0; i < kernel_->data.size(); ++i) {
        const Placement placement = draft_.data[i].placement;
        // A tile in between, and results that wait until the next tile has loaded.
        const long arrays = 1 + (kernel_->data[i].converts() ? 1 : 0) + (draft_.data[i].store == Staging::lanes_streaming ? 1 : 0);
        bytes += placement == Placement::registers || placement == Placement::derived ? arrays * lanes * kernel_->data[i].bytes : 0;
    }
    return bytes;
}

/// A pointer for each list that is loaded, read in place or stored, and one to report to; the first element and the number of elements.
long KernelBuilder::parameter_bytes() const {
    const auto listed = [](const KernelOutline::Datum& datum) {
        return (datum.stored && !datum.flag) || (datum.producer < 0 && datum.kind != frontend::DatumKind::constant);
    };
    const bool reports =
        std::any_of(kernel_->data.begin(), kernel_->data.end(), [](const KernelOutline::Datum& datum) { return datum.flag; });
    return 8 * (2 + std::count_if(kernel_->data.begin(), kernel_->data.end(), listed) + (reports ? 1 : 0));
}

bool KernelBuilder::compare_tiles() {
    const std::vector<KernelDraft::Tile>& tiles = draft_.tiles;
    std::swap(relation_, relation_before_);
    relation_.assign(tiles.size() * tiles.size(), tiles_apart);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const KernelDraft::Tile& a = tiles[i];
        for (std::size_t j = i; j < tiles.size(); ++j) {
            const KernelDraft::Tile& b = tiles[j];
            const bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
            const bool same_words = kernel_->data[static_cast<std::size_t>(a.datum)].word_bytes() ==
                kernel_->data[static_cast<std::size_t>(b.datum)].word_bytes();
            const bool alike = same_words && a.offset == b.offset && a.element_words == b.element_words && a.run == b.run;
            const bool together = same_words && a.offset == b.offset && a.run == 0 && b.run == 0;
            const auto relation = static_cast<std::uint8_t>(
                (overlap ? tiles_overlap : 0) | (alike ? tiles_alike : 0) | (together ? tiles_start_together : 0));
            relation_[i * tiles.size() + j] = relation;
            relation_[j * tiles.size() + i] = relation;
        }
    }
    return relation_ == relation_before_;
}

std::optional<Refusal> KernelBuilder::decide(const Combination& routines, const KernelChoice& choice) {
    const bool pattern_before = same_pattern(routines, choice);
    routines_ = &routines;
    choice_ = choice;
    if (!pattern_before) {
        measured_ = false;
        decide_placements();
        schedule();
        rank_steps();
    }
    const bool cuda = limits_.target == Target::cuda;
    draft_.elements = choice.elements;
    draft_.threads_per_block = cuda ? choice.elements * draft_.largest_threads : 1;
    if (const long parameters = cuda ? parameter_bytes() : 0; parameters > limits_.parameter_bytes) {
        return Refusal{Rejection::Reason::parameters, parameters, limits_.parameter_bytes, choice.elements};
    }
    if (cuda && draft_.threads_per_block > limits_.threads_per_block) {
        return Refusal{Rejection::Reason::threads_per_block, draft_.threads_per_block, limits_.threads_per_block, choice.elements};
    }
    if (const long stack = cuda ? 0 : stack_bytes(); stack > limits_.stack_bytes) {
        return Refusal{Rejection::Reason::stack, stack, limits_.stack_bytes, choice.elements};
    }
    bool padded_before = size_tiles(choice.elements, true);
    place_tiles();
    if (cuda && draft_.shared_bytes > limits_.shared_bytes_per_block) { // conflicts are better than no kernel
        padded_before = size_tiles(choice.elements, false) && padded_before;
        place_tiles();
    }
    if (cuda && draft_.shared_bytes > limits_.shared_bytes_per_block) {
        measured_ = false; // the tiles were not compared with those before
        return Refusal{Rejection::Reason::shared_memory, draft_.shared_bytes, limits_.shared_bytes_per_block, choice.elements};
    }
    const bool compared_before = compare_tiles();
    const bool one_warp = cuda && draft_.threads_per_block <= limits_.warp_size;
    if (!measured_ || !padded_before || !compared_before || one_warp != one_warp_) {
        one_warp_ = one_warp;
        find_barriers(*kernel_, routines, limits_, relation_, draft_);
        measure_work(*kernel_, routines, limits_, with_steps_, draft_);
        measured_ = true;
    }
    draft_.work.elements_per_block = draft_.elements;
    draft_.work.threads_per_block = draft_.threads_per_block;
    draft_.work.shared_bytes = draft_.shared_bytes;
    if (cuda) {
        count_whole_warps(limits_, draft_);
        // Registers are handed out in units of 8 per thread.
        const long needed = static_cast<long>((draft_.work.registers + 7) / 8 * 8) * draft_.threads_per_block;
        count_spills(draft_.work, limits_, draft_.threads_per_block, draft_.largest_threads);
        if (needed > limits_.registers_per_sm) {
            return Refusal{Rejection::Reason::registers, needed, limits_.registers_per_sm, choice.elements};
        }
    }
    return std::nullopt;
}

std::optional<Refusal> KernelBuilder::build(
    const KernelOutline& kernel, const Combination& routines, const KernelChoice& choice, Candidate& out) {
    begin(kernel);
    if (const std::optional<Refusal> refusal = decide(routines, choice)) {
        return refusal;
    }
    write(out);
    return std::nullopt;
}

void KernelBuilder::write(Candidate& out) const {
    out = {};
    out.instances_per_block = draft_.elements;
    out.threads_per_block = draft_.threads_per_block;
    out.shared_bytes = draft_.shared_bytes;
    out.placement_cut = draft_.placement_cut;
    out.work = draft_.work;
    for (const auto& call : kernel_->calls) {
        out.calls.push_back(call.id);
    }
    for (int call : kernel_->ordered(choice_.order)) {
        const Routine& chosen = routine(call);
        out.order.push_back({kernel_->calls[static_cast<std::size_t>(call)].id, chosen.implementation, chosen.threads});
    }
    for (const KernelOutline::Derivation& derivation : kernel_->derivations) {
        out.derived.push_back({kernel_->data[static_cast<std::size_t>(derivation.result)].id, derivation.routine->implementation});
    }
    std::vector<int> moved; // step of the draft -> step of the candidate, which has derivations and barriers too
    bool derived = false;
    for (std::size_t i = 0; i < draft_.steps.size(); ++i) {
        if (const Step::Kind kind = draft_.steps[i].kind; !derived && (kind == Step::Kind::async_wait || kind == Step::Kind::compute)) {
            derived = true; // what the kernel loads first is on its way meanwhile
            for (const DerivedPlan& plan : out.derived) {
                out.steps.push_back({Step::Kind::derive, {}, plan.datum});
            }
        }
        if (draft_.barriers[i] != Barrier::none) {
            out.steps.push_back({draft_.barriers[i] == Barrier::warp ? Step::Kind::warp_barrier : Step::Kind::block_barrier, {}, {}});
        }
        moved.push_back(static_cast<int>(out.steps.size()));
        const KernelDraft::Step& from = draft_.steps[i];
        Step& step = out.steps.emplace_back();
        step.kind = from.kind;
        if (from.kind == Step::Kind::compute) {
            step.call = kernel_->calls[static_cast<std::size_t>(from.index)].id;
        } else if (from.index >= 0) {
            step.datum = kernel_->data[static_cast<std::size_t>(from.index)].id;
        }
    }
    for (std::size_t i = 0; i < draft_.data.size(); ++i) {
        const KernelOutline::Datum& datum = kernel_->data[i];
        const KernelDraft::Datum& from = draft_.data[i];
        DatumPlan& plan = out.data.emplace_back();
        plan = {datum.id, from.placement, from.touch, from.threads, {}, datum.loaded || datum.kind == frontend::DatumKind::uniform,
            datum.stored, from.load, from.store};
        if (from.tile >= 0) {
            const KernelDraft::Tile& tile = draft_.tiles[static_cast<std::size_t>(from.tile)];
            plan.slot = {tile.offset, tile.bytes, tile.element_words, tile.run, tile.pad_words, moved[static_cast<std::size_t>(tile.first)],
                moved[static_cast<std::size_t>(tile.last)]};
        }
        if (datum.loaded) {
            out.loads.push_back(datum.id);
        }
        if (datum.stored) {
            out.stores.push_back(datum.id);
        }
    }
}

} // namespace fusec::fusion
