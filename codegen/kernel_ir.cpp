// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernel_ir.hpp"

#include <algorithm>

namespace fusec::codegen {

using library::Touch;

const char* c_name(IndexType type) {
    return type == IndexType::i32 ? "int" : "size_t";
}

const Type& type_of(const Kernel& kernel, const Place& place) {
    switch (place.kind) {
    case Place::Kind::value:
        return kernel.values.at(place.index).type;
    case Place::Kind::tile:
        return kernel.tiles.at(place.index).type;
    case Place::Kind::list:
        return kernel.lists.at(place.index).type;
    case Place::Kind::table:
        return kernel.tables.at(place.index).type;
    }
    throw InternalError("an unknown place");
}

std::vector<int> touched_components(const Shape& shape, Touch touch, int threads, int lane) {
    std::vector<int> components;
    if (shape.packed) {
        const auto add = [&](int row, int first, int last) {
            for (int column = first; row < shape.rows && column <= last; ++column) {
                components.push_back(packed_word(row, column));
            }
        };
        const int share = touch == Touch::rows && shape.rows % threads == 0 ? shape.rows / threads : 0;
        switch (touch) {
        case Touch::all:
            for (int row = 0; row < shape.rows; ++row) {
                add(row, 0, row);
            }
            break;
        case Touch::row:
            add(lane, 0, lane);
            break;
        case Touch::column:
            for (int row = lane; row < shape.rows; ++row) {
                add(row, lane, lane);
            }
            break;
        case Touch::entry:
            if (lane / shape.columns >= lane % shape.columns) {
                add(lane / shape.columns, lane % shape.columns, lane % shape.columns);
            }
            break;
        case Touch::rows:
            for (int row = lane * share; row < (lane + 1) * share; ++row) {
                add(row, 0, row);
            }
            break;
        }
        return components;
    }
    const auto add_rows = [&](int first, int count) {
        for (int k = first * shape.columns; k < (first + count) * shape.columns; ++k) {
            components.push_back(k);
        }
    };
    switch (touch) {
    case Touch::all:
        add_rows(0, shape.rows);
        break;
    case Touch::row:
        if (lane < shape.rows) {
            add_rows(lane, 1);
        }
        break;
    case Touch::column:
        for (int i = 0; lane < shape.columns && i < shape.rows; ++i) {
            components.push_back(i * shape.columns + lane);
        }
        break;
    case Touch::entry:
        if (lane < shape.size()) {
            components.push_back(lane);
        }
        break;
    case Touch::rows:
        if (shape.rows % threads == 0) {
            add_rows(lane * (shape.rows / threads), shape.rows / threads);
        }
        break;
    }
    return components;
}

std::int64_t tile_word(const Tile& tile, int element, int component) {
    const std::int64_t word = std::int64_t{element} * tile.element_words + component;
    return word + (tile.run > 0 ? word / tile.run * tile.pad_words : 0);
}

bool streams(const Step& step) {
    const auto* const store = std::get_if<StoreValue>(&step);
    return store != nullptr && store->staging == fusion::Staging::lanes_streaming;
}

bool Kernel::reports() const {
    return std::any_of(steps.begin(), steps.end(), [](const Step& step) { return std::holds_alternative<Report>(step); });
}

std::set<Precision> Kernel::wide_precisions() const {
    std::set<Precision> found;
    for (const Step& step : steps) {
        std::visit(
            [&](const auto& s) {
                if constexpr (requires { s.access_bytes; }) {
                    const Precision precision = lists.at(s.list).type.precision;
                    if (s.access_bytes > bytes_of(precision)) {
                        found.insert(precision);
                    }
                }
            },
            step);
    }
    return found;
}

Precision Kernel::widest_precision() const {
    Precision widest = Precision::f32;
    const auto look_at = [&](const auto& all) {
        for (const auto& one : all) {
            widest = std::max(widest, one.type.precision);
        }
    };
    look_at(lists);
    look_at(tiles);
    look_at(values);
    look_at(tables);
    return widest;
}

} // namespace fusec::codegen
