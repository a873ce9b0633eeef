// SPDX-License-Identifier: Apache-2.0
#include "codegen/kernel_names.hpp"

#include "codegen/literals.hpp"

#include <algorithm>
#include <set>

namespace fusec::codegen {

using library::Touch;

std::string type_and_shape(const Type& type) {
    if (type.shape.packed) {
        return std::string(c_name(type.precision)) + ", " + number(type.shape.size()) + ", 1";
    }
    return std::string(c_name(type.precision)) + ", " + number(type.shape.rows) + ", " + number(type.shape.columns);
}

std::string touch_name(Touch touch) {
    switch (touch) {
    case Touch::all:
        return "all";
    case Touch::row:
        return "row";
    case Touch::column:
        return "column";
    case Touch::entry:
        return "entry";
    case Touch::rows:
        return "rows";
    }
    return "";
}

std::string value_type(const Value& value) {
    const std::string prefix = value.touch == Touch::all ? "" : touch_name(value.touch) + "_";
    return "fusec::" + prefix + "registers<" + type_and_shape(value.type) +
        (value.touch == Touch::rows ? ", " + number(value.threads) : "") + ">";
}

bool is_padded(const Kernel& kernel, const Tile& tile) {
    return tile.run > 0 && tile.pad_words > 0 && kernel.tile_elements * tile.element_words > tile.run;
}

int row_pitch(const Kernel& kernel, const Tile& tile) {
    const bool by_rows = is_padded(kernel, tile) && tile.run < tile.element_words;
    internal_check(!by_rows || (tile.run == tile.type.shape.columns && !tile.type.shape.packed), "a tile that is padded within its rows");
    return by_rows ? tile.run + tile.pad_words : 0;
}

KernelNames::KernelNames(const Kernel& kernel, bool repeats) : kernel_(kernel) {
    for (const auto* declared : {"threadIdx", "blockIdx", "size_t"}) {
        names_.make(declared);
    }
    for (const List& list : kernel.lists) {
        names_.make(list.name);
    }
    for (const Tile& tile : kernel.tiles) {
        names_.make(tile.name);
    }
    for (const Value& value : kernel.values) {
        names_.make(value.name);
    }
    for (const Table& table : kernel.tables) {
        names_.make(table.name);
    }
    for (const Tile& tile : kernel.tiles) {
        tile_pointers.push_back(names_.make(list_name(tile.datum, tile.name) + "_tile"));
    }
    for (const List& list : kernel.lists) {
        list_views.push_back(names_.make(list.name + "_view"));
    }
    for (const Table& table : kernel.tables) {
        table_views.push_back(names_.make(table.name + "_view"));
    }
    for (const Value& value : kernel.values) {
        const bool viewed = value.type.shape.packed || value.touch == Touch::rows;
        value_views.push_back(viewed ? names_.make(value.name + "_view") : "");
    }
    const std::set<Precision> wide = kernel.wide_precisions();
    for (const Precision precision : wide) {
        vectors.emplace(precision, names_.make(wide.size() == 1 ? "Vector" : precision == Precision::f32 ? "FloatVector" : "DoubleVector"));
    }
    first = names_.make("first");
    n = names_.make("n");
    count = kernel.tile_elements == 1 ? "1" : names_.make("count");
    failure = kernel.reports() ? names_.make("failure") : "";
    if (repeats) {
        repetitions = names_.make("repetitions");
        repetition = names_.make("repetition");
        copy = names_.make("copy");
    }
}

bool KernelNames::may_have(const std::string& word) const {
    return names_.has(word) || word.starts_with("element") || word.starts_with("lane") || word.starts_with("shared");
}

const KernelNames::Indices& KernelNames::make_indices(int threads, bool only_granularity) {
    const std::string suffix = only_granularity ? "" : "_" + number(threads);
    Indices made;
    if (!one_element()) {
        made.element = names_.make("element" + suffix);
    }
    if (threads > 1) {
        made.lane = names_.make("lane" + suffix);
    }
    return indices_.emplace(threads, std::move(made)).first->second;
}

const std::string& KernelNames::make_shared(Precision precision) {
    return shared_.emplace(precision, names_.make(shared_.empty() ? "shared" : std::string("shared_") + c_name(precision))).first->second;
}

std::string KernelNames::block_start(const List& list) const {
    const int words = list.type.shape.size();
    return list.name + " + " + first + (words == 1 ? "" : " * " + number(words));
}

std::string KernelNames::element_start(const List& list, int threads) const {
    if (list.uniform) {
        return list.name;
    }
    if (one_element()) {
        return block_start(list);
    }
    const int words = list.type.shape.size();
    const std::string index = first + " + " + element(threads);
    return list.name + " + " + (words == 1 ? index : "(" + index + ") * " + number(words));
}

std::string KernelNames::tile_start(const Tile& tile) const {
    const int words = tile.offset / bytes_of(tile.type.precision);
    return shared_.at(tile.type.precision) + (words == 0 ? "" : " + " + number(words));
}

std::string KernelNames::tile_element(std::size_t index, int threads) const {
    if (one_element()) {
        return "";
    }
    const Tile& tile = kernel_.tiles.at(index);
    const std::string& index_of_element = element(threads);
    const bool padded = is_padded(kernel_, tile);
    const int group = padded ? std::max(1, tile.run / tile.element_words) : 0; // elements between pads, if there are no more
    const int pads = group == 1 ? tile.element_words / std::min(tile.run, tile.element_words) : 0; // of an element
    const int words = tile.element_words + pads * tile.pad_words;
    std::string text = index_of_element + (words == 1 ? "" : " * " + number(words));
    if (group > 1) {
        text += " + " + index_of_element + " / " + number(group) + (tile.pad_words == 1 ? "" : " * " + number(tile.pad_words));
    }
    return text;
}

std::string KernelNames::tile_element_start(std::size_t index, int threads) const {
    const std::string words = tile_element(index, threads);
    return tile_pointers.at(index) + (words.empty() ? "" : " + " + words);
}

std::string KernelNames::tile_pointer(std::size_t index) const {
    const Tile& tile = kernel_.tiles.at(index);
    if (!is_padded(kernel_, tile)) {
        return tile_pointers.at(index);
    }
    return "fusec::padded<" + number(tile.run) + ", " + number(tile.pad_words) + ">(" + tile_pointers.at(index) + ")";
}

std::string KernelNames::datum_name(const Place& place) const {
    switch (place.kind) {
    case Place::Kind::value:
        return list_name(kernel_.values.at(place.index).datum, kernel_.values.at(place.index).name);
    case Place::Kind::tile:
        return list_name(kernel_.tiles.at(place.index).datum, kernel_.tiles.at(place.index).name);
    case Place::Kind::list:
        return kernel_.lists.at(place.index).name;
    case Place::Kind::table:
        break;
    }
    const Table& table = kernel_.tables.at(place.index);
    return table.type.shape.form == Form::scalar ? literal(table.values.at(0), table.type.precision) : table.name;
}

std::string KernelNames::list_name(DataId datum, const std::string& otherwise) const {
    const auto list = std::find_if(kernel_.lists.begin(), kernel_.lists.end(), [&](const List& l) { return l.datum == datum; });
    return list == kernel_.lists.end() ? otherwise : list->name;
}

} // namespace fusec::codegen
