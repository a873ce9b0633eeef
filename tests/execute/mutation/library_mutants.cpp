// SPDX-License-Identifier: Apache-2.0
// A scan of the source's text: enough of C++ for templates as docs/library.md wants them.
#include "tests/execute/mutation/library_mutants.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace fusec::execute {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Scan {
public:
    explicit Scan(const library::Function& function)
        : function_(function.name), source_(function.source), code_(without_comments(source_)), value_(source_.size(), true) {
        find_names();
        exclude_loop_headers();
        exclude_integers();
        exclude_conditions();
        exclude_indices();
    }

    std::vector<LibraryMutant> mutants() {
        for (std::size_t at = 0; at < code_.size(); ++at) {
            transposed_call(at);
            transposed_array(at);
            sign(at);
            sign_of_result(at);
            last_term(at);
            last_pass(at);
            other_comparison(at);
            other_choice(at);
        }
        return std::move(mutants_);
    }

private:
    /// Comments become blanks, so places stay.
    static std::string without_comments(std::string text) {
        for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) {
            for (; at < text.size() && text[at] != '\n'; ++at) {
                text[at] = ' ';
            }
        }
        return text;
    }

    bool starts(std::size_t at, std::string_view word) const { return std::string_view(code_).substr(at, word.size()) == word; }
    bool word_at(std::size_t at, std::string_view word) const {
        return starts(at, word) && (at == 0 || !is_word(code_[at - 1])) && !is_word(code_[at + word.size()]);
    }
    std::size_t closing(std::size_t open) const {
        int depth = 0;
        for (std::size_t at = open; at < code_.size(); ++at) {
            depth += code_[at] == '(' || code_[at] == '[' ? 1 : code_[at] == ')' || code_[at] == ']' ? -1 : 0;
            if (depth == 0) {
                return at;
            }
        }
        return code_.size();
    }
    void exclude(std::size_t begin, std::size_t end) {
        std::fill(value_.begin() + static_cast<std::ptrdiff_t>(begin),
            value_.begin() + static_cast<std::ptrdiff_t>(std::min(end, value_.size())), false);
    }

    /// Names behind `&` are views: parameters, and const references to the result. The result is the one that is not const.
    void find_names() {
        for (std::size_t at = code_.find("& "); at != std::string::npos; at = code_.find("& ", at + 1)) {
            std::size_t end = at + 2;
            while (is_word(code_[end])) {
                ++end;
            }
            const std::string name = code_.substr(at + 2, end - at - 2);
            views_.insert(name);
            if (code_[end] == ')') {
                result_ = name;
            }
        }
    }
    void exclude_loop_headers() {
        for (std::size_t at = code_.find("for ("); at != std::string::npos; at = code_.find("for (", at + 1)) {
            exclude(at, closing(at + 4));
        }
    }
    void exclude_integers() {
        for (const std::string_view type : {"const int ", "constexpr int "}) {
            for (std::size_t at = code_.find(type); at != std::string::npos; at = code_.find(type, at + 1)) {
                exclude(at, code_.find(';', at));
            }
        }
    }
    /// Conditions of selections compare indices.
    void exclude_conditions() {
        constexpr std::string_view select = "fusec::select(";
        for (std::size_t at = code_.find(select); at != std::string::npos; at = code_.find(select, at + 1)) {
            exclude(at + select.size(), code_.find(", ", at));
        }
    }
    void exclude_indices() {
        for (std::size_t at = 0; at < code_.size(); ++at) {
            if (code_[at] == '[' || (code_[at] == '(' && is_view(at))) {
                exclude(at, closing(at) + 1);
            }
        }
    }
    /// Whether the `(` at `open` follows the name of a view.
    bool is_view(std::size_t open) const { return views_.count(name_before(open)) != 0; }
    std::string name_before(std::size_t open) const {
        std::size_t begin = open;
        while (begin > 0 && is_word(code_[begin - 1])) {
            --begin;
        }
        return code_.substr(begin, open - begin);
    }

    void add(const std::string& kind, std::size_t begin, std::size_t end, const std::string& replacement) {
        const auto line = 1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
        const std::size_t column = begin - (begin == 0 ? 0 : source_.rfind('\n', begin - 1));
        std::string text = source_;
        text.replace(begin, end - begin, replacement);
        mutants_.push_back({function_, routine_at(begin), kind,
            std::to_string(line) + ":" + std::to_string(column) + ": " + source_.substr(begin, end - begin) + " -> " +
                (replacement.empty() ? "(nothing)" : replacement),
            text});
    }

    /// The template around a place: the word behind `NAME_` in its signature.
    std::string routine_at(std::size_t place) const {
        const std::string head = "void " + function_ + "_";
        const std::size_t name = code_.rfind(head, place);
        return name == std::string::npos ? "" : code_.substr(name + head.size(), code_.find('(', name) - name - head.size());
    }

    void transposed_call(std::size_t at) {
        if (code_[at] != '(' || !is_view(at)) {
            return;
        }
        const std::size_t close = closing(at);
        const std::size_t comma = code_.find(", ", at);
        if (comma >= close) {
            return;
        }
        const std::string first = code_.substr(at + 1, comma - at - 1);
        const std::string second = code_.substr(comma + 2, close - comma - 2);
        if (first != second) {
            const std::string name = name_before(at);
            add("transposed index", at - name.size(), close + 1, name + "(" + second + ", " + first + ")");
        }
    }
    void transposed_array(std::size_t at) {
        const std::size_t close = code_[at] == '[' ? closing(at) : code_.size();
        if (close + 1 >= code_.size() || code_[close + 1] != '[') {
            return;
        }
        const std::string first = code_.substr(at, close + 1 - at);
        const std::string second = code_.substr(close + 1, closing(close + 1) - close);
        const std::string name = name_before(at);
        if (first != second) {
            add("transposed index", at - name.size(), close + 1 + second.size(), name + second + first);
        }
    }

    /// Whether a binary sign stands behind the blank at `at`; the second operand may be on the next line.
    bool is_binary_sign(std::size_t at) const {
        return value_[at] && (starts(at, " + ") || starts(at, " - ") || starts(at, " +\n") || starts(at, " -\n"));
    }
    void sign(std::size_t at) {
        const auto opposite = [&](std::size_t sign) { return std::string(1, code_[sign] == '+' ? '-' : '+'); };
        if (is_binary_sign(at) || (value_[at] && (starts(at, " += ") || starts(at, " -= ")))) {
            add("wrong sign", at + 1, at + 2, opposite(at + 1));
        }
        const bool unary = value_[at] && code_[at] == '-' && at > 0 && (is_word(code_[at + 1]) || code_[at + 1] == '(') &&
            (code_[at - 1] == ' ' || code_[at - 1] == '(');
        if (unary) {
            add("wrong sign", at, at + 1, "");
        }
    }
    void sign_of_result(std::size_t at) {
        if (!starts(at, " = ") || at == 0 || code_[at - 1] != ')') {
            return;
        }
        const std::size_t line = code_.rfind('\n', at) + 1;
        const std::size_t first = code_.find_first_not_of(' ', line);
        const std::size_t end = code_.find(';', at);
        const std::string value = code_.substr(at + 3, end - at - 3);
        if (starts(first, result_ + "(") && value != "0") {
            add("wrong sign", at + 3, end, "-(" + value + ")");
        }
    }
    void last_term(std::size_t at) {
        if (!is_binary_sign(at)) {
            return;
        }
        std::size_t end = at + 3;
        for (int depth = 0; end < code_.size(); ++end) {
            const char c = code_[end];
            if (depth == 0 && (c == ';' || c == ')')) {
                break;
            }
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            if (depth == 0 && is_binary_sign(end)) {
                return; // another term follows
            }
        }
        add("missing last term", at, end, "");
    }
    void last_pass(std::size_t at) {
        if (!word_at(at, "for")) {
            return;
        }
        const std::size_t first = code_.find("; ", at) + 2;
        const std::size_t end = code_.find(';', first);
        const std::string condition = code_.substr(first, end - first);
        if (const std::size_t downwards = condition.find(" >= "); downwards != std::string::npos) {
            add("missing last term", first, end, condition.substr(0, downwards) + " > " + condition.substr(downwards + 4));
        } else {
            add("missing last term", first, end, condition + " - 1");
        }
    }

    /// Of values: each comparison and the one that differs for equal operands alone.
    void other_comparison(std::size_t at) {
        for (const auto& [written, other] : {std::pair{"() < ", "<="}, std::pair{"() <= ", "<"}, std::pair{"() == ", "<="}}) {
            if (starts(at, written)) {
                add("other comparison", at + 3, at + std::string_view(written).size() - 1, other);
            }
        }
    }
    /// `select(condition, x, y)` with x and y exchanged, where values are compared.
    void other_choice(std::size_t at) {
        constexpr std::string_view select = "fusec::select(";
        const std::size_t first = code_.find(", ", at) + 2;
        if (!starts(at, select) ||
            (!starts(at + select.size(), "holds") && code_.substr(at, first - at).find("() ") == std::string::npos)) {
            return;
        }
        const std::size_t end = closing(at + select.size() - 1);
        int depth = 0;
        std::size_t comma = first;
        for (; comma < end && (depth != 0 || code_[comma] != ','); ++comma) {
            depth += code_[comma] == '(' ? 1 : code_[comma] == ')' ? -1 : 0;
        }
        add("other choice", first, end, code_.substr(comma + 2, end - comma - 2) + ", " + code_.substr(first, comma - first));
    }

    std::string function_;
    const std::string& source_;
    std::string code_;        ///< without comments
    std::vector<bool> value_; ///< not within index arithmetic
    std::set<std::string> views_;
    std::string result_;
    std::vector<LibraryMutant> mutants_;
};

} // namespace

std::vector<LibraryMutant> library_mutants(const library::Function& function) {
    return Scan(function).mutants();
}

std::string why_equivalent(const LibraryMutant& mutant) {
    const auto is = [&](std::string_view function, std::string_view change) {
        return mutant.function == function && mutant.change.ends_with(change);
    };
    if ((mutant.routine == "element" || mutant.routine == "entry") && is("msym", ": c(i, j) -> c(j, i)")) {
        return "C(i, j) and C(j, i) are the same sum, and every component is still written";
    }
    if (mutant.function == "mtrace" && mutant.kind == "transposed index") {
        return "of what is transposed only components of the diagonal are selected";
    }
    if (is("mchol", ": a(i, j) -> a(j, i)") || is("mcholsolve", ": a(i, j) -> a(j, i)")) {
        return "A is symmetric";
    }
    return {};
}

} // namespace fusec::execute
