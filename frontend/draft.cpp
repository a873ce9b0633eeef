// SPDX-License-Identifier: Apache-2.0
#include "frontend/draft.hpp"

#include <algorithm>
#include <bit>

namespace fusec::frontend {

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
    std::vector<std::uint64_t> bits;
    bits.reserve(values.size());
    for (const double value : values) {
        bits.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return bits;
}

bool is_symmetric(const Shape& shape, const std::vector<double>& components) {
    if (shape.form != Form::matrix || shape.rows != shape.columns || components.empty()) {
        return false;
    }
    const auto at = [&](int row, int column) { return components.at(static_cast<std::size_t>(row * shape.columns + column)); };
    for (int row = 0; row < shape.rows; ++row) {
        for (int column = 0; column < row; ++column) {
            if (at(row, column) != at(column, row)) {
                return false;
            }
        }
    }
    return true;
}

std::size_t OwnFunctions::number(const library::ComponentMap& map) {
    const auto [entry, inserted] = maps_.try_emplace({map.operands, map.result, map.sources}, all_.size());
    if (inserted) {
        all_.emplace_back(map);
    }
    return entry->second;
}

std::size_t OwnFunctions::number(const library::Conversion& conversion) {
    const auto [entry, inserted] = conversions_.try_emplace({conversion.shape, conversion.to}, all_.size());
    if (inserted) {
        all_.emplace_back(conversion);
    }
    return entry->second;
}

library::Function OwnFunctions::function(std::size_t number, const std::string& name) const {
    if (const auto* conversion = std::get_if<library::Conversion>(&all_.at(number))) {
        internal_check(name.empty(), "two functions have the name of a conversion");
        return library::converting_function(*conversion);
    }
    return library::moving_function(*map(number), name);
}

void Draft::put_behind_operands(CallId call) {
    std::optional<std::uint32_t> last;
    for (const DataId operand : calls.at(call.index()).operands) {
        if (const std::optional<CallId> producer = datum(operand).producer) {
            last = std::max(last.value_or(0), calls.at(producer->index()).block);
        }
    }
    calls[call.index()].block = last.value_or(calls[call.index()].block);
}

DataId Draft::shared_constant(Datum datum, NameKind name_kind, std::optional<DataId> owner) {
    const auto [entry, inserted] = shared_.try_emplace({owner, datum.type.precision, datum.type.shape, bits_of(datum.values)});
    if (inserted) {
        entry->second = add(std::move(datum), name_kind);
    }
    return entry->second;
}

} // namespace fusec::frontend
