// SPDX-License-Identifier: Apache-2.0
#include "frontend/units.hpp"

#include <algorithm>

namespace fusec::frontend {

Units::Units(const CheckedProgram& program, const library::Catalog& catalog)
    : program_(program),
      depth_(program.calls.size(), 0),
      steps_(program.calls.size(), 0),
      users_(program.data.size()),
      condensed_(program.calls.size(), false) {
    std::map<FunctionId, bool> may_be_step;
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        const FunctionId id = program.calls[i].instance.function;
        const library::Function& function = catalog.function(id);
        maps_.push_back(std::get_if<library::ComponentMap>(&function.reference));
        const auto [known, inserted] = may_be_step.try_emplace(id, false);
        if (inserted) {
            known->second = id.index() < catalog.library_size() && library::may_be_step(function);
            entry_wise_functions_.emplace(id, library::entry_wise(function, catalog));
        }
        scalar_.push_back(known->second);
        const std::optional<library::EntryWise>& entry_wise = entry_wise_functions_.at(id);
        entry_wise_.push_back(entry_wise ? &*entry_wise : nullptr);
        roots_.emplace_back(i);
        for (const DataId operand : program.calls[i].operands) {
            std::vector<CallId>& users = users_[operand.index()];
            if (users.empty() || users.back() != CallId(i)) {
                users.emplace_back(i);
            }
        }
    }
    for (std::size_t i = program.calls.size(); i-- > 0;) { // users are later calls: their roots are known
        if (scalar_[i]) {
            find_root(CallId(i));
        } else if (entry_wise_[i] != nullptr) {
            find_root_of_entry_wise(CallId(i));
        }
    }
    find_condensed();
}

/// True if the user is part of a unit, or may be the root of one.
bool Units::is_inside(CallId user) const {
    return is_scalar(user) || map_of(user) != nullptr || entry_wise_of(user) != nullptr;
}

/// Makes the call, whose users are known, part of a unit unless that would be too deep or too large, or of two blocks.
bool Units::join(CallId call, CallId root) {
    if (program_.call(call).block != program_.call(root).block) {
        return false;
    }
    int below = 0;
    for (const CallId user : users_[program_.call(call).result.index()]) {
        below = std::max(below, depth_[user.index()]);
    }
    const library::EntryWise* entries = entry_wise_[call.index()];
    const std::size_t more =
        entries == nullptr ? 1 : entries->steps.size() * static_cast<std::size_t>(program_.call(call).instance.result.shape.components());
    const int deeper = entries == nullptr ? 1 : static_cast<int>(entries->steps.size());
    if (below + deeper > deepest_unit || steps_[root.index()] + more > largest_unit) {
        return false;
    }
    roots_[call.index()] = root;
    depth_[call.index()] = below + deeper;
    steps_[root.index()] += more;
    return true;
}

void Units::find_root(CallId call) {
    const DataId result = program_.call(call).result;
    const std::vector<CallId>& users = users_[result.index()];
    if (program_.datum(result).output || users.empty() ||
        !std::all_of(users.begin(), users.end(), [&](CallId user) { return is_inside(user); })) {
        return;
    }
    const CallId first = root_of(users.front());
    if (std::all_of(users.begin(), users.end(), [&](CallId user) { return root_of(user) == first; })) {
        join(call, first);
        return;
    }
    for (const CallId assembly : users) {
        if (map_of(assembly) == nullptr) {
            continue;
        }
        std::vector<CallId> others;
        std::copy_if(
            users.begin(), users.end(), std::back_inserter(others), [&](CallId user) { return root_of(user) != root_of(assembly); });
        if (std::none_of(others.begin(), others.end(), [&](CallId user) { return reaches(user, assembly); }) && join(call, assembly)) {
            read_from_[result] = *place_in(assembly, result);
            std::vector<CallId>& readers = readers_[assembly];
            readers.insert(readers.end(), others.begin(), others.end());
            return;
        }
    }
}

/// Such a call is part of an assembly only: by itself it is better than its components.
void Units::find_root_of_entry_wise(CallId call) {
    const DataId result = program_.call(call).result;
    const std::vector<CallId>& users = users_[result.index()];
    if (program_.datum(result).output || users.empty()) {
        return;
    }
    const CallId first = root_of(users.front());
    const auto belongs = [&](CallId user) {
        return root_of(user) == first && map_of(first) != nullptr && (user == first || entry_wise_of(user) != nullptr);
    };
    if (std::all_of(users.begin(), users.end(), belongs)) {
        join(call, first);
    }
}

/// The first component of an assembly that is the scalar.
std::optional<Units::Component> Units::place_in(CallId assembly, DataId scalar) const {
    const Call& call = program_.call(assembly);
    const std::vector<library::ComponentSource>& sources = map_of(assembly)->sources;
    const auto found = std::find_if(sources.begin(), sources.end(), [&](const library::ComponentSource& source) {
        return source.operand != library::ComponentSource::zero && call.operands[static_cast<std::size_t>(source.operand)] == scalar;
    });
    return found == sources.end() ? std::nullopt : std::optional(Component{call.result, static_cast<int>(found - sources.begin())});
}

/// Along uses, those of components read from assemblies included.
bool Units::reaches(CallId from, CallId to) const {
    std::vector<CallId> open{from};
    std::vector<bool> met(program_.calls.size(), false);
    while (!open.empty()) {
        const CallId call = open.back();
        open.pop_back();
        if (call == to) {
            return true;
        }
        if (met[call.index()]) {
            continue;
        }
        met[call.index()] = true;
        const std::vector<CallId>& users = users_[program_.call(call).result.index()];
        open.insert(open.end(), users.begin(), users.end());
        if (const auto readers = readers_.find(call); readers != readers_.end()) {
            open.insert(open.end(), readers->second.begin(), readers->second.end());
        }
    }
    return false;
}

std::optional<Units::Component> Units::source(Component component, CallId root) const {
    for (;;) {
        // What a function gives above the diagonal of a packed result is dropped.
        component.component = program_.datum(component.datum).type.shape.stored(component.component);
        const std::optional<CallId> producer = program_.datum(component.datum).producer;
        if (!producer) {
            return component;
        }
        if (const library::ComponentMap* map = map_of(*producer)) {
            const library::ComponentSource& from = map->sources[static_cast<std::size_t>(component.component)];
            if (from.operand == library::ComponentSource::zero) {
                return std::nullopt;
            }
            component = {program_.call(*producer).operands[static_cast<std::size_t>(from.operand)], from.component};
            continue;
        }
        const auto elsewhere = read_from_.find(component.datum);
        return elsewhere != read_from_.end() && root_of(*producer) != root ? elsewhere->second : component;
    }
}

bool Units::any_condensed() const {
    return std::find(condensed_.begin(), condensed_.end(), true) != condensed_.end();
}

/// Units that read or make components of vectors and matrices.
void Units::find_condensed() {
    for (std::size_t i = 0; i < program_.calls.size(); ++i) {
        const CallId root = roots_[i];
        if (entry_wise_of(CallId(i)) != nullptr) {
            condensed_[root.index()] = true;
            continue;
        }
        if (!scalar_[i]) {
            // An assembly of scalars that are made in another value, or of slices.
            const std::vector<DataId>& operands = program_.calls[i].operands;
            const auto moved = [&](DataId operand) {
                const std::optional<CallId> producer = program_.datum(operand).producer;
                const auto elsewhere = read_from_.find(operand);
                return (producer && map_of(*producer) != nullptr) ||
                    (elsewhere != read_from_.end() && elsewhere->second.datum != program_.calls[i].result);
            };
            condensed_[i] = condensed_[i] || (maps_[i] != nullptr && std::any_of(operands.begin(), operands.end(), moved));
            continue;
        }
        const auto of_larger = [&](DataId operand) {
            const std::optional<Component> from = source({operand, 0}, root);
            return !from || program_.datum(from->datum).type.shape.form != Form::scalar;
        };
        const std::vector<DataId>& operands = program_.calls[i].operands;
        if (map_of(root) != nullptr || std::any_of(operands.begin(), operands.end(), of_larger)) {
            condensed_[root.index()] = true;
        }
    }
}

} // namespace fusec::frontend
