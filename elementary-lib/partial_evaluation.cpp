// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/partial_evaluation.hpp"

#include <algorithm>

namespace fusec::library {

using Kind = ReferenceNode::Kind;

namespace {

constexpr int most_operations = 20000;

/// Thrown within this file where a reference is more than arithmetic of the library, or too long.
struct CannotEvaluate {};

/// A scalar function that is one operation on its operands in their order: `C = a * b`, `C = sqrt(a)`.
std::optional<std::pair<Kind, std::string>> operation_of(const Function& function) {
    const auto* expression = std::get_if<ReferenceExpression>(&function.reference);
    if (expression == nullptr || !may_be_step(function)) {
        return std::nullopt;
    }
    const ReferenceNode& root = expression->nodes[static_cast<std::size_t>(expression->root)];
    const bool arithmetic = root.kind == Kind::add || root.kind == Kind::subtract || root.kind == Kind::multiply ||
        root.kind == Kind::divide || root.kind == Kind::negate || root.kind == Kind::call;
    if (!arithmetic || root.children.size() != function.inputs.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < root.children.size(); ++i) {
        const ReferenceNode& child = expression->nodes[static_cast<std::size_t>(root.children[i])];
        if (child.kind != Kind::component || child.name != function.inputs[i].name || !child.indices.empty()) {
            return std::nullopt;
        }
    }
    return std::pair{root.kind, root.kind == Kind::call ? root.name : std::string()};
}

/// A value while it is made: a number that is 0 or 1, a component of an operand, or what a step makes.
struct Term {
    enum class Form {
        zero,
        one,
        leaf,
        step
    } form = Form::zero;
    ComponentSource source; ///< leaf
    int step = 0;
    std::optional<double> number; ///< of a leaf that is known

    bool is(double value) const {
        return form == Form::leaf ? number == value : form == Form::zero ? value == 0 : form == Form::one && value == 1;
    }
};

} // namespace

/// One call.
class PartialEvaluation {
public:
    PartialEvaluation(const PartialEvaluator& evaluator, const std::vector<Shape>& operands, const std::vector<KnownComponents>& known)
        : evaluator_(evaluator), operands_(operands), known_(known) {}

    std::vector<Term> of_expression(
        const Function& function, const ReferenceExpression& expression, const ShapeValues& shape, const Shape& result) {
        function_ = &function;
        expression_ = &expression;
        names_ = shape;
        std::vector<Term> values;
        for (int i = 0; i < result.rows; ++i) {
            for (int j = 0; j < result.columns; ++j) {
                for (std::size_t index = 0; index < expression.result_indices.size(); ++index) {
                    names_[expression.result_indices[index]] = index == 0 ? i : j;
                }
                values.push_back(value_of(expression.root));
            }
        }
        return values;
    }

    std::vector<Term> of_program(const ComponentProgram& program) {
        std::vector<Term> made, values;
        const auto term = [&](const ComponentValue& value) {
            switch (value.kind) {
            case ComponentValue::Kind::zero:
                break;
            case ComponentValue::Kind::component:
                return leaf(value.source);
            case ComponentValue::Kind::step:
                return made[static_cast<std::size_t>(value.step)];
            }
            return Term{};
        };
        for (const ScalarStep& step : program.steps) {
            std::vector<Term> operands;
            std::transform(step.operands.begin(), step.operands.end(), std::back_inserter(operands), term);
            made.push_back(applied(step.function, std::move(operands)));
        }
        std::transform(program.values.begin(), program.values.end(), std::back_inserter(values), term);
        return values;
    }

    std::vector<Term> of_map(const ComponentMap& map) const {
        std::vector<Term> values;
        std::transform(map.sources.begin(), map.sources.end(), std::back_inserter(values),
            [&](const ComponentSource& source) { return source.operand == ComponentSource::zero ? Term{} : leaf(source); });
        return values;
    }

    PartialResult result(const std::vector<Term>& values, const Shape& shape) const {
        PartialResult made;
        for (const Term& value : values) {
            made.known.push_back(value.is(0) ? std::optional(0.0) : value.number);
        }
        made.program = program(values, shape, made);
        return made;
    }

private:
    struct Step {
        FunctionId function;
        std::vector<Term> operands;
    };

    Term leaf(const ComponentSource& source) const {
        const KnownComponents& known = known_[static_cast<std::size_t>(source.operand)];
        return {Term::Form::leaf, source, 0, known.empty() ? std::nullopt : known[static_cast<std::size_t>(source.component)]};
    }

    const Term* negated(const Term& term) const {
        return term.form == Term::Form::step && is_negation(term.step) ? &steps_[static_cast<std::size_t>(term.step)].operands.front()
                                                                       : nullptr;
    }
    bool is_negation(int step) const {
        const auto negate = evaluator_.function_of_.find({Kind::negate, {}});
        return negate != evaluator_.function_of_.end() && steps_[static_cast<std::size_t>(step)].function == negate->second;
    }

    Term step(FunctionId function, std::vector<Term> operands) {
        if (static_cast<int>(steps_.size()) >= most_operations) {
            throw CannotEvaluate{};
        }
        steps_.push_back({function, std::move(operands)});
        return {Term::Form::step, {}, static_cast<int>(steps_.size()) - 1, std::nullopt};
    }
    Term step(Kind kind, std::vector<Term> operands) {
        const auto function = evaluator_.function_of_.find({kind, {}});
        if (function == evaluator_.function_of_.end()) {
            throw CannotEvaluate{};
        }
        return step(function->second, std::move(operands));
    }

    Term applied(FunctionId function, std::vector<Term> operands) {
        const auto operation = evaluator_.operation_of_.find(function);
        if (operation == evaluator_.operation_of_.end() || operation->second.first == Kind::call) {
            return step(function, std::move(operands));
        }
        return applied(operation->second.first, std::move(operands));
    }

    // Signs move outward, since arithmetic is symmetric about 0: (-a) b = -(a b), (-a) - b = -(a + b), bit for bit.
    Term applied(Kind kind, std::vector<Term> operands) {
        if (++operations_ > most_operations) {
            throw CannotEvaluate{};
        }
        const Term &a = operands.front(), &b = operands.back();
        switch (kind) {
        case Kind::add:
            return sum(a, b);
        case Kind::subtract:
            return difference(a, b);
        case Kind::multiply:
            return product(a, b);
        case Kind::divide:
            return a.is(0) ? Term{} : b.is(1) ? a : b.is(-1) ? negative(a) : step(kind, std::move(operands));
        case Kind::negate:
            return negative(a);
        default:
            throw CannotEvaluate{};
        }
    }
    Term negative(const Term& a) {
        if (a.is(0)) {
            return {};
        }
        const Term* twice = negated(a);
        return twice != nullptr ? *twice : step(Kind::negate, {a});
    }
    Term sum(const Term& a, const Term& b) {
        if (a.is(0) || b.is(0)) {
            return a.is(0) ? (b.is(0) ? Term{} : b) : a;
        }
        if (const Term* minus = negated(b)) {
            return difference(a, Term(*minus));
        }
        if (const Term* minus = negated(a)) {
            return difference(b, Term(*minus));
        }
        return step(Kind::add, {a, b});
    }
    Term difference(const Term& a, const Term& b) {
        if (a.is(0) || b.is(0)) {
            return a.is(0) ? negative(b) : a;
        }
        if (const Term* minus = negated(b)) {
            return sum(a, Term(*minus));
        }
        if (const Term* minus = negated(a)) {
            return negative(step(Kind::add, {Term(*minus), b}));
        }
        return step(Kind::subtract, {a, b});
    }
    Term product(const Term& a, const Term& b) {
        if (a.is(0) || b.is(0)) {
            return {};
        }
        for (const auto& [factor, other] : {std::pair(a, b), std::pair(b, a)}) {
            if (factor.is(1)) {
                return other;
            }
            if (factor.is(-1)) {
                return negative(other);
            }
        }
        const Term *minus_a = negated(a), *minus_b = negated(b);
        if (minus_a != nullptr || minus_b != nullptr) {
            const Term made = step(Kind::multiply, {minus_a != nullptr ? *minus_a : a, minus_b != nullptr ? *minus_b : b});
            return minus_a != nullptr && minus_b != nullptr ? made : negative(made);
        }
        return step(Kind::multiply, {a, b});
    }

    // Nodes of an index expression. Its depth is that of a line of metadata.

    Term value_of(int number) {
        const ReferenceNode& node = expression_->nodes[static_cast<std::size_t>(number)];
        switch (node.kind) {
        case Kind::number:
            return of_number(node.number);
        case Kind::condition:
            return of_number(index_value(node.indices.front()) != 0 ? 1 : 0);
        case Kind::component:
            return component(node);
        case Kind::sum: {
            const int range = range_of(node.children.front(), node.name);
            Term total;
            for (int k = 0; k < range; ++k) {
                names_[node.name] = k;
                const Term term = value_of(node.children.front());
                total = k == 0 ? term : applied(Kind::add, {total, term});
            }
            names_.erase(node.name);
            return total;
        }
        case Kind::multiply: {
            const Term left = value_of(node.children.front());
            return left.is(0) ? Term{} : applied(Kind::multiply, {left, value_of(node.children.back())}); // a 0 hides what follows
        }
        default:
            break;
        }
        std::vector<Term> operands;
        for (const int child : node.children) {
            operands.push_back(value_of(child));
        }
        if (node.kind != Kind::call) {
            return applied(node.kind, std::move(operands));
        }
        const auto function = evaluator_.function_of_.find({Kind::call, node.name});
        if (function == evaluator_.function_of_.end()) {
            throw CannotEvaluate{};
        }
        return step(function->second, std::move(operands));
    }

    static Term of_number(double value) {
        if (value != 0 && value != 1) {
            throw CannotEvaluate{};
        }
        return {value == 0 ? Term::Form::zero : Term::Form::one, {}, 0, std::nullopt};
    }

    std::int64_t index_value(const SizeExpression& index) const {
        if (is_plain_index(index)) {
            return names_.at(index.text());
        }
        const std::optional<std::int64_t> value = index.evaluate(names_);
        if (!value) {
            throw CannotEvaluate{};
        }
        return *value;
    }

    std::size_t operand_of(const ReferenceNode& node) const {
        const auto found = std::find_if(
            function_->inputs.begin(), function_->inputs.end(), [&](const Parameter& input) { return input.name == node.name; });
        internal_check(found != function_->inputs.end(), "a reference names no operand");
        return static_cast<std::size_t>(found - function_->inputs.begin());
    }

    Term component(const ReferenceNode& node) const {
        const std::size_t operand = operand_of(node);
        const Shape& shape = operands_[operand];
        const std::int64_t row = node.indices.empty() ? 0 : index_value(node.indices[0]);
        const std::int64_t column = node.indices.size() < 2 ? 0 : index_value(node.indices[1]);
        if (row < 0 || row >= shape.rows || column < 0 || column >= shape.columns) {
            throw CannotEvaluate{};
        }
        return leaf({static_cast<int>(operand), static_cast<int>(row) * shape.columns + static_cast<int>(column)});
    }

    /// The dimension of the places at which the index stands alone.
    int range_of(int number, const std::string& index) const {
        const ReferenceNode& node = expression_->nodes[static_cast<std::size_t>(number)];
        int range = 0;
        for (std::size_t place = 0; node.kind == Kind::component && place < node.indices.size(); ++place) {
            if (node.indices[place].text() == index) {
                const Shape& shape = operands_[operand_of(node)];
                range = place == 0 ? shape.rows : shape.columns;
            }
        }
        for (const int child : node.children) {
            range = std::max(range, range_of(child, index));
        }
        return range;
    }

    /// Steps and operands that the values need, numbered anew.
    std::optional<ComponentProgram> program(const std::vector<Term>& values, const Shape& shape, PartialResult& made) const {
        std::vector<bool> step_used(steps_.size(), false), operand_used(operands_.size(), false);
        bool possible = true;
        const auto use = [&](const Term& term, bool of_step) {
            if (term.form == Term::Form::step) {
                step_used[static_cast<std::size_t>(term.step)] = true;
            } else if (term.form == Term::Form::leaf && (of_step || !term.is(0))) {
                operand_used[static_cast<std::size_t>(term.source.operand)] = true;
            } else {
                possible = possible && !of_step && term.form != Term::Form::one; // no component says it
            }
        };
        std::for_each(values.begin(), values.end(), [&](const Term& value) { use(value, false); });
        for (std::size_t i = steps_.size(); i-- > 0;) {
            if (step_used[i]) {
                std::for_each(steps_[i].operands.begin(), steps_[i].operands.end(), [&](const Term& term) { use(term, true); });
            }
        }
        if (!possible || std::find(operand_used.begin(), operand_used.end(), true) == operand_used.end()) {
            return std::nullopt;
        }
        ComponentProgram result;
        result.result = shape;
        std::vector<int> operand_number(operands_.size(), 0), step_number(steps_.size(), 0);
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            if (operand_used[i]) {
                operand_number[i] = static_cast<int>(made.read.size());
                made.read.push_back(i);
                result.operands.push_back(operands_[i]);
            }
        }
        const auto value = [&](const Term& term, bool of_step) -> ComponentValue {
            if (term.form == Term::Form::step) {
                return {ComponentValue::Kind::step, {}, step_number[static_cast<std::size_t>(term.step)]};
            }
            if (!of_step && term.is(0)) {
                return {};
            }
            const int operand = operand_number[static_cast<std::size_t>(term.source.operand)];
            return {ComponentValue::Kind::component, {operand, term.source.component}, 0};
        };
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (step_used[i]) {
                step_number[i] = static_cast<int>(result.steps.size());
                ScalarStep& step = result.steps.emplace_back(ScalarStep{steps_[i].function, {}});
                for (const Term& operand : steps_[i].operands) {
                    step.operands.push_back(value(operand, true));
                }
                made.negations += is_negation(static_cast<int>(i)) ? 1 : 0;
            }
        }
        for (const Term& term : values) {
            result.values.push_back(value(term, false));
        }
        return result;
    }

    const PartialEvaluator& evaluator_;
    const std::vector<Shape>& operands_;
    const std::vector<KnownComponents>& known_;
    std::vector<Step> steps_;
    int operations_ = 0;
    const Function* function_ = nullptr;
    const ReferenceExpression* expression_ = nullptr;
    ShapeValues names_; ///< shape parameters and the indices of open loops
};

PartialEvaluator::PartialEvaluator(const Catalog& catalog) {
    for (std::size_t i = 0; i < catalog.library_size(); ++i) {
        const FunctionId id(i);
        if (const auto operation = library::operation_of(catalog.function(id))) {
            function_of_.try_emplace(*operation, id);
            operation_of_.emplace(id, *operation);
        }
    }
}

std::optional<PartialResult> PartialEvaluator::evaluate(const Function& function, const ShapeValues& shape,
    const std::vector<Shape>& operands, const Shape& result, const std::vector<KnownComponents>& known) const {
    PartialEvaluation evaluation(*this, operands, known);
    try {
        std::vector<Term> values;
        if (const auto* expression = std::get_if<ReferenceExpression>(&function.reference)) {
            values = evaluation.of_expression(function, *expression, shape, result);
        } else if (const auto* program = std::get_if<ComponentProgram>(&function.reference)) {
            values = evaluation.of_program(*program);
        } else if (const auto* map = std::get_if<ComponentMap>(&function.reference)) {
            values = evaluation.of_map(*map);
        } else {
            return std::nullopt;
        }
        return evaluation.result(values, result);
    } catch (const CannotEvaluate&) {
        return std::nullopt;
    }
}

bool PartialEvaluator::folds(const KnownComponents& known) {
    return std::any_of(
        known.begin(), known.end(), [](const std::optional<double>& value) { return value == 0.0 || value == 1.0 || value == -1.0; });
}

} // namespace fusec::library
