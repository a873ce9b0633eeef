// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/device_source.hpp"

#include <algorithm>
#include <array>

namespace fusec::library {

namespace {

char closing_of(char open) {
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}
bool opens(char c) {
    return c == '(' || c == '[' || c == '{';
}
bool closes(char c) {
    return c == ')' || c == ']' || c == '}';
}

std::size_t behind_blanks(std::string_view code, std::size_t at) {
    return std::min(code.find_first_not_of(" \t\r\n", at), code.size());
}
std::string_view word_at(std::string_view code, std::size_t at) {
    std::size_t end = at;
    while (end < code.size() && is_word_character(code[end])) {
        ++end;
    }
    return code.substr(at, end - at);
}

/// The head of a template, from behind its `<...>`: the name that is declared, and the body.
class Head {
public:
    Head(std::string_view code, TemplateDefinition& definition) : code_(code), definition_(definition), at_(definition.head) {}

    /// Whether a body is found; `definition.end` is then behind it, else behind the declaration.
    bool read() {
        bool has_body = false;
        while (at_ < code_.size() && !has_body) {
            at_ = behind_blanks(code_, at_);
            const char c = at_ < code_.size() ? code_[at_] : ';';
            if (c == ';' || closes(c)) {
                break; // a declaration, or the end of what it stands in
            }
            if (is_word_character(c)) {
                word();
            } else if (c == '<' && !candidate_.empty()) {
                at_ = std::max(behind_parameters(code_, at_), at_ + 1);
            } else if (c == '(') {
                parameters();
            } else if (c == '=') {
                initialized_ = definition_.name.empty(); // a variable or an alias; else `= default`, `= delete`, or a default
                ++at_;
            } else if (c == '{' && !initialized_ && (class_ || !definition_.name.empty())) {
                definition_.body = at_;
                at_ = behind_brackets(code_, at_);
                has_body = true;
            } else {
                at_ = opens(c) ? behind_brackets(code_, at_) : at_ + 1;
            }
        }
        definition_.end = std::max(at_, definition_.head);
        return has_body && definition_.end <= code_.size();
    }

private:
    void word() {
        static constexpr std::array<std::string_view, 8> with_brackets{
            "decltype", "typeof", "alignas", "noexcept", "__attribute__", "__declspec", "__launch_bounds__", "explicit"};
        const std::string_view name = word_at(code_, at_);
        at_ += name.size();
        const std::size_t next = behind_blanks(code_, at_);
        if (name == "requires") {
            constraint();
        } else if (std::find(with_brackets.begin(), with_brackets.end(), name) != with_brackets.end()) {
            at_ = next < code_.size() && code_[next] == '(' ? behind_brackets(code_, next) : at_;
        } else if (name == "template") { // of a member that is defined outside of its class
            at_ = behind_parameters(code_, at_);
        } else {
            class_ = class_ || ((name == "class" || name == "struct" || name == "union") && definition_.name.empty());
            candidate_ = name;
        }
    }

    /// The first `(...)` behind a name is that of its parameters.
    void parameters() {
        if (definition_.name.empty() && !class_ && !initialized_) {
            definition_.name = std::string(candidate_);
        }
        at_ = behind_brackets(code_, at_);
    }

    /// Operands between `&&` and `||`: a name with its arguments, brackets, or `requires (...) {...}`, whose braces are no body.
    void constraint() {
        for (bool more = true; more;) {
            at_ = behind_blanks(code_, at_);
            while (at_ < code_.size() && (code_[at_] == '!' || code_[at_] == ':')) {
                at_ = behind_blanks(code_, at_ + 1);
            }
            if (word_at(code_, at_) == "requires") {
                at_ = behind_blanks(code_, at_ + std::string_view("requires").size());
                if (at_ < code_.size() && code_[at_] == '(') {
                    at_ = behind_blanks(code_, behind_brackets(code_, at_));
                }
                at_ = at_ < code_.size() && code_[at_] == '{' ? behind_brackets(code_, at_) : at_;
            } else if (at_ < code_.size() && code_[at_] == '(') {
                at_ = behind_brackets(code_, at_);
            } else {
                at_ += word_at(code_, at_).size();
                at_ = behind_parameters(code_, at_);
            }
            const std::size_t next = behind_blanks(code_, at_);
            const std::string_view joint = code_.substr(next, 2);
            more = joint == "&&" || joint == "||" || joint == "::";
            at_ = more ? next + 2 : at_;
        }
    }

    std::string_view code_;
    TemplateDefinition& definition_;
    std::size_t at_;
    std::string_view candidate_; ///< the last word, which is the name if parameters follow
    bool class_ = false;
    bool initialized_ = false;
};

} // namespace

std::size_t behind_brackets(std::string_view code, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < code.size(); ++i) {
        depth += opens(code[i]) ? 1 : closes(code[i]) ? -1 : 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return code.size();
}

std::size_t behind_parameters(std::string_view code, std::size_t at) {
    std::size_t i = code.find_first_not_of(" \t\r\n", at);
    if (i == std::string_view::npos || code[i] != '<') {
        return at;
    }
    int angles = 0, brackets = 0;
    for (; i < code.size(); ++i) {
        const char c = code[i];
        brackets += opens(c) ? 1 : 0;
        brackets -= closes(c) ? 1 : 0;
        angles += brackets == 0 && c == '<' ? 1 : 0;
        angles -= brackets == 0 && c == '>' ? 1 : 0;
        if (angles == 0 || brackets < 0) {
            return i + 1;
        }
    }
    return at;
}

std::vector<TemplateDefinition> template_definitions(std::string_view code) {
    constexpr std::string_view keyword = "template";
    std::vector<TemplateDefinition> found;
    for (std::size_t at = code.find(keyword); at != std::string_view::npos; at = code.find(keyword, at)) {
        const std::size_t behind = at + keyword.size();
        const bool whole = (at == 0 || !is_word_character(code[at - 1])) && (behind == code.size() || !is_word_character(code[behind]));
        if (!whole) {
            at = behind;
            continue;
        }
        const std::size_t head = behind_parameters(code, behind);
        TemplateDefinition definition{at, head, std::string_view::npos, head, {}};
        if (Head(code, definition).read()) {
            found.push_back(definition);
        }
        at = std::max(definition.end, behind);
    }
    return found;
}

std::optional<SourceFault> fault_of(std::string_view source) {
    const DeviceText text = device_text(source);
    if (text.fault) {
        return text.fault;
    }
    const std::string& code = text.code;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (opens(c)) {
            open.push_back(i);
        } else if (closes(c)) {
            if (open.empty()) {
                return SourceFault{i, i + 1, std::string("this `") + c + "` closes nothing", {}};
            }
            if (closing_of(code[open.back()]) != c) {
                return SourceFault{i, i + 1, std::string("this `") + c + "` closes a `" + code[open.back()] + "`", open.back()};
            }
            open.pop_back();
        }
    }
    if (!open.empty()) { // the innermost: what it should have ended is most likely near
        return SourceFault{open.back(), open.back() + 1, std::string("this `") + code[open.back()] + "` is never closed", {}};
    }
    return std::nullopt;
}

std::string template_name(const Function& function, const Implementation& implementation) {
    return (implementation.of_base ? function.base : function.name) + "_" + implementation.routine;
}

std::string_view implementation_source(const Function& function, const Implementation& implementation) {
    const std::string code = device_text(function.source).code;
    const std::string name = template_name(function, implementation);
    for (const TemplateDefinition& definition : template_definitions(code)) {
        if (definition.name == name) {
            return std::string_view(function.source).substr(definition.begin, definition.end - definition.begin);
        }
    }
    return {};
}

std::vector<std::string> template_names(std::string_view source) {
    std::vector<std::string> names;
    for (TemplateDefinition& definition : template_definitions(device_text(source).code)) {
        if (!definition.name.empty()) {
            names.push_back(std::move(definition.name));
        }
    }
    return names;
}

} // namespace fusec::library
