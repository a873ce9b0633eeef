// SPDX-License-Identifier: Apache-2.0
#include "frontend/tree_builder.hpp"

#include "FusecParser.h"

#include <antlr4-runtime.h>

namespace fusec::frontend {

using generated::FusecParser;

namespace {

/// Recursive descent over one parse tree.
class TreeReader {
public:
    TreeReader(const SourcePtr& source, const std::vector<Token>& tokens, ast::Program& program)
        : source_(source), tokens_(tokens), program_(program) {}

    ast::Statement return_value(FusecParser::ReturnValueContext* context) {
        return {ast::ReturnValue{tree_of([&] { return expression(context->expression()); })}, span_of(context)};
    }

    ast::Statement statement(FusecParser::StatementContext* statement) {
        ast::Statement built{{}, span_of(statement)};
        if (auto* name = statement->programName()) {
            built.form = ast::ProgramName{name_of(name->NAME())};
        } else if (auto* declaration = statement->declaration()) {
            built.form = ast::Declaration{declaration->UNIFORM() != nullptr, precision_of(declaration->precision()),
                shape_of(declaration->shape()), names_of(declaration->NAME()), storage_of(declaration->storage())};
        } else if (auto* constants = statement->constantDeclaration()) {
            built.form = constant_declaration(constants);
        } else if (auto* inputs = statement->inputList()) {
            built.form = ast::InputList{names_of(inputs->NAME())};
        } else if (auto* updated = statement->inoutList()) {
            built.form = ast::InputList{names_of(updated->NAME()), true};
        } else if (auto* assigned = statement->assignment()) {
            built.form = assignment(assigned);
        } else if (auto* asserted = statement->assertion()) {
            built.form = assertion(asserted);
        } else if (auto* include = statement->includeFile()) {
            const Span quoted = span_of(include->STRING());
            built.form = ast::Include{{std::string(quoted.text().substr(1, quoted.text().size() - 2)), quoted}};
        } else if (auto* block = statement->programBlockOpening()) {
            built.form = ast::ProgramBlock{name_of(block->NAME())};
        } else if (auto* loop = statement->loopOpening()) {
            ast::Loop form{name_of(loop->NAME()), index_tree(loop->index(0)), index_tree(loop->index(1))};
            built.form = std::move(form);
        } else if (auto* definition = statement->definitionOpening()) {
            ast::Definition form{name_of(definition->NAME()), {}};
            for (auto* parameter : definition->parameter()) {
                auto* shape = parameter->shape();
                form.parameters.push_back({precision_of(parameter->precision()), shape ? std::optional(shape_of(shape)) : std::nullopt,
                    name_of(parameter->NAME())});
            }
            built.form = std::move(form);
        } else if (statement->alternativesOpening() != nullptr || statement->alternativeOpening() != nullptr) {
            built.form = ast::Alternative{statement->alternativeOpening() != nullptr};
        } else {
            built.form = ast::ReturnList{names_of(statement->returnList()->NAME())};
        }
        return built;
    }

private:
    using Node = antlr4::tree::ParseTree;
    using Leaf = antlr4::tree::TerminalNode;

    Span span_of(antlr4::Token* first, antlr4::Token* last) const {
        return {source_, tokens_.at(first->getTokenIndex()).begin, tokens_.at(last->getTokenIndex()).end};
    }
    Span span_of(antlr4::ParserRuleContext* context) const { return span_of(context->getStart(), context->getStop()); }
    Span span_of(Leaf* leaf) const { return span_of(leaf->getSymbol(), leaf->getSymbol()); }
    ast::Name name_of(Leaf* leaf) const { return {std::string(span_of(leaf).text()), span_of(leaf)}; }

    ast::ConstantDeclaration constant_declaration(FusecParser::ConstantDeclarationContext* constants) {
        ast::ConstantDeclaration form{
            precision_of(constants->precision()), shape_of(constants->shape()), {}, storage_of(constants->storage())};
        for (auto* definition : constants->constantDefinition()) {
            form.definitions.push_back({name_of(definition->NAME()),
                definition->table() ? tree_of([&] { return table(definition->table()); })
                                    : tree_of([&] { return expression(definition->expression()); })});
        }
        return form;
    }

    ast::Assignment assignment(FusecParser::AssignmentContext* context) {
        using Form = ast::Assignment::Form;
        const Form form = context->PLUS_EQUALS() ? Form::adds : context->MINUS_EQUALS() ? Form::subtracts : Form::defines;
        auto* subscript = context->subscript();
        ast::Assignment built{form, name_of(context->NAME()), tree_of([&] { return expression(context->expression()); }),
            span_of(static_cast<Leaf*>(context->children[subscript ? 2 : 1])), {}, {}};
        if (subscript) {
            built.slices = slices_of(subscript);
            built.brackets = span_of(subscript);
        }
        return built;
    }

    /// The condition as a selection: 0 where it holds, 1 where it fails.
    ast::Assertion assertion(FusecParser::AssertionContext* context) {
        const Span whole_span = span_of(context), head = span_of(context->ASSERT()), quoted = span_of(context->STRING());
        const auto constant = [&](const char* text) {
            const ast::ExpressionId id{program_.expressions.size()};
            program_.expressions.push_back({ast::ExpressionKind::number, text, {}, {}, whole_span, whole_span});
            return id;
        };
        const ast::Tree flag = tree_of([&] {
            const ast::ExpressionId condition = expression(context->expression()), holds = constant("0"), fails = constant("1");
            const ast::ExpressionId id{program_.expressions.size()};
            program_.expressions.push_back(
                {ast::ExpressionKind::call, "select", {condition, holds, fails}, {}, program_.expression(condition).span, head});
            return id;
        });
        return {flag, std::string(quoted.text().substr(1, quoted.text().size() - 2))};
    }

    std::vector<ast::Name> names_of(const std::vector<Leaf*>& leaves) const {
        std::vector<ast::Name> names;
        for (Leaf* leaf : leaves) {
            names.push_back(name_of(leaf));
        }
        return names;
    }

    static std::optional<Precision> precision_of(FusecParser::PrecisionContext* context) {
        if (!context) {
            return std::nullopt;
        }
        return context->DOUBLE() ? Precision::f64 : Precision::f32;
    }

    std::optional<ast::WrittenStorage> storage_of(FusecParser::StorageContext* context) const {
        if (!context) {
            return std::nullopt;
        }
        return ast::WrittenStorage{precision_of(context->precision()).value(), span_of(context)};
    }

    ast::WrittenShape shape_of(FusecParser::ShapeContext* context) const {
        ast::WrittenShape shape{Form::scalar, {}, {}, span_of(context)};
        const std::string_view text = shape.span.text();
        constexpr std::size_t letters = 6; // of VECTOR and of MATRIX
        if (context->VECTOR()) {
            shape.form = Form::vector;
            shape.rows = text.substr(letters);
        } else if (context->MATRIX()) {
            const std::size_t cross = text.find('x');
            shape.form = Form::matrix;
            shape.rows = text.substr(letters, cross - letters);
            shape.columns = text.substr(cross + 1);
        } else if (context->SYMMETRIC()) {
            shape.form = Form::matrix;
            shape.rows = shape.columns = text.substr(std::string_view("SYMMETRIC").size());
            shape.packed = true;
        }
        return shape;
    }

    template <class Build>
    ast::Tree tree_of(Build build) {
        const ast::ExpressionId first{program_.expressions.size()};
        return {first, build()};
    }

    ast::ExpressionId node(ast::ExpressionKind kind, std::vector<ast::ExpressionId> operands, Span span, Span head) {
        const ast::ExpressionId id{program_.expressions.size()};
        std::string text(kind == ast::ExpressionKind::table ? "[]" : head.text());
        program_.expressions.push_back({kind, std::move(text), std::move(operands), {}, std::move(span), std::move(head)});
        return id;
    }
    Span whole(ast::ExpressionId id) const { return program_.expression(id).span; }

    /// `operand (operator operand)*`, left-associative.
    template <class Operand>
    ast::ExpressionId chain(const std::vector<Node*>& children, Operand operand) {
        ast::ExpressionId left = operand(children.front());
        for (std::size_t i = 2; i < children.size(); i += 2) {
            const ast::ExpressionId right = operand(children[i]);
            const Span span = whole(left).to(whole(right));
            left = node(ast::ExpressionKind::infix, {left, right}, span, span_of(static_cast<Leaf*>(children[i - 1])));
        }
        return left;
    }

    ast::ExpressionId expression(FusecParser::ExpressionContext* context) {
        return chain(context->children, [&](Node* child) { return sum(static_cast<FusecParser::SumContext*>(child)); });
    }

    ast::ExpressionId sum(FusecParser::SumContext* context) {
        return chain(context->children, [&](Node* child) { return product(static_cast<FusecParser::ProductContext*>(child)); });
    }

    ast::ExpressionId product(FusecParser::ProductContext* context) {
        return chain(
            context->children, [&](Node* child) { return signed_operand(static_cast<FusecParser::SignedOperandContext*>(child)); });
    }

    ast::ExpressionId signed_operand(FusecParser::SignedOperandContext* context) {
        ast::ExpressionId value = suffixed(context->suffixed());
        for (std::size_t i = context->children.size() - 1; i-- > 0;) {
            const Span sign = span_of(static_cast<Leaf*>(context->children[i]));
            value = node(ast::ExpressionKind::prefix, {value}, sign.to(whole(value)), sign);
        }
        return value;
    }

    ast::ExpressionId suffixed(FusecParser::SuffixedContext* context) {
        ast::ExpressionId value = primary(context->primary());
        for (std::size_t i = 1; i < context->children.size(); ++i) {
            if (auto* subscript = dynamic_cast<FusecParser::SubscriptContext*>(context->children[i])) {
                const Span brackets = span_of(subscript);
                value = node(ast::ExpressionKind::index, {value}, whole(value).to(brackets), brackets);
                program_.expressions.back().slices = slices_of(subscript);
                continue;
            }
            const Span mark = span_of(static_cast<Leaf*>(context->children[i]));
            value = node(ast::ExpressionKind::suffix, {value}, whole(value).to(mark), mark);
        }
        return value;
    }

    ast::ExpressionId primary(FusecParser::PrimaryContext* context) {
        if (Leaf* number = context->NUMBER()) {
            return node(ast::ExpressionKind::number, {}, span_of(number), span_of(number));
        }
        if (Leaf* name = context->NAME(); name != nullptr && context->arguments() == nullptr) {
            return node(ast::ExpressionKind::name, {}, span_of(name), span_of(name));
        }
        if (context->arguments()) {
            std::vector<ast::ExpressionId> arguments;
            for (auto* argument : context->arguments()->expression()) {
                arguments.push_back(expression(argument));
            }
            const Span callee = context->precision() ? span_of(context->precision()) : span_of(context->NAME());
            return node(ast::ExpressionKind::call, std::move(arguments), span_of(context), callee);
        }
        const ast::ExpressionId inner = expression(context->expression());
        program_.expressions.back().span = span_of(context);
        return inner;
    }

    ast::ExpressionId table(FusecParser::TableContext* context) {
        std::vector<ast::ExpressionId> entries;
        for (auto* entry : context->tableEntry()) {
            entries.push_back(entry->table() ? table(entry->table()) : expression(entry->expression()));
        }
        return node(ast::ExpressionKind::table, std::move(entries), span_of(context), span_of(context));
    }

    std::vector<ast::Slice> slices_of(FusecParser::SubscriptContext* subscript) {
        std::vector<ast::Slice> slices;
        for (auto* each : subscript->slice()) {
            ast::Slice slice{each->COLON() != nullptr, {}, {}, span_of(each)};
            for (Node* child : each->children) {
                if (auto* index = dynamic_cast<FusecParser::IndexContext*>(child)) {
                    (index == each->children.front() ? slice.first : slice.last) = index_tree(index);
                }
            }
            slices.push_back(std::move(slice));
        }
        return slices;
    }

    ast::IndexTree index_tree(FusecParser::IndexContext* context) {
        const ast::IndexId first{program_.indices.size()};
        return {first, index(context)};
    }

    ast::IndexId index_node(ast::IndexKind kind, std::string text, ast::IndexId left, ast::IndexId right, Span span) {
        program_.indices.push_back({kind, std::move(text), left, right, std::move(span), {}});
        return ast::IndexId{program_.indices.size() - 1};
    }

    template <class Operand>
    ast::IndexId index_chain(const std::vector<Node*>& children, Operand operand) {
        ast::IndexId left = operand(children.front());
        for (std::size_t i = 2; i < children.size(); i += 2) {
            const ast::IndexId right = operand(children[i]);
            const Span span = program_.index(left).span.to(program_.index(right).span);
            left = index_node(ast::IndexKind::infix, std::string(span_of(static_cast<Leaf*>(children[i - 1])).text()), left, right, span);
        }
        return left;
    }

    ast::IndexId index(FusecParser::IndexContext* context) {
        return index_chain(context->children, [&](Node* product) {
            return index_chain(static_cast<FusecParser::IndexProductContext*>(product)->children,
                [&](Node* child) { return signed_index(static_cast<FusecParser::SignedIndexContext*>(child)); });
        });
    }

    ast::IndexId signed_index(FusecParser::SignedIndexContext* context) {
        ast::IndexId value = index_operand(context->indexOperand());
        for (std::size_t i = context->children.size() - 1; i-- > 0;) {
            const Span sign = span_of(static_cast<Leaf*>(context->children[i]));
            value = index_node(ast::IndexKind::prefix, "-", value, value, sign.to(program_.index(value).span));
        }
        return value;
    }

    ast::IndexId index_operand(FusecParser::IndexOperandContext* context) {
        if (auto* inner = context->index()) {
            const ast::IndexId value = index(inner);
            program_.indices.back().span = span_of(context);
            return value;
        }
        if (auto* entry = context->entry()) {
            const ast::IndexId row = index(entry->index().front());
            const ast::IndexId column = entry->index().size() == 1 ? row : index(entry->index().back());
            const Span name = span_of(context->NAME());
            const ast::IndexId value = index_node(ast::IndexKind::entry, std::string(name.text()), row, column, span_of(context));
            program_.indices.back().head = name;
            return value;
        }
        const Span span = span_of(context);
        return index_node(context->NAME() ? ast::IndexKind::name : ast::IndexKind::number, std::string(span.text()), {}, {}, span);
    }

    const SourcePtr& source_;
    const std::vector<Token>& tokens_;
    ast::Program& program_;
};

} // namespace

ast::Statement TreeBuilder::build(antlr4::ParserRuleContext* tree) {
    TreeReader reader(source_, tokens_, program_);
    if (auto* value = dynamic_cast<FusecParser::ReturnValueContext*>(tree)) {
        return reader.return_value(value);
    }
    return reader.statement(dynamic_cast<FusecParser::StatementContext*>(tree));
}

} // namespace fusec::frontend
