// SPDX-License-Identifier: Apache-2.0
// What the loaded catalog answers.
#include "elementary-lib/catalog.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

namespace fusec::library {

namespace {

/// A count of metadata for a matched shape. One that is no count (`wrong_count`) is an error of the compile, and 0 until that is reported.
std::int64_t count(const SizeExpression& expression, const ShapeValues& shape) {
    return std::max<std::int64_t>(expression.evaluate(shape).value_or(0), 0);
}

} // namespace

std::string_view name_of(Domain domain) {
    static constexpr std::array<std::string_view, 5> names{"any", "positive", "nonzero", "invertible", "spd"};
    return names.at(static_cast<std::size_t>(domain));
}
std::string_view name_of(Touch touch) {
    static constexpr std::array<std::string_view, 5> names{"all", "row", "column", "entry", "rows"};
    return names.at(static_cast<std::size_t>(touch));
}
std::string_view name_of(Symmetry symmetry) {
    static constexpr std::array<std::string_view, 4> names{"none", "always", "kept", "equal"};
    return names.at(static_cast<std::size_t>(symmetry));
}

bool symmetric_result(const Function& function, const std::vector<bool>& symmetric, bool equal) {
    switch (function.symmetric) {
    case Symmetry::none:
        return false;
    case Symmetry::always:
        return true;
    case Symmetry::equal:
        return equal;
    case Symmetry::kept:
        break;
    }
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
        if (function.inputs[i].form == Form::matrix && !symmetric.at(i)) {
            return false;
        }
    }
    return true;
}

std::string pattern(const Parameter& parameter) {
    switch (parameter.form) {
    case Form::scalar:
        return "SCALAR";
    case Form::vector:
        return "VECTOR[" + parameter.rows.text() + "]";
    case Form::matrix:
        return "MATRIX[" + parameter.rows.text() + "," + parameter.columns.text() + "]";
    }
    return {};
}

std::optional<FunctionId> Catalog::find(std::string_view name) const {
    const auto end = functions_.begin() + static_cast<std::ptrdiff_t>(library_size_);
    const auto found = std::lower_bound(
        functions_.begin(), end, name, [](const Function& function, std::string_view wanted) { return function.name < wanted; });
    if (found == end || found->name != name) {
        return std::nullopt;
    }
    return FunctionId(static_cast<std::size_t>(found - functions_.begin()));
}

std::vector<FunctionId> Catalog::with_operator(std::string_view symbol) const {
    std::vector<FunctionId> found;
    for (std::size_t i = 0; i < library_size_; ++i) {
        if (functions_[i].operator_symbol == symbol) {
            found.emplace_back(i);
        }
    }
    return found;
}

std::vector<std::string> Catalog::names() const {
    std::vector<std::string> all;
    all.reserve(library_size_);
    for (std::size_t i = 0; i < library_size_; ++i) {
        all.push_back(functions_[i].name);
    }
    return all;
}

Catalog Catalog::with(const std::vector<Function>& own) const {
    Catalog extended = *this;
    extended.functions_.resize(library_size_);
    extended.functions_.insert(extended.functions_.end(), own.begin(), own.end());
    return extended;
}

namespace {

/// Of a packed result, the entries above the diagonal are not computed. That saves their share where each entry has its own arithmetic:
/// of an index expression, which a component program counts itself, and an algorithm may not.
double share_computed(const Function& function, const Shape& result) {
    return result.packed && std::holds_alternative<ReferenceExpression>(function.reference) && function.base.empty()
        ? static_cast<double>(result.size()) / result.components()
        : 1;
}

} // namespace

OperationCounts Catalog::operations(const Instance& instance) const {
    const Function& applied = function(instance.function);
    const double share = share_computed(applied, instance.result.shape);
    const auto value = [&](const SizeExpression& expression) {
        return std::floor(share * static_cast<double>(count(expression, instance.shape)));
    };
    return {value(applied.flops), value(applied.divisions), value(applied.square_roots), value(applied.transcendentals)};
}

OperationCounts Catalog::operations(const Instance& instance, const Implementation& implementation) const {
    const Function& applied = function(instance.function);
    // Several threads compute what they drop: a warp waits for its longest thread.
    const bool one_thread = threads(instance, implementation).value_or(1) == 1;
    const double share = one_thread ? share_computed(applied, instance.result.shape) : 1;
    const auto value = [&](const std::optional<SizeExpression>& own, const SizeExpression& common) {
        return std::floor(share * static_cast<double>(count(own ? *own : common, instance.shape)));
    };
    return {value(implementation.flops, applied.flops), value(implementation.divisions, applied.divisions),
        value(implementation.square_roots, applied.square_roots), value(implementation.transcendentals, applied.transcendentals)};
}

std::optional<int> Catalog::threads(const Instance& instance, const Implementation& implementation) const {
    if (implementation.limit && implementation.limit->evaluate(instance.shape).value_or(0) == 0) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> threads = implementation.threads.evaluate(instance.shape);
    // More threads than the largest operand has components cannot be meant; it also keeps the value within an int.
    if (!threads || *threads < 1 || *threads > max_dimension * max_dimension) {
        return std::nullopt;
    }
    return static_cast<int>(*threads);
}

int Catalog::temporaries(const Instance& instance, const Implementation& implementation) const {
    return static_cast<int>(std::min<std::int64_t>(count(implementation.temporaries, instance.shape), 1 << 20));
}

int Catalog::exchanges(const Instance& instance, const Implementation& implementation) const {
    return implementation.exchanges ? static_cast<int>(std::min<std::int64_t>(count(*implementation.exchanges, instance.shape), 1 << 20))
                                    : 0;
}

std::filesystem::path standard_library_folder() {
    std::error_code error;
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path installed = executable.parent_path().parent_path() / "share" / "fusec" / "elementary-lib";
    return std::filesystem::is_directory(installed, error) ? installed : std::filesystem::path(FUSEC_LIBRARY);
}

int components_touched(const Shape& shape, Touch touch, int threads) {
    // Thread i holds part i, so there are as many parts as threads.
    if (shape.packed && touch != Touch::all) {
        return 0;
    }
    switch (touch) {
    case Touch::all:
        return shape.size();
    case Touch::row:
        return shape.form == Form::matrix && threads == shape.rows ? shape.columns : 0;
    case Touch::column:
        return shape.form == Form::matrix && threads == shape.columns ? shape.rows : 0;
    case Touch::entry:
        return shape.form != Form::scalar && threads == shape.size() ? 1 : 0;
    case Touch::rows:
        return shape.form != Form::scalar && threads >= 1 && shape.rows % threads == 0 ? shape.rows / threads * shape.columns : 0;
    }
    return 0;
}

} // namespace fusec::library
