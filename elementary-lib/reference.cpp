// SPDX-License-Identifier: Apache-2.0
// Recursive-descent parser of index expressions. Index arithmetic is cut out by its brackets and commas and given to SizeExpression.
#include "elementary-lib/reference.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fusec::library {

namespace {

/// The evaluator recurses over nodes; a reference with more of them than this is refused.
constexpr std::size_t max_nodes = 1000;
constexpr int max_nesting = 128;

constexpr std::array<std::pair<std::string_view, Algorithm>, 5> algorithms{{{"det", Algorithm::determinant},
    {"inverse", Algorithm::inverse}, {"cofactor", Algorithm::cofactor}, {"cholesky", Algorithm::cholesky}, {"solve", Algorithm::solve}}};

/// Functions of a reference and how many operands they take.
constexpr std::array<std::pair<std::string_view, std::size_t>, 9> functions{
    {{"sqrt", 1}, {"exp", 1}, {"log", 1}, {"sin", 1}, {"cos", 1}, {"abs", 1}, {"pow", 2}, {"min", 2}, {"max", 2}}};

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

using Kind = ReferenceNode::Kind;

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::optional<ReferenceExpression> parse() {
        skip_blanks();
        parsed_.result = name("the result's name");
        if (next() == '[') {
            for (const auto& [offset, index] : bracketed()) {
                const std::string word = trimmed(index);
                if (word.empty() || !is_letter(word[0]) ||
                    !std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c); })) {
                    fail("an index of the result must be a name", offset);
                }
                parsed_.result_indices.push_back(word);
            }
        }
        if (!failed() && !take('=')) {
            fail("`=` is missing after the result");
        }
        parsed_.root = sum();
        if (!failed() && next() != '\0') {
            fail("unexpected `" + std::string(1, next()) + "`");
        }
        if (failed()) {
            return std::nullopt;
        }
        return std::move(parsed_);
    }

    std::string error_;
    std::size_t error_at_ = 0;

private:
    bool failed() const { return !error_.empty(); }
    int fail(std::string message, std::size_t at) {
        if (!failed()) {
            error_ = std::move(message);
            error_at_ = at;
        }
        return -1;
    }
    int fail(std::string message) { return fail(std::move(message), at_); }

    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) {
            ++at_;
        }
    }
    char next() {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char wanted) {
        const bool found = next() == wanted;
        at_ += found ? 1 : 0;
        return found;
    }
    static std::string trimmed(std::string_view part) {
        while (!part.empty() && is_blank(part.front())) {
            part.remove_prefix(1);
        }
        while (!part.empty() && is_blank(part.back())) {
            part.remove_suffix(1);
        }
        return std::string(part);
    }

    int add(ReferenceNode node) {
        if (failed()) {
            return -1;
        }
        if (parsed_.nodes.size() == max_nodes) {
            return fail("the reference has more than " + std::to_string(max_nodes) + " parts");
        }
        parsed_.nodes.push_back(std::move(node));
        return static_cast<int>(parsed_.nodes.size()) - 1;
    }
    int add(Kind kind, std::size_t where, std::vector<int> children) {
        ReferenceNode node;
        node.kind = kind;
        node.where = where;
        node.children = std::move(children);
        return add(std::move(node));
    }

    std::string name(std::string_view what) {
        const std::size_t start = at_;
        if (at_ < text_.size() && is_letter(text_[at_])) {
            while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) {
                ++at_;
            }
        } else {
            fail(std::string(what) + " is missing");
        }
        return std::string(text_.substr(start, at_ - start));
    }

    /// The comma-separated parts between `[`..`]` or `(`..`)`, each with its offset.
    std::vector<std::pair<std::size_t, std::string_view>> bracketed() {
        std::vector<std::pair<std::size_t, std::string_view>> parts;
        const std::size_t open = at_;
        std::size_t start = ++at_;
        for (int depth = 1; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            depth += (c == '[' || c == '(') ? 1 : (c == ']' || c == ')') ? -1 : 0;
            if (depth == 0 || (c == ',' && depth == 1)) {
                parts.emplace_back(start, text_.substr(start, at_ - start));
                start = at_ + 1;
            }
            if (depth == 0) {
                ++at_;
                return parts;
            }
        }
        fail("the bracket is not closed", open);
        return {};
    }

    std::optional<SizeExpression> index(std::size_t offset, std::string_view part) {
        std::string error;
        std::size_t where = 0;
        const std::string bare = trimmed(part);
        std::optional<SizeExpression> parsed = SizeExpression::parse(bare, error, where);
        if (!parsed) {
            fail("not an index: " + error, offset + std::min(part.find_first_not_of(" \t"), part.size()) + where);
        }
        return parsed;
    }

    int sum() {
        if (++depth_ > max_nesting) {
            return fail("nested deeper than " + std::to_string(max_nesting));
        }
        const std::size_t start = at_;
        int left = term();
        while (!failed() && (next() == '+' || next() == '-')) {
            const Kind kind = text_[at_++] == '+' ? Kind::add : Kind::subtract;
            const int right = term();
            left = add(kind, start, {left, right});
        }
        --depth_;
        return left;
    }

    int term() {
        const std::size_t start = at_;
        int left = factor();
        while (!failed() && (next() == '*' || next() == '/')) {
            const Kind kind = text_[at_++] == '*' ? Kind::multiply : Kind::divide;
            const int right = factor();
            left = add(kind, start, {left, right});
        }
        return left;
    }

    int factor() {
        if (++depth_ > max_nesting) {
            return fail("nested deeper than " + std::to_string(max_nesting));
        }
        const std::size_t start = (skip_blanks(), at_);
        int node = -1;
        if (take('-')) {
            const int operand = factor();
            node = add(Kind::negate, start, {operand});
        } else {
            node = primary();
        }
        --depth_;
        return node;
    }

    int primary() {
        const char c = next();
        const std::size_t start = at_;
        if (c == '(') {
            ++at_;
            const int inner = sum();
            return failed() || take(')') ? inner : fail("`)` is missing");
        }
        if (c == '[') {
            const auto parts = bracketed();
            if (!failed() && parts.size() != 1) {
                return fail("one condition is needed between `[` and `]`", start);
            }
            return failed() ? -1 : condition(start, index(parts[0].first, parts[0].second));
        }
        if (is_digit(c) || c == '.') {
            return number();
        }
        if (!is_letter(c)) {
            return fail(c == '\0' ? "a value is missing at the end" : "unexpected `" + std::string(1, c) + "`");
        }
        const std::string word = name("a name");
        const char after = next();
        if (after == '(') {
            return applied(word, start);
        }
        ReferenceNode node;
        node.kind = Kind::component;
        node.name = word;
        node.where = start;
        if (after == '[') {
            for (const auto& [offset, part] : bracketed()) {
                if (std::optional<SizeExpression> one = index(offset, part)) {
                    node.indices.push_back(*std::move(one));
                }
            }
        }
        return add(std::move(node));
    }

    int condition(std::size_t start, std::optional<SizeExpression> holds) {
        if (!holds) {
            return -1;
        }
        ReferenceNode node;
        node.kind = Kind::condition;
        node.where = start;
        node.indices.push_back(*std::move(holds));
        return add(std::move(node));
    }

    int number() {
        ReferenceNode node;
        node.where = at_;
        const char* const begin = text_.data() + at_;
        const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), node.number);
        if (code != std::errc{}) {
            return fail("the number cannot be represented");
        }
        at_ += static_cast<std::size_t>(end - begin);
        return add(std::move(node));
    }

    /// `sum(k) term`, `delta(i,j)` or a function; the name is read, `(` is next.
    int applied(const std::string& word, std::size_t start) {
        if (word == "sum") {
            return bound_sum(start);
        }
        if (word == "select") {
            return selection(start);
        }
        if (word == "delta") {
            const auto parts = bracketed();
            if (!failed() && parts.size() != 2) {
                return fail("`delta` takes two indices", start);
            }
            return failed()
                ? -1
                : condition(start, index(parts[0].first, "(" + std::string(parts[0].second) + ")==(" + std::string(parts[1].second) + ")"));
        }
        const auto function = std::find_if(functions.begin(), functions.end(), [&](const auto& known) { return known.first == word; });
        if (function == functions.end()) {
            return fail("`" + word + "` is no function of references", start);
        }
        ReferenceNode node;
        node.kind = Kind::call;
        node.name = word;
        node.where = start;
        ++at_;
        do {
            node.children.push_back(sum());
        } while (!failed() && take(','));
        if (!failed() && !take(')')) {
            return fail("`)` is missing");
        }
        if (!failed() && node.children.size() != function->second) {
            return fail("`" + word + "` takes " + std::to_string(function->second) + (function->second == 1 ? " operand" : " operands") +
                    ", but " + std::to_string(node.children.size()) + (node.children.size() == 1 ? " is" : " are") + " given",
                start);
        }
        return add(std::move(node));
    }

    /// `a < b, x, y)`. The other comparisons exchange the compared or the chosen: no number (NaN) compares to anything as in C.
    int selection(std::size_t start) {
        ++at_;
        std::vector<int> children{sum()};
        std::string comparison;
        for (const std::string_view known : {"<=", ">=", "==", "!=", "<", ">"}) { // the longer ones first
            if (comparison.empty() && (skip_blanks(), text_.substr(at_, known.size()) == known)) {
                comparison = known;
                at_ += known.size();
            }
        }
        if (!failed() && comparison.empty()) {
            return fail("a comparison is missing in `select`");
        }
        children.push_back(sum());
        while (!failed() && children.size() < 4) {
            if (!take(',')) {
                return fail("`select` takes a comparison and two values");
            }
            children.push_back(sum());
        }
        if (!failed() && !take(')')) {
            return fail("`)` is missing");
        }
        if (failed()) {
            return -1;
        }
        if (comparison.front() == '>') {
            comparison.front() = '<';
            std::swap(children[0], children[1]);
        } else if (comparison == "!=") {
            comparison = "==";
            std::swap(children[2], children[3]);
        }
        const int node = add(Kind::select, start, std::move(children));
        if (node >= 0) {
            parsed_.nodes.back().name = comparison;
        }
        return node;
    }

    int bound_sum(std::size_t start) {
        std::vector<std::string> names;
        for (const auto& [offset, part] : bracketed()) {
            names.push_back(trimmed(part));
            if (names.back().empty() || !is_letter(names.back()[0])) {
                return fail("`sum` needs the name of an index", offset);
            }
        }
        // The body is one product: a `+` after it ends the sum.
        int body = failed() ? -1 : term();
        for (auto bound = names.rbegin(); bound != names.rend() && !failed(); ++bound) {
            ReferenceNode node;
            node.kind = Kind::sum;
            node.name = *bound;
            node.where = start;
            node.children = {body};
            body = add(std::move(node));
        }
        return body;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    ReferenceExpression parsed_;
};

} // namespace

std::string_view name_of(Algorithm algorithm) {
    return std::find_if(algorithms.begin(), algorithms.end(), [&](const auto& known) { return known.second == algorithm; })->first;
}

std::optional<Reference> parse_reference(std::string_view text, std::string& error, std::size_t& where) {
    for (const auto& [name, algorithm] : algorithms) {
        if (text == name) {
            return algorithm;
        }
    }
    if (std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c); })) {
        error = "`" + std::string(text) +
            "` is neither an index expression nor an algorithm (`det`, `inverse`, `cofactor`, `cholesky`, `solve`)";
        where = 0;
        return std::nullopt;
    }
    Parser parser(text);
    std::optional<ReferenceExpression> parsed = parser.parse();
    if (!parsed) {
        error = std::move(parser.error_);
        where = std::min(parser.error_at_, text.size());
        return std::nullopt;
    }
    return *std::move(parsed);
}

bool is_plain_index(const SizeExpression& index) {
    const std::string& text = index.text();
    return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

} // namespace fusec::library
