// SPDX-License-Identifier: Apache-2.0
// Parse trees of one file to statements and nodes of the AST.
#pragma once

#include "frontend/ast.hpp"
#include "frontend/tokens.hpp"

#include <vector>

namespace antlr4 {
class ParserRuleContext;
}

namespace fusec::frontend {

/// Builds the nodes of statements in `program`. Recursion follows nesting only, which is bounded; chains are loops.
class TreeBuilder {
public:
    TreeBuilder(const SourcePtr& source, const std::vector<Token>& tokens, ast::Program& program)
        : source_(source), tokens_(tokens), program_(program) {}

    /// Pre: the tree is that of the grammar's `statement` or `returnValue`, but no `blockEnd`. `end` of what holds statements is not set.
    ast::Statement build(antlr4::ParserRuleContext* tree);

private:
    const SourcePtr& source_;
    const std::vector<Token>& tokens_;
    ast::Program& program_;
};

} // namespace fusec::frontend
