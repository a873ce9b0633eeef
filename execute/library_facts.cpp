// SPDX-License-Identifier: Apache-2.0
#include "execute/library_facts.hpp"

#include "elementary-lib/metadata.hpp"
#include "execute/domains.hpp"
#include "execute/library_check_subjects.hpp"
#include "execute/reference.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace fusec::execute {

using library::Catalog;
using library::Function;
using library::Neutral;
using library::ShapeValues;

namespace {

using Components = std::vector<double>;

constexpr std::size_t cases_per_shape = 8;

/// Of `function` at one shape.
struct Applied {
    library::Instance instance;
    std::vector<Type> operands;
};

std::optional<Applied> applied(const Catalog& catalog, FunctionId id, const std::vector<Type>& operands) {
    auto matched = catalog.match(id, operands);
    const auto* instance = std::get_if<library::Instance>(&matched);
    return instance == nullptr || instance->swapped ? std::nullopt : std::optional(Applied{*instance, operands});
}

/// Those that implementations are checked with, and all with dimensions 2 and 3: square ones with any other dimension among them.
std::set<ShapeValues> shapes_to_try(const Catalog& catalog, FunctionId id) {
    std::set<ShapeValues> shapes;
    for (const ShapeValues& shape : checked_shapes(catalog, id)) {
        shapes.insert(shape);
    }
    const std::vector<std::string>& names = catalog.function(id).shape;
    for (unsigned bits = 0; bits < 1U << std::min<std::size_t>(names.size(), 8); ++bits) {
        ShapeValues shape;
        for (std::size_t i = 0; i < names.size(); ++i) {
            shape[names[i]] = 2 + static_cast<int>(bits >> i & 1U);
        }
        shapes.insert(shape);
    }
    return shapes;
}

std::string text_of(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.17g", value);
    return text.data();
}

class Checker {
public:
    Checker(const Catalog& catalog, FunctionId id, std::uint64_t seed, Diagnostics& diagnostics)
        : catalog_(catalog), id_(id), function_(catalog.function(id)), seed_(seed), diagnostics_(diagnostics) {}

    FactCheck run() {
        for (std::size_t i = 0; i < function_.inputs.size(); ++i) {
            if (const std::optional<Neutral> value = function_.inputs[i].neutral) {
                fact("input[" + std::to_string(i) + "].neutral",
                    "`" + function_.name + "` with `" + function_.inputs[i].name + "` = " + std::string(name_of(*value)) + " is `" +
                        function_.inputs[1 - i].name + "`",
                    [&](const Applied& at, std::uint64_t number) { return neutral(at, i, *value, number); });
            }
        }
        const std::string twice = "`" + function_.name + "` of `" + function_.name + "` is ";
        if (function_.involution) {
            fact(
                "involution", twice + "the operand", [&](const Applied& at, std::uint64_t number) { return applied_twice(at, number, 0); });
        }
        if (function_.idempotent) {
            fact("idempotent", twice + "as `" + function_.name + "` once",
                [&](const Applied& at, std::uint64_t number) { return applied_twice(at, number, 1); });
        }
        if (function_.symmetric != library::Symmetry::none) {
            fact("symmetric", "the result of `" + function_.name + "` is symmetric (`" + std::string(name_of(function_.symmetric)) + "`)",
                [&](const Applied& at, std::uint64_t number) { return mirrored(at, number); });
        }
        return result_;
    }

private:
    /// What the reference gives, and what it should.
    struct Outcome {
        Components computed, declared;
    };

    Components random(const Applied& at, std::size_t operand, std::uint64_t number) const {
        return random(at.operands[operand], operand, number);
    }
    Components random(const Type& type, std::size_t operand, std::uint64_t number) const {
        Demands demands;
        const library::Domain domain = function_.inputs[operand].domain;
        demands.positive = domain == library::Domain::positive;
        demands.nonzero = domain == library::Domain::nonzero;
        demands.invertible = domain == library::Domain::invertible;
        demands.spd = domain == library::Domain::spd;
        Components values = random_value(type, demands, seed_, operand, number, 0);
        if (domain == library::Domain::any && number % 2 == 1) { // below 1 in size, min(a, 1) would be a
            std::transform(values.begin(), values.end(), values.begin(), [](double x) { return 8 * x; });
        }
        return values;
    }

    Components reference(const Applied& at, const std::vector<Components>& operands) const {
        Components values;
        for (const Bounded x : bounded_reference(at, operands)) {
            values.push_back(x.value);
        }
        return values;
    }

    std::vector<Bounded> bounded_reference(const Applied& at, const std::vector<Components>& operands) const {
        std::vector<std::vector<Bounded>> exact;
        std::vector<Shape> shapes;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            shapes.push_back(at.operands[i].shape);
            exact.emplace_back();
            for (const double x : operands[i]) {
                exact.back().push_back({x, 0});
            }
        }
        std::vector<const Bounded*> pointers;
        for (const auto& operand : exact) {
            pointers.push_back(operand.data());
        }
        std::vector<Bounded> result(static_cast<std::size_t>(at.instance.result.shape.size()));
        InstanceReference(catalog_, at.instance, shapes).evaluate(pointers, result.data());
        return result;
    }

    std::optional<Outcome> neutral(const Applied& at, std::size_t operand, Neutral value, std::uint64_t number) const {
        const Components constant = components_of(value, at.operands[operand].shape);
        if (constant.empty()) {
            return std::nullopt;
        }
        const Components other = random(at, 1 - operand, number);
        return Outcome{reference(at, operand == 0 ? std::vector{constant, other} : std::vector{other, constant}), other};
    }

    /// Compared with the operand, or with the result of the first application.
    std::optional<Outcome> applied_twice(const Applied& at, std::uint64_t number, int compared) const {
        const auto again = applied(catalog_, id_, {at.instance.result});
        if (!again) {
            return std::nullopt;
        }
        const Components operand = random(at, 0, number);
        const Components once = reference(at, {operand});
        return Outcome{reference(*again, {once}), compared == 0 ? operand : once};
    }

    /// Compared with its transpose, up to rounding: an elimination treats rows and columns differently.
    std::optional<Outcome> mirrored(const Applied& at, std::uint64_t number) const {
        const Shape& result = at.instance.result.shape;
        std::vector<Components> operands;
        const bool square = std::all_of(at.operands.begin(), at.operands.end(),
            [](const Type& type) { return type.shape.form != Form::matrix || type.shape.rows == type.shape.columns; });
        const bool equal = function_.symmetric == library::Symmetry::equal;
        if (result.rows != result.columns || (function_.symmetric == library::Symmetry::kept && !square) ||
            (equal && !(at.operands[0] == at.operands[1]))) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < at.operands.size(); ++i) {
            Type type = at.operands[i];
            type.shape.packed = function_.symmetric == library::Symmetry::kept && type.shape.form == Form::matrix;
            const Components words = random(type, i, number);
            Components& values = operands.emplace_back();
            for (int component = 0; component < type.shape.components(); ++component) {
                const int row = component / type.shape.columns, column = component % type.shape.columns;
                values.push_back(words[static_cast<std::size_t>(type.shape.packed ? packed_word(row, column) : component)]);
            }
        }
        if (equal) {
            operands[1] = operands[0];
        }
        const std::vector<Bounded> made = bounded_reference(at, operands);
        Outcome outcome;
        for (int i = 0; i < result.rows; ++i) {
            for (int j = 0; j < result.columns; ++j) {
                const Bounded here = made[static_cast<std::size_t>(i * result.columns + j)];
                const Bounded there = made[static_cast<std::size_t>(j * result.columns + i)];
                const double allowed = allowed_error(here.bound + there.bound, Precision::f64);
                outcome.computed.push_back(here.value);
                outcome.declared.push_back(std::abs(here.value - there.value) <= allowed ? here.value : there.value);
            }
        }
        return outcome;
    }

    template <class Case>
    void fact(const std::string& key, const std::string& what, const Case& run_case) {
        ++result_.facts;
        const std::size_t before = result_.tried;
        for (const ShapeValues& shape : shapes_to_try(catalog_, id_)) {
            const std::optional<Applied> at = with_shape(shape);
            for (std::uint64_t number = 0; at && number < cases_per_shape; ++number) {
                const std::optional<Outcome> outcome = run_case(*at, number);
                if (!outcome) {
                    break;
                }
                ++result_.tried;
                if (outcome->computed != outcome->declared) {
                    ++result_.refuted;
                    return report(key, what, shape, *outcome);
                }
            }
        }
        if (result_.tried == before) {
            diagnostics_.report(kind::library_unchecked, place(key), "no shape that was tried has the case that " + what);
        }
    }

    std::optional<Applied> with_shape(const ShapeValues& shape) const {
        std::vector<Type> operands;
        for (const library::Parameter& input : function_.inputs) {
            const auto dimension = [&](const library::SizeExpression& size) { return size.evaluate(shape).value_or(0); };
            const std::int64_t rows = input.form == Form::scalar ? 1 : dimension(input.rows);
            const std::int64_t columns = input.form == Form::matrix ? dimension(input.columns) : 1;
            if (rows < 1 || rows > max_dimension || columns < 1 || columns > max_dimension) {
                return std::nullopt;
            }
            operands.push_back({{input.form, static_cast<int>(rows), static_cast<int>(columns)}, Precision::f64});
        }
        return applied(catalog_, id_, operands);
    }

    /// The file is read again: a catalog does not keep the places.
    Span place(const std::string& key) const {
        Diagnostics unreadable;
        const auto text = std::make_shared<const SourceText>(
            function_.metadata_path.string(), read_file(function_.metadata_path, unreadable).value_or(""));
        const auto metadata = library::read_metadata(function_.name, text, unreadable);
        return metadata ? metadata->place(key) : Span{text, 0, 0};
    }

    void report(const std::string& key, const std::string& what, const ShapeValues& shape, const Outcome& outcome) {
        std::size_t at = 0; // lists of different lengths differ behind the shorter one
        while (at < outcome.computed.size() && at < outcome.declared.size() && outcome.computed[at] == outcome.declared[at]) {
            ++at;
        }
        const auto component = [&](const Components& of) { return at < of.size() ? text_of(of[at]) : "nothing"; };
        std::string with;
        for (const auto& [name, value] : shape) {
            with += (with.empty() ? "with " : ", ") + name + " = " + std::to_string(value);
        }
        diagnostics_
            .report(kind::library_mismatch, place(key),
                "the metadata say that " + what + ", but the reference gives component " + std::to_string(at) + " = " +
                    component(outcome.computed) + " for " + component(outcome.declared))
            .hint = with;
    }

    const Catalog& catalog_;
    FunctionId id_;
    const Function& function_;
    std::uint64_t seed_;
    Diagnostics& diagnostics_;
    FactCheck result_;
};

} // namespace

FactCheck check_facts(const Catalog& catalog, FunctionId function, std::uint64_t seed, Diagnostics& diagnostics) {
    return Checker(catalog, function, seed, diagnostics).run();
}

} // namespace fusec::execute
