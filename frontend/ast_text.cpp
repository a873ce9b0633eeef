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

/// Prefix form of an index: `(+ (* 3 q) 1)`. With a stack of its own, as for expressions.
std::string index_text(const Program& program, const IndexTree& tree) {
    struct Visit {
        IndexId node;
        int next = 0;
    };
    std::string text;
    std::vector<Visit> open{{tree.root}};
    while (!open.empty()) {
        Visit& visit = open.back();
        const Index& node = program.index(visit.node);
        const int operands = operand_count(node);
        if (visit.next == 0) {
            text += operands == 0                ? node.text
                : node.kind == IndexKind::prefix ? "(neg"
                : node.kind == IndexKind::entry  ? "(entry " + node.text
                                                 : "(" + node.text;
        }
        if (visit.next < operands) {
            text += ' ';
            open.push_back({visit.next++ == 0 ? node.left : node.right});
            continue;
        }
        text += operands == 0 ? "" : ")";
        open.pop_back();
    }
    return text;
}

/// Indices and ranges, each with a space in front.
std::string slices_text(const Program& program, const std::vector<Slice>& slices) {
    std::string text;
    for (const Slice& slice : slices) {
        text += " " + (slice.first ? index_text(program, *slice.first) : "") + (slice.range ? ":" : "") +
            (slice.last ? index_text(program, *slice.last) : "");
    }
    return text;
}

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
            case ExpressionKind::index:
                text += "(entry";
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
        text += slices_text(program, e.slices);
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
        return shape.packed ? text + "SYMMETRIC" + shape.rows : text + "MATRIX" + shape.rows + "x" + shape.columns;
    }
    return text;
}

std::string storage_text(const std::optional<WrittenStorage>& storage) {
    return storage ? std::string("store ") + c_name(storage->precision) + " " : "";
}

std::string names_text(const std::vector<Name>& names) {
    std::string text;
    for (const Name& name : names) {
        text += " " + name.text;
    }
    return text;
}

std::string sign_text(Assignment::Form form) {
    switch (form) {
    case Assignment::Form::defines:
        return " = ";
    case Assignment::Form::adds:
        return " += ";
    case Assignment::Form::subtracts:
        return " -= ";
    }
    return {};
}

std::string parameters_text(const std::vector<Parameter>& parameters) {
    std::string text;
    for (const Parameter& parameter : parameters) {
        const std::string type = parameter.shape ? shape_text(parameter.precision, *parameter.shape) + " "
            : parameter.precision                ? std::string(c_name(*parameter.precision)) + " "
                                                 : "";
        text += (text.empty() ? " " : ", ") + type + parameter.name.text;
    }
    return text;
}

} // namespace

std::string to_text(const Program& program) {
    Writer out;
    std::vector<std::size_t> ends; // of the blocks and files around the statement
    for (std::size_t i = 0; i <= program.statements.size(); ++i) {
        while (!ends.empty() && ends.back() == i) {
            ends.pop_back();
            out.dedent();
        }
        if (i == program.statements.size()) {
            break;
        }
        const auto open = [&](std::size_t end) {
            out.indent();
            ends.push_back(end);
        };
        std::visit(Overloaded{
                       [&](const ProgramName& s) { out.line("program " + s.name.text); },
                       [&](const Declaration& s) {
                           out.line((s.uniform ? "uniform " : "declare ") + storage_text(s.storage) + shape_text(s.precision, s.shape) +
                               names_text(s.names));
                       },
                       [&](const ConstantDeclaration& s) {
                           for (const ConstantDeclaration::Definition& d : s.definitions) {
                               out.line("const " + storage_text(s.storage) + shape_text(s.precision, s.shape) + " " + d.name.text + " = " +
                                   expression_text(program, d.value.root));
                           }
                       },
                       [&](const Assertion& s) { out.line("assert " + expression_text(program, s.flag.root) + " \"" + s.text + "\""); },
                       [&](const InputList& s) { out.line((s.updated ? "inout" : "input") + names_text(s.names)); },
                       [&](const Assignment& s) {
                           out.line((s.slices.empty() ? s.target.text : "(entry " + s.target.text + slices_text(program, s.slices) + ")") +
                               sign_text(s.form) + expression_text(program, s.value.root));
                       },
                       [&](const ReturnList& s) { out.line("return" + names_text(s.names)); },
                       [&](const ReturnValue& s) { out.line("return " + expression_text(program, s.value.root)); },
                       [&](const Include& s) {
                           out.line("include " + s.path.text);
                           open(s.end);
                       },
                       [&](const Loop& s) {
                           out.line(
                               "for " + s.variable.text + " in " + index_text(program, s.first) + " .. " + index_text(program, s.last));
                           open(s.end);
                       },
                       [&](const Definition& s) {
                           out.line("def " + s.name.text + parameters_text(s.parameters));
                           open(s.end);
                       },
                       [&](const Alternative& s) {
                           out.line(s.further ? "or" : "alternatives");
                           open(s.end);
                       },
                       [&](const AlternativesEnd&) {},
                       [&](const ProgramBlock& s) {
                           out.line("block " + s.name.text);
                           open(s.end);
                       },
                   },
            program.statements[i].form);
    }
    return out.take();
}

} // namespace fusec::frontend::ast
