// SPDX-License-Identifier: Apache-2.0
#include "execute/grouped_messages.hpp"

namespace fusec::execute {

void GroupedMessages::add(
    const DiagnosticKind& kind, const Span& span, const std::string& subject, std::string message, std::vector<DiagnosticNote> notes) {
    const auto [known, first] = numbers_.try_emplace({kind.name, span.source.get(), span.begin, span.end}, groups_.size());
    if (first) {
        groups_.push_back({kind, span, std::move(message), std::move(notes), {}});
    }
    groups_[known->second].subjects.insert(subject);
}

void GroupedMessages::report(Diagnostics& diagnostics) const {
    for (const Group& group : groups_) {
        const std::size_t count = group.subjects.size();
        diagnostics
            .report(group.kind, group.span, group.message + (count == 1 ? "" : " (the first of " + std::to_string(count) + " calls here)"))
            .notes = group.notes;
    }
}

} // namespace fusec::execute
