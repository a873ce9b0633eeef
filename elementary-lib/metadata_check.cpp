// SPDX-License-Identifier: Apache-2.0
// What the parts of a metadata file say about each other: names, the shape parameters that operands fix, the reference's operands
// and indices, the implementations' thread counts and maps.
#include "elementary-lib/metadata.hpp"
#include "elementary-lib/selection.hpp"

#include <algorithm>
#include <set>

namespace fusec::library {

namespace {

bool is_identifier(const std::string& word) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !word.empty() && letter(word[0]) &&
        std::all_of(word.begin(), word.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::size_t dimensions(Form form) {
    return static_cast<std::size_t>(form); // scalar 0, vector 1, matrix 2
}

std::string counted(std::size_t count, const std::string& singular, const std::string& plural) {
    return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

/// The dimensions a sum's index runs over, by the text of the expressions; and what a reference's names mean.
class ReferenceCheck {
public:
    ReferenceCheck(const Metadata& metadata, const ReferenceExpression& reference, Diagnostics& diagnostics)
        : metadata_(metadata), function_(metadata.function), reference_(reference), diagnostics_(diagnostics) {}

    void run() {
        if (reference_.result != function_.output.name) {
            error(0, "the reference defines `" + reference_.result + "`, but the result is `" + function_.output.name + "`");
        }
        if (reference_.result_indices.size() != dimensions(function_.output.form)) {
            error(0,
                "`" + reference_.result + "` has " + counted(dimensions(function_.output.form), "dimension", "dimensions") + ", but " +
                    counted(reference_.result_indices.size(), "index is", "indices are") + " given");
            return;
        }
        std::vector<std::string> bound = reference_.result_indices;
        if (std::set<std::string>(bound.begin(), bound.end()).size() != bound.size()) {
            error(0, "the indices of `" + reference_.result + "` are not distinct");
        }
        visit(reference_.root, bound);
    }

private:
    Diagnostic& error(std::size_t where, std::string message, std::size_t length = 1) {
        return diagnostics_.report(kind::library_reference, inside(metadata_.place("reference"), where, length), std::move(message));
    }

    const ReferenceNode& node(int index) const { return reference_.nodes.at(static_cast<std::size_t>(index)); }

    void visit(int index, std::vector<std::string>& bound) {
        const ReferenceNode& here = node(index);
        for (const SizeExpression& expression : here.indices) {
            for (const std::string& name : expression.names()) {
                const bool known = std::find(bound.begin(), bound.end(), name) != bound.end() ||
                    std::find(function_.shape.begin(), function_.shape.end(), name) != function_.shape.end();
                if (!known) {
                    error(here.where, "the index `" + name + "` is bound by neither the result nor a sum");
                }
            }
        }
        if (here.kind == ReferenceNode::Kind::component) {
            component(here);
        }
        if (here.kind == ReferenceNode::Kind::sum) {
            if (std::find(bound.begin(), bound.end(), here.name) != bound.end()) {
                error(here.where, "the index `" + here.name + "` is bound twice");
            }
            if (!has_range(here.children[0], here.name)) {
                error(here.where, "the range of `" + here.name + "` is unknown: no operand has it alone as an index");
            }
            bound.push_back(here.name);
        }
        for (const int child : here.children) {
            visit(child, bound);
        }
        if (here.kind == ReferenceNode::Kind::sum) {
            bound.pop_back();
        }
    }

    void component(const ReferenceNode& here) {
        const auto operand =
            std::find_if(function_.inputs.begin(), function_.inputs.end(), [&](const Parameter& input) { return input.name == here.name; });
        if (operand == function_.inputs.end()) {
            std::vector<std::string> names;
            for (const Parameter& input : function_.inputs) {
                names.push_back(input.name);
            }
            Diagnostic& unknown = error(here.where, "the reference reads `" + here.name + "`, which is not an operand", here.name.size());
            if (const std::string near = nearest(here.name, names); !near.empty()) {
                unknown.hint = "did you mean `" + near + "`?";
            }
        } else if (here.indices.size() != dimensions(operand->form)) {
            error(here.where,
                "`" + here.name + "` has " + counted(dimensions(operand->form), "dimension", "dimensions") + ", but " +
                    counted(here.indices.size(), "index is", "indices are") + " given");
        }
    }

    bool has_range(int index, const std::string& name) const {
        const ReferenceNode& here = node(index);
        if (here.kind == ReferenceNode::Kind::component &&
            std::any_of(here.indices.begin(), here.indices.end(),
                [&](const SizeExpression& one) { return is_plain_index(one) && one.text() == name; })) {
            return true;
        }
        return std::any_of(here.children.begin(), here.children.end(), [&](int child) { return has_range(child, name); });
    }

    const Metadata& metadata_;
    const Function& function_;
    const ReferenceExpression& reference_;
    Diagnostics& diagnostics_;
};

class Check {
public:
    Check(const Metadata& metadata, Diagnostics& diagnostics)
        : metadata_(metadata), function_(metadata.function), diagnostics_(diagnostics) {}

    void run() {
        names();
        shape_is_determined();
        if (const auto* expression = std::get_if<ReferenceExpression>(&function_.reference)) {
            ReferenceCheck(metadata_, *expression, diagnostics_).run();
        } else {
            algorithm(std::get<Algorithm>(function_.reference));
        }
        domains();
        operator_and_commutative();
        check_facts(metadata_, diagnostics_);
        implementations();
    }

private:
    void error(const DiagnosticKind& kind, const std::string& path, std::string message) {
        diagnostics_.report(kind, metadata_.place(path), std::move(message));
    }

    void name(const std::string& word, const std::string& path, std::set<std::string>& seen) {
        if (!is_identifier(word)) {
            error(kind::library_metadata, path, "`" + word + "` is not an identifier");
        } else if (!seen.insert(word).second) {
            error(kind::library_metadata, path, "`" + word + "` names two things");
        }
    }
    void names() {
        std::set<std::string> seen;
        for (std::size_t i = 0; i < function_.shape.size(); ++i) {
            name(function_.shape[i], "shape[" + std::to_string(i) + "]", seen);
        }
        for (std::size_t i = 0; i < function_.inputs.size(); ++i) {
            name(function_.inputs[i].name, "input[" + std::to_string(i) + "].name", seen);
        }
        name(function_.output.name, "output.name", seen);
        std::set<std::string> implementations;
        for (std::size_t i = 0; i < function_.implementations.size(); ++i) {
            const std::string path = "implementation[" + std::to_string(i) + "]";
            name(function_.implementations[i].name, path + ".name", implementations);
            if (!is_identifier(function_.implementations[i].routine)) {
                error(kind::library_metadata, path + ".routine", "`" + function_.implementations[i].routine + "` is not an identifier");
            }
        }
        if (!is_identifier(function_.name)) {
            error(kind::library_metadata, "", "the file's name `" + function_.name + "` is not an identifier");
        }
    }

    /// Every shape parameter stands alone as a dimension of an operand, unless there is no operand to take it from.
    void shape_is_determined() {
        if (function_.inputs.empty()) {
            return;
        }
        for (std::size_t i = 0; i < function_.shape.size(); ++i) {
            const std::string& parameter = function_.shape[i];
            const bool found = std::any_of(function_.inputs.begin(), function_.inputs.end(), [&](const Parameter& input) {
                return (input.form != Form::scalar && input.rows.text() == parameter) ||
                    (input.form == Form::matrix && input.columns.text() == parameter);
            });
            if (!found) {
                error(kind::library_metadata, "shape[" + std::to_string(i) + "]",
                    "`" + parameter + "` stands alone as a dimension of no operand");
            }
        }
    }

    static bool square(const Parameter& parameter) {
        return parameter.form == Form::matrix && parameter.rows.text() == parameter.columns.text();
    }
    static bool alike(const Parameter& a, const Parameter& b) {
        return a.form == b.form && a.rows.text() == b.rows.text() && a.columns.text() == b.columns.text();
    }

    void algorithm(Algorithm algorithm) {
        const std::size_t operands = algorithm == Algorithm::solve ? 2 : 1;
        const std::string label = "`" + std::string(name_of(algorithm)) + "` ";
        if (function_.inputs.size() != operands) {
            return error(kind::library_reference, "reference",
                label + "takes " + counted(operands, "operand", "operands") + ", but the function has " +
                    std::to_string(function_.inputs.size()));
        }
        if (!square(function_.inputs[0])) {
            return error(
                kind::library_reference, "reference", label + "needs a square matrix, but `" + function_.inputs[0].name + "` is none");
        }
        switch (algorithm) {
        case Algorithm::determinant:
            if (function_.output.form != Form::scalar) {
                error(kind::library_reference, "reference", label + "gives a scalar, but `" + function_.output.name + "` is none");
            }
            return;
        case Algorithm::inverse:
        case Algorithm::cofactor:
        case Algorithm::cholesky:
            if (!alike(function_.inputs[0], function_.output)) {
                error(kind::library_reference, "reference",
                    label + "gives a matrix like `" + function_.inputs[0].name + "`, but `" + function_.output.name + "` differs");
            }
            return;
        case Algorithm::solve:
            if (!alike(function_.inputs[1], function_.output) || function_.output.form == Form::scalar ||
                function_.output.rows.text() != function_.inputs[0].rows.text()) {
                error(kind::library_reference, "reference",
                    label + "takes a matrix and a right-hand side of its rows and gives the like of the latter, but `" +
                        function_.output.name + "` differs");
            }
            return;
        }
    }

    void domains() {
        for (std::size_t i = 0; i < function_.inputs.size(); ++i) {
            const Domain domain = function_.inputs[i].domain;
            if ((domain == Domain::invertible || domain == Domain::spd) && !square(function_.inputs[i])) {
                error(kind::library_metadata, "input[" + std::to_string(i) + "].domain",
                    "`" + function_.inputs[i].name + "` is not a square matrix, so this domain means nothing");
            }
        }
    }

    void operator_and_commutative() {
        if (function_.operator_symbol) {
            const std::string& symbol = *function_.operator_symbol;
            const std::size_t operands = symbol == "'" || symbol == "neg" ? 1 : is_comparison(symbol) ? 4 : 2;
            if (function_.inputs.size() != operands) {
                error(kind::library_metadata, "operator",
                    "the operator `" + symbol + "` takes " + counted(operands, "operand", "operands") + ", but the function has " +
                        std::to_string(function_.inputs.size()));
            } else if (is_comparison(symbol) && !selects(symbol)) {
                error(kind::library_metadata, "operator",
                    "a function of the comparison `" + symbol +
                        "` is a selection: its first operands are scalars, the others like the result");
            }
        }
        if (function_.commutative && function_.inputs.size() != 2) {
            error(kind::library_metadata, "commutative",
                "only a function of 2 operands can be commutative, but this has " + std::to_string(function_.inputs.size()));
        }
    }

    /// `select(a < b, x, y)`, component by component.
    bool selects(const std::string& symbol) const {
        const auto& inputs = function_.inputs;
        const std::optional<Selection> selection = selection_of(function_);
        return selection && selection->comparison == symbol && inputs[0].form == Form::scalar && inputs[1].form == Form::scalar &&
            alike(inputs[2], function_.output) && alike(inputs[3], function_.output);
    }

    static bool meaningful(Form form, Touch touch) {
        switch (touch) {
        case Touch::all:
            return true;
        case Touch::row:
        case Touch::column:
            return form == Form::matrix;
        case Touch::entry:
        case Touch::rows:
            return form != Form::scalar;
        }
        return false;
    }

    void implementations() {
        const std::vector<Implementation>& all = function_.implementations;
        if (all.front().threads.text() != "1") {
            error(kind::library_implementation, "implementation[0].threads",
                "the first implementation has `" + all.front().threads.text() + "` threads, but it must have 1");
        } else if (all.front().limit) {
            error(kind::library_implementation, "implementation[0].limit",
                "the first implementation has a limit, so some shapes would have none; `where` restricts a function");
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string path = "implementation[" + std::to_string(i) + "]";
            const bool alone = all[i].threads.text() == "1";
            touch(path, function_.output, all[i].output, alone);
            for (std::size_t operand = 0; operand < function_.inputs.size(); ++operand) {
                touch(path, function_.inputs[operand], all[i].inputs[operand], alone);
            }
            if (!alone && all[i].output != Touch::all && meaningful(function_.output.form, all[i].output)) {
                parts_fit_threads(path, all[i]);
            }
            if (alone && all[i].exchanges) {
                error(kind::library_implementation, path + ".exchanges", "one thread has no other to exchange values with");
            }
            if (!alone && all[i].output == Touch::all && metadata_.places.count(path + ".map." + function_.output.name) == 0) {
                error(kind::library_implementation, path,
                    "`map` does not say which part of `" + function_.output.name + "` each thread computes");
            }
        }
    }

    /// Threads make the whole result, each its part: tried for all shapes up to `tried` that the implementation is legal for.
    void parts_fit_threads(const std::string& path, const Implementation& implementation) {
        constexpr int tried = 6;
        ShapeValues shape;
        for (const std::string& parameter : function_.shape) {
            shape[parameter] = 1;
        }
        for (auto digit = shape.begin();;) {
            if (misfit(path, implementation, shape)) {
                return;
            }
            for (digit = shape.begin(); digit != shape.end() && ++digit->second > tried; ++digit) {
                digit->second = 1;
            }
            if (digit == shape.end()) {
                return;
            }
        }
    }
    bool misfit(const std::string& path, const Implementation& implementation, const ShapeValues& shape) {
        const auto holds = [&](const std::optional<SizeExpression>& condition) {
            return !condition || condition->evaluate(shape).value_or(0) != 0;
        };
        const auto size = [&](const SizeExpression& dimension) {
            return static_cast<int>(std::clamp<std::int64_t>(dimension.evaluate(shape).value_or(0), 0, max_dimension));
        };
        const Shape result{function_.output.form, size(function_.output.rows), size(function_.output.columns)};
        const std::int64_t threads = implementation.threads.evaluate(shape).value_or(0);
        if (!holds(function_.where) || !holds(implementation.limit) || result.size() == 0 || threads < 1 ||
            threads > max_dimension * max_dimension || components_touched(result, implementation.output, static_cast<int>(threads)) != 0) {
            return false;
        }
        std::string values;
        for (const auto& [name, value] : shape) {
            values += (values.empty() ? "`" : ", `") + name + "` = " + std::to_string(value);
        }
        const Touch part = implementation.output;
        const std::string what = part == Touch::column            ? "columns"
            : part == Touch::entry || result.form == Form::vector ? "components"
                                                                  : "rows";
        const int parts = part == Touch::column ? result.columns : part == Touch::entry ? result.size() : result.rows;
        const std::string makes = counted(static_cast<std::size_t>(threads), "thread", "threads") +
            (part == Touch::rows ? " cannot share the " : " cannot make one each of the ") + std::to_string(parts) + " " + what + " of `" +
            function_.output.name + "`";
        error(kind::library_implementation, path + ".map." + function_.output.name,
            "for " + values + ", " + makes + (part == Touch::rows ? " evenly" : ""));
        return true;
    }

    void touch(const std::string& path, const Parameter& parameter, Touch touch, bool alone) {
        if (alone && touch != Touch::all) {
            error(kind::library_implementation, path + ".map." + parameter.name, "one thread touches all of `" + parameter.name + "`");
        } else if (!meaningful(parameter.form, touch)) {
            error(kind::library_implementation, path + ".map." + parameter.name,
                "`" + parameter.name + "` is a " + (parameter.form == Form::scalar ? "scalar" : "vector") + ", which has no such part");
        }
    }

    const Metadata& metadata_;
    const Function& function_;
    Diagnostics& diagnostics_;
};

} // namespace

bool check_metadata(const Metadata& metadata, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    Check(metadata, diagnostics).run();
    if (diagnostics.error_count() == errors) {
        check_counts(metadata, diagnostics);
    }
    return diagnostics.error_count() == errors;
}

} // namespace fusec::library
