// SPDX-License-Identifier: Apache-2.0
#include "frontend/callee.hpp"

#include <algorithm>

namespace fusec::frontend {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// `\d+(x\d+)?`
bool is_suffix(std::string_view text) {
    const std::size_t cross = text.find('x');
    const auto digits = [](std::string_view part) { return !part.empty() && std::all_of(part.begin(), part.end(), is_digit); };
    return cross == std::string_view::npos ? digits(text) : digits(text.substr(0, cross)) && digits(text.substr(cross + 1));
}

/// Start of the longest tail that is a suffix; the length of `name` when there is none.
std::size_t suffix_start(std::string_view name) {
    for (std::size_t start = 1; start < name.size(); ++start) {
        if (!is_digit(name[start - 1]) && is_suffix(name.substr(start))) {
            return start;
        }
    }
    return name.size();
}

constexpr std::size_t longest_name = 128; ///< longer words are no function's; bounds the search below

} // namespace

std::optional<Callee> find_callee(std::string_view name, const library::Catalog& catalog) {
    if (name.size() > longest_name) {
        return std::nullopt;
    }
    for (std::size_t length = name.size(); length > 0; --length) {
        const std::string_view rest = name.substr(length);
        if (!rest.empty() && !is_suffix(rest)) {
            continue;
        }
        if (const auto function = catalog.find(name.substr(0, length))) {
            return Callee{*function, std::string(rest)};
        }
    }
    return std::nullopt;
}

bool is_movement(std::string_view name) {
    return name == "rows" || name == "columns" || name == "diag" || name == "full" || name == "symmetric";
}

bool is_conversion(std::string_view name) {
    return name == c_name(Precision::f32) || name == c_name(Precision::f64);
}

std::string nearest_callee(std::string_view name, const library::Catalog& catalog) {
    if (name.size() > longest_name) {
        return {};
    }
    std::vector<std::string> names = catalog.names();
    const std::vector<std::string> of_the_language{
        "midentity", "rows", "columns", "diag", "full", "symmetric", "select"}; // without suffixes
    names.insert(names.end(), of_the_language.begin(), of_the_language.end());
    const std::size_t start = suffix_start(name);
    const std::string found = nearest(name.substr(0, start), names);
    return found.empty() ? found
                         : found +
            (std::find(of_the_language.begin(), of_the_language.end(), found) != of_the_language.end() ? ""
                                                                                                       : std::string(name.substr(start)));
}

std::vector<std::string> suffixes_of(const Shape& shape) {
    const std::string rows = std::to_string(shape.rows);
    const std::string columns = std::to_string(shape.columns);
    switch (shape.form) {
    case Form::scalar:
        return {};
    case Form::vector:
        return {rows};
    case Form::matrix:
        if (rows.size() == 1 && columns.size() == 1) {
            return {rows + columns, rows + "x" + columns};
        }
        return {rows + "x" + columns};
    }
    return {};
}

} // namespace fusec::frontend
