// SPDX-License-Identifier: Apache-2.0
// The abstract syntax of a program: what `parse` makes and `check` reads. Values and spans only; knows neither types nor the parser.
#pragma once

#include "elementary-lib/type.hpp"
#include "support/ids.hpp"
#include "support/source.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fusec::frontend::ast {

using ExpressionId = Id<struct ExpressionTag>;

struct Name {
    std::string text;
    Span span;
};

enum class ExpressionKind {
    name,   ///< `text` is the name
    number, ///< `text` is the literal as written
    call,   ///< `text` is the callee, operands its arguments
    prefix, ///< `text` is "-", one operand
    infix,  ///< `text` is "+", "-", "*" or "/", two operands
    suffix, ///< `text` is "'", one operand
    table,  ///< `[...]`: operands are its entries; only as the value of a constant
};

/// A node of an expression. Nodes live in `Program::expressions` in post-order, left to right: operands stand before what uses
/// them, so phases walk an expression with a loop and a chain of 100,000 operators needs no recursion.
struct Expression {
    ExpressionKind kind = ExpressionKind::number;
    std::string text;
    std::vector<ExpressionId> operands;
    Span span; ///< the whole expression, enclosing parentheses included
    Span head; ///< the name, literal, callee or operator alone
};

/// The nodes of one whole expression: `first` to `root`, both included; `root` is the last of the post-order.
struct Tree {
    ExpressionId first;
    ExpressionId root;
};

/// `SCALAR`, `VECTORn` or `MATRIXrxc` with the digits as written: dimensions are judged by `check`.
struct WrittenShape {
    Form form = Form::scalar;
    std::string rows;    ///< digits; empty for a scalar
    std::string columns; ///< digits; empty unless a matrix
    Span span;
};

struct ProgramName {
    Name name;
};

/// `[uniform] [float | double] SHAPE name, name;`
struct Declaration {
    bool uniform = false;
    std::optional<Precision> precision;
    WrittenShape shape;
    std::vector<Name> names;
};

/// `const [float | double] SHAPE name = value, name = value;`
struct ConstantDeclaration {
    struct Definition {
        Name name;
        Tree value;
    };
    std::optional<Precision> precision;
    WrittenShape shape;
    std::vector<Definition> definitions;
};

struct InputList {
    std::vector<Name> names;
};

struct Assignment {
    Name target;
    Tree value;
};

struct ReturnList {
    std::vector<Name> names;
};

struct Statement {
    std::variant<ProgramName, Declaration, ConstantDeclaration, InputList, Assignment, ReturnList> form;
    Span span;
};

struct Program {
    SourcePtr source;
    std::vector<Statement> statements;
    std::vector<Expression> expressions;

    const Expression& expression(ExpressionId id) const { return expressions.at(id.index()); }
};

/// The tree as text, one statement per line, calls and operators as nested prefix forms: `--dump ast`.
std::string to_text(const Program& program);

} // namespace fusec::frontend::ast
