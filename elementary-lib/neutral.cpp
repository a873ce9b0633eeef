// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/neutral.hpp"

#include <array>

namespace fusec::library {

std::string_view name_of(Neutral neutral) {
    static constexpr std::array<std::string_view, 3> names{"zero", "one", "identity"};
    return names.at(static_cast<std::size_t>(neutral));
}

std::vector<double> components_of(Neutral neutral, const Shape& shape) {
    const auto size = static_cast<std::size_t>(shape.size());
    switch (neutral) {
    case Neutral::zero:
        return std::vector<double>(size, 0);
    case Neutral::one:
        return std::vector<double>(size, 1);
    case Neutral::identity:
        break;
    }
    if (shape.form != Form::matrix || shape.rows != shape.columns) {
        return {};
    }
    std::vector<double> components(size, 0);
    for (std::size_t i = 0; i < size; i += static_cast<std::size_t>(shape.columns) + 1) {
        components[i] = 1;
    }
    return components;
}

bool is_value(Neutral neutral, const Shape& shape, const std::vector<double>& components) {
    const std::vector<double> wanted = components_of(neutral, shape);
    return !wanted.empty() && wanted == components; // 0 == -0
}

} // namespace fusec::library
