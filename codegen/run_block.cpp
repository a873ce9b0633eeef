// SPDX-License-Identifier: Apache-2.0
#include "codegen/block_machine.hpp"
#include "codegen/kernel_checks.hpp"

#include <algorithm>

namespace fusec::codegen {

namespace {

/// Runs one block with `count` elements.
class BlockRun {
public:
    BlockRun(const Kernel& kernel, int count, bool aligned, KernelFindings& findings)
        : kernel_(kernel), count_(count), aligned_(aligned), findings_(findings), machine_(kernel) {
        for (const List& list : kernel.lists) {
            const auto old = std::find_if(kernel.lists.begin(), kernel.lists.end(),
                [&](const List& other) { return list.updated && other.updated && !other.written && other.name == list.name; });
            old_of_.push_back(old == kernel.lists.end() ? not_updated : static_cast<std::size_t>(old - kernel.lists.begin()));
            stored_.emplace_back(list.written ? static_cast<std::size_t>(count * list.type.shape.size()) : 0);
        }
    }

    void run() {
        for (step_ = 0; step_ < kernel_.steps.size(); ++step_) {
            machine_.start_step(static_cast<int>(step_));
            std::visit([this](const auto& step) { execute(step); }, kernel_.steps[step_]);
        }
        for (std::size_t i = 0; i < kernel_.lists.size(); ++i) {
            const auto missing = std::find(stored_[i].begin(), stored_[i].end(), 0);
            if (missing != stored_[i].end()) {
                const int at = static_cast<int>(missing - stored_[i].begin());
                findings_.add(kernel_.lists[i].name, component_name(kernel_.lists[i].type, at) + " is never stored" + circumstances());
            }
        }
        if (machine_.copies_under_way()) {
            findings_.add("", "an asynchronous copy is never waited for");
        }
    }

private:
    static std::string component_name(const Type& type, int flat) {
        return "component " + std::to_string(flat % type.shape.size()) + " of element " + std::to_string(flat / type.shape.size());
    }
    std::string circumstances() const {
        return " (" + std::to_string(count_) + " of " + std::to_string(kernel_.tile_elements) + " elements" +
            (aligned_ ? "" : ", unaligned") + ")";
    }
    void report(const std::string& datum, const Type& type, int flat, int thread, const std::string& defect) {
        findings_.add_step(step_, datum, defect, " " + component_name(type, flat) + ", thread " + std::to_string(thread) + circumstances());
    }

    void access_tile(std::size_t index, int element, int component, int thread, bool write, bool async, int together) {
        const Tile& tile = kernel_.tiles[index];
        const int size = bytes_of(tile.type.precision);
        const std::int64_t byte = tile_word(tile, element, component) * size;
        const int flat = element * tile.type.shape.size() + component;
        if (byte < 0 || byte + size > tile.bytes || tile.offset + byte + size > kernel_.shared_bytes || tile.offset < 0) {
            report(
                tile.name, tile.type, flat, thread, "outside its tile: byte " + std::to_string(byte) + " of " + std::to_string(tile.bytes));
            return;
        }
        const int address = tile.offset + static_cast<int>(byte);
        const std::string conflict =
            write ? machine_.write(index, flat, address, thread, async, together) : machine_.read(index, flat, address, thread, together);
        if (!conflict.empty()) {
            report(tile.name, tile.type, flat, thread, conflict);
        }
    }

    void store_word(std::size_t list, int flat, int thread) {
        if (!kernel_.lists[list].written) {
            report(kernel_.lists[list].name, kernel_.lists[list].type, flat, thread, "stored to a list that is not written");
        } else if (flat < 0 || flat >= static_cast<int>(stored_[list].size())) {
            report(kernel_.lists[list].name, kernel_.lists[list].type, flat, thread, "stored outside the list");
        } else if (stored_[list][static_cast<std::size_t>(flat)]++ != 0) {
            report(kernel_.lists[list].name, kernel_.lists[list].type, flat, thread, "stored twice");
        } else if (old_of_[list] != not_updated) {
            if (const std::string conflict = machine_.write_new(old_of_[list], flat, thread); !conflict.empty()) {
                report(kernel_.lists[list].name, kernel_.lists[list].type, flat, thread, conflict);
            }
        }
    }

    void read_list(std::size_t index, int element, int component, int thread, bool async) {
        const List& list = kernel_.lists[index];
        const int flat = element * list.type.shape.size() + component;
        if (list.written) {
            report(list.name, list.type, flat, thread, "an output is read");
        } else if (!list.uniform && element >= count_) {
            report(list.name, list.type, flat, thread, "read outside the list");
        } else if (old_of_[index] != not_updated) {
            if (const std::string conflict = machine_.read_old(index, flat, thread, async); !conflict.empty()) {
                report(list.name, list.type, flat, thread, conflict);
            }
        }
    }

    /// The accesses of a cooperative copy: (thread, flat component), as the runtime's copies deal them out.
    template <class Visit>
    void for_each_copied(const Type& type, int access_bytes, Visit visit) {
        const int component = bytes_of(type.precision);
        const int width = aligned_ ? std::max(1, access_bytes / component) : 1;
        const int words = count_ * type.shape.size();
        for (int i = 0; i < words / width * width; ++i) {
            visit(i / width % kernel_.threads, i);
        }
        for (int i = words / width * width; i < words; ++i) {
            visit(i - words / width * width, i);
        }
    }

    /// Copies move bytes: a list that is stored otherwise goes a component at a time, which is converted on the way.
    void check_conversion(const List& list, fusion::Staging staging, int access_bytes) {
        const bool whole =
            staging == fusion::Staging::vectors || staging == fusion::Staging::async || access_bytes != bytes_of(list.type.precision);
        if (list.storage && whole) {
            findings_.add_step(step_, list.name, "copied as it is, but its components are `" + std::string(list.c_type()) + "`");
        }
    }

    /// 16-byte accesses: the list's part of the tile starts at a multiple, and no access is torn apart by padding.
    void check_wide(const Tile& tile, const List& list, int access_bytes) {
        const int component = bytes_of(list.type.precision);
        const int width = access_bytes / component;
        if (access_bytes == component) {
            return;
        }
        if (access_bytes != 16 || kernel_.tile_elements * list.type.bytes() % access_bytes != 0) {
            findings_.add_step(step_, list.name, "blocks start at no multiple of " + std::to_string(access_bytes) + " bytes");
            return;
        }
        const int words = list.type.shape.size();
        for (int i = 0; i + width <= count_ * words; i += width) {
            const std::int64_t start = tile_word(tile, i / words, i % words);
            const int last = i + width - 1;
            if (start * component % access_bytes != 0 || tile_word(tile, last / words, last % words) != start + width - 1) {
                report(tile.name, tile.type, i, i / width % kernel_.threads, "a 16-byte access that is not aligned, or broken by padding");
                return;
            }
        }
    }

    void check_same_shape(const Type& a, const Type& b, const std::string& name) {
        if (!(a == b)) {
            findings_.add_step(step_, name, "copied as `" + to_string(a) + "` and `" + to_string(b) + "`");
        }
    }

    void execute(const LoadTile& step) {
        const List& list = kernel_.lists[step.list];
        const Tile& tile = kernel_.tiles[step.tile];
        check_same_shape(list.type, tile.type, list.name);
        check_conversion(list, step.staging, step.access_bytes);
        check_wide(tile, list, step.access_bytes);
        const int words = tile.type.shape.size();
        for_each_copied(tile.type, step.access_bytes, [&](int thread, int i) {
            read_list(step.list, i / words, i % words, thread, step.staging == fusion::Staging::async);
            access_tile(step.tile, i / words, i % words, thread, true, step.staging == fusion::Staging::async, -1);
        });
    }

    void execute(const StoreTile& step) {
        const List& list = kernel_.lists[step.list];
        const Tile& tile = kernel_.tiles[step.tile];
        check_same_shape(list.type, tile.type, list.name);
        check_conversion(list, step.staging, step.access_bytes);
        check_wide(tile, list, step.access_bytes);
        const int words = tile.type.shape.size();
        for_each_copied(tile.type, step.access_bytes, [&](int thread, int i) {
            access_tile(step.tile, i / words, i % words, thread, false, false, -1);
            store_word(step.list, i, thread);
        });
    }

    void check_owner_width(const Value& value, const List& list, int access_bytes) {
        if (access_bytes > bytes_of(value.type.precision) &&
            (value.touch != library::Touch::all || value.type.bytes() % access_bytes != 0)) {
            findings_.add_step(step_, list.name, "elements are no whole number of " + std::to_string(access_bytes) + "-byte accesses");
        }
    }

    /// Calls visit(thread, element, component) for what each thread holds of a value in this block.
    template <class Visit>
    void for_each_owned(const Value& value, Visit visit) {
        for (int thread = 0; thread < kernel_.mapped_threads(); ++thread) {
            const int element = thread / value.threads;
            if (element < kernel_.tile_elements && element < count_) {
                for (const int component : touched_components(value.type.shape, value.touch, value.threads, thread % value.threads)) {
                    visit(thread, element, component);
                }
            }
        }
    }

    void execute(const LoadValue& step) {
        const List& list = kernel_.lists[step.list];
        const Value& value = kernel_.values[step.value];
        check_same_shape(list.type, value.type, list.name);
        check_conversion(list, step.staging, step.access_bytes);
        check_owner_width(value, list, step.access_bytes);
        if (list.uniform) {
            for (int thread = 0; thread < kernel_.mapped_threads(); ++thread) {
                for (int component = 0; component < value.type.shape.size(); ++component) {
                    machine_.define(step.value, thread, BlockMachine::any_element, component);
                }
            }
            return;
        }
        for_each_owned(value, [&](int thread, int element, int component) {
            read_list(step.list, element, component, thread, false);
            machine_.define(step.value, thread, element, component);
        });
    }

    void execute(const StoreValue& step) {
        const Value& value = kernel_.values[step.value];
        check_same_shape(kernel_.lists[step.list].type, value.type, kernel_.lists[step.list].name);
        check_conversion(kernel_.lists[step.list], step.staging, step.access_bytes);
        check_owner_width(value, kernel_.lists[step.list], step.access_bytes);
        for_each_owned(value, [&](int thread, int element, int component) {
            if (step.leader && thread % value.threads != 0) {
                return;
            }
            const std::string defect = machine_.use(step.value, thread, element, component);
            const int flat = element * value.type.shape.size() + component;
            if (!defect.empty()) {
                report(value.name, value.type, flat, thread, defect);
            }
            store_word(step.list, flat, thread);
        });
    }

    /// The flag is whole in the one thread of each element; an element without a report would never be told.
    void execute(const Report& step) {
        const Value& value = kernel_.values[step.value];
        if (value.type.shape.size() != 1 || value.threads != 1 || value.derived) {
            findings_.add_step(step_, value.name, "reported, but no scalar of one thread per element");
            return;
        }
        int reported = 0;
        for_each_owned(value, [&](int thread, int element, int component) {
            if (const std::string defect = machine_.use(step.value, thread, element, component); !defect.empty()) {
                report(value.name, value.type, element, thread, defect);
            }
            ++reported;
        });
        if (reported != count_) {
            findings_.add_step(step_, value.name, "reported for " + std::to_string(reported) + " elements" + circumstances());
        }
    }

    /// By every thread of the block, whatever it works on: nothing that belongs to an element can be read.
    void execute(const Derive& step) {
        const Place& made = step.result.place;
        if (made.kind != Place::Kind::value || !kernel_.values[made.index].derived) {
            findings_.add_step(step_, result_name(made), "derived for all elements, and not held by every thread");
            return;
        }
        for (int thread = 0; thread < kernel_.mapped_threads(); ++thread) {
            for (const Operand& operand : step.operands) {
                read_for_all(operand.place, thread);
            }
            const Type& type = kernel_.values[made.index].type;
            for (int component = 0; component < type.shape.size(); ++component) {
                if (machine_.use(made.index, thread, BlockMachine::any_element, component).empty()) {
                    report(kernel_.values[made.index].name, type, component, thread, "derived twice");
                }
                machine_.define(made.index, thread, BlockMachine::any_element, component);
            }
        }
    }

    void read_for_all(const Place& place, int thread) {
        switch (place.kind) {
        case Place::Kind::value: {
            const Value& value = kernel_.values[place.index];
            for (int component = 0; component < value.type.shape.size(); ++component) {
                const std::string defect = machine_.use(place.index, thread, BlockMachine::any_element, component);
                if (!defect.empty()) {
                    report(value.name, value.type, component, thread, defect);
                }
            }
            break;
        }
        case Place::Kind::list:
            if (!kernel_.lists[place.index].uniform) {
                findings_.add_step(step_, kernel_.lists[place.index].name, "read for all elements at once");
            }
            break;
        case Place::Kind::tile:
            findings_.add_step(step_, kernel_.tiles[place.index].name, "read for all elements at once");
            break;
        case Place::Kind::table:
            if (kernel_.tables[place.index].values.size() < static_cast<std::size_t>(kernel_.tables[place.index].type.shape.size())) {
                findings_.add_step(step_, kernel_.tables[place.index].name, "read outside the table");
            }
            break;
        }
    }

    void execute(const AsyncWait&) { machine_.wait(); }
    void execute(const BlockBarrier&) { machine_.block_barrier(); }
    void execute(const WarpBarrier&) { machine_.warp_barrier(); }

    void execute(const Compute& step) {
        if (kernel_.tile_elements * step.threads > kernel_.mapped_threads()) {
            findings_.add_step(step_, result_name(step.result.place),
                std::to_string(kernel_.tile_elements * step.threads) + " threads needed, the block has " +
                    std::to_string(kernel_.mapped_threads()));
            return;
        }
        if (step.exchanges > 0 && (step.threads == 1 || BlockMachine::warp % step.threads != 0)) {
            findings_.add_step(step_, result_name(step.result.place),
                std::to_string(step.threads) + " threads exchange values: only several that divide a warp can");
        }
        if (step.leader && step.result.place.kind != Place::Kind::tile) {
            findings_.add_step(step_, result_name(step.result.place), "one thread writes it, but it is no tile");
        }
        // All reads first: a write that meets another thread's read of the same step is unordered whichever comes first.
        for_each_active(step, [&](int thread, int element, int lane) {
            for (const Operand& operand : step.operands) {
                read_operand(step, operand, thread, element, lane);
            }
        });
        for_each_active(step, [&](int thread, int element, int lane) { write_result(step, thread, element, lane); });
    }

    template <class Visit>
    void for_each_active(const Compute& step, Visit visit) {
        for (int thread = 0; thread < kernel_.tile_elements * step.threads; ++thread) {
            const int element = thread / step.threads;
            if (!step.guarded || element < count_) {
                visit(thread, element, thread % step.threads);
            }
        }
    }

    /// Threads of an instance order themselves within the step only if the routine does so and they share a warp.
    int together(const Compute& step, int element) const {
        return step.synchronises && BlockMachine::warp % step.threads == 0 ? element : -1;
    }

    const std::string& result_name(const Place& place) const {
        switch (place.kind) {
        case Place::Kind::value:
            return kernel_.values[place.index].name;
        case Place::Kind::tile:
            return kernel_.tiles[place.index].name;
        case Place::Kind::list:
            return kernel_.lists[place.index].name;
        case Place::Kind::table:
            return kernel_.tables[place.index].name;
        }
        return kernel_.name;
    }
    std::vector<int> components(const Compute& step, const Operand& operand, int lane) {
        const Shape& shape = type_of(kernel_, operand.place).shape;
        std::vector<int> touched = touched_components(shape, operand.touch, step.threads, lane);
        const bool dropped = shape.packed && operand.touch == library::Touch::entry; // above the diagonal
        if (touched.empty() && !dropped) {
            findings_.add_step(step_, result_name(operand.place), "a thread that touches nothing of it");
        }
        return touched;
    }

    void read_operand(const Compute& step, const Operand& operand, int thread, int element, int lane) {
        for (const int component : components(step, operand, lane)) {
            switch (operand.place.kind) {
            case Place::Kind::value: {
                const Value& value = kernel_.values[operand.place.index];
                const std::string defect = machine_.use(operand.place.index, thread, element, component);
                if (!defect.empty()) {
                    report(value.name, value.type, element * value.type.shape.size() + component, thread, defect);
                }
                break;
            }
            case Place::Kind::tile:
                access_tile(operand.place.index, element, component, thread, false, false, together(step, element));
                break;
            case Place::Kind::list:
                read_list(operand.place.index, element, component, thread, false);
                break;
            case Place::Kind::table:
                if (component >= static_cast<int>(kernel_.tables[operand.place.index].values.size())) {
                    findings_.add_step(step_, kernel_.tables[operand.place.index].name, "read outside the table");
                }
                break;
            }
        }
    }

    void write_result(const Compute& step, int thread, int element, int lane) {
        const Place& place = step.result.place;
        if (place.kind == Place::Kind::list || place.kind == Place::Kind::table) {
            findings_.add_step(step_, result_name(place), "a result in a place that is only read");
            return;
        }
        if (step.leader && lane != 0) {
            return;
        }
        for (const int component : components(step, step.result, lane)) {
            if (place.kind == Place::Kind::tile) {
                access_tile(place.index, element, component, thread, true, false, together(step, element));
                continue;
            }
            const Value& value = kernel_.values[place.index];
            if (value.derived) {
                report(value.name, value.type, component, thread, "computed for one element, and held for all");
                continue;
            }
            const std::vector<int> held = touched_components(value.type.shape, value.touch, value.threads, thread % value.threads);
            if (value.threads != step.threads || std::find(held.begin(), held.end(), component) == held.end()) {
                report(value.name, value.type, element * value.type.shape.size() + component, thread,
                    "computed by a thread that has no register for it");
            } else {
                machine_.define(place.index, thread, element, component);
            }
        }
    }

    const Kernel& kernel_;
    int count_;
    bool aligned_;
    KernelFindings& findings_;
    BlockMachine machine_;
    std::size_t step_ = 0;
    static constexpr auto not_updated = static_cast<std::size_t>(-1);
    std::vector<std::size_t> old_of_;      ///< per list that the kernel loads and stores, of either value: the list of the old one
    std::vector<std::vector<int>> stored_; ///< per list: times each component was stored
};

} // namespace

void run_block(const Kernel& kernel, int count, bool aligned, KernelFindings& findings) {
    BlockRun(kernel, count, aligned, findings).run();
}

} // namespace fusec::codegen
