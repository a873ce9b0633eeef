// SPDX-License-Identifier: Apache-2.0
// Where the elaboration of a program stands: the loops and calls of definitions that are being expanded. They give values their names and
// messages their notes, and they are limited.
#pragma once

#include "frontend/ast.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fusec::frontend {

/// Limits of a program after expansion.
inline constexpr std::size_t max_calls = 100'000;
inline constexpr std::size_t max_iterations = 1'000'000; ///< of all loops, each call of a definition counted as one
inline constexpr std::size_t max_elaborated = 5'000'000; ///< statements and nodes of expressions in all expansions, and components moved

class Expansion {
public:
    explicit Expansion(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// What the checks report into; `pass_on` takes it from there.
    Diagnostics& messages() { return staged_; }
    /// Passes on what was reported since the last time, with a note per loop and call around it, innermost first. In expansions the same
    /// message at the same place is passed on once, and one kind at one place once per call of a definition.
    void pass_on();

    bool inside() const { return !frames_.empty(); }
    /// Whether a limit or too many errors ended the expansion: nothing more shall be expanded.
    bool stopped() const { return stopped_; }

    /// Whether `count` iterations of the loop may be made; reports `iteration-limit` or `nesting-limit` if not.
    bool may_loop(const ast::Loop& loop, const Span& place, std::uint64_t count);
    bool may_call(const std::string& definition, const Span& place);
    /// `block` is the index of the loop's statement.
    void enter_iteration(const ast::Loop& loop, std::size_t block, std::int64_t value);
    void enter_call(const std::string& definition, std::size_t number, const Span& place);
    void leave();

    /// Counts `work` statements and nodes in expansions, and components that are moved `everywhere`; stops at the limit.
    void spend(std::size_t work, const Span& place, bool everywhere = false);
    /// Counts a call of a function; false at the limit, which is reported.
    bool count_call(const Span& place);

    /// The name of a value that `name` has here: `g`, `g[3]`, `stress(1).P`. With `loops`, of all loops around only so many, from the
    /// outermost. When another loop has given the name away, `g#2[3]`.
    std::string qualified(const std::string& name, std::size_t loops);
    std::string qualified(const std::string& name) { return qualified(name, loops()); }
    /// The name of what the innermost call of a definition returns: `stress(1)`.
    std::string call_name() const;

private:
    struct Frame {
        std::string note;
        Span place;
        std::string definition;   ///< whose call it belongs to; empty: the program
        std::string prefix;       ///< of that call: `stress(1)`
        std::string index;        ///< of an iteration: `[3]`
        std::size_t block = 0;    ///< of an iteration: the loop
        std::size_t instance = 0; ///< number of the call of a definition it belongs to; 0: the program
        std::size_t loops = 0;    ///< iterations around in that call, this one included
    };
    /// A loop or a call of a definition that nothing is around, and how many calls of functions it made.
    struct Share {
        Span place;
        std::size_t calls = 0;
    };

    std::size_t loops() const { return frames_.empty() ? 0 : frames_.back().loops; }
    bool may_nest(const Span& place);
    bool may_iterate(std::uint64_t count, const std::string& what, const Span& place);
    bool repeated(const Diagnostic& message);
    void add_notes(Diagnostic& message) const;
    Share& share() { return shares_[{frames_.front().place.source.get(), frames_.front().place.begin}]; }

    Diagnostics& diagnostics_;
    Diagnostics staged_;
    std::vector<Frame> frames_;
    bool stopped_ = false;
    std::size_t instances_ = 0;
    std::size_t iterations_ = 0;
    std::size_t elaborated_ = 0;
    std::size_t calls_ = 0;
    std::size_t errors_ = 0;                                                                 ///< passed on from expansions
    using Place = std::tuple<std::string_view, const SourceText*, std::size_t, std::size_t>; ///< of a kind
    std::set<std::pair<Place, std::string>> messages_;
    std::set<std::pair<Place, std::size_t>> places_;
    std::map<std::pair<const SourceText*, std::size_t>, Share> shares_;
    std::size_t calls_before_ = 0; ///< when the outermost frame was entered
    /// Loops that gave a name to a value, in order: per definition, name and depth, the number of each.
    std::map<std::tuple<std::string, std::string, std::size_t>, std::map<std::size_t, std::size_t>> ordinals_;
};

} // namespace fusec::frontend
