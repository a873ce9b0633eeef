// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/entry_wise.hpp"

#include <algorithm>
#include <string_view>

namespace fusec::library {

namespace {

using Kind = ReferenceNode::Kind;

/// The operator symbol of a node, or nothing.
std::string_view symbol_of(const ReferenceNode& node) {
    switch (node.kind) {
    case Kind::select:
        return node.name;
    case Kind::add:
        return "+";
    case Kind::subtract:
        return "-";
    case Kind::multiply:
        return "*";
    case Kind::divide:
        return "/";
    case Kind::negate:
        return "neg";
    case Kind::number:
    case Kind::condition:
    case Kind::component:
    case Kind::sum:
    case Kind::call:
        return "";
    }
    return "";
}

/// The function of the operator between scalars.
std::optional<FunctionId> scalar_function(std::string_view symbol, std::size_t operands, const Catalog& catalog) {
    for (const FunctionId id : catalog.with_operator(symbol)) {
        const Function& function = catalog.function(id);
        const auto is_scalar = [](const Parameter& parameter) { return parameter.form == Form::scalar; };
        if (function.inputs.size() == operands && is_scalar(function.output) &&
            std::all_of(function.inputs.begin(), function.inputs.end(), is_scalar) && may_be_step(function)) {
            return id;
        }
    }
    return std::nullopt;
}

class Reader {
public:
    Reader(const Function& function, const ReferenceExpression& expression, const Catalog& catalog)
        : function_(function), expression_(expression), catalog_(catalog) {}

    /// The step or operand of a node; nothing if it is more than entry-wise.
    std::optional<int> read(int number) {
        const ReferenceNode& node = expression_.nodes[static_cast<std::size_t>(number)];
        if (node.kind == Kind::component) {
            return operand(node);
        }
        const std::string_view symbol = symbol_of(node);
        const std::optional<FunctionId> scalar = symbol.empty() ? std::nullopt : scalar_function(symbol, node.children.size(), catalog_);
        if (!scalar) {
            return std::nullopt;
        }
        EntryWise::Step step{*scalar, {}};
        for (const int child : node.children) {
            const std::optional<int> value = read(child);
            if (!value) {
                return std::nullopt;
            }
            step.operands.push_back(*value);
        }
        made.steps.push_back(std::move(step));
        return static_cast<int>(made.steps.size()) - 1;
    }

    EntryWise made;

private:
    std::optional<int> operand(const ReferenceNode& node) const {
        const auto declared =
            std::find_if(function_.inputs.begin(), function_.inputs.end(), [&](const Parameter& input) { return input.name == node.name; });
        const bool same_place = node.indices.empty() ||
            std::equal(node.indices.begin(), node.indices.end(), expression_.result_indices.begin(), expression_.result_indices.end(),
                [](const SizeExpression& index, const std::string& name) { return index.text() == name; });
        return declared == function_.inputs.end() || !same_place
            ? std::nullopt
            : std::optional(-1 - static_cast<int>(declared - function_.inputs.begin()));
    }

    const Function& function_;
    const ReferenceExpression& expression_;
    const Catalog& catalog_;
};

} // namespace

std::optional<EntryWise> entry_wise(const Function& function, const Catalog& catalog) {
    const auto* expression = std::get_if<ReferenceExpression>(&function.reference);
    if (expression == nullptr || function.output.form == Form::scalar) {
        return std::nullopt;
    }
    Reader reader(function, *expression, catalog);
    const std::optional<int> last = reader.read(expression->root);
    return last && *last >= 0 ? std::optional(std::move(reader.made)) : std::nullopt;
}

} // namespace fusec::library
