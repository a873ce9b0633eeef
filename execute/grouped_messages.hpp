// SPDX-License-Identifier: Apache-2.0
// Messages about calls, one for each place of the text: in a loop or a definition one place stands for many calls.
#pragma once

#include "support/diagnostics.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fusec::execute {

class GroupedMessages {
public:
    /// `subject` tells calls of one place apart; said again of the same subject, a message is the same one. The first message of a place
    /// is the one that is reported, with the number of subjects where it is not one.
    void add(const DiagnosticKind& kind, const Span& span, const std::string& subject, std::string message,
        std::vector<DiagnosticNote> notes = {});

    /// In the order in which the places came up.
    void report(Diagnostics& diagnostics) const;

private:
    struct Group {
        DiagnosticKind kind;
        Span span;
        std::string message;
        std::vector<DiagnosticNote> notes;
        std::set<std::string> subjects;
    };
    using Place = std::tuple<std::string_view, const SourceText*, std::size_t, std::size_t>;

    std::vector<Group> groups_;
    std::map<Place, std::size_t> numbers_; ///< into groups_
};

} // namespace fusec::execute
