// SPDX-License-Identifier: Apache-2.0
// Unification of operand types with the declared ones.
#include "elementary-lib/catalog.hpp"

#include <algorithm>
#include <cstdint>

namespace fusec::library {

namespace {

std::string operand_name(const Function& function, std::size_t operand) {
    return "operand `" + function.inputs[operand].name + "` of `" + function.name + "`";
}

/// `N = 5`, `M = 2 and N = 3`: the values of the parameters that occur in an expression.
std::string values_of(const SizeExpression& expression, const ShapeValues& shape) {
    std::string text;
    for (const std::string& name : expression.names()) {
        const auto value = shape.find(name);
        text += (text.empty() ? "`" : " and `") + name + "` = " + (value == shape.end() ? "?" : std::to_string(value->second));
    }
    return text;
}

/// Binds shape parameters operand by operand, in declared order.
class Unifier {
public:
    Unifier(const Function& function, const std::vector<Type>& operands) : function_(function), operands_(operands) {}

    std::optional<Mismatch> unify() {
        for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
            if (auto mismatch = form_and_precision(operand)) {
                return mismatch;
            }
        }
        // Bare names bind first, so that `MATRIX[2*N,N]` may stand before the operand that fixes N.
        for (const bool bare : {true, false}) {
            for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
                if (auto mismatch = dimensions(operand, bare)) {
                    return mismatch;
                }
            }
        }
        return std::nullopt;
    }

    ShapeValues take_shape() { return std::move(shape_); }

private:
    std::optional<Mismatch> form_and_precision(std::size_t operand) const {
        const Parameter& declared = function_.inputs[operand];
        if (operands_[operand].shape.form != declared.form) {
            return Mismatch{Mismatch::Reason::form, operand,
                operand_name(function_, operand) + " is `" + to_string(operands_[operand].shape) + "`, but `" + pattern(declared) +
                    "` is needed"};
        }
        if (operands_[operand].precision != operands_[0].precision) {
            return Mismatch{Mismatch::Reason::precision, operand,
                operand_name(function_, operand) + " is `" + c_name(operands_[operand].precision) + "`, but `" + function_.inputs[0].name +
                    "` is `" + c_name(operands_[0].precision) + "`"};
        }
        if (const Conversion* conversion = conversion_of(function_); conversion && operands_[operand].precision == conversion->to) {
            return Mismatch{
                Mismatch::Reason::precision, operand, operand_name(function_, operand) + " is `" + c_name(conversion->to) + "` already"};
        }
        return std::nullopt;
    }

    std::optional<Mismatch> dimensions(std::size_t operand, bool bare) {
        const Parameter& declared = function_.inputs[operand];
        const Shape& given = operands_[operand].shape;
        if (declared.form == Form::scalar) {
            return std::nullopt;
        }
        if (auto mismatch = dimension(operand, bare, declared.rows, given.rows, declared.form == Form::vector ? "component" : "row")) {
            return mismatch;
        }
        return declared.form == Form::matrix ? dimension(operand, bare, declared.columns, given.columns, "column") : std::nullopt;
    }

    std::optional<Mismatch> dimension(std::size_t operand, bool bare, const SizeExpression& declared, int given, const std::string& what) {
        const bool is_bare = std::find(function_.shape.begin(), function_.shape.end(), declared.text()) != function_.shape.end();
        if (is_bare != bare) {
            return std::nullopt;
        }
        if (is_bare) {
            const auto [bound, inserted] = shape_.emplace(declared.text(), given);
            if (inserted) {
                bound_by_[declared.text()] = operand;
            }
            return bound->second == given ? std::nullopt : std::optional(different(operand, given, what, bound->second, declared));
        }
        const std::optional<std::int64_t> needed = declared.evaluate(shape_);
        if (needed == given) {
            return std::nullopt;
        }
        if (!needed) {
            return Mismatch{Mismatch::Reason::dimension, operand,
                operand_name(function_, operand) + " has " + std::to_string(given) + " " + what + "s, but `" + declared.text() +
                    "` has no value for " + values_of(declared, shape_)};
        }
        return different(operand, given, what, *needed, declared);
    }

    Mismatch different(std::size_t operand, int given, const std::string& what, std::int64_t needed, const SizeExpression& declared) const {
        std::string message = operand_name(function_, operand) + " has " + std::to_string(given) + " " + what + (given == 1 ? "" : "s") +
            ", but " + std::to_string(needed) + (needed == 1 ? " is" : " are") + " needed";
        const auto source = bound_by_.find(declared.text());
        if (source == bound_by_.end()) {
            message += declared.names().empty() ? "" : " (`" + declared.text() + "`)";
        } else if (source->second == operand) {
            message += ": `" + pattern(function_.inputs[operand]) + "`, and it is `" + to_string(operands_[operand].shape) + "`";
        } else {
            message += " (`" + declared.text() + "` of `" + function_.inputs[source->second].name + "`, which is `" +
                to_string(operands_[source->second].shape) + "`)";
        }
        return {Mismatch::Reason::dimension, operand, message};
    }

    const Function& function_;
    const std::vector<Type>& operands_;
    ShapeValues shape_;
    std::map<std::string, std::size_t> bound_by_; ///< the operand that gave a shape parameter its value
};

constexpr std::size_t whole_call = SIZE_MAX;

/// `where`, and the result's dimensions.
std::variant<Type, Mismatch> result_type(const Function& function, const ShapeValues& shape, Precision precision) {
    for (const std::string& parameter : function.shape) {
        if (!shape.contains(parameter)) {
            return Mismatch{Mismatch::Reason::arity, whole_call, "`" + parameter + "` of `" + function.name + "` is fixed by no operand"};
        }
    }
    if (function.where && function.where->evaluate(shape).value_or(0) == 0) {
        return Mismatch{Mismatch::Reason::outside_where, whole_call,
            "`" + function.name + "` needs `" + function.where->text() + "`, but " + values_of(*function.where, shape)};
    }
    Type type{{function.output.form, 1, 1}, precision};
    const auto dimension = [&](const SizeExpression& declared, int& into) -> std::optional<Mismatch> {
        const std::optional<std::int64_t> value = declared.evaluate(shape);
        if (!value || *value < 1 || *value > max_dimension) {
            return Mismatch{Mismatch::Reason::outside_where, whole_call,
                "the result of `" + function.name + "` would have a dimension of " +
                    (value ? std::to_string(*value) : "`" + declared.text() + "`") + ", but dimensions are 1 to " +
                    std::to_string(max_dimension)};
        }
        into = static_cast<int>(*value);
        return std::nullopt;
    };
    if (type.shape.form != Form::scalar) {
        if (auto mismatch = dimension(function.output.rows, type.shape.rows)) {
            return *mismatch;
        }
    }
    if (type.shape.form == Form::matrix) {
        if (auto mismatch = dimension(function.output.columns, type.shape.columns)) {
            return *mismatch;
        }
    }
    return type;
}

std::variant<Instance, Mismatch> match_in_order(FunctionId id, const Function& function, const std::vector<Type>& operands) {
    Unifier unifier(function, operands);
    if (auto mismatch = unifier.unify()) {
        return *mismatch;
    }
    Instance instance;
    instance.function = id;
    instance.shape = unifier.take_shape();
    const Conversion* conversion = conversion_of(function);
    auto result = result_type(function, instance.shape,
        conversion             ? conversion->to
            : operands.empty() ? Precision::f32
                               : operands[0].precision);
    if (auto* mismatch = std::get_if<Mismatch>(&result)) {
        return std::move(*mismatch);
    }
    instance.result = std::get<Type>(result);
    return instance;
}

} // namespace

std::variant<Instance, Mismatch> Catalog::match(FunctionId id, const std::vector<Type>& operands) const {
    const Function& applied = function(id);
    if (operands.size() != applied.inputs.size()) {
        const std::size_t needed = applied.inputs.size();
        return Mismatch{Mismatch::Reason::arity, whole_call,
            "`" + applied.name + "` takes " + std::to_string(needed) + (needed == 1 ? " operand" : " operands") + ", but " +
                std::to_string(operands.size()) + (operands.size() == 1 ? " is" : " are") + " given"};
    }
    auto straight = match_in_order(id, applied, operands);
    if (!applied.commutative || std::holds_alternative<Instance>(straight)) {
        return straight;
    }
    auto swapped = match_in_order(id, applied, {operands[1], operands[0]});
    if (auto* instance = std::get_if<Instance>(&swapped)) {
        instance->swapped = true;
        return swapped;
    }
    // Both orders fail: the one whose forms fit says what is wrong.
    auto& other = std::get<Mismatch>(swapped);
    if (std::get<Mismatch>(straight).reason == Mismatch::Reason::form && other.reason != Mismatch::Reason::form) {
        other.operand = other.operand == whole_call ? whole_call : 1 - other.operand;
        return swapped;
    }
    return straight;
}

} // namespace fusec::library
