// SPDX-License-Identifier: Apache-2.0
#include "fusion/value_numbering.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace fusec::fusion {

std::size_t ValueNumbering::Hash::operator()(const Key& key) const {
    std::size_t hash = 14695981039346656037U; // FNV-1a
    for (const int part : key) {
        hash = (hash ^ static_cast<std::size_t>(part)) * 1099511628211U;
    }
    return hash ^ (hash >> 32U);
}

void ValueNumbering::clear() {
    values_.clear();
    operands_.clear();
    known_.clear();
    first_of_call_.clear();
}

int ValueNumbering::add(const Value& value, const std::vector<int>& operands) {
    values_.push_back(value);
    values_.back().operands = operands_.size();
    operands_.insert(operands_.end(), operands.begin(), operands.end());
    return static_cast<int>(values_.size()) - 1;
}

int ValueNumbering::given() {
    return add({}, {});
}

int ValueNumbering::constant(double value) {
    return constants_.try_emplace(value, -1 - static_cast<int>(constants_.size())).first->second;
}

int ValueNumbering::operation(int call, const ScalarOperation& operation, std::vector<int> operands) {
    first_of_call_.resize(std::max(first_of_call_.size(), static_cast<std::size_t>(call) + 1), values_.size());
    const Value value{call, operation.part, operation.instructions};
    if (operation.function == ScalarOperation::unlike || operands.size() >= std::tuple_size_v<Key>) {
        return add(value, operands);
    }
    if (operation.commutative) {
        std::ranges::sort(operands);
    }
    Key key;
    key.fill(std::numeric_limits<int>::min()); // no value's number
    key[0] = operation.function;
    std::ranges::copy(operands, key.begin() + 1);
    const auto [entry, is_new] = known_.try_emplace(key, 0);
    if (is_new) {
        entry->second = add(value, operands);
    }
    return entry->second;
}

std::span<const int> ValueNumbering::operands_of(std::size_t value) const {
    const std::size_t end = value + 1 < values_.size() ? values_[value + 1].operands : operands_.size();
    return std::span(operands_).subspan(values_[value].operands, end - values_[value].operands);
}

void ValueNumbering::need_operands_of(int call) {
    const auto index = static_cast<std::size_t>(call);
    if (index >= first_of_call_.size()) {
        return;
    }
    const std::size_t end = index + 1 < first_of_call_.size() ? first_of_call_[index + 1] : values_.size();
    for (std::size_t value = end; value-- > first_of_call_[index];) {
        if (values_[value].needed) {
            for (const int operand : operands_of(value)) {
                if (!is_constant(operand)) {
                    values_[static_cast<std::size_t>(operand)].needed = true;
                }
            }
        }
    }
}

std::vector<double> ValueNumbering::instructions(int calls) const {
    struct Uses {
        bool by_sums = true; ///< of its call, and of nothing else
        std::vector<std::size_t> sums;
    };
    std::map<std::size_t, Uses> products; // in the order of their numbers
    std::vector<double> result(static_cast<std::size_t>(calls));
    for (std::size_t i = 0; i < values_.size(); ++i) {
        const Value& value = values_[i];
        if (value.call == no_call || !value.needed) {
            continue;
        }
        result[static_cast<std::size_t>(value.call)] += value.instructions;
        if (value.part == ScalarOperation::Part::product) {
            products.emplace_hint(products.end(), i, Uses{!value.leaves, {}});
        }
        for (const int operand : operands_of(i)) {
            const auto product = is_constant(operand) ? products.end() : products.find(static_cast<std::size_t>(operand));
            if (product != products.end()) {
                const bool sum = value.part == ScalarOperation::Part::sum && value.call == values_[product->first].call;
                product->second.by_sums = product->second.by_sums && sum;
                product->second.sums.push_back(i);
            }
        }
    }
    std::vector<bool> taken(values_.size());
    for (const auto& [product, uses] : products) {
        const bool joins =
            uses.by_sums && !uses.sums.empty() && std::ranges::none_of(uses.sums, [&](std::size_t sum) { return taken[sum]; });
        if (joins) {
            result[static_cast<std::size_t>(values_[product].call)] -= values_[product].instructions;
            for (const std::size_t sum : uses.sums) {
                taken[sum] = true;
            }
        }
    }
    return result;
}

} // namespace fusec::fusion
