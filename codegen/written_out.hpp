// SPDX-License-Identifier: Apache-2.0
// Short routines are not called but written out in the kernel: the body of the template with the operands' own names, indices and
// dimensions in place of views.
#pragma once

#include "elementary-lib/type.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::codegen {

/// How an operand is spelled in a kernel.
struct OperandText {
    enum class Form {
        scalar, ///< a variable or a literal: `s1`
        array,  ///< row-major words: `M1[i * 3 + j]`, `A_tile[element * 9 + i * 3 + j]`
        view    ///< an object with the call operator of views: `M1(i, j)`
    } form = Form::view;
    std::string name;
    std::string offset; ///< of an array: index of its first component, `element * 9`, or empty
    Shape shape;
    int pitch = 0; ///< of an array: words from one row to the next; 0: rows follow each other
};

struct WrittenOut {
    std::string lines;       ///< each ended, indented relative to the kernel's block
    bool declares = false;   ///< a variable outside any loop, so that two bodies need a scope each
    int result_mentions = 0; ///< how often the last operand occurs
};

/// The body of `routine`, a template `template <class A, .., class C> FUSEC_DEVICE void f(const A& a, .., C& c)` without a lane. Nothing
/// unless the text does with its operands no more than read and write components by indices that are shown to be in range
/// (index_range.hpp) and ask for their dimensions, its `auto` variables hold values of the operands' precision, and `taken` says of none of
/// its own names that the kernel uses it otherwise.
std::optional<WrittenOut> written_out(std::string_view routine, const std::vector<OperandText>& operands, Precision precision,
    const std::function<bool(const std::string&)>& taken);

} // namespace fusec::codegen
