// SPDX-License-Identifier: Apache-2.0
// The AST as text.
#include "frontend/ast.hpp"
#include "support/writer.hpp"

namespace fusec::frontend::ast {

namespace {

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// Prefix form of an expression: `(+ A (call mmul B C))`. Walks with a stack of its own: chains may be deeper than the program stack.
std::string expression_text(const Program& program, ExpressionId root) {
    struct Visit {
        ExpressionId node;
        std::size_t next = 0;
    };
    std::string text;
    std::vector<Visit> open{{root}};
    while (!open.empty()) {
        Visit& visit = open.back();
        const Expression& e = program.expression(visit.node);
        if (visit.next == 0) {
            switch (e.kind) {
            case ExpressionKind::name:
            case ExpressionKind::number:
                text += e.text;
                break;
            case ExpressionKind::call:
                text += "(call " + e.text;
                break;
            case ExpressionKind::prefix:
                text += "(neg";
                break;
            case ExpressionKind::infix:
            case ExpressionKind::suffix:
                text += "(" + e.text;
                break;
            case ExpressionKind::table:
                text += "(table";
                break;
            }
        }
        if (visit.next < e.operands.size()) {
            text += ' ';
            const ExpressionId operand = e.operands[visit.next++];
            open.push_back({operand}); // invalidates `visit`
            continue;
        }
        if (e.kind != ExpressionKind::name && e.kind != ExpressionKind::number) {
            text += ')';
        }
        open.pop_back();
    }
    return text;
}

std::string shape_text(const std::optional<Precision>& precision, const WrittenShape& shape) {
    std::string text = precision ? std::string(c_name(*precision)) + " " : "";
    switch (shape.form) {
    case Form::scalar:
        return text + "SCALAR";
    case Form::vector:
        return text + "VECTOR" + shape.rows;
    case Form::matrix:
        return text + "MATRIX" + shape.rows + "x" + shape.columns;
    }
    return text;
}

std::string names_text(const std::vector<Name>& names) {
    std::string text;
    for (const Name& name : names) {
        text += " " + name.text;
    }
    return text;
}

} // namespace

std::string to_text(const Program& program) {
    Writer out;
    for (const Statement& statement : program.statements) {
        std::visit(Overloaded{
                       [&](const ProgramName& s) { out.line("program " + s.name.text); },
                       [&](const Declaration& s) { out.line((s.uniform ? "uniform " : "declare ") + shape_text(s.precision, s.shape) + names_text(s.names)); },
                       [&](const ConstantDeclaration& s) {
                           for (const ConstantDeclaration::Definition& d : s.definitions) {
                               out.line("const " + shape_text(s.precision, s.shape) + " " + d.name.text + " = " + expression_text(program, d.value.root));
                           }
                       },
                       [&](const InputList& s) { out.line("input" + names_text(s.names)); },
                       [&](const Assignment& s) { out.line(s.target.text + " = " + expression_text(program, s.value.root)); },
                       [&](const ReturnList& s) { out.line("return" + names_text(s.names)); },
                   },
                   statement.form);
    }
    return out.take();
}

} // namespace fusec::frontend::ast
