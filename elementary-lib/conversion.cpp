// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/conversion.hpp"

#include "elementary-lib/catalog.hpp"
#include "elementary-lib/component_source.hpp"
#include "elementary-lib/own_function.hpp"

#include <string>

namespace fusec::library {

namespace {

std::string name_of(const Conversion& conversion) {
    const Shape& shape = conversion.shape;
    const std::string of = shape.form == Form::scalar
        ? "scalar"
        : std::to_string(shape.rows) + (shape.form == Form::matrix ? "x" + std::to_string(shape.columns) : std::string());
    return std::string(c_name(conversion.to)) + "_of_" + of;
}

} // namespace

Function converting_function(const Conversion& conversion) {
    ComponentMap same{{conversion.shape}, conversion.shape, {}};
    for (int component = 0; component < conversion.shape.components(); ++component) {
        same.sources.push_back({0, component});
    }
    const std::string text = std::string("fusec::to_") + c_name(conversion.to) + "(";
    const ComponentSourceWriter writer(conversion.shape, same.operands, parts_of(same),
        [&](int, const std::vector<std::string>& leaves, std::vector<std::string>&) { return text + leaves.front() + ")"; });
    Function function;
    function.name = name_of(conversion);
    function.summary = std::string("c = ") + c_name(conversion.to) + "(a)";
    function.reference = conversion;
    declare(function, same.operands, conversion.shape);
    function.flops = function.divisions = function.square_roots = function.transcendentals = whole_number(0);
    // It says of no component that it is read: its result is no components of the operand, which could stay in their registers.
    add_implementation(function, "element", 1, Touch::all);
    function.source = writer.element(function.name);
    if (conversion.shape.size() > 1) {
        add_parallel_implementations(function, writer, same.operands, conversion.shape);
    }
    return function;
}

const Conversion* conversion_of(const Function& function) {
    return std::get_if<Conversion>(&function.reference);
}

} // namespace fusec::library
