// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/device_source.hpp"

#include <algorithm>

namespace fusec::library {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/// One pass over C++ text that blanks all that is no code: comments, what stands in literals, preprocessor lines. Offsets stay.
class Blanking {
public:
    explicit Blanking(std::string_view source) : source_(source), code_(source) {}

    void run() {
        bool line_begins = true; // nothing but blanks and comments on the line so far
        while (at_ < source_.size() && !fault_) {
            const char c = source_[at_];
            const std::string_view pair = source_.substr(at_, 2);
            if (pair == "//") {
                blank_to(end_of_line());
            } else if (pair == "/*") {
                blank_to(end_of("*/", at_ + 2, "comment"));
            } else if (c == '#' && line_begins) {
                blank_to(end_of_line());
            } else if (c == '"' || c == '\'') {
                literal();
                line_begins = false;
            } else if (is_word(c)) {
                word();
                line_begins = false;
            } else {
                line_begins = c == '\n' || (line_begins && (c == ' ' || c == '\t' || c == '\r'));
                ++at_;
            }
        }
    }

    const std::string& code() const { return code_; }
    const std::optional<SourceFault>& fault() const { return fault_; }

private:
    /// The end of the line, or of the last of the lines that it continues in.
    std::size_t end_of_line() const {
        std::size_t end = at_;
        do {
            end = source_.find('\n', end == at_ ? at_ : end + 1);
        } while (end != std::string_view::npos && (source_[end - 1] == '\\' || (end > 1 && source_.substr(end - 2, 2) == "\\\r")));
        return std::min(end, source_.size());
    }
    std::size_t end_of(std::string_view closing, std::size_t from, const char* what) {
        const std::size_t end = source_.find(closing, from);
        if (end == std::string_view::npos) {
            const std::size_t line_end = std::min(source_.find('\n', at_), source_.size());
            fault_ = SourceFault{at_, line_end, std::string("this ") + what + " is never closed", {}};
            return source_.size();
        }
        return end + closing.size();
    }
    void blank_to(std::size_t end) {
        for (; at_ < end; ++at_) {
            code_[at_] = source_[at_] == '\n' ? '\n' : ' ';
        }
    }
    void literal() {
        const char quote = source_[at_];
        std::size_t end = at_ + 1;
        while (end < source_.size() && source_[end] != quote && source_[end] != '\n') {
            end += source_[end] == '\\' ? 2U : 1U;
        }
        if (end >= source_.size() || source_[end] == '\n') {
            fault_ = SourceFault{at_, std::min(end, source_.size()),
                std::string("this ") + (quote == '"' ? "string" : "character literal") + " is never closed", {}};
            return;
        }
        blank_to(end + 1);
    }
    /// An identifier, a number (an apostrophe between its digits opens nothing) or the prefix of a raw string.
    void word() {
        const std::size_t begin = at_;
        while (at_ < source_.size() &&
            (is_word(source_[at_]) ||
                (is_digit(source_[begin]) && source_[at_] == '\'' && at_ + 1 < source_.size() && is_word(source_[at_ + 1])))) {
            ++at_;
        }
        if (at_ < source_.size() && source_[at_] == '"' && source_[at_ - 1] == 'R' && at_ - begin <= 3) {
            const std::size_t open = source_.find('(', at_);
            const std::string closing = ")" + std::string(source_.substr(at_ + 1, std::min(open, source_.size()) - at_ - 1)) + "\"";
            blank_to(end_of(closing, std::min(open, source_.size()), "raw string"));
        }
    }

    std::string_view source_;
    std::string code_;
    std::size_t at_ = 0;
    std::optional<SourceFault> fault_;
};

std::string code_of(std::string_view source) {
    Blanking blanking(source);
    blanking.run();
    return blanking.code();
}

char closing_of(char open) {
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

/// The definition of a template: the bytes [begin, end), of which [head, body) stand between its `<...>` and its body.
struct Definition {
    std::size_t begin = 0, head = 0, body = 0, end = 0;
};

/// Behind the `<...>` that follows `at`, in which brackets may hold anything; `at` when none follows.
std::size_t behind_parameters(std::string_view code, std::size_t at) {
    std::size_t i = code.find_first_not_of(" \t\r\n", at);
    if (i == std::string_view::npos || code[i] != '<') {
        return at;
    }
    int angles = 0, brackets = 0;
    for (; i < code.size(); ++i) {
        const char c = code[i];
        brackets += c == '(' || c == '[' || c == '{' ? 1 : 0;
        brackets -= c == ')' || c == ']' || c == '}' ? 1 : 0;
        angles += brackets == 0 && c == '<' ? 1 : 0;
        angles -= brackets == 0 && c == '>' ? 1 : 0;
        if (angles == 0 || brackets < 0) {
            return i + 1;
        }
    }
    return at;
}

/// The function templates and class templates of `code` that have a body, in order; templates in the body of one are part of it.
std::vector<Definition> definitions(std::string_view code) {
    constexpr std::string_view keyword = "template";
    std::vector<Definition> found;
    for (std::size_t at = code.find(keyword); at != std::string_view::npos; at = code.find(keyword, at)) {
        const std::size_t behind = at + keyword.size();
        const bool whole = (at == 0 || !is_word(code[at - 1])) && (behind == code.size() || !is_word(code[behind]));
        if (!whole) {
            at = behind;
            continue;
        }
        // The body is the first brace outside any bracket; a declaration ends before one.
        const std::size_t head = behind_parameters(code, behind);
        Definition definition{at, head, std::string_view::npos, head};
        std::string open;
        bool closed = false;
        for (; definition.end < code.size() && !closed; ++definition.end) {
            const char c = code[definition.end];
            if (c == '(' || c == '[' || c == '{') {
                if (c == '{' && open.empty()) {
                    definition.body = definition.end;
                }
                open += c;
            } else if (c == ')' || c == ']' || c == '}') {
                if (open.empty()) { // the end of what the declaration stands in
                    break;
                }
                open.pop_back();
                closed = open.empty() && c == '}';
            } else if (c == ';' && open.empty()) {
                break;
            }
        }
        if (closed) {
            found.push_back(definition);
        }
        at = definition.end;
    }
    return found;
}

/// The name before a parenthesis of the head that is the template's: `f` of `template <class A> FUSEC_DEVICE void f(const A& a)`.
bool declares(std::string_view head, std::string_view name) {
    for (std::size_t at = head.find(name); at != std::string_view::npos; at = head.find(name, at + 1)) {
        const std::size_t end = head.find_first_not_of(" \t\r\n", at + name.size());
        if ((at == 0 || !is_word(head[at - 1])) && end != std::string_view::npos && head[end] == '(') {
            return true;
        }
    }
    return false;
}

/// The word before the first parenthesis; empty when there is none.
std::string name_in(std::string_view head) {
    const std::size_t open = head.find('(');
    if (open == std::string_view::npos) {
        return {};
    }
    std::size_t end = open;
    while (end > 0 && !is_word(head[end - 1])) {
        --end;
    }
    std::size_t begin = end;
    while (begin > 0 && is_word(head[begin - 1])) {
        --begin;
    }
    return std::string(head.substr(begin, end - begin));
}

} // namespace

std::optional<SourceFault> fault_of(std::string_view source) {
    Blanking blanking(source);
    blanking.run();
    if (blanking.fault()) {
        return blanking.fault();
    }
    const std::string& code = blanking.code();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(i);
        } else if (c == ')' || c == ']' || c == '}') {
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
    return function.name + "_" + implementation.routine;
}

std::string_view implementation_source(const Function& function, const Implementation& implementation) {
    const std::string code = code_of(function.source);
    const std::string name = template_name(function, implementation);
    for (const Definition& definition : definitions(code)) {
        if (declares(std::string_view(code).substr(definition.head, definition.body - definition.head), name)) {
            return std::string_view(function.source).substr(definition.begin, definition.end - definition.begin);
        }
    }
    return {};
}

std::vector<std::string> template_names(std::string_view source) {
    const std::string code = code_of(source);
    std::vector<std::string> names;
    for (const Definition& definition : definitions(code)) {
        if (std::string name = name_in(std::string_view(code).substr(definition.head, definition.body - definition.head)); !name.empty()) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

} // namespace fusec::library
