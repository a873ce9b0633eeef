// SPDX-License-Identifier: Apache-2.0
// `store float` and `store double`: how lists of the caller's are stored.
#include "frontend/checker.hpp"
#include "frontend/syntax_messages.hpp"

namespace fusec::frontend {

void Checker::note_storage(const ast::Declaration& form) {
    if (!form.storage) {
        return;
    }
    const bool local = scope_.depth() != 0;
    if (form.uniform || local) {
        messages_
            .report(kind::storage_without_list, form.storage->span,
                in_backticks(form.names.front().text) +
                    (form.uniform ? " has one value for all elements: it is no list that could be stored"
                                  : " ends with its loop or definition: it is no list that could be stored"))
            .hint = "leave " + in_backticks(form.storage->span.text()) + " out";
        return;
    }
    for (const ast::Name& name : form.names) {
        stored_.try_emplace(name.text, Stored{*form.storage, name});
    }
}

void Checker::store_list(const ast::Name& name, std::optional<DataId> datum) {
    const auto stored = stored_.find(name.text);
    if (stored == stored_.end()) {
        return;
    }
    stored->second.list = true;
    if (datum && draft_.datum(*datum).type.precision != stored->second.storage.precision) {
        draft_.datum(*datum).storage = stored->second.storage.precision;
    }
}

void Checker::report_storage_without_list() {
    if (expansion_.stopped() || (!return_ && updated_.empty())) {
        return; // what would be returned is not known
    }
    for (const auto& [text, stored] : stored_) {
        if (!stored.list) {
            Diagnostic& d = messages_.report(kind::storage_without_list, stored.name.span,
                in_backticks(text) + " is neither an input nor returned: the caller has no list of it");
            d.notes.push_back({stored.storage.span, "how it is stored"});
            d.hint = "leave " + in_backticks(stored.storage.span.text()) + " out: what the program keeps has the precision of its type";
        }
    }
}

} // namespace fusec::frontend
