// SPDX-License-Identifier: Apache-2.0
// Whether the counts of metadata (`flops`, `temporaries`, ...) are numbers that can be, at one shape and at those that are tried when a
// file is loaded.
#include "elementary-lib/metadata_counts.hpp"

#include "elementary-lib/metadata.hpp"

#include <algorithm>
#include <array>

namespace fusec::library {

namespace {

/// A matrix of 64 x 64 has 2^12 components: so many operations, that is a million for each of its components, no function counts.
constexpr std::int64_t most_operations = std::int64_t{1} << 32U;
constexpr std::int64_t most_values = 1 << 20; ///< temporaries, exchanges

/// What is wrong with a count at a shape; empty: nothing.
std::string fault(const SizeExpression& count, std::int64_t most, const ShapeValues& shape) {
    const std::optional<std::int64_t> value = count.evaluate(shape);
    if (value && *value >= 0 && *value <= most) {
        return {};
    }
    std::string at;
    for (const auto& [name, size] : shape) {
        at += (at.empty() ? " for `" : ", `") + name + "` = " + std::to_string(size);
    }
    return (value ? "is " + std::to_string(*value) : "has no value (a division by zero, or an overflow)") + at + ", needed 0 to " +
        std::to_string(most);
}

/// Whether there is an instance of the shape: `where` holds, and no dimension is out of range.
bool exists(const Function& function, const ShapeValues& shape) {
    const auto fits = [&](const SizeExpression& dimension) {
        const std::int64_t size = dimension.evaluate(shape).value_or(0);
        return size >= 1 && size <= max_dimension;
    };
    const auto possible = [&](const Parameter& parameter) {
        return parameter.form == Form::scalar || (fits(parameter.rows) && (parameter.form == Form::vector || fits(parameter.columns)));
    };
    return (!function.where || function.where->evaluate(shape).value_or(0) != 0) && possible(function.output) &&
        std::all_of(function.inputs.begin(), function.inputs.end(), possible);
}

} // namespace

std::optional<WrongCount> wrong_count(const Function& function, const ShapeValues& shape) {
    std::optional<WrongCount> found;
    const auto check = [&](const std::string& path, const SizeExpression& count, std::int64_t most) {
        if (!found) {
            if (std::string text = fault(count, most, shape); !text.empty()) {
                found = {path, "`" + path.substr(path.rfind('.') + 1) + "` " + text};
            }
        }
    };
    check("flops", function.flops, most_operations);
    check("divisions", function.divisions, most_operations);
    check("square_roots", function.square_roots, most_operations);
    check("transcendentals", function.transcendentals, most_operations);
    for (std::size_t i = 0; i < function.implementations.size(); ++i) {
        const Implementation& one = function.implementations[i];
        if (one.limit && one.limit->evaluate(shape).value_or(0) == 0) {
            continue;
        }
        const std::string path = "implementation[" + std::to_string(i) + "].";
        const auto check_own = [&](const char* key, const std::optional<SizeExpression>& count, std::int64_t most) {
            if (count) {
                check(path + key, *count, most);
            }
        };
        check_own("flops", one.flops, most_operations);
        check_own("divisions", one.divisions, most_operations);
        check_own("square_roots", one.square_roots, most_operations);
        check_own("transcendentals", one.transcendentals, most_operations);
        check_own("temporaries", one.temporaries, most_values);
        check_own("exchanges", one.exchanges, most_values);
    }
    return found;
}

void check_counts(const Metadata& metadata, Diagnostics& diagnostics) {
    static constexpr std::array<int, 6> tried = {1, 2, 3, 4, 7, max_dimension};
    const Function& function = metadata.function;
    std::vector<std::size_t> digits(function.shape.size(), 0);
    ShapeValues shape;
    for (bool more = true; more;) {
        for (std::size_t i = 0; i < digits.size(); ++i) {
            shape[function.shape[i]] = tried[digits[i]];
        }
        if (exists(function, shape)) {
            if (const std::optional<WrongCount> wrong = wrong_count(function, shape)) {
                diagnostics.report(kind::library_metadata, metadata.place(wrong->path), wrong->message);
                return;
            }
        }
        more = false;
        for (std::size_t i = 0; i < digits.size() && !more; ++i) {
            digits[i] = (digits[i] + 1) % tried.size();
            more = digits[i] != 0;
        }
    }
}

} // namespace fusec::library
