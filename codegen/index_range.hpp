// SPDX-License-Identifier: Apache-2.0
// What values the indices in a routine's text can have, as far as intervals show it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fusec::codegen {

/// From `least` to `most`; empty, as of a loop that does nothing, when `most` is the smaller.
struct IndexRange {
    long least = 0, most = 0;
};

/// The index variables of one routine.
class IndexRanges {
public:
    /// `for (HEADER)`: what `int i = 0; i < 3; ++i` says of i. False for another form and for bounds that are not known.
    bool enter_loop(std::string_view header);
    /// `NAME = EXPRESSION` of an `int`. A name that stands for several variables has all their values.
    void declare(std::string_view name, std::string_view expression);
    bool has(std::string_view name) const { return known_.find(name) != known_.end(); }

    /// Of numbers, index variables, `+ - * / %` and brackets; nothing when something else is in it or a value is not bounded.
    std::optional<IndexRange> of(std::string_view expression) const;

private:
    void add(std::string_view name, std::optional<IndexRange> range);

    std::map<std::string, std::optional<IndexRange>, std::less<>> known_;
};

} // namespace fusec::codegen
