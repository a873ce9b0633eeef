// SPDX-License-Identifier: Apache-2.0
// Writes out what candidates decided. The only things added are names, and loads of register operands that have no step of their own.
#include "codegen/codegen.hpp"
#include "codegen/names.hpp"
#include "elementary-lib/device_source.hpp"
#include "fusion/followed_lists.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace fusec::codegen {

using frontend::DatumKind;
using fusion::Placement;
using fusion::Staging;

namespace {

/// On an AMD Zen 3, whose registers are half a line, programs by hand wrote 2.6 GB/s to nine lists of a double and more, and 21 to eight (half lines in
/// turns); to seven lists of 3x3 matrices of doubles and more 8 to 14, and 20 to six; with whole lines 21 to any number (November 2026, one processor of
/// a virtual machine, seen during development).
constexpr std::ptrdiff_t most_lists_in_parts_of_lines = 6;

/// Lowers one candidate.
class KernelLowering {
public:
    KernelLowering(
        const fusion::Candidate& candidate, const dag::CallGraph& graph, const library::Catalog& catalog, const std::vector<Check>& checks)
        : candidate_(candidate), graph_(graph), catalog_(catalog), checks_(checks) {}

    Kernel lower() {
        internal_check(!candidate_.stores.empty() && !candidate_.order.empty(), "a candidate without calls or stores");
        kernel_.tile_elements = candidate_.instances_per_block;
        kernel_.threads = candidate_.threads_per_block;
        kernel_.shared_bytes = candidate_.shared_bytes;
        kernel_.simd = candidate_.threads_per_block == 1 && candidate_.instances_per_block > 1;
        for (const fusion::CallPlan& call : candidate_.order) {
            kernel_.calls.push_back(call.call);
        }
        kernel_.block = graph_.block(candidate_.calls.front());
        add_lists();
        for (const fusion::DatumPlan& plan : candidate_.data) {
            add_datum(plan);
        }
        add_implied_loads();
        for (const fusion::Step& step : candidate_.steps) {
            add_step(step);
        }
        find_read_tables();
        kernel_.results_wait = kernel_.simd && candidate_.work.results_wait() &&
            std::ranges::any_of(candidate_.data, [](const auto& plan) { return plan.store == fusion::Staging::lanes_streaming; });
        kernel_.results_in_lines = kernel_.simd && !kernel_.results_wait && lists_in_parts_of_lines() > most_lists_in_parts_of_lines;
        if (!kernel_.results_wait && !kernel_.results_in_lines) {
            stream_last();
        }
        find_followed_lists();
        kernel_.inlined = kernel_.simd && candidate_.work.is_inlined();
        kernel_.light_tiles = kernel_.simd && !kernel_.results_wait && !kernel_.results_in_lines &&
            fusion::has_light_tiles(candidate_.work, loaded_lists(), kernel_.widest_precision());
        if (kernel_.light_tiles) {
            find_lists_in_bursts();
        }
        return std::move(kernel_);
    }

private:
    const frontend::Datum& datum(DataId id) const { return graph_.datum(id); }

    /// Lists written past the caches of which a tile, whose lanes are less than a cache line, may fill a part of a line: those of an odd number of words.
    std::ptrdiff_t lists_in_parts_of_lines() const {
        return std::ranges::count_if(candidate_.data, [&](const fusion::DatumPlan& plan) {
            return plan.store == fusion::Staging::lanes_streaming && datum(plan.datum).type.shape.size() % 2 != 0;
        });
    }

    void add_lists() {
        std::vector<const fusion::DatumPlan*> inputs, outputs;
        for (const fusion::DatumPlan& plan : candidate_.data) {
            const bool uniform = datum(plan.datum).kind == DatumKind::uniform;
            internal_check(!plan.loaded || !plan.stored, "a datum both loaded and stored by one kernel");
            if (plan.stored && datum(plan.datum).flag) {
                continue; // no list
            }
            if (plan.stored) {
                outputs.push_back(&plan);
            } else if (plan.loaded || uniform) {
                inputs.push_back(&plan);
            }
        }
        for (const auto* plans : {&inputs, &outputs}) {
            for (const fusion::DatumPlan* plan : *plans) {
                const frontend::Datum& d = datum(plan->datum);
                const std::optional<DataId> old = plan->stored ? graph_.old_value(plan->datum) : std::nullopt;
                const auto loaded = old ? list_of_.find(*old) : list_of_.end();
                const bool updated = loaded != list_of_.end();
                const std::string name =
                    updated ? kernel_.lists[loaded->second].name : names_.make(graph_.program().list_identifier(plan->datum));
                if (updated) {
                    kernel_.lists[loaded->second].updated = true;
                }
                list_of_.emplace(plan->datum, kernel_.lists.size());
                kernel_.lists.push_back({plan->datum, name, d.type, d.kind == DatumKind::uniform, plan->stored, {}, updated, d.storage});
            }
        }
        kernel_.name = kernel_name(candidate_, graph_.program());
    }

    void add_datum(const fusion::DatumPlan& plan) {
        const frontend::Datum& d = datum(plan.datum);
        const bool listed = list_of_.count(plan.datum) != 0;
        plan_of_.emplace(plan.datum, &plan);
        switch (plan.placement) {
        case Placement::registers:
            place_of_.emplace(plan.datum, Place{Place::Kind::value, kernel_.values.size()});
            kernel_.values.push_back(
                {plan.datum, names_.make(listed ? d.identifier + "_value" : d.identifier), d.type, plan.touch, plan.threads});
            break;
        case Placement::shared: {
            internal_check(plan.slot.has_value(), "a shared datum without an address");
            const fusion::SharedSlot& slot = *plan.slot;
            place_of_.emplace(plan.datum, Place{Place::Kind::tile, kernel_.tiles.size()});
            kernel_.tiles.push_back({plan.datum, names_.make(listed ? d.identifier + "_view" : d.identifier), d.type, slot.offset,
                slot.bytes, slot.element_words, slot.run, slot.pad_words, slot.first_step, slot.last_step});
            break;
        }
        case Placement::memory:
            internal_check(listed, "a datum read in place that is neither loaded nor uniform");
            place_of_.emplace(plan.datum, Place{Place::Kind::list, list_of_.at(plan.datum)});
            break;
        case Placement::derived:
            place_of_.emplace(plan.datum, Place{Place::Kind::value, kernel_.values.size()});
            kernel_.values.push_back({plan.datum, names_.make(d.identifier), d.type, library::Touch::all, 1, true});
            break;
        case Placement::constant:
            place_of_.emplace(plan.datum, Place{Place::Kind::table, kernel_.tables.size()});
            kernel_.tables.push_back({plan.datum, names_.make(d.identifier), d.type, d.values});
            break;
        }
    }

    /// What goes past the caches leaves behind all loads and calls of the tile: a load waits for such a store that is on its way if the last
    /// twelve bits of their addresses agree (docs/adr/0009-lists-of-host-kernels.md).
    void stream_last() {
        std::ranges::stable_partition(kernel_.steps, [](const Step& step) { return !streams(step); });
    }

    /// Of what is updated in place, lines are asked for to be written, unless the kernel asks for nothing.
    void find_followed_lists() {
        if (!kernel_.simd || !fusion::follows_lists(loaded_lists(), kernel_.widest_precision())) {
            return;
        }
        for (const std::size_t index : loaded()) {
            List& list = kernel_.lists[index];
            list.followed = !list.updated && fusion::has_long_tiles(list.list_type().bytes(), kernel_.widest_precision());
        }
    }
    void find_lists_in_bursts() {
        const std::vector<fusion::LoadedList> all = loaded_lists();
        for (const std::size_t index : loaded()) {
            List& list = kernel_.lists[index];
            list.in_bursts = fusion::is_in_bursts(loaded_list(list), all, kernel_.widest_precision());
        }
    }
    static fusion::LoadedList loaded_list(const List& list) { return {list.type.shape.size(), list.list_type().precision, list.updated}; }
    std::vector<fusion::LoadedList> loaded_lists() const {
        std::vector<fusion::LoadedList> lists;
        std::ranges::transform(loaded(), std::back_inserter(lists), [&](std::size_t index) { return loaded_list(kernel_.lists[index]); });
        return lists;
    }
    /// Indices of lists that come into lanes, in the order of their loads.
    std::vector<std::size_t> loaded() const {
        std::vector<std::size_t> indices;
        for (const Step& step : kernel_.steps) {
            const auto* const load = std::get_if<LoadValue>(&step);
            if (load != nullptr && !kernel_.lists.at(load->list).uniform) {
                indices.push_back(load->list);
            }
        }
        return indices;
    }

    /// Register operands from memory whose load is no step of the candidate are read first, so that all reads are under way together.
    void add_implied_loads() {
        std::set<DataId> explicit_loads;
        for (const fusion::Step& step : candidate_.steps) {
            if (step.kind == fusion::Step::Kind::load) {
                explicit_loads.insert(step.datum);
            }
        }
        for (const fusion::DatumPlan& plan : candidate_.data) {
            if (plan.placement == Placement::registers && !plan.stored && list_of_.count(plan.datum) != 0 &&
                explicit_loads.count(plan.datum) == 0) {
                add_load(plan.datum);
            }
        }
        const int added = static_cast<int>(kernel_.steps.size());
        for (Tile& tile : kernel_.tiles) {
            tile.first_step += added;
            tile.last_step += added;
        }
    }

    /// Bytes of one access on the fast path. Padding that would split a 16-byte access leaves component accesses.
    int access_bytes(Staging staging, const Place& place) const {
        const Type& type = place.kind == Place::Kind::tile ? kernel_.tiles[place.index].type : kernel_.values[place.index].type;
        const int component = bytes_of(type.precision);
        if (staging != Staging::vectors && staging != Staging::async) {
            return component;
        }
        if (place.kind == Place::Kind::value) {
            const bool whole = kernel_.values[place.index].touch == library::Touch::all;
            return whole && type.bytes() % 16 == 0 ? 16 : whole && type.bytes() % 8 == 0 ? 8 : component;
        }
        const Tile& tile = kernel_.tiles[place.index];
        const bool splits = tile.run > 0 && (tile.run * component % 16 != 0 || tile.pad_words * component % 16 != 0);
        return splits || kernel_.tile_elements * type.bytes() % 16 != 0 ? component : 16;
    }

    void add_load(DataId id) {
        const Place place = place_of_.at(id);
        const Staging staging = plan_of_.at(id)->load;
        if (place.kind == Place::Kind::tile) {
            internal_check(staging == Staging::words || staging == Staging::vectors || staging == Staging::async,
                "a staged list without a way to copy it");
            kernel_.steps.push_back(LoadTile{list_of_.at(id), place.index, staging, access_bytes(staging, place)});
        } else if (place.kind == Place::Kind::value) {
            kernel_.steps.push_back(LoadValue{list_of_.at(id), place.index, staging, access_bytes(staging, place)});
        } else {
            throw InternalError("a load step for a datum that is not brought on chip");
        }
    }

    void add_store(DataId id) {
        const Place place = place_of_.at(id);
        if (datum(id).flag) {
            const auto check = std::find_if(checks_.begin(), checks_.end(), [&](const Check& c) { return c.flag == id; });
            internal_check(place.kind == Place::Kind::value && check != checks_.end(), "a flag in a tile, or of no check");
            kernel_.steps.push_back(Report{place.index, static_cast<std::size_t>(check - checks_.begin())});
            return;
        }
        const Staging staging = plan_of_.at(id)->store;
        if (place.kind == Place::Kind::tile) {
            internal_check(staging == Staging::words || staging == Staging::vectors, "a tile is stored by words or vectors");
            kernel_.steps.push_back(StoreTile{place.index, list_of_.at(id), staging, access_bytes(staging, place)});
        } else if (place.kind == Place::Kind::value) {
            const Value& value = kernel_.values[place.index];
            const bool whole = value.touch == library::Touch::all && value.threads > 1;
            kernel_.steps.push_back(StoreValue{place.index, list_of_.at(id), staging, access_bytes(staging, place), whole});
        } else {
            throw InternalError("a store step for a datum that is not on chip");
        }
    }

    static bool is_unread(const library::Implementation& implementation, std::size_t operand) {
        return !implementation.unread.empty() && implementation.unread.at(operand);
    }

    /// After all steps.
    void find_read_tables() {
        for (Table& table : kernel_.tables) {
            table.read = false;
        }
        const auto read = [&](const std::vector<Operand>& operands) {
            for (const Operand& operand : operands) {
                internal_check(!operand.unread || operand.place.kind == Place::Kind::table, "a routine does not take what is no constant");
                if (operand.place.kind == Place::Kind::table && !operand.unread) {
                    kernel_.tables[operand.place.index].read = true;
                }
            }
        };
        for (const Step& step : kernel_.steps) {
            std::visit(
                [&](const auto& s) {
                    if constexpr (requires { s.operands; }) {
                        read(s.operands);
                    }
                },
                step);
        }
    }

    void add_derivation(DataId id) {
        const auto plan =
            std::find_if(candidate_.derived.begin(), candidate_.derived.end(), [&](const fusion::DerivedPlan& p) { return p.datum == id; });
        internal_check(plan != candidate_.derived.end(), "a derive step of a datum that the candidate does not derive");
        const frontend::Call& call = graph_.program().derivation(id);
        const library::Function& function = catalog_.function(call.instance.function);
        const library::Implementation& implementation = function.implementations.at(plan->implementation);
        Derive step{id, library::template_name(function, implementation), {}, {place_of_.at(id)}, function.called()};
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            step.operands.push_back({place_of_.at(call.operands[i]), library::Touch::all, is_unread(implementation, i)});
        }
        kernel_.steps.push_back(std::move(step));
    }

    void add_compute(CallId id) {
        const frontend::Call& call = graph_.call(id);
        const auto plan =
            std::find_if(candidate_.order.begin(), candidate_.order.end(), [&](const fusion::CallPlan& p) { return p.call == id; });
        internal_check(plan != candidate_.order.end(), "a compute step of a call that the candidate does not execute");
        const library::Function& function = catalog_.function(call.instance.function);
        const library::Implementation& implementation = function.implementations.at(plan->implementation);
        Compute step;
        step.call = id;
        step.routine = library::template_name(function, implementation);
        step.function = function.called();
        step.threads = plan->threads;
        step.synchronises = implementation.barrier;
        for (std::size_t i = 0; i < call.operands.size(); ++i) {
            // A row of a packed matrix lies in other rows too: its threads read all of it.
            const bool whole = implementation.inputs.empty() || (plan->threads > 1 && datum(call.operands[i]).type.shape.packed);
            step.operands.push_back(
                {place_of_.at(call.operands[i]), whole ? library::Touch::all : implementation.inputs.at(i), is_unread(implementation, i)});
        }
        step.result = {place_of_.at(call.result), implementation.output};
        step.exchanges = plan->threads > 1 ? catalog_.exchanges(call.instance, implementation) : 0;
        step.leader = plan->threads > 1 && implementation.output == library::Touch::all && step.result.place.kind == Place::Kind::tile;
        kernel_.steps.push_back(std::move(step));
    }

    void add_step(const fusion::Step& step) {
        using Kind = fusion::Step::Kind;
        switch (step.kind) {
        case Kind::load:
            return add_load(step.datum);
        case Kind::async_wait:
            kernel_.steps.push_back(AsyncWait{});
            return;
        case Kind::block_barrier:
            kernel_.steps.push_back(BlockBarrier{});
            return;
        case Kind::warp_barrier:
            kernel_.steps.push_back(WarpBarrier{});
            return;
        case Kind::derive:
            return add_derivation(step.datum);
        case Kind::compute:
            return add_compute(step.call);
        case Kind::store:
            return add_store(step.datum);
        }
    }

    const fusion::Candidate& candidate_;
    const dag::CallGraph& graph_;
    const library::Catalog& catalog_;
    const std::vector<Check>& checks_; ///< of the unit
    Kernel kernel_;
    Names names_;
    std::map<DataId, std::size_t> list_of_;
    std::map<DataId, Place> place_of_;
    std::map<DataId, const fusion::DatumPlan*> plan_of_;
};

/// The blocks that a kernel's registers have to leave room for: those that the plan's cost relies on, where the compiler might not by
/// itself: ptxas takes 10 to 20 registers more than under a bound (cuda-notes.md 0.8). Where the prediction is further away from the bound,
/// stating it made two kernels spill that need more than predicted and did not spill before (examples/recompute.fus, nvcc 13, sm_90).
int demanded_blocks(const fusion::KernelWork& work, int resident_blocks) {
    constexpr int registers_per_sm = 65536, most_taken_freely = 32; // the former on every device since sm_50
    // A bound of 32 made products with a 64x27 table spill 444 bytes where 56 registers and 8 bytes were taken without one
    // (examples/workloads/bp2_p2.fus over all points at once, nvcc 13, sm_90; seen during development).
    constexpr int fewest_of_a_bound = 40;
    const int left = resident_blocks > 1 ? registers_per_sm / (resident_blocks * work.threads_per_block) : INT_MAX;
    return left - work.registers <= most_taken_freely && left >= fewest_of_a_bound ? resident_blocks : 0;
}

void demand_registers(Kernel& kernel, const fusion::KernelWork& work, const ResidentBlocks& resident_blocks) {
    kernel.resident_blocks = resident_blocks && !kernel.simd ? demanded_blocks(work, resident_blocks(work)) : 0;
}

List interface_list(const frontend::CheckedProgram& program, DataId id, bool written, bool updated) {
    const frontend::Datum& datum = program.datum(id);
    const DataId named = updated ? program.new_value(id).value_or(id) : id;
    return {id, program.datum(named).identifier, datum.type, datum.kind == DatumKind::uniform, written, program.datum(named).name, updated,
        datum.storage};
}

/// Those whose flags are among the stored, in their order; the others are not of the unit.
std::vector<Check> checks_of(const frontend::CheckedProgram& program, const std::function<bool(DataId)>& stored) {
    std::vector<Check> checks;
    for (const frontend::Check& check : program.checks) {
        if (const DataId flag = program.outputs.at(check.output); stored(flag)) {
            checks.push_back({flag, check.text});
        }
    }
    return checks;
}

} // namespace

Unit unit_without_kernels(const frontend::CheckedProgram& program) {
    Unit unit;
    unit.name = program.name;
    unit.blocks = program.blocks;
    for (const DataId id : program.inputs) {
        unit.inputs.push_back(interface_list(program, id, false, program.new_value(id).has_value()));
    }
    for (std::size_t i = 0; i < program.listed_outputs(); ++i) {
        const DataId id = program.outputs[i];
        unit.outputs.push_back(interface_list(program, id, true, program.old_value(id).has_value()));
    }
    unit.checks = checks_of(program, [](DataId) { return true; });
    return unit;
}

std::string kernel_name(const fusion::Candidate& candidate, const frontend::CheckedProgram& program) {
    const std::vector<DataId>& stores = candidate.stores;
    const auto last = std::find_if(stores.rbegin(), stores.rend(), [&](DataId stored) { return !program.datum(stored).flag; });
    return program.datum(last == stores.rend() ? stores.back() : *last).identifier;
}

Unit lower(const fusion::Plan& plan, const dag::CallGraph& graph, const library::Catalog& catalog, const ResidentBlocks& resident_blocks) {
    const frontend::CheckedProgram& program = graph.program();
    Unit unit = unit_without_kernels(program);
    for (const fusion::Workspace::Slot& slot : plan.workspace.slots) {
        unit.slots.push_back(slot.bytes_per_element);
    }
    for (const auto& [id, slot] : plan.workspace.placed) {
        unit.workspace.push_back({id, program.datum(id).identifier, program.datum(id).type, slot});
    }
    for (const fusion::Candidate& candidate : plan.kernels) {
        Kernel& kernel = unit.kernels.emplace_back(KernelLowering(candidate, graph, catalog, unit.checks).lower());
        demand_registers(kernel, candidate.work, resident_blocks);
    }
    return unit;
}

Unit lower(const fusion::Candidate& candidate, const std::string& name, const dag::CallGraph& graph, const library::Catalog& catalog,
    const ResidentBlocks& resident_blocks) {
    Unit unit;
    unit.name = name;
    unit.checks =
        checks_of(graph.program(), [&](DataId flag) { return std::binary_search(candidate.stores.begin(), candidate.stores.end(), flag); });
    unit.kernels.push_back(KernelLowering(candidate, graph, catalog, unit.checks).lower());
    demand_registers(unit.kernels.front(), candidate.work, resident_blocks);
    for (const List& list : unit.kernels.front().lists) {
        (list.written ? unit.outputs : unit.inputs).push_back(interface_list(graph.program(), list.datum, list.written, list.updated));
    }
    return unit;
}

} // namespace fusec::codegen
