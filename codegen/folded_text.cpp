// SPDX-License-Identifier: Apache-2.0
#include "codegen/folded_text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <vector>

namespace fusec::codegen {

namespace {

constexpr long largest = 1L << 30;       ///< no index is that far; sums and products of what is below stay in 64 bits
constexpr long longest_short_loop = 256; ///< FUSEC_UNROLL_SHORT (views.cuh): it is unrolled whole

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A sum of multiples of terms and a number.
struct Sum {
    struct Term {
        std::string text; ///< a word, or a quotient or remainder by a number
        long factor = 1;
        std::string of; ///< of a quotient or remainder: what is divided
        char sign = 0;  ///< `/` or `%`; 0: a word
        long by = 1;    ///< the divisor
    };
    std::vector<Term> terms;
    long number = 0;

    void add(const Term& term) {
        const auto same = std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.text == term.text; });
        if (same == terms.end()) {
            terms.push_back(term);
        } else {
            same->factor += term.factor;
        }
    }
    void scale(long factor) {
        number *= factor;
        for (Term& term : terms) {
            term.factor *= factor;
        }
    }
    bool is_number() const { return terms.empty(); }

    bool is_bounded() const {
        return std::abs(number) < largest &&
            std::all_of(terms.begin(), terms.end(), [](const Term& t) { return std::abs(t.factor) < largest; });
    }

    std::string text() const {
        std::string result;
        const auto append = [&](bool negative, const std::string& part) {
            result += result.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
            result += part;
        };
        const bool number_first = !terms.empty() && terms.front().factor < 0 && number > 0; // `2 - i`
        if (number_first) {
            append(false, std::to_string(number));
        }
        for (const Term& term : terms) {
            const long factor = std::abs(term.factor);
            const std::string base = term.sign != '%' || factor == 1 ? term.text : "(" + term.text + ")";
            append(term.factor < 0, factor == 1 ? base : base + " * " + std::to_string(factor));
        }
        if ((number != 0 && !number_first) || terms.empty()) {
            append(number < 0, std::to_string(std::abs(number)));
        }
        return result;
    }
};

/// Recursive descent; gives up on what is no such sum.
class Folding {
public:
    explicit Folding(std::string_view text) : text_(text) {}

    std::optional<Sum> whole() {
        std::optional<Sum> value = sum();
        return value && next() == '\0' ? value : std::nullopt;
    }

private:
    char next() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) {
            ++at_;
        }
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    static std::optional<Sum> bounded(Sum sum) { return sum.is_bounded() ? std::optional(std::move(sum)) : std::nullopt; }

    /// x / c * c + x % c is x, of every x, and stands where the quotient stood. Terms with the factor 0 go.
    static Sum joined(Sum sum) {
        for (std::size_t i = 0; i < sum.terms.size(); ++i) {
            const Sum::Term quotient = sum.terms[i];
            const auto remainder = std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Sum::Term& t) {
                return quotient.sign == '/' && t.sign == '%' && t.of == quotient.of && t.by == quotient.by && t.factor != 0 &&
                    quotient.factor == t.factor * t.by;
            });
            if (remainder == sum.terms.end()) {
                continue;
            }
            Sum whole = Folding(quotient.of).whole().value();
            whole.scale(remainder->factor);
            sum.terms[i].factor = remainder->factor = 0;
            Sum result;
            result.number = sum.number + whole.number;
            for (std::size_t k = 0; k < sum.terms.size(); ++k) {
                for (const Sum::Term& term : k == i ? whole.terms : std::vector{sum.terms[k]}) {
                    result.add(term);
                }
            }
            return joined(std::move(result));
        }
        std::erase_if(sum.terms, [](const Sum::Term& term) { return term.factor == 0; });
        return sum;
    }

    std::optional<Sum> sum() {
        std::optional<Sum> value = product();
        while (value && (next() == '+' || next() == '-')) {
            const bool plus = text_[at_++] == '+';
            std::optional<Sum> term = product();
            if (!term) {
                return std::nullopt;
            }
            term->scale(plus ? 1 : -1);
            value->number += term->number;
            for (const Sum::Term& one : term->terms) {
                value->add(one);
            }
            value = bounded(std::move(*value));
        }
        return value ? std::optional(joined(std::move(*value))) : std::nullopt;
    }

    std::optional<Sum> product() {
        std::optional<Sum> value = factor();
        while (value && (next() == '*' || next() == '/' || next() == '%')) {
            const char sign = text_[at_++];
            std::optional<Sum> by = factor();
            value = by ? applied(std::move(*value), sign, std::move(*by)) : std::nullopt;
        }
        return value;
    }

    static std::optional<Sum> applied(Sum value, char sign, Sum by) {
        if (sign == '*') {
            if (!by.is_number()) {
                std::swap(value, by);
            }
            if (!by.is_number()) {
                return std::nullopt;
            }
            value.scale(by.number);
            return bounded(joined(std::move(value)));
        }
        if (!by.is_number() || by.number <= 0) {
            return std::nullopt;
        }
        Sum result;
        if (value.is_number()) {
            result.number = sign == '/' ? value.number / by.number : value.number % by.number;
        } else if (by.number == 1) {
            return sign == '/' ? std::move(value) : result;
        } else {
            const std::string of = value.text();
            const bool word = std::all_of(of.begin(), of.end(), is_word);
            result.terms.push_back({(word ? of : "(" + of + ")") + " " + sign + " " + std::to_string(by.number), 1, of, sign, by.number});
        }
        return result;
    }

    std::optional<Sum> factor() {
        const char c = next();
        if (c == '(') {
            ++at_;
            std::optional<Sum> value = sum();
            return next() == ')' && ++at_ != 0 ? value : std::nullopt;
        }
        if (c == '-') {
            ++at_;
            std::optional<Sum> value = factor();
            if (value) {
                value->scale(-1);
            }
            return value;
        }
        std::size_t end = at_;
        while (end < text_.size() && is_word(text_[end])) {
            ++end;
        }
        const std::string word(text_.substr(at_, end - at_));
        at_ = end;
        Sum value;
        if (word.empty()) {
            return std::nullopt;
        }
        if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) {
            value.terms.push_back({word, 1, {}, 0, 1});
            return value;
        }
        if (word.size() > 9 || !std::all_of(word.begin(), word.end(), [](unsigned char d) { return std::isdigit(d) != 0; })) {
            return std::nullopt;
        }
        value.number = std::stol(word);
        return bounded(std::move(value));
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end > at) { // no blank lines
            lines.emplace_back(text.substr(at, end - at));
        }
        at = end + 1;
    }
    return lines;
}

/// `    FUSEC_UNROLL for (int i = 0; i < 3; ++i) {`
struct Loop {
    std::string indent, unroll, variable, start, end, brace;

    bool has_numbers() const { return is_number(start) && is_number(end); }
    long passes() const { return std::stol(end) - std::stol(start); }
    std::string text() const {
        const std::string pragma =
            unroll == "FUSEC_UNROLL_SHORT " && has_numbers() && passes() <= longest_short_loop ? "FUSEC_UNROLL " : unroll;
        return indent + pragma + "for (int " + variable + " = " + start + "; " + variable + " < " + end + "; ++" + variable + ")" + brace;
    }

private:
    static bool is_number(const std::string& text) {
        return !text.empty() && text.size() < 10 &&
            std::all_of(text.begin(), text.end(), [](unsigned char d) { return std::isdigit(d) != 0; });
    }
};

std::optional<Loop> loop_of(const std::string& line) {
    static const std::regex form(
        R"(^( *)(FUSEC_UNROLL |FUSEC_UNROLL_SHORT )?for \(int (\w+) = ([^;]*); (\w+) < ([^;]*); \+\+(\w+)\)( \{)?$)");
    std::smatch parts;
    if (!std::regex_match(line, parts, form) || parts[3] != parts[5] || parts[3] != parts[7]) {
        return std::nullopt;
    }
    return Loop{parts[1], parts[2], parts[3], folded_index(parts[4].str()), folded_index(parts[6].str()), parts[8]};
}

using Lines = std::vector<std::string>;

/// Whether the body names another variable like the loop's, or changes it.
bool is_constant(const std::string& variable, const Lines& body) {
    const std::regex other(
        "\\bint (?:.*, )?" + variable + " =|(?:\\+\\+|--)" + variable + "\\b|\\b" + variable + "(?:\\+\\+|--| (?:[-+*/%&|^]|<<|>>)?= )");
    return std::none_of(body.begin(), body.end(), [&](const std::string& line) { return std::regex_search(line, other); });
}

bool declares(const Lines& body) {
    static const std::regex declaration("^ *(?:const|auto|int|typename) .*");
    return std::any_of(body.begin(), body.end(),
        [&](const std::string& line) { return indentation(line) == indentation(body.front()) && std::regex_match(line, declaration); });
}

/// `auto sum = E;` and then `x = sum;`, which is all that becomes of a sum of one product, are `x = E;`.
Lines without_copies(Lines lines) {
    static const std::regex declaration(R"(^( *)auto (\w+) = (.*);$)");
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        std::smatch parts;
        if (!std::regex_match(lines[i], parts, declaration)) {
            continue;
        }
        const std::string indent = parts[1], value = parts[3], copied = " = " + parts.str(2) + ";";
        const std::regex word("\\b" + parts.str(2) + "\\b");
        std::size_t end = i + 1; // of the variable's scope
        std::ptrdiff_t mentions = 0;
        for (; end < lines.size() && indentation(lines[end]) >= indent.size(); ++end) {
            mentions += std::distance(std::sregex_iterator(lines[end].begin(), lines[end].end(), word), std::sregex_iterator());
        }
        std::string& next = lines[i + 1];
        if (mentions == 1 && indentation(next) == indent.size() && next.ends_with(copied)) {
            next.replace(next.size() - copied.size(), std::string::npos, " = " + value + ";");
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    return lines;
}

Lines folded(const Lines& lines);

/// The body in place of a loop of one pass; it keeps its scope where it declares something.
Lines passed_once(const Loop& loop, Lines body) {
    const std::regex variable("\\b" + loop.variable + "\\b");
    for (std::string& line : body) {
        line = std::regex_replace(line.substr(4), variable, loop.start);
    }
    body = folded(body);
    if (declares(body)) {
        for (std::string& line : body) {
            line.insert(0, 4, ' ');
        }
        body.insert(body.begin(), loop.indent + "{");
        body.push_back(loop.indent + "}");
    }
    return body;
}

Lines folded(const Lines& lines) {
    Lines result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::optional<Loop> loop = loop_of(lines[i]);
        if (!loop) {
            result.push_back(lines[i]);
            continue;
        }
        std::size_t end = i + 1; // of the body
        while (end < lines.size() && indentation(lines[end]) > loop->indent.size()) {
            ++end;
        }
        const bool closed = loop->brace.empty() || (end < lines.size() && lines[end] == loop->indent + "}");
        Lines body(lines.begin() + static_cast<std::ptrdiff_t>(i) + 1, lines.begin() + static_cast<std::ptrdiff_t>(end));
        // One statement has to stay behind a loop without braces.
        const bool hanging = !result.empty() && std::string_view(";{}").find(result.back().back()) == std::string_view::npos;
        if (!loop->has_numbers() || loop->passes() > 1 || !closed || !is_constant(loop->variable, body) ||
            (hanging && (loop->passes() < 1 || !loop->brace.empty()))) {
            result.push_back(loop->text()); // the lines of its body follow
            continue;
        }
        i = loop->brace.empty() ? end - 1 : end;
        if (loop->passes() == 1) {
            body = passed_once(*loop, std::move(body));
            result.insert(result.end(), body.begin(), body.end());
        }
    }
    return without_copies(std::move(result));
}

} // namespace

std::string folded_index(std::string_view expression) {
    const std::optional<Sum> sum = Folding(expression).whole();
    return sum ? sum->text() : std::string(expression);
}

std::string with_folded_loops(std::string_view lines) {
    std::string result;
    for (const std::string& line : folded(lines_of(lines))) {
        result += line + '\n';
    }
    return result;
}

} // namespace fusec::codegen
