// SPDX-License-Identifier: Apache-2.0
// A value that is put together from parts: `K[0:3, 3:6] = B;`.
#pragma once

#include "elementary-lib/type.hpp"
#include "support/ids.hpp"
#include "support/source.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace fusec::frontend {

/// A component of a datum; without one, the number 0.
struct Component {
    std::optional<DataId> datum;
    int component = 0; ///< row-major
    bool operator==(const Component&) const = default;
};

/// What has been assigned so far.
struct Assembly {
    Type type;
    std::vector<std::optional<Component>> components; ///< row-major; nothing: not assigned; of a packed matrix, the stored ones alone
    std::vector<std::size_t> place_of;                ///< of assigned components, an index of `places`
    std::vector<Span> places;                         ///< where parts were assigned
    std::size_t missing = 0;                          ///< components
    std::size_t named = 0;                            ///< calls inside its parts: `K.1`, `K.2`, ...
    bool read = false;                                ///< a slice of it was used
    bool replaces = false;                            ///< begun with the old value of an updated list, at place 0
    bool wrong = false;                               ///< a part was in error or a gap was reported; uses are then silent

    explicit Assembly(const Type& whole)
        : type(whole),
          components(static_cast<std::size_t>(whole.shape.components())),
          place_of(components.size()),
          missing(static_cast<std::size_t>(whole.shape.size())) {}

    /// What the component is so far.
    const std::optional<Component>& at(int component) const { return components[static_cast<std::size_t>(type.shape.stored(component))]; }
    /// Whether the component is that of an updated list's old value, which a part may replace once.
    bool is_old(int component) const {
        return replaces && at(component) && place_of[static_cast<std::size_t>(type.shape.stored(component))] == 0;
    }
    /// A component that has no value. Pre: one is missing.
    int gap() const {
        int component = 0;
        while (at(component)) {
            ++component;
        }
        return component;
    }

    void assign(int component, const Component& source, std::size_t place) {
        const auto i = static_cast<std::size_t>(component);
        missing -= components[i] ? 0U : 1U;
        components[i] = source;
        place_of[i] = place;
    }
};

} // namespace fusec::frontend
