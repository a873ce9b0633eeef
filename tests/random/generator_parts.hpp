// SPDX-License-Identifier: Apache-2.0
// The generator of random programs. Its members stand in one file per kind of statement; whoever adds a kind gives it a stream of choices of
// its own, so that programs without it stay what they were.
#pragma once

#include "tests/random/draw.hpp"
#include "tests/random/generator.hpp"
#include "tests/random/value.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fusec::random_programs {

class Generator {
public:
    Generator(std::uint64_t seed, const ProgramOptions& options)
        : draw_(seed),
          block_draw_(~seed),
          neutral_draw_(seed ^ 0x5a5aU),
          component_draw_(seed ^ 0x5bd1e995U),
          selection_draw_(seed ^ 0x7f4a7c15U),
          symmetric_draw_(seed ^ 0x2545f491U),
          update_draw_(seed ^ 0x68bc21ebU),
          options_(options),
          name_("p" + std::to_string(seed)) {}

    std::string run();

private:
    using Test = std::function<bool(const Value&)>;

    // generator.cpp: what there is to draw from, and what a statement leaves
    void declare();
    std::optional<Value> pick(const Test& test);
    bool add(const std::string& target, int rows, int columns, const std::string& written, const std::vector<Value>& operands);
    /// `target` = a value that is `operands` added up to signs.
    bool add_sum(const std::string& target, int rows, int columns, const std::string& expression, const std::vector<Value>& operands);
    /// A value like `a`, made of `operands` by statements that are written already.
    void note_statement(const std::string& target, const Value& a, const std::vector<Value>& operands);
    bool statement(const std::string& target);
    bool symmetric_statement(const std::string& target);

    // arithmetic_statements.cpp: calls of functions and operators
    bool sum_or_difference(const std::string& target, const Value& a, const Value& b);
    /// A plastic multiplier, a gap: exactly 0 for about half of the elements.
    bool clipped(const std::string& target, const Value& a, const Value& b);
    bool matrix_statement(const std::string& target, const Value& a, const Test& same, const Test& is_scalar);
    bool vector_statement(const std::string& target, const Value& a, const Test& same, const Test& is_scalar);

    // moving_statements.cpp: slices, values put together, values from parts
    /// `target` = components of `operands`. Not all of them are moved themselves, so the result is none of the values there are.
    bool add_moved(const std::string& target, int rows, int columns, const std::string& expression, const std::vector<Value>& operands,
        bool zeros = false);
    /// `a:b`, `:b`, `a:` of a dimension, not all of it, and how many it chooses. Pre: size > 1.
    std::pair<std::string, int> proper_range(int size);
    bool moving_statement(const std::string& target);
    bool matrix_move(const std::string& target, const Value& a);
    bool vector_move(const std::string& target, const Value& a);
    bool scalar_move(const std::string& target, const Value& a);
    /// Declared, and assigned by parts in a loop.
    bool reversed_rows(const std::string& target, const Value& a);
    /// The value with a row that is summed to: the next value of a second name.
    bool part_summed_to(const std::string& target, const Value& a);

    // component_statements.cpp: scalar arithmetic in loops over components
    /// Scalar arithmetic in loops over components: of one value or two that cannot cancel.
    bool component_statement(const std::string& target);
    static std::string loop(const std::string& index, int first, int last, const std::string& body);
    bool made_by_loops(const std::string& target, const Value& like, const std::string& loops, const std::vector<Value>& operands);
    bool matrix_components(const std::string& target, const Value& a);
    bool vector_components(const std::string& target, const Value& a);

    // selection_statements.cpp: choices by a comparison
    /// What is compared is no sum of the same values: their difference could be nothing but rounding errors, which decide then.
    bool selection_statement(const std::string& target);
    /// Two scalars as written: values or their components, the second one possibly a number. `compared_` are the values.
    std::optional<std::pair<std::string, std::string>> compared_scalar();

    static constexpr int largest_made = 12; ///< dimension that values are put together to

    Draw draw_;
    /// Of their own, so that programs with and without blocks, neutral values, ... compute the same otherwise.
    Draw block_draw_, neutral_draw_, component_draw_, selection_draw_, symmetric_draw_, update_draw_;
    std::vector<Value> compared_;
    bool summed_ = false;
    int ways_ = 0; ///< alternatives so far
    ProgramOptions options_;
    std::string name_, declarations_, body_;
    std::vector<std::size_t> starts_; ///< of statements in it
    std::vector<Value> values_;
    std::set<std::string> used_;
};

} // namespace fusec::random_programs
