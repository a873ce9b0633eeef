// SPDX-License-Identifier: Apache-2.0
#include "fusion/structure_hash.hpp"

#include "fusion/ascending.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>

namespace fusec::fusion {

namespace {

std::uint64_t first_colour(const frontend::Datum& datum, bool made_here) {
    Fnv1a hash;
    hash.add(to_string(datum.type, datum.storage));
    if (datum.flag) {
        return hash.add("flag").value();
    }
    if (made_here) {
        return hash.add("made").value();
    }
    switch (datum.kind) {
    case frontend::DatumKind::input:
    case frontend::DatumKind::computed:
        return hash.add("list").value(); // to the kernel, a list in memory is a list in memory
    case frontend::DatumKind::uniform:
        return hash.add("uniform").value();
    case frontend::DatumKind::derived:
        return hash.add("derived").value();
    case frontend::DatumKind::constant:
        hash.add("constant");
        for (const double value : datum.values) {
            char text[32];
            std::snprintf(text, sizeof text, "%a", value);
            hash.add(text);
        }
        return hash.value();
    }
    throw InternalError("unknown kind of datum");
}

} // namespace

std::string structure_hash(
    const dag::CallGraph& graph, const library::Catalog& catalog, const dag::CallSet& calls, const std::vector<DataId>& stores) {
    // Colour refinement: a datum's colour becomes what it is, how it is made, and who uses it where, as often as there are calls.
    // Derived data are part of the kernel: it computes them.
    std::map<DataId, std::uint64_t> colours;
    std::map<DataId, std::vector<std::pair<const frontend::Call*, std::size_t>>> users;
    std::map<DataId, const frontend::Call*> makers;
    for (const CallId call : calls) {
        makers.emplace(graph.call(call).result, &graph.call(call));
    }
    const std::vector<DataId> derived = graph.derives(calls);
    for (const DataId datum : derived) {
        makers.emplace(datum, &graph.program().derivation(datum));
    }
    for (const auto& [made, call] : makers) {
        for (std::size_t i = 0; i < call->operands.size(); ++i) {
            const DataId operand = call->operands[i];
            const auto producer = graph.datum(operand).producer;
            users[operand].emplace_back(call, i);
            colours.emplace(operand, first_colour(graph.datum(operand), producer && contains(calls, *producer)));
        }
        colours.emplace(made, first_colour(graph.datum(made), graph.datum(made).kind == frontend::DatumKind::computed));
    }
    for (std::size_t round = 0; round < makers.size() + 1; ++round) {
        std::map<DataId, std::uint64_t> next;
        for (const auto& [datum, colour] : colours) {
            Fnv1a hash;
            hash.add(colour).add(contains(stores, datum) ? 1 : 0);
            if (const auto maker = makers.find(datum); maker != makers.end()) {
                const frontend::Call& call = *maker->second;
                hash.add(catalog.function(call.instance.function).name);
                for (const auto& [name, value] : call.instance.shape) {
                    hash.add(name).add(static_cast<std::uint64_t>(value));
                }
                for (const DataId operand : call.operands) {
                    hash.add(colours.at(operand));
                }
            }
            std::vector<std::pair<std::uint64_t, std::size_t>> uses;
            for (const auto& [call, position] : users[datum]) {
                uses.emplace_back(colours.at(call->result), position);
            }
            std::sort(uses.begin(), uses.end());
            for (const auto& [user, position] : uses) {
                hash.add(user).add(position);
            }
            next.emplace(datum, hash.value());
        }
        colours = std::move(next);
    }
    std::vector<std::uint64_t> all;
    for (const auto& [datum, colour] : colours) {
        all.push_back(colour);
    }
    std::sort(all.begin(), all.end());
    Fnv1a hash;
    for (const std::uint64_t colour : all) {
        hash.add(colour);
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.value()));
    return text;
}

} // namespace fusec::fusion
