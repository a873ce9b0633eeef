// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/own_function.hpp"

#include "elementary-lib/component_source.hpp"

namespace fusec::library {

namespace {

Parameter parameter(std::string name, const Shape& shape) {
    return {std::move(name), shape.form, whole_number(shape.rows), whole_number(shape.columns), Domain::any};
}

} // namespace

SizeExpression whole_number(std::int64_t value) {
    std::string error;
    std::size_t where = 0;
    return SizeExpression::parse(std::to_string(value), error, where).value();
}

void declare(Function& function, const std::vector<Shape>& operands, const Shape& result) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        function.inputs.push_back(parameter(operand_name(i, operands.size()), operands[i]));
    }
    function.output = parameter("c", result);
}

Implementation& add_implementation(Function& function, const std::string& routine, int threads, Touch output) {
    Implementation& added = function.implementations.emplace_back();
    added.name = added.routine = routine;
    added.threads = whole_number(threads);
    added.inputs.assign(function.inputs.size(), Touch::all);
    added.output = output;
    return added;
}

} // namespace fusec::library
