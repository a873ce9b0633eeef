// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/device_text.hpp"

#include <algorithm>

namespace fusec::library {

namespace {

class Reader {
public:
    explicit Reader(std::string_view source) : source_(source), text_{std::string(source), {}, {}} {}

    DeviceText run() {
        bool line_begins = true; // nothing but blanks and comments on the line so far
        while (at_ < source_.size() && !text_.fault) {
            const char c = source_[at_];
            const std::string_view pair = source_.substr(at_, 2);
            if (pair == "//") {
                blank_to(end_of_line());
            } else if (pair == "/*") {
                blank_to(end_of("*/", at_ + 2, "comment"));
            } else if (c == '#' && line_begins) {
                directive();
            } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
                line_begins = line_begins || c == '\n';
                ++at_;
            } else {
                line_begins = false;
                if (left_out()) {
                    blank_to(at_ + 1); // an apostrophe or a quotation mark opens nothing here
                } else if (c == '"' || c == '\'') {
                    literal();
                } else if (is_word_character(c)) {
                    word();
                } else {
                    ++at_;
                }
            }
        }
        if (!text_.fault && !conditions_.empty()) {
            const std::size_t begin = conditions_.back().begin;
            text_.fault = SourceFault{begin, line_end(begin), "this condition is never closed", {}};
        }
        return std::move(text_);
    }

private:
    /// An `#if` that is open, from its `#`.
    struct Condition {
        std::size_t begin = 0;
        bool left_out = false; ///< the group that is being read
        bool decided = false;  ///< a group that is known to be taken has been read: no other is
    };

    bool left_out() const {
        return std::any_of(conditions_.begin(), conditions_.end(), [](const Condition& open) { return open.left_out; });
    }
    std::size_t line_end(std::size_t from) const { return std::min(source_.find('\n', from), source_.size()); }

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
            text_.fault = SourceFault{at_, line_end(at_), std::string("this ") + what + " is never closed", {}};
            return source_.size();
        }
        return end + closing.size();
    }
    void blank_to(std::size_t end) {
        for (; at_ < end; ++at_) {
            text_.code[at_] = source_[at_] == '\n' ? '\n' : ' ';
        }
    }

    /// A line that begins with `#`, up to a comment.
    void directive() {
        const std::size_t begin = at_;
        const std::size_t end = end_of_directive();
        std::string_view rest = source_.substr(begin + 1, end - begin - 1);
        const std::string_view name = first_word(rest);
        const std::string_view condition = first_word(rest);
        const bool whole = rest.find_first_not_of(" \t\r\n\\") == std::string_view::npos;
        const bool never = whole && (condition == "0" || condition == "false"), always = whole && (condition == "1" || condition == "true");
        if (name == "if") {
            conditions_.push_back({begin, never, always});
        } else if (name == "ifdef" || name == "ifndef") {
            conditions_.push_back({begin, false, false});
        } else if ((name == "elif" || name == "elifdef" || name == "elifndef" || name == "else") && !conditions_.empty()) {
            Condition& open = conditions_.back();
            open.left_out = open.decided || (name == "elif" && never);
            open.decided = open.decided || name == "else" || (name == "elif" && always);
        } else if (name == "endif" && !conditions_.empty()) {
            conditions_.pop_back();
        } else if (name == "define" && !left_out()) {
            const auto at = static_cast<std::size_t>(condition.data() - source_.data());
            text_.macros.push_back({at, at + condition.size()});
        }
        blank_to(end);
    }
    /// Where its line ends, or a comment on it begins.
    std::size_t end_of_directive() const {
        const std::size_t end = end_of_line();
        bool quoted = false;
        for (std::size_t i = at_; i < end; ++i) {
            quoted = quoted != (source_[i] == '"' && source_[i - 1] != '\\');
            if (!quoted && (source_.substr(i, 2) == "//" || source_.substr(i, 2) == "/*")) {
                return i;
            }
        }
        return end;
    }
    /// Taken off the text; empty where something else begins it.
    static std::string_view first_word(std::string_view& text) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        std::size_t size = 0;
        while (size < text.size() && is_word_character(text[size])) {
            ++size;
        }
        const std::string_view word = text.substr(0, size);
        text.remove_prefix(size);
        return word;
    }

    void literal() {
        const char quote = source_[at_];
        std::size_t end = at_ + 1;
        while (end < source_.size() && source_[end] != quote && source_[end] != '\n') {
            end += source_[end] == '\\' ? 2U : 1U;
        }
        if (end >= source_.size() || source_[end] == '\n') {
            text_.fault = SourceFault{at_, std::min(end, source_.size()),
                std::string("this ") + (quote == '"' ? "string" : "character literal") + " is never closed", {}};
            return;
        }
        blank_to(end + 1);
    }
    /// An identifier, a number (an apostrophe between its digits opens nothing) or the prefix of a raw string.
    void word() {
        const std::size_t begin = at_;
        while (at_ < source_.size() &&
            (is_word_character(source_[at_]) ||
                (is_decimal_digit(source_[begin]) && source_[at_] == '\'' && at_ + 1 < source_.size() &&
                    is_word_character(source_[at_ + 1])))) {
            ++at_;
        }
        if (at_ < source_.size() && source_[at_] == '"' && source_[at_ - 1] == 'R' && at_ - begin <= 3) {
            const std::size_t open = source_.find('(', at_);
            const std::string closing = ")" + std::string(source_.substr(at_ + 1, std::min(open, source_.size()) - at_ - 1)) + "\"";
            blank_to(end_of(closing, std::min(open, source_.size()), "raw string"));
        }
    }

    std::string_view source_;
    DeviceText text_;
    std::size_t at_ = 0;
    std::vector<Condition> conditions_; ///< innermost last
};

} // namespace

DeviceText device_text(std::string_view source) {
    return Reader(source).run();
}

} // namespace fusec::library
