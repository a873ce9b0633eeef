// SPDX-License-Identifier: Apache-2.0
// Choice of shapes; random operands, drawn again where the reference's error bound says that the case is ill conditioned.
#include "execute/library_check_subjects.hpp"

#include "elementary-lib/selection.hpp"
#include "execute/domains.hpp"
#include "execute/reference.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace fusec::execute {

using library::Catalog;
using library::Function;
using library::Implementation;
using library::Instance;

namespace {

/// A case that is still ill conditioned after so many draws is kept, and counted.

/// Values of the shape parameters, by position: equal and different, odd, even, divisible by 2, 3 and 4.
constexpr std::array<std::array<int, 3>, 8> shape_values{
    {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 2, 3}, {2, 5, 4}, {6, 3, 4}, {8, 6, 5}, {12, 12, 12}}};

/// The operand types of a function for given shape parameters; nothing where a dimension is out of range.
std::optional<std::vector<Type>> operand_types(const Function& function, const library::ShapeValues& values, Precision precision) {
    std::vector<Type> types;
    for (const library::Parameter& input : function.inputs) {
        const std::int64_t rows = input.form == Form::scalar ? 1 : input.rows.evaluate(values).value_or(0);
        const std::int64_t columns = input.form == Form::matrix ? input.columns.evaluate(values).value_or(0) : 1;
        if (rows < 1 || rows > max_dimension || columns < 1 || columns > max_dimension) {
            return std::nullopt;
        }
        types.push_back({{input.form, static_cast<int>(rows), static_cast<int>(columns)}, precision});
    }
    return types;
}

std::optional<Instance> match(const Catalog& catalog, FunctionId id, const library::ShapeValues& values, Precision precision) {
    const auto types = operand_types(catalog.function(id), values, precision);
    if (!types) {
        return std::nullopt;
    }
    auto matched = catalog.match(id, *types);
    const Instance* instance = std::get_if<Instance>(&matched);
    return instance == nullptr ? std::nullopt : std::optional(*instance);
}

/// Whether the function, or one implementation of it, exists for the shape.
bool usable(const Catalog& catalog, FunctionId id, const library::ShapeValues& shape, const Implementation* implementation) {
    const auto instance = match(catalog, id, shape, Precision::f32);
    return instance && (implementation == nullptr || catalog.threads(*instance, *implementation));
}

/// Adds the first shape in lexicographic order that the implementation is legal for.
void search(const Catalog& catalog, FunctionId id, const Implementation& implementation, std::set<library::ShapeValues>& found) {
    const std::vector<std::string>& names = catalog.function(id).shape;
    std::vector<int> values(names.size(), 1);
    for (std::size_t digit = 0; digit < values.size();) {
        library::ShapeValues shape;
        for (std::size_t i = 0; i < names.size(); ++i) {
            shape[names[i]] = values[i];
        }
        if (usable(catalog, id, shape, &implementation)) {
            found.insert(shape);
            return;
        }
        for (digit = 0; digit < values.size() && ++values[digit] > largest_searched_dimension; ++digit) {
            values[digit] = 1;
        }
    }
}

Demands demands_of(library::Domain domain) {
    Demands demands;
    demands.positive = domain == library::Domain::positive;
    demands.nonzero = domain == library::Domain::nonzero;
    demands.invertible = domain == library::Domain::invertible;
    demands.spd = domain == library::Domain::spd;
    return demands;
}

/// One random case.
struct Draw {
    std::vector<std::vector<Bounded>> operands;
    std::vector<double> values, bounds; ///< of the result
};

Draw draw_case(const Function& function, const Subject& subject, const InstanceReference& reference, std::uint64_t seed, std::size_t number,
    std::uint64_t again) {
    Draw draw;
    const std::optional<library::Selection> selection = library::selection_of(function);
    for (std::size_t i = 0; i < subject.operands.size(); ++i) {
        const Type type{subject.operands[i], subject.instance.result.precision};
        draw.operands.emplace_back();
        Demands demands = demands_of(function.inputs[i].domain);
        demands.compared = selection && (i == selection->left || i == selection->right);
        for (const double x : random_value(type, demands, seed, i, number, again)) {
            draw.operands.back().push_back({x, 0});
        }
    }
    std::vector<const Bounded*> pointers;
    for (const auto& operand : draw.operands) {
        pointers.push_back(operand.data());
    }
    std::vector<Bounded> result(static_cast<std::size_t>(subject.instance.result.shape.size()));
    reference.evaluate(pointers, result.data());
    for (const Bounded component : result) {
        draw.values.push_back(component.value);
        draw.bounds.push_back(component.bound);
    }
    return draw;
}

void append(const Draw& draw, Subject& subject) {
    for (std::size_t i = 0; i < draw.operands.size(); ++i) {
        for (const Bounded x : draw.operands[i]) {
            subject.inputs[i].push_back(x.value);
        }
    }
    subject.values.insert(subject.values.end(), draw.values.begin(), draw.values.end());
    subject.bounds.insert(subject.bounds.end(), draw.bounds.begin(), draw.bounds.end());
}

/// Stores all that is square packed; whether anything is. Of any square result, the lower triangle may be wanted.
bool pack(Subject& subject) {
    const auto square = [](const Shape& shape) { return shape.form == Form::matrix && shape.rows == shape.columns; };
    bool any = false;
    for (Shape& operand : subject.operands) {
        operand.packed = square(operand);
        any = any || operand.packed;
    }
    subject.instance.result.shape.packed = square(subject.instance.result.shape);
    return any || subject.instance.result.shape.packed;
}

} // namespace

std::vector<library::ShapeValues> checked_shapes(const Catalog& catalog, FunctionId id) {
    const Function& function = catalog.function(id);
    std::set<library::ShapeValues> found;
    for (const auto& values : shape_values) {
        library::ShapeValues shape;
        for (std::size_t i = 0; i < function.shape.size(); ++i) {
            shape[function.shape[i]] = values[i % values.size()];
        }
        if (usable(catalog, id, shape, nullptr)) {
            found.insert(shape);
        }
    }
    for (int largest = max_dimension; function.where && largest > 0; --largest) {
        library::ShapeValues shape;
        for (const std::string& name : function.shape) {
            shape[name] = largest;
        }
        if (usable(catalog, id, shape, nullptr)) {
            found.insert(shape);
            break;
        }
    }
    for (const Implementation& implementation : function.implementations) {
        if (std::none_of(found.begin(), found.end(), [&](const auto& shape) { return usable(catalog, id, shape, &implementation); })) {
            search(catalog, id, implementation, found);
        }
    }
    return {found.begin(), found.end()};
}

std::optional<Subject> draw_subject(const Catalog& catalog, FunctionId id, const library::ShapeValues& shape, Precision precision,
    bool packed, const LibraryCheckOptions& options, std::string& fault) {
    const Function& function = catalog.function(id);
    Subject subject;
    subject.instance = match(catalog, id, shape, precision).value();
    const std::vector<Type> types = operand_types(function, shape, precision).value();
    for (const Type& type : types) {
        subject.operands.push_back(type.shape);
    }
    if (packed && !pack(subject)) {
        return std::nullopt;
    }
    subject.inputs.resize(subject.operands.size());
    std::size_t redrawn = 0;
    try {
        const InstanceReference reference(catalog, subject.instance, subject.operands);
        for (std::size_t number = 0; number < options.cases; ++number) {
            Draw draw = draw_case(function, subject, reference, options.seed, number, 0);
            for (std::uint64_t again = 1; again <= most_draws && is_ill_conditioned(draw.values, draw.bounds, precision); ++again) {
                ++redrawn;
                draw = draw_case(function, subject, reference, options.seed, number, again);
            }
            append(draw, subject);
        }
    } catch (const std::invalid_argument& error) {
        fault = error.what();
        return std::nullopt;
    } catch (const std::out_of_range& error) {
        fault = error.what();
        return std::nullopt;
    }
    // At most 5 %, and one however few the cases are.
    if (redrawn > std::max<std::size_t>(1, options.cases / 20)) {
        fault = std::to_string(redrawn) + " draws for " + std::to_string(options.cases) + " cases of `" + function.name +
            "` were ill conditioned: the operands' domains do not keep it away from poles and cancellation";
        return std::nullopt;
    }
    return subject;
}

} // namespace fusec::execute
