// SPDX-License-Identifier: Apache-2.0
// Which matrices are known to be symmetric, and how they are stored: packed, or with all components.
#include "elementary-lib/product.hpp"
#include "frontend/expression_check.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>
#include <utility>

namespace fusec::frontend {

namespace {

/// Whether (i, j) and (j, i) of the result are one component, or mirrored ones of an operand that is symmetric.
bool is_symmetric_map(const library::ComponentMap& map, const std::vector<bool>& symmetric) {
    const int n = map.result.rows;
    const auto alike = [&](const library::ComponentSource& a, const library::ComponentSource& b) {
        if (a == b) {
            return true;
        }
        if (a.operand != b.operand || a.operand == library::ComponentSource::zero || !symmetric[static_cast<std::size_t>(a.operand)]) {
            return false;
        }
        const int columns = map.operands[static_cast<std::size_t>(a.operand)].columns;
        return a.component == b.component % columns * columns + b.component / columns;
    };
    for (int row = 0; row < n; ++row) {
        for (int column = 0; column < row; ++column) {
            if (!alike(map.sources[static_cast<std::size_t>(row * n + column)], map.sources[static_cast<std::size_t>(column * n + row)])) {
                return false;
            }
        }
    }
    return true;
}

} // namespace

/// One datum, or the same parts of the same data: a slice that is written twice.
bool ExpressionChecker::same_components(DataId a, DataId b) const {
    const auto moved_by = [this](DataId datum) -> const Call* {
        const std::optional<CallId> producer = draft_.datum(datum).producer;
        return producer && draft_.map_of(*producer, catalog_) != nullptr ? &draft_.calls[producer->index()] : nullptr;
    };
    const Call* const one = moved_by(a);
    const Call* const other = moved_by(b);
    return a == b ||
        (one != nullptr && other != nullptr && one->instance.function == other->instance.function && one->operands == other->operands);
}

bool ExpressionChecker::is_symmetric_result(const library::Instance& instance, const std::vector<DataId>& operands) const {
    const Shape& result = instance.result.shape;
    if (result.form != Form::matrix || result.rows != result.columns) {
        return false;
    }
    std::vector<bool> symmetric;
    std::transform(operands.begin(), operands.end(), std::back_inserter(symmetric),
        [this](DataId operand) { return static_cast<bool>(draft_.symmetric[operand.index()]); });
    const std::size_t function = instance.function.index();
    if (function >= catalog_.library_size()) {
        const library::ComponentMap* map = draft_.own.map(function - catalog_.library_size());
        return map != nullptr ? is_symmetric_map(*map, symmetric) : symmetric.front(); // a conversion
    }
    return library::symmetric_result(
               catalog_.function(instance.function), symmetric, operands.size() == 2 && same_components(operands[0], operands[1])) ||
        is_product_with_its_transpose(instance, operands);
}

/// `A' * A` is `mtmul(A, A)`, which is known to be symmetric.
bool ExpressionChecker::is_product_with_its_transpose(const library::Instance& instance, const std::vector<DataId>& operands) const {
    const std::optional<library::Product> product = library::product_of(catalog_.function(instance.function));
    if (!product) {
        return false;
    }
    struct Factor {
        DataId datum;
        bool transposed;
    };
    const auto through_transposes = [&](DataId datum, bool transposed) {
        for (;;) {
            const std::optional<CallId> producer = draft_.datum(datum).producer;
            const Call* call = producer ? &draft_.calls[producer->index()] : nullptr;
            if (call == nullptr || call->instance.function.index() >= catalog_.library_size() ||
                !library::is_transposition(catalog_.function(call->instance.function)) ||
                call->instance.result.shape.packed != draft_.datum(call->operands[0]).type.shape.packed) {
                return Factor{datum, transposed};
            }
            datum = call->operands[0];
            transposed = !transposed;
        }
    };
    const Factor left = through_transposes(operands[product->left], product->left_transposed);
    const Factor right = through_transposes(operands[product->right], product->right_transposed);
    const Type& type = draft_.datum(left.datum).type;
    const auto found = same_components(left.datum, right.datum)
        ? library::find_product(catalog_, type, left.transposed, type, right.transposed)
        : std::nullopt;
    return found && library::symmetric_result(catalog_.function(found->instance.function), {false, false}, true);
}

Value ExpressionChecker::stored_otherwise(Evaluated& evaluated, const ast::Expression& e, const Operand& matrix) {
    Shape shape = matrix.type.shape;
    if (shape.form != Form::matrix || shape.rows != shape.columns) {
        const char* what = e.text == "full" ? "`full` stores all components of a symmetric matrix" : "`symmetric` packs a square matrix";
        Diagnostic& d = diagnostics_.report(kind::operand_mismatch, matrix.span, described(matrix) + ": " + what);
        note_operand(d, matrix);
        return {};
    }
    shape.packed = e.text == "symmetric";
    if (store_by_call(evaluated, matrix.datum, shape)) {
        return {matrix.datum, std::nullopt};
    }
    return stored_as(evaluated, matrix.datum, shape, e.text + "(" + draft_.datum(matrix.datum).name + ")", e.span);
}

/// The same components, of a packed result those of the lower triangle.
Value ExpressionChecker::stored_as(Evaluated& evaluated, DataId datum, const Shape& shape, const std::string& name, const Span& span) {
    std::vector<Component> components;
    for (int component = 0; component < shape.components(); ++component) {
        components.push_back({datum, shape.stored(component)});
    }
    const Type from = draft_.datum(datum).type;
    if (from.shape == shape) {
        return {datum, std::nullopt};
    }
    return moved(evaluated, {shape, from.precision}, std::move(components), name, span);
}

/// A call that was made in the expression and computes, or converts, whose result has no name and no other use yet, stores its result so
/// from the start.
bool ExpressionChecker::store_by_call(const Evaluated& evaluated, DataId datum, const Shape& shape) {
    const auto made = std::find_if(
        evaluated.calls.begin(), evaluated.calls.end(), [&](CallId call) { return draft_.calls[call.index()].result == datum; });
    if (made == evaluated.calls.end() || draft_.map_of(*made, catalog_) != nullptr) {
        return false;
    }
    draft_.datum(datum).type.shape = shape;
    draft_.calls[made->index()].instance.result.shape = shape;
    draft_.symmetric[datum.index()] = draft_.symmetric[datum.index()] || shape.packed;
    return true;
}

void ExpressionChecker::store_as_declared(Evaluated& evaluated, const Shape& declared, const Span& span) {
    const std::optional<DataId> datum = evaluated.value.datum;
    if (!datum) {
        return;
    }
    Datum& value = draft_.datum(*datum);
    const bool other = value.type.shape != declared && value.type.shape.full() == declared.full() && value.kind != DatumKind::constant;
    if (!other || (declared.packed && !draft_.symmetric[datum->index()])) {
        return;
    }
    if (!store_by_call(evaluated, *datum, declared) && declared.packed) {
        evaluated.value = stored_as(evaluated, *datum, declared, value.name, span);
    }
}

} // namespace fusec::frontend
