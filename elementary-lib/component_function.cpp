// SPDX-License-Identifier: Apache-2.0
// The function of a component program: its components as formulas, written as loops over parts of one formula where there are few of
// them, and one after another with shared steps in variables otherwise.
#include "elementary-lib/catalog.hpp"
#include "elementary-lib/component_source.hpp"
#include "elementary-lib/own_function.hpp"
#include "elementary-lib/scalar_expression.hpp"
#include "support/hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

namespace fusec::library {

namespace {

/// A longer expression is cut: what it has so far becomes a variable.
constexpr std::size_t longest_expression = 100;
/// Formulas with more steps are not repeated for each component.
constexpr std::size_t most_steps_of_a_formula = 400;
/// A warp takes the branches of all the parts that its threads make: as many parts as this, or one for each warp's worth of components.
constexpr std::size_t few_parts_by_entry = 4;
constexpr std::size_t components_of_a_warp = 32;

std::size_t most_parts_by_entry(const Shape& result) {
    return std::max(few_parts_by_entry, static_cast<std::size_t>(result.size()) / components_of_a_warp);
}

constexpr int fewest_zeros_in_a_loop = 3;

using Kind = ComponentValue::Kind;

/// The formula of one component with its leaves in the order in which it reads them.
struct Formula {
    std::string key; ///< equal for components of one formula
    std::vector<ComponentSource> leaves;
    std::size_t steps = 0;
};

class Analysis {
public:
    Analysis(const ComponentProgram& program, const Catalog& catalog) : program_(program), catalog_(catalog) {
        for (const ScalarStep& step : program.steps) {
            expressions_.push_back(ScalarExpression::of(catalog.function(step.function)).value());
        }
    }

    const ComponentProgram& program() const { return program_; }
    const ScalarExpression& expression(int step) const { return expressions_[static_cast<std::size_t>(step)]; }
    const ScalarStep& step(int number) const { return program_.steps[static_cast<std::size_t>(number)]; }

    OperationCounts operations(int number) const { return catalog_.operations(Instance{step(number).function, {}, false, {}}); }

    /// The two operands of a commutative step in the order that makes neighbouring components alike: of one operand, the component
    /// nearest to that of the result first.
    bool swapped(const ScalarStep& step, int component) const {
        if (!catalog_.function(step.function).commutative || step.operands.size() != 2) {
            return false;
        }
        const ComponentValue &a = step.operands[0], &b = step.operands[1];
        if (a.kind != Kind::component || b.kind != Kind::component || a.source.operand != b.source.operand) {
            return false;
        }
        const auto far = [&](const ComponentValue& leaf) {
            const int columns = program_.operands[static_cast<std::size_t>(leaf.source.operand)].columns;
            return std::pair{std::abs(leaf.source.component / columns - component / program_.result.columns),
                std::abs(leaf.source.component % columns - component % program_.result.columns)};
        };
        return far(b) < far(a);
    }

    /// Nothing if it has too many steps.
    std::optional<Formula> formula(int component) const {
        Formula result;
        return append(program_.values[static_cast<std::size_t>(component)], component, result) ? std::optional(std::move(result))
                                                                                               : std::nullopt;
    }

private:
    bool append(const ComponentValue& value, int component, Formula& formula) const {
        switch (value.kind) {
        case Kind::zero:
            formula.key += '0';
            return true;
        case Kind::component:
            formula.key += 'o' + std::to_string(value.source.operand);
            formula.leaves.push_back(value.source);
            return true;
        case Kind::step:
            break;
        }
        if (++formula.steps > most_steps_of_a_formula) {
            return false;
        }
        const ScalarStep& step = this->step(value.step);
        formula.key += 'f' + std::to_string(step.function.value) + '(';
        const bool swap = swapped(step, component);
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            formula.key += i == 0 ? "" : ",";
            if (!append(step.operands[swap ? 1 - i : i], component, formula)) {
                return false;
            }
        }
        formula.key += ')';
        return true;
    }

    const ComponentProgram& program_;
    const Catalog& catalog_;
    std::vector<ScalarExpression> expressions_;
};

/// Writes expressions; what has been computed into a variable is that variable.
class ExpressionWriter {
public:
    explicit ExpressionWriter(const Analysis& analysis) : analysis_(analysis) {}

    /// `leaf` gives the text of a leaf; `component` is the result's. Variables that it needs are declared by `statements`.
    template <class Leaf>
    BoundText text(const ComponentValue& value, int component, Leaf& leaf) {
        switch (value.kind) {
        case Kind::zero:
            return {"0"};
        case Kind::component:
            return {leaf(value.source)};
        case Kind::step:
            break;
        }
        if (const auto known = computed_.find(value.step); known != computed_.end()) {
            variables_[known->second].last = statements_.size();
            return {name(known->second)};
        }
        const ScalarStep& step = analysis_.step(value.step);
        const ScalarExpression& expression = analysis_.expression(value.step);
        const bool swap = analysis_.swapped(step, component);
        std::vector<BoundText> operands;
        std::size_t length = 0;
        for (std::size_t i = 0; i < step.operands.size(); ++i) {
            operands.push_back(text(step.operands[swap ? 1 - i : i], component, leaf));
            length += operands.back().text.size();
        }
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const bool arithmetic = operands[i].binding != Binding::atom || operands[i].text.find(' ') != std::string::npos;
            if (arithmetic && (expression.repeats(i) || (length > longest_expression && operands[i].text.size() * 2 > length))) {
                operands[i] = {name(variable(operands[i].text))};
            }
        }
        BoundText result = expression.with(operands);
        if (shared_.count(value.step) != 0) {
            const std::size_t made = variable(result.text);
            computed_.emplace(value.step, made);
            result = {name(made)};
        }
        return result;
    }

    /// The step becomes a variable when it is first met.
    void share(int step) { shared_.insert(step); }
    void state(std::string statement) { statements_.push_back(std::move(statement)); }
    const std::vector<std::string>& statements() const { return statements_; }

    /// The largest number of variables that are alive at a time.
    int most_alive() const {
        std::vector<int> change(statements_.size() + 1, 0);
        for (const Variable& variable : variables_) {
            ++change[variable.first];
            --change[std::max(variable.first, variable.last)];
        }
        int alive = 0, most = 0;
        for (const int step : change) {
            most = std::max(most, alive += step);
        }
        return most;
    }

private:
    struct Variable {
        std::size_t first = 0, last = 0; ///< statements
    };

    static std::string name(std::size_t variable) { return "t" + std::to_string(variable); }
    std::size_t variable(const std::string& value) {
        const std::size_t number = variables_.size();
        variables_.push_back({statements_.size(), statements_.size() + 1});
        state("const auto " + name(number) + " = " + value + ";");
        return number;
    }

    const Analysis& analysis_;
    std::vector<std::string> statements_;
    std::vector<Variable> variables_;
    std::map<int, std::size_t> computed_; ///< step to variable
    std::set<int> shared_;
};

/// Components by formula, if that makes few parts and does not repeat much.
struct Parts {
    std::vector<ComponentPart> parts;
    std::vector<ComponentPattern> patterns; ///< by component
    std::vector<int> example;               ///< by formula: a component that has it
    std::size_t steps = 0;                  ///< of all components together
};

std::optional<Parts> parts_of(const Analysis& analysis) {
    const ComponentProgram& program = analysis.program();
    std::vector<ComponentPattern> patterns;
    std::map<std::string, int> numbers;
    Parts result;
    for (int component = 0; component < program.result.size(); ++component) {
        ComponentPattern& pattern = patterns.emplace_back();
        if (program.values[static_cast<std::size_t>(component)].kind == Kind::zero) {
            continue;
        }
        std::optional<Formula> formula = analysis.formula(component);
        if (!formula) {
            return std::nullopt;
        }
        const auto [number, inserted] = numbers.try_emplace(formula->key, static_cast<int>(numbers.size()));
        if (inserted) {
            result.example.push_back(component);
        }
        pattern = {number->second, std::move(formula->leaves)};
        result.steps += formula->steps;
    }
    // A thread per component repeats what components share; as much again is worth it.
    if (result.steps > 2 * program.steps.size()) {
        return std::nullopt;
    }
    result.parts = library::parts_of(program.result, program.operands, patterns);
    result.patterns = std::move(patterns);
    const bool few = result.parts.size() <= few_parts_by_entry || 3 * result.parts.size() <= program.values.size();
    return few && program.result.size() > 1 ? std::optional(std::move(result)) : std::nullopt;
}

std::string name_of(const ComponentProgram& program, const Catalog& catalog) {
    Fnv1a hash;
    const auto add = [&](int value) { hash.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); };
    const auto add_value = [&](const ComponentValue& value) {
        add(static_cast<int>(value.kind));
        add(value.source.operand);
        add(value.source.component);
        add(value.step);
    };
    for (const Shape& shape : program.operands) {
        hash.add(to_string(shape));
    }
    hash.add(to_string(program.result));
    for (const ScalarStep& step : program.steps) {
        hash.add(catalog.function(step.function).name);
        std::for_each(step.operands.begin(), step.operands.end(), add_value);
    }
    std::for_each(program.values.begin(), program.values.end(), add_value);
    constexpr std::size_t digits = 8;
    return "components_" + hexadecimal(mixed(hash.value())).substr(0, digits);
}

/// Components from this one on that are 0, in its row.
int zeros_along(const ComponentProgram& program, int component) {
    int count = 0;
    while (component + count < program.result.size() &&
        (component + count) / program.result.columns == component / program.result.columns &&
        program.values[static_cast<std::size_t>(component + count)].kind == Kind::zero) {
        ++count;
    }
    return count;
}

/// Statements of one thread, each step computed once; `live` is the largest number of variables alive at a time.
std::string straight_line(const Analysis& analysis, const std::string& name, int& live) {
    const ComponentProgram& program = analysis.program();
    std::vector<int> uses(program.steps.size(), 0);
    const auto use = [&](const ComponentValue& value) {
        if (value.kind == Kind::step) {
            ++uses[static_cast<std::size_t>(value.step)];
        }
    };
    for (const ScalarStep& step : program.steps) {
        std::for_each(step.operands.begin(), step.operands.end(), use);
    }
    std::for_each(program.values.begin(), program.values.end(), use);
    ExpressionWriter writer(analysis);
    for (std::size_t step = 0; step < uses.size(); ++step) {
        if (uses[step] > 1) {
            writer.share(static_cast<int>(step));
        }
    }
    const auto leaf = [&](const ComponentSource& source) {
        const auto operand = static_cast<std::size_t>(source.operand);
        const Shape& shape = program.operands[operand];
        return indexed(operand_name(operand, program.operands.size()), shape.form, std::to_string(source.component / shape.columns),
            std::to_string(source.component % shape.columns));
    };
    const int columns = program.result.columns;
    for (int component = 0; component < program.result.size(); ++component) {
        const std::string row = std::to_string(component / columns);
        if (const int zeros = zeros_along(program, component); zeros >= fewest_zeros_in_a_loop) {
            const std::string first = std::to_string(component % columns), last = std::to_string(component % columns + zeros);
            writer.state(
                "for (int j = " + first + "; j < " + last + "; ++j)\n        " + indexed("c", program.result.form, row, "j") + " = 0;");
            component += zeros - 1;
            continue;
        }
        const std::string value = writer.text(program.values[static_cast<std::size_t>(component)], component, leaf).text;
        writer.state(indexed("c", program.result.form, row, std::to_string(component % columns)) + " = " + value + ";");
    }
    std::string text = routine_head(name + "_element", "Lane", program.operands.size());
    for (const std::string& line : writer.statements()) {
        text += "    " + line + "\n";
    }
    live = writer.most_alive();
    return text + "}\n";
}

/// What the parts read, one after another; without parts, what the steps and components read, each step once.
std::vector<ComponentSource> reads_in_order(const ComponentProgram& program, const std::optional<Parts>& parts) {
    std::vector<ComponentSource> reads;
    if (parts) {
        for (const ComponentPart& part : parts->parts) {
            for (int i = 0; i < part.rows; ++i) {
                for (int j = 0; j < (part.diagonal ? 1 : part.columns); ++j) {
                    const int component = (part.row + i) * program.result.columns + part.column + (part.diagonal ? i : j);
                    const std::vector<ComponentSource>& leaves = parts->patterns[static_cast<std::size_t>(component)].leaves;
                    reads.insert(reads.end(), leaves.begin(), leaves.end());
                }
            }
        }
        return reads;
    }
    std::vector<bool> done(program.steps.size(), false);
    for (const ComponentValue& result : program.values) {
        std::vector<ComponentValue> open{result};
        while (!open.empty()) {
            const ComponentValue value = open.back();
            open.pop_back();
            if (value.kind == Kind::component) {
                reads.push_back(value.source);
            } else if (value.kind == Kind::step && !done[static_cast<std::size_t>(value.step)]) {
                done[static_cast<std::size_t>(value.step)] = true;
                const std::vector<ComponentValue>& operands = program.steps[static_cast<std::size_t>(value.step)].operands;
                open.insert(open.end(), operands.rbegin(), operands.rend());
            }
        }
    }
    return reads;
}

} // namespace

bool may_be_step(const Function& function) {
    return ScalarExpression::of(function).has_value();
}

Function component_function(const ComponentProgram& program, const Catalog& catalog, const std::string& name) {
    const Analysis analysis(program, catalog);
    Function function;
    function.name = name.empty() ? name_of(program, catalog) : name;
    function.summary = "arithmetic with components";
    function.reference = program;
    declare(function, program.operands, program.result);

    OperationCounts counts;
    const auto count = [&](int step, double times) {
        const OperationCounts one = analysis.operations(step);
        counts.flops += times * one.flops;
        counts.divisions += times * one.divisions;
        counts.square_roots += times * one.square_roots;
        counts.transcendentals += times * one.transcendentals;
    };
    const std::optional<Parts> parts = parts_of(analysis);
    Implementation& element = add_implementation(function, "element", 1, Touch::all);
    set_reads(element, reads_in_order(program, parts));
    if (parts) {
        const auto formula = [&](int number, const std::vector<std::string>& leaves, std::vector<std::string>& before) {
            const int component = parts->example[static_cast<std::size_t>(number)];
            std::size_t next = 0;
            const auto leaf = [&](const ComponentSource&) { return leaves[next++]; };
            ExpressionWriter writer(analysis);
            std::string text = writer.text(program.values[static_cast<std::size_t>(component)], component, leaf).text;
            before = writer.statements();
            return text;
        };
        const ComponentSourceWriter writer(program.result, program.operands, parts->parts, formula);
        function.source = writer.element(function.name);
        if (parts->parts.size() <= most_parts_by_entry(program.result)) {
            add_parallel_implementations(function, writer, program.operands, program.result);
        }
        // Each component computes its formula.
        std::vector<ComponentValue> open = program.values;
        while (!open.empty()) {
            const ComponentValue value = open.back();
            open.pop_back();
            if (value.kind == Kind::step) {
                count(value.step, 1);
                const std::vector<ComponentValue>& operands = analysis.step(value.step).operands;
                open.insert(open.end(), operands.begin(), operands.end());
            }
        }
    } else {
        int live = 0;
        function.source = straight_line(analysis, function.name, live);
        element.temporaries = whole_number(live);
        for (std::size_t step = 0; step < program.steps.size(); ++step) {
            count(static_cast<int>(step), 1);
        }
    }
    const auto whole = [](double value) { return whole_number(static_cast<std::int64_t>(value)); };
    function.flops = whole(counts.flops);
    function.divisions = whole(counts.divisions);
    function.square_roots = whole(counts.square_roots);
    function.transcendentals = whole(counts.transcendentals);
    return function;
}

} // namespace fusec::library
