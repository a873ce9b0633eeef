// SPDX-License-Identifier: Apache-2.0
#include "frontend/selection.hpp"
#include "frontend/syntax_messages.hpp"

namespace fusec::frontend {

namespace {

/// Indices `first` to before `last` of one dimension.
struct Extent {
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool range = true;

    int count() const { return static_cast<int>(last - first); }
    std::string text() const { return range ? std::to_string(first) + ":" + std::to_string(last) : std::to_string(first); }
};

class Reader {
public:
    Reader(const Indexed& value, Diagnostics& diagnostics) : value_(value), diagnostics_(diagnostics) {}

    bool count_fits(std::size_t given) {
        const Shape& shape = value_.shape;
        const std::size_t most = shape.form == Form::matrix ? 2 : shape.form == Form::vector ? 1 : 0;
        if (given <= most) {
            return true;
        }
        const std::string allowed = most == 0 ? "has no entries" : most == 1 ? "takes one index" : "takes one or two indices";
        Diagnostic& d = diagnostics_.report(kind::wrong_index_count, value_.brackets,
            name() + " is a `" + to_string(shape) + "`, which " + allowed + ", found " + std::to_string(given));
        d.hint = most == 0 ? "write it without brackets" : "";
        return false;
    }

    /// The slice with its integers known, against a dimension.
    std::optional<Extent> extent(const ast::Slice& slice, std::optional<std::int64_t> first, std::optional<std::int64_t> last, int size) {
        if (!slice.range) {
            if (*first < 0 || *first >= size) {
                report_outside(slice.span, "index " + std::to_string(*first), std::to_string(size - 1));
                return std::nullopt;
            }
            return Extent{*first, *first + 1, false};
        }
        const Extent extent{first.value_or(0), last.value_or(size), true};
        if (extent.first >= extent.last) {
            Diagnostic& d =
                diagnostics_.report(kind::empty_slice, slice.span, "the range " + extent.text() + " of " + name() + " has no index");
            d.hint = "`a:b` are the indices from `a` up to, but without `b`";
            return std::nullopt;
        }
        if (extent.first < 0 || extent.last > size) {
            report_outside(slice.span, "range " + extent.text(), std::to_string(size));
            return std::nullopt;
        }
        return extent;
    }

private:
    std::string name() const { return in_backticks(value_.whole.text()); }

    void report_outside(const Span& place, const std::string& what, const std::string& most) {
        Diagnostic& d = diagnostics_.report(
            kind::index_out_of_range, place, what + " of " + name() + ", which is a `" + to_string(value_.shape) + "`: 0 to " + most);
        if (value_.defined) {
            d.notes.push_back({*value_.defined, "defined here"});
        }
    }

    const Indexed& value_;
    Diagnostics& diagnostics_;
};

} // namespace

void list_all(Selection& selection) {
    for (int i = 0; selection.all && i < selection.shape.size(); ++i) {
        selection.components.push_back(i);
    }
}

std::optional<Selection> selected(
    const std::vector<ast::Slice>& slices, const Indexed& value, const IntegerOfIndex& integer, Diagnostics& diagnostics) {
    Reader reader(value, diagnostics);
    const bool counted = reader.count_fits(slices.size());
    std::vector<Extent> extents;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const ast::Slice& slice = slices[i];
        const std::optional<std::int64_t> first = slice.first ? integer(*slice.first) : std::nullopt;
        const std::optional<std::int64_t> last = slice.last ? integer(*slice.last) : std::nullopt;
        const bool known = first.has_value() == slice.first.has_value() && last.has_value() == slice.last.has_value();
        if (!counted || !known) {
            continue;
        }
        if (const std::optional<Extent> extent = reader.extent(slice, first, last, i == 0 ? value.shape.rows : value.shape.columns)) {
            extents.push_back(*extent);
        }
    }
    if (!counted || extents.size() != slices.size()) {
        return std::nullopt;
    }
    if (extents.size() == 1) {
        extents.push_back({0, value.shape.columns, value.shape.form == Form::matrix});
    }
    const auto& [rows, columns] = std::pair(extents[0], extents[1]);
    Selection selection;
    selection.text = rows.text() + (slices.size() == 2 ? "," + columns.text() : "");
    if (rows.range && columns.range) {
        selection.shape = {Form::matrix, rows.count(), columns.count()};
    } else if (rows.range || columns.range) {
        selection.shape = {Form::vector, rows.range ? rows.count() : columns.count(), 1};
    }
    selection.all = selection.shape == value.shape;
    for (std::int64_t i = rows.first; i < rows.last && !selection.all; ++i) {
        for (std::int64_t j = columns.first; j < columns.last; ++j) {
            selection.components.push_back(static_cast<int>(i) * value.shape.columns + static_cast<int>(j));
        }
    }
    return selection;
}

} // namespace fusec::frontend
