// SPDX-License-Identifier: Apache-2.0
// Pairs the braces of a file and says what may stand where: in a loop, in a definition, in an included file.
#pragma once

#include "frontend/ast.hpp"
#include "support/diagnostics.hpp"

#include <optional>
#include <vector>

namespace fusec::frontend {

/// What a `{` belongs to.
enum class BlockKind {
    loop,
    definition,
    alternative,
    program, ///< `block name {`
    unknown, ///< a statement in error
};

/// Takes the statements of one file in order and sets `end` of loops, definitions and alternatives. O(1) per statement but for messages.
class Blocks {
public:
    Blocks(ast::Program& program, bool included, Diagnostics& diagnostics)
        : program_(program), included_(included), diagnostics_(diagnostics) {}

    /// Adds a statement where it may stand; where it may not, reports it and adds it all the same: nothing is checked after an error.
    void add(ast::Statement statement);
    /// A block whose opening is in error, so that its statements and its brace are not.
    void open_broken(BlockKind kind, const Span& brace);
    /// A `return` in error, so that it is not missed.
    void skip_return();
    /// `}`.
    void close(const Span& brace);
    /// The end of the file.
    void finish(const Span& end);
    /// Whether `return` gives the value of a definition here.
    bool in_definition() const;
    bool at_top() const { return open_.empty(); }

private:
    struct Block {
        BlockKind kind;
        Span opening;
        std::size_t statement; ///< index of the opening; none of a broken block
        bool broken;
        bool returned = false;
        bool reported = false; ///< a statement behind `return`
    };

    void place(const ast::Statement& statement);
    Diagnostic& report_misplaced(const Span& span, const std::string& message);
    void check_return(const ast::Statement& statement);
    /// In a program with blocks, what computes stands in one of them.
    void check_outside(const ast::Statement& statement);

    ast::Program& program_;
    bool included_;
    Diagnostics& diagnostics_;
    std::vector<Block> open_;
    std::optional<Span> computes_;    ///< the first statement outside of blocks that computes
    std::optional<Span> block_;       ///< the first program block
    bool alternative_closed_ = false; ///< by the last `}`, behind which nothing stands so far
};

} // namespace fusec::frontend
