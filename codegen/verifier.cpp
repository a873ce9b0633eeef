// SPDX-License-Identifier: Apache-2.0
#include "codegen/verifier.hpp"

#include "codegen/kernel_checks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fusec::codegen {

namespace {

/// How the kernels of a unit fit together: what each reads has been written, by one kernel, and is still there.
class UnitCheck {
public:
    explicit UnitCheck(const Unit& unit) : unit_(unit) {
        for (const auto* lists : {&unit.inputs, &unit.outputs}) {
            for (const List& list : *lists) {
                lists_.emplace(list.datum, &list);
            }
        }
    }

    std::vector<std::string> run() {
        for (const List& list : unit_.inputs) {
            available_.insert(list.datum);
            declare(list.name);
        }
        for (const List& list : unit_.outputs) {
            outputs_.insert(list.datum);
            const auto old = std::find_if(
                unit_.inputs.begin(), unit_.inputs.end(), [&](const List& input) { return input.updated && input.name == list.name; });
            if (!list.updated) {
                declare(list.name);
            } else if (old == unit_.inputs.end() || old->type != list.type || old->storage != list.storage ||
                !old_values_.emplace(list.datum, old->datum).second) {
                add("updated list `" + list.name + "` has no old value");
            }
        }
        for (const WorkspaceList& list : unit_.workspace) {
            if (list.slot >= unit_.slots.size() || unit_.slots[list.slot] < list.type.bytes()) {
                add("`" + list.name + "` does not fit its slot of the workspace");
            }
            slot_of_.emplace(list.datum, list.slot);
        }
        std::uint32_t block = 0;
        for (const Kernel& kernel : unit_.kernels) {
            if (!unit_.blocks.empty() && (kernel.block < block || kernel.block >= unit_.blocks.size())) {
                add("kernel " + kernel.name + " is launched behind one of a later block");
            }
            block = kernel.block;
            check_kernel(kernel);
        }
        check_reports();
        for (const List& list : unit_.outputs) {
            if (available_.count(list.datum) == 0) {
                add("output `" + list.name + "` is never stored");
            }
        }
        return std::move(found_);
    }

private:
    void add(const std::string& text) { found_.push_back("unit " + unit_.name + ", " + text); }
    void declare(const std::string& name) {
        if (!names_.insert(name).second) {
            add("two lists are named `" + name + "`");
        }
    }

    /// Each check is reported by one step of one kernel, with its own number.
    void check_reports() {
        std::vector<int> times(unit_.checks.size(), 0);
        for (const Kernel& kernel : unit_.kernels) {
            for (const Step& step : kernel.steps) {
                const auto* report = std::get_if<Report>(&step);
                if (report == nullptr) {
                    continue;
                }
                const bool exists = report->check < times.size() && report->value < kernel.values.size();
                if (!exists || kernel.values[report->value].datum != unit_.checks[report->check].flag) {
                    add("kernel " + kernel.name + " reports what is not the flag of check " + std::to_string(report->check));
                } else {
                    ++times[report->check];
                }
            }
        }
        for (std::size_t check = 0; check < times.size(); ++check) {
            if (times[check] != 1) {
                add("check " + std::to_string(check) + " is reported by " + std::to_string(times[check]) + " steps");
            }
        }
    }

    void check_kernel(const Kernel& kernel) {
        std::set<std::size_t> read_slots;
        for (const List& list : kernel.lists) {
            const auto given = lists_.find(list.datum);
            if (list.storage != (given == lists_.end() ? Storage() : given->second->storage)) {
                add("kernel " + kernel.name + " takes `" + list.name + "` for " + to_string(list.type, list.storage));
            }
            if (list.written) {
                continue;
            }
            const auto slot = slot_of_.find(list.datum);
            if (available_.count(list.datum) == 0) {
                add("kernel " + kernel.name + " reads `" + list.name + "`, which no kernel before it stores");
            } else if (slot != slot_of_.end()) {
                read_slots.insert(slot->second);
                if (holds_.at(slot->second) != list.datum) {
                    add("kernel " + kernel.name + " reads `" + list.name + "`, which has been overwritten in the workspace");
                }
            }
        }
        for (const List& list : kernel.lists) {
            if (!list.written) {
                continue;
            }
            const auto slot = slot_of_.find(list.datum);
            if (slot == slot_of_.end() && outputs_.count(list.datum) == 0) {
                add("kernel " + kernel.name + " stores `" + list.name + "`, which is neither an output nor in the workspace");
            }
            if (const auto old = old_values_.find(list.datum); old != old_values_.end()) {
                available_.erase(old->second);
                const bool loads =
                    std::any_of(kernel.lists.begin(), kernel.lists.end(), [&](const List& other) { return other.datum == old->second; });
                if (loads != list.updated) {
                    add("kernel " + kernel.name + " stores `" + list.name + "` and does not tell whether it loads the old value");
                }
            }
            if (!available_.insert(list.datum).second) {
                add("kernel " + kernel.name + " stores `" + list.name + "`, which is there already");
            }
            if (slot != slot_of_.end()) {
                if (!read_slots.insert(slot->second).second) {
                    add("kernel " + kernel.name + " stores `" + list.name + "` over a slot that it uses");
                }
                holds_[slot->second] = list.datum;
            }
        }
    }

    const Unit& unit_;
    std::vector<std::string> found_;
    std::map<DataId, const List*> lists_; ///< of the interface
    std::set<std::string> names_;
    std::set<DataId> available_, outputs_;
    std::map<DataId, std::size_t> slot_of_;
    std::map<DataId, DataId> old_values_; ///< of updated lists, by new value
    std::map<std::size_t, DataId> holds_; ///< by slot
};

} // namespace

std::vector<std::string> findings(const Kernel& kernel) {
    KernelFindings found(kernel);
    if (indices_exist(kernel, found)) {
        check_declarations(kernel, found);
        const int elements = kernel.tile_elements;
        for (const int count : std::set<int>{1, std::max(1, elements - 1), elements}) {
            run_block(kernel, count, true, found);
            if (kernel.has_wide_access()) {
                run_block(kernel, count, false, found);
            }
        }
    }
    return found.take();
}

std::vector<std::string> findings(const Unit& unit) {
    std::vector<std::string> all = UnitCheck(unit).run();
    for (const Kernel& kernel : unit.kernels) {
        for (std::string& text : findings(kernel)) {
            all.push_back(std::move(text));
        }
    }
    return all;
}

void verify(const Unit& unit) {
    const std::vector<std::string> found = findings(unit);
    if (found.empty()) {
        return;
    }
    std::string text = "kernel IR of " + unit.name + " is unsound: " + std::to_string(found.size()) + " findings";
    for (std::size_t i = 0; i < found.size() && i < 5; ++i) {
        text += "; " + found[i];
    }
    throw InternalError(text);
}

} // namespace fusec::codegen
