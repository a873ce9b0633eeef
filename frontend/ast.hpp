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
using IndexId = Id<struct IndexTag>;

struct Name {
    std::string text;
    Span span;
};

enum class IndexKind {
    number, ///< `text` is the literal as written
    name,   ///< `text` is the name
    prefix, ///< `-left`
    infix,  ///< `left text right`, `text` one of + - * / %
    entry   ///< `text[left]` of a vector, then `left` is `right`; or `text[left, right]`
};

/// A node of the integer arithmetic in a bound or an index. Nodes live in `Program::indices`, in post-order like expressions.
struct Index {
    IndexKind kind = IndexKind::number;
    std::string text;
    IndexId left;
    IndexId right;
    Span span;
    Span head{}; ///< of an entry: the name
};

/// The operands of a node: 0, 1 or 2.
inline int operand_count(const Index& node) {
    switch (node.kind) {
    case IndexKind::number:
    case IndexKind::name:
        return 0;
    case IndexKind::prefix:
        return 1;
    case IndexKind::infix:
        return 2;
    case IndexKind::entry:
        return node.left == node.right ? 1 : 2;
    }
    return 0;
}

/// The nodes of one whole index, as `Tree`.
struct IndexTree {
    IndexId first;
    IndexId root;
};

/// `i`, `a:b`, `a:`, `:b` or `:` in brackets.
struct Slice {
    bool range = false;
    std::optional<IndexTree> first; ///< the index, or where the range begins; else at 0
    std::optional<IndexTree> last;  ///< where the range ends, itself not in it; else at the dimension
    Span span;
};

enum class ExpressionKind {
    name,   ///< `text` is the name
    number, ///< `text` is the literal as written
    call,   ///< `text` is the callee, operands its arguments
    prefix, ///< `text` is "-", one operand
    infix,  ///< `text` is "+", "-", "*" or "/", or a comparison (`is_comparison`); two operands
    suffix, ///< `text` is "'", one operand
    index,  ///< `operand[i, a:b]`: one operand, `slices` in brackets
    table,  ///< `[...]`: operands are its entries; only as the value of a constant
};

/// A node of an expression. Nodes live in `Program::expressions` in post-order, left to right: operands stand before what uses
/// them, so phases walk an expression with a loop and a chain of 100,000 operators needs no recursion.
struct Expression {
    ExpressionKind kind = ExpressionKind::number;
    std::string text;
    std::vector<ExpressionId> operands;
    std::vector<Slice> slices;
    Span span; ///< the whole expression, enclosing parentheses included
    Span head; ///< the name, literal, callee or operator alone
};

/// The nodes of one whole expression: `first` to `root`, both included; `root` is the last of the post-order.
struct Tree {
    ExpressionId first;
    ExpressionId root;
};

/// `<`, `<=`, `>`, `>=`, `==` or `!=`: only as the first argument of `select`.
inline bool is_comparison(const Expression& e) {
    return e.kind == ExpressionKind::infix && (e.text.size() == 2 || e.text == "<" || e.text == ">");
}

/// `SCALAR`, `VECTORn`, `MATRIXrxc` or `SYMMETRICn` with the digits as written: dimensions are judged by `check`.
struct WrittenShape {
    Form form = Form::scalar;
    std::string rows;    ///< digits; empty for a scalar
    std::string columns; ///< digits; empty unless a matrix
    Span span;
    bool packed = false; ///< `SYMMETRICn`, a matrix of n rows and n columns
};

struct ProgramName {
    Name name;
};

/// `store float` or `store double` in a declaration: how the caller's lists of these names are stored.
struct WrittenStorage {
    Precision precision = Precision::f32;
    Span span;
};

/// `[uniform] [store float | store double] [float | double] SHAPE name, name;`
struct Declaration {
    bool uniform = false;
    std::optional<Precision> precision;
    WrittenShape shape;
    std::vector<Name> names;
    std::optional<WrittenStorage> storage;
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
    std::optional<WrittenStorage> storage; ///< reported
};

/// `input name, name;` or `inout name, name;`
struct InputList {
    std::vector<Name> names;
    bool updated = false; ///< `inout`: the program gives each entry a new value, in place
};

/// `target = value;`, `target += value;` or `target -= value;`, where the target is a name or a part of one, `name[i, a:b]`.
struct Assignment {
    enum class Form {
        defines,
        adds,
        subtracts
    } form = Form::defines;
    Name target;
    Tree value;
    Span sign;                 ///< the `=`, `+=` or `-=`
    std::vector<Slice> slices; ///< of the target; none: all of it
    Span brackets;             ///< around them
};

/// `assert(a < b, "text");`: its condition as `select(a < b, 0, 1)`, of which the head is the `assert`.
struct Assertion {
    Tree flag;
    std::string text; ///< what to say where it fails, without the quotes
};

struct ReturnList {
    std::vector<Name> names;
};

/// `return expression;` of a definition: the last statement of its block.
struct ReturnValue {
    Tree value;
};

/// `include "path";` The statements of the file stand behind it, up to `end`, with spans in their own text.
struct Include {
    Name path;           ///< without the quotes
    std::size_t end = 0; ///< index of the statement after the last one of the file
};

/// `for variable in first..last {`: the statements behind it, up to `end`, are the body.
struct Loop {
    Name variable;
    IndexTree first;
    IndexTree last;      ///< not included
    std::size_t end = 0; ///< index of the statement after the last one of the body
};

/// `block name {`: the statements behind it, up to `end`, are a part of the program whose kernels hold calls of no other part.
struct ProgramBlock {
    Name name;
    std::size_t end = 0;
};

struct Parameter {
    std::optional<Precision> precision;
    std::optional<WrittenShape> shape;
    Name name;
};

/// `def name(parameters) {`: the statements behind it, up to `end`, are the body, a `ReturnValue` the last of them.
struct Definition {
    Name name;
    std::vector<Parameter> parameters;
    std::size_t end = 0;
};

/// `alternatives {`, or the `or {` behind it: the statements behind it, up to `end`, are one of the ways to compute the same values.
struct Alternative {
    bool further = false; ///< `or`: of the block whose last alternative ends in front of it
    std::size_t end = 0;
};

/// No text: behind the statements of an alternative in the program of one combination (alternatives.hpp).
struct AlternativesEnd {
    std::size_t block = 0;   ///< number of the block in the text
    std::vector<Name> names; ///< that all its alternatives give
};

struct Statement {
    std::variant<ProgramName, Declaration, ConstantDeclaration, InputList, Assignment, Assertion, ReturnList, ReturnValue, Include, Loop,
        Definition, Alternative, AlternativesEnd, ProgramBlock>
        form;
    Span span; ///< of a block: its opening
};

/// Statements in the order of the text, with those of blocks and included files behind what opens them.
struct Program {
    SourcePtr source;
    std::vector<Statement> statements;
    std::vector<Expression> expressions;
    std::vector<Index> indices;

    const Expression& expression(ExpressionId id) const { return expressions.at(id.index()); }
    const Index& index(IndexId id) const { return indices.at(id.index()); }
};

/// The tree as text, one statement per line, blocks indented, calls and operators as nested prefix forms: `--dump ast`.
std::string to_text(const Program& program);

} // namespace fusec::frontend::ast
