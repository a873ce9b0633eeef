// SPDX-License-Identifier: Apache-2.0
// Whether the algebraic facts of a function, `neutral`, `involution`, `idempotent` and `symmetric`, can be true for its operands' number
// and types.
// Whether they are true is a matter of numbers: execute/library_facts.
#include "elementary-lib/metadata.hpp"

#include <algorithm>

namespace fusec::library {

namespace {

class FactCheck {
public:
    FactCheck(const Metadata& metadata, Diagnostics& diagnostics)
        : metadata_(metadata), function_(metadata.function), diagnostics_(diagnostics) {}

    void run() {
        for (std::size_t i = 0; i < function_.inputs.size(); ++i) {
            if (function_.inputs[i].neutral) {
                neutral(i);
            }
        }
        twice("involution", function_.involution);
        twice("idempotent", function_.idempotent);
        symmetric();
    }

private:
    void error(const std::string& path, std::string message) {
        diagnostics_.report(kind::library_metadata, metadata_.place(path), std::move(message));
    }

    /// The result has to be like the other operand. An identity makes its matrix square: its two dimensions are one.
    void neutral(std::size_t operand) {
        const std::string path = "input[" + std::to_string(operand) + "].neutral";
        const Parameter& of = function_.inputs[operand];
        if (function_.inputs.size() != 2) {
            return error(path,
                "`neutral` says that the result is the other of 2 operands, but the function has " +
                    std::to_string(function_.inputs.size()));
        }
        const bool identity = of.neutral == Neutral::identity;
        if (identity && of.form != Form::matrix) {
            return error(
                path, "`" + of.name + "` is a " + (of.form == Form::scalar ? "scalar" : "vector") + ", which is never an identity");
        }
        const auto same = [&](const SizeExpression& a, const SizeExpression& b) {
            const auto one_of_square = [&](const SizeExpression& x) { return x.text() == of.rows.text() || x.text() == of.columns.text(); };
            return a.text() == b.text() || (identity && one_of_square(a) && one_of_square(b));
        };
        const Parameter& other = function_.inputs[1 - operand];
        if (other.form != function_.output.form || !same(other.rows, function_.output.rows) ||
            !same(other.columns, function_.output.columns)) {
            error(path,
                "`neutral` says that the result is `" + other.name + "`, but `" + pattern(other) + "` is no `" + pattern(function_.output) +
                    "`");
        }
    }

    /// f(f(a)) has to exist, and to be like a or like f(a): the result is like the operand, or, for an involution, like its transpose.
    void twice(const std::string& key, bool declared) {
        if (!declared) {
            return;
        }
        if (function_.inputs.size() != 1) {
            return error(key,
                "only a function of 1 operand can be applied to its own result, but this has " + std::to_string(function_.inputs.size()));
        }
        const Parameter& in = function_.inputs[0];
        const Parameter& out = function_.output;
        const bool alike = in.rows.text() == out.rows.text() && in.columns.text() == out.columns.text();
        const bool turned = in.rows.text() == out.columns.text() && in.columns.text() == out.rows.text();
        if (in.form != out.form || !(alike || (turned && key == "involution"))) {
            error(key, "`" + key + "` says what the function of its own result is, but `" + pattern(out) + "` is no `" + pattern(in) + "`");
        }
    }

    /// The result has to be a matrix that can be square, and the operands those that the fact speaks of.
    void symmetric() {
        const std::vector<Parameter>& inputs = function_.inputs;
        if (function_.symmetric == Symmetry::none) {
            return;
        }
        if (function_.output.form != Form::matrix) {
            return error("symmetric", "`symmetric` is a fact about a matrix, but the result is `" + pattern(function_.output) + "`");
        }
        const bool square = function_.output.rows.text() == function_.output.columns.text();
        if (function_.symmetric == Symmetry::always && !square) {
            return error("symmetric", "`" + pattern(function_.output) + "` is not always square, so it is not always symmetric");
        }
        const auto matrix = [](const Parameter& input) { return input.form == Form::matrix; };
        if (function_.symmetric == Symmetry::kept && std::none_of(inputs.begin(), inputs.end(), matrix)) {
            return error("symmetric", "`kept` says that the result is symmetric where the matrices are, but no operand is a matrix");
        }
        if (function_.symmetric == Symmetry::equal && (inputs.size() != 2 || inputs[0].form != inputs[1].form)) {
            error("symmetric", "`equal` says what is where two operands are one value, but the operands are not two of one form");
        }
    }

    const Metadata& metadata_;
    const Function& function_;
    Diagnostics& diagnostics_;
};

} // namespace

void check_facts(const Metadata& metadata, Diagnostics& diagnostics) {
    FactCheck(metadata, diagnostics).run();
}

} // namespace fusec::library
