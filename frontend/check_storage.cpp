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

/// Of a value that is returned, but under another name.
bool Checker::report_other_name(const std::string& text, const Stored& stored) {
    const Defined* defined = std::as_const(scope_).definition(text);
    const auto returned = defined && defined->value.datum ? returned_.find(*defined->value.datum) : returned_.end();
    if (returned == returned_.end()) {
        return false;
    }
    const std::string& name = returned->second.text;
    const Declared* declared = scope_.declaration(text);
    Diagnostic& d = messages_.report(kind::storage_without_list, stored.name.span,
        in_backticks(text) + " is returned as " + in_backticks(name) + ", which is the name of the caller's list");
    d.notes.push_back({stored.storage.span, "how it is stored"});
    d.notes.push_back({returned->second.span, "returned here"});
    d.hint = "declare that name so: `" + std::string(stored.storage.span.text()) + " " +
        (declared && declared->type ? to_string(*declared->type) : "SCALAR") + " " + name + ";`";
    return true;
}

void Checker::report_storage_without_list() {
    if (expansion_.stopped() || (!return_ && updated_.empty())) {
        return; // what would be returned is not known
    }
    for (const auto& [text, stored] : stored_) {
        if (!stored.list) {
            if (report_other_name(text, stored)) {
                continue;
            }
            Diagnostic& d = messages_.report(kind::storage_without_list, stored.name.span,
                in_backticks(text) + " is neither an input nor returned: the caller has no list of it");
            d.notes.push_back({stored.storage.span, "how it is stored"});
            d.hint = "leave " + in_backticks(stored.storage.span.text()) + " out: what the program keeps has the precision of its type";
        }
    }
}

} // namespace fusec::frontend
