// SPDX-License-Identifier: Apache-2.0
#include "frontend/order_updates.hpp"

#include "elementary-lib/component_map.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace fusec::frontend {

namespace {

class Ordering {
public:
    Ordering(const CheckedProgram& program, const library::Catalog& catalog)
        : program_(program), catalog_(catalog), after_(program.calls.size()) {
        for (std::size_t call = 0; call < program.calls.size(); ++call) {
            for (const DataId operand : program.calls[call].operands) {
                if (const std::optional<CallId> producer = program.datum(operand).producer) {
                    after_[producer->index()].push_back(call);
                }
            }
        }
    }

    CheckedProgram run() {
        for (const Update& update : program_.updates) {
            order_readers(program_.inputs[update.input], *program_.datum(program_.outputs[update.output]).producer);
        }
        const std::vector<std::size_t> order = topological_order();
        return kept_.empty() && std::is_sorted(order.begin(), order.end()) ? program_ : rebuilt(order);
    }

private:
    bool reaches(std::size_t from, std::size_t to) const {
        std::vector<bool> seen(after_.size(), false);
        std::vector<std::size_t> open{from};
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            if (at == to) {
                return true;
            }
            for (const std::size_t next : after_[at]) {
                if (!seen[next]) {
                    seen[next] = true;
                    open.push_back(next);
                }
            }
        }
        return false;
    }

    /// Each reader before the call that makes the new value, or reading a copy, as those of later blocks do. A copy waits for nothing, so it
    /// can always be first.
    void order_readers(DataId old, CallId maker) {
        for (std::size_t reader = 0; reader < program_.calls.size(); ++reader) {
            const std::vector<DataId>& operands = program_.calls[reader].operands;
            if (reader == maker.index() || std::find(operands.begin(), operands.end(), old) == operands.end()) {
                continue;
            }
            if (!reaches(maker.index(), reader) && program_.calls[reader].block <= program_.call(maker).block) {
                after_[reader].push_back(maker.index());
                continue;
            }
            const std::size_t copy = copy_of(old, maker);
            after_[copy].push_back(reader);
            copied_reads_.emplace(reader, old);
        }
    }

    /// The number of the call that keeps the old value.
    std::size_t copy_of(DataId old, CallId maker) {
        const auto [entry, inserted] = kept_.try_emplace(old, after_.size());
        if (inserted) {
            after_.push_back({maker.index()});
        }
        return entry->second;
    }

    /// The first call of the program that is ready; a copy stands in front of the first one that waits for it.
    std::vector<std::size_t> topological_order() const {
        std::vector<std::size_t> waits_for(after_.size(), 0), order;
        for (const auto& next : after_) {
            for (const std::size_t call : next) {
                ++waits_for[call];
            }
        }
        std::priority_queue<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, std::size_t>>, std::greater<>> ready;
        const auto push = [&](std::size_t call) {
            const bool copies = call >= program_.calls.size();
            ready.emplace(copies ? 2 * *std::min_element(after_[call].begin(), after_[call].end()) : 2 * call + 1, call);
        };
        for (std::size_t call = 0; call < after_.size(); ++call) {
            if (waits_for[call] == 0) {
                push(call);
            }
        }
        while (!ready.empty()) {
            const std::size_t call = ready.top().second;
            ready.pop();
            order.push_back(call);
            for (const std::size_t next : after_[call]) {
                if (--waits_for[next] == 0) {
                    push(next);
                }
            }
        }
        internal_check(order.size() == after_.size(), "updated lists: calls wait for each other");
        return order;
    }

    /// Data that are given or constant first, then results in the order of their calls.
    CheckedProgram rebuilt(const std::vector<std::size_t>& order) {
        CheckedProgram result = program_;
        if (result.written == nullptr) {
            result.written = std::make_shared<const CheckedProgram>(program_);
        }
        result.data.clear();
        result.calls.clear();
        std::vector<DataId> moved(program_.data.size());
        for (std::size_t i = 0; i < program_.data.size(); ++i) {
            if (program_.data[i].kind != DatumKind::computed) {
                moved[i] = DataId(result.data.size());
                result.data.push_back(program_.data[i]);
            }
        }
        std::map<std::size_t, DataId> copied; // by number of the copying call
        for (const std::size_t number : order) {
            const CallId id(result.calls.size());
            const DataId made(result.data.size());
            if (number >= program_.calls.size()) {
                const DataId old = old_of(number);
                result.calls.push_back(copy_call(result, moved[old.index()], old, made));
                result.calls.back().block = block_of_copy(old);
                result.data.push_back(copy_datum(old, id));
                copied.emplace(number, made);
                continue;
            }
            Call call = program_.calls[number];
            for (DataId& operand : call.operands) {
                operand = copied_reads_.contains({number, operand}) ? copied.at(kept_.at(operand)) : moved[operand.index()];
            }
            moved[call.result.index()] = made;
            result.data.push_back(program_.datum(call.result));
            result.data.back().producer = id;
            call.result = made;
            result.calls.push_back(std::move(call));
        }
        const auto move = [&](std::vector<DataId>& ids) {
            std::transform(ids.begin(), ids.end(), ids.begin(), [&](DataId id) { return moved[id.index()]; });
        };
        move(result.inputs);
        move(result.outputs);
        for (Call& call : result.uniform_calls) {
            move(call.operands);
            call.result = moved[call.result.index()];
        }
        for (auto& [name, datum] : result.steps) {
            datum = moved[datum.index()];
        }
        return result;
    }

    /// That of the call that makes the new value: what reads the copy stands there or further down.
    std::uint32_t block_of_copy(DataId old) const { return program_.call(*program_.datum(*program_.new_value(old)).producer).block; }

    DataId old_of(std::size_t copy) const {
        return std::find_if(kept_.begin(), kept_.end(), [&](const auto& entry) { return entry.second == copy; })->first;
    }

    Datum copy_datum(DataId old, CallId producer) {
        Datum kept = program_.datum(old);
        kept.name += ".kept";
        std::string identifier = kept.identifier + "_kept";
        for (int next = 1; is_taken(identifier); ++next) {
            identifier = kept.identifier + "_kept_" + std::to_string(next);
        }
        kept.identifier = identifier;
        kept.kind = DatumKind::computed;
        kept.producer = producer;
        kept.storage.reset(); // it is no list of the caller's
        return kept;
    }

    bool is_taken(const std::string& identifier) const {
        return identifier == program_.name ||
            std::any_of(program_.data.begin(), program_.data.end(), [&](const Datum& datum) { return datum.identifier == identifier; });
    }

    /// Of the identity map, whose function is the program's own, as those of slices are.
    Call copy_call(CheckedProgram& result, DataId operand, DataId old, DataId made) const {
        const Type& type = program_.datum(old).type;
        const Shape full = type.shape.full();
        library::ComponentMap map{{full}, full, {}};
        for (int component = 0; component < full.components(); ++component) {
            // Above the diagonal of what is packed: dropped.
            map.sources.push_back(
                type.shape.stored(component) == component ? library::ComponentSource{0, component} : library::ComponentSource{});
        }
        library::Function function = library::moving_function(map);
        const auto known = std::find_if(
            result.functions.begin(), result.functions.end(), [&](const library::Function& other) { return other.name == function.name; });
        const auto number = static_cast<std::size_t>(known - result.functions.begin());
        if (known == result.functions.end()) {
            result.functions.push_back(std::move(function));
        }
        return {{FunctionId(catalog_.library_size() + number), {}, false, type}, {operand}, made, program_.datum(old).span, {}};
    }

    const CheckedProgram& program_;
    const library::Catalog& catalog_;
    std::vector<std::vector<std::size_t>> after_;           ///< by call, copies behind those of the program: what waits for it
    std::map<DataId, std::size_t> kept_;                    ///< the copy of an old value
    std::set<std::pair<std::size_t, DataId>> copied_reads_; ///< calls that read a copy in place of this old value
};

} // namespace

CheckedProgram order_updates(const CheckedProgram& program, const library::Catalog& catalog) {
    return program.updates.empty() ? program : Ordering(program, catalog).run();
}

} // namespace fusec::frontend
