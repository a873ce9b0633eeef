// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/scalar_expression.hpp"

#include "elementary-lib/device_source.hpp"
#include "elementary-lib/device_text.hpp"

#include <algorithm>
#include <string_view>

namespace fusec::library {

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first, last - first + 1);
}

/// The names of the parameters behind the lane: of `Lane, const A& a, C& c`, a and c.
std::vector<std::string> names_behind_lane(std::string_view parameters) {
    std::vector<std::string> names;
    for (std::size_t comma = parameters.find(','); comma != std::string_view::npos;) {
        const std::size_t next = parameters.find(',', comma + 1);
        const std::string_view one = trimmed(parameters.substr(comma + 1, next == std::string_view::npos ? next : next - comma - 1));
        names.emplace_back(std::find_if_not(one.rbegin(), one.rend(), is_word_character).base(), one.end());
        comma = next;
    }
    return names;
}

/// That each `<` and `=` is one of ` < `, ` <= `, ` == `.
bool only_comparisons(std::string_view text) {
    for (std::size_t at = text.find_first_of("<="); at != std::string_view::npos; at = text.find_first_of("<=", at)) {
        const std::size_t end = text.find_first_not_of("<=", at);
        const std::string_view word = text.substr(at, end - at);
        const bool alone = at > 0 && end != std::string_view::npos && text[at - 1] == ' ' && text[end] == ' ';
        if (!alone || (word != "<" && word != "<=" && word != "==")) {
            return false;
        }
        at = end;
    }
    return true;
}

/// `EXPRESSION` of a body that is `c() = EXPRESSION;`, or nothing.
std::string_view assigned(std::string_view body, const std::string& result) {
    body = trimmed(body);
    const std::string start = result + "() = ";
    if (!body.starts_with(start) || !body.ends_with(';')) {
        return {};
    }
    body = body.substr(start.size(), body.size() - start.size() - 1);
    const bool simple = body.find_first_of(";{}[]#\"'\n&?>%|^!") == std::string_view::npos && body.find("//") == std::string_view::npos &&
        body.find("/*") == std::string_view::npos;
    return simple && only_comparisons(body) ? body : std::string_view{};
}

/// True if the `+` or `-` at `at` is a sign and no operation.
bool is_sign(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(' ', at - 1);
    return before == std::string_view::npos || std::string_view("(,+-*/").find(text[before]) != std::string_view::npos;
}

Binding binding_of(std::string_view text) {
    Binding least = Binding::atom;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0 && (c == '<' || c == '=')) {
            return Binding::loose;
        }
        if (depth == 0 && (c == '+' || c == '-')) {
            least = std::min(least, is_sign(text, i) ? Binding::sign : Binding::sum);
        } else if (depth == 0 && (c == '*' || c == '/')) {
            least = std::min(least, Binding::product);
        }
    }
    return least;
}

/// What an operand at [begin, end) needs so that its surroundings do not take it apart, or change the order of evaluation.
Binding needed(std::string_view text, std::size_t begin, std::size_t end) {
    const std::size_t left = begin == 0 ? std::string_view::npos : text.find_last_not_of(' ', begin - 1);
    const std::size_t right = text.find_first_not_of(' ', end);
    Binding least = Binding::loose;
    if (left != std::string_view::npos) {
        const char c = text[left];
        least = c == '*' || c == '/' ? Binding::sign
            : c == '+' || c == '-'   ? (is_sign(text, left) ? Binding::atom : Binding::product)
            : c == '<' || c == '='   ? Binding::sum
                                     : Binding::loose; // an opening bracket or a comma
    }
    if (right != std::string_view::npos) {
        const char c = text[right];
        const Binding of_right = c == '*' || c == '/'      ? Binding::product
            : c == '+' || c == '-' || c == '<' || c == '=' ? Binding::sum
                                                           : Binding::loose;
        least = std::max(least, of_right);
    }
    return least;
}

} // namespace

std::optional<ScalarExpression> ScalarExpression::of(const Function& function) {
    const bool scalars = function.output.form == Form::scalar && !function.implementations.empty() &&
        std::all_of(function.inputs.begin(), function.inputs.end(), [](const Parameter& input) { return input.form == Form::scalar; });
    if (!scalars) {
        return std::nullopt;
    }
    const std::string_view source = implementation_source(function, function.implementations.front());
    const std::string head = template_name(function, function.implementations.front()) + "(";
    const std::size_t name = source.find(head);
    const std::size_t close = name == std::string_view::npos ? name : source.find(')', name);
    const std::size_t open = close == std::string_view::npos ? close : source.find('{', close);
    if (open == std::string_view::npos || source.back() != '}') {
        return std::nullopt;
    }
    const std::vector<std::string> names = names_behind_lane(source.substr(name + head.size(), close - name - head.size()));
    if (names.size() != function.inputs.size() + 1) {
        return std::nullopt;
    }
    const std::string_view text = assigned(source.substr(open + 1, source.size() - open - 2), names.back());
    if (text.empty()) {
        return std::nullopt;
    }
    ScalarExpression result;
    result.binding_ = binding_of(text);
    std::string before;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_word_character(text[end])) {
            ++end;
        }
        const std::string word(text.substr(i, end - i));
        const auto operand = std::find(names.begin(), names.end(), word);
        if (word.empty() || operand == names.end() || (i > 0 && (text[i - 1] == ':' || text[i - 1] == '.'))) {
            end = std::max(end, i + 1);
            before += text.substr(i, end - i);
        } else {
            if (text.substr(end, 2) != "()" || operand == names.end() - 1) {
                return std::nullopt; // the view itself is used, or the result read
            }
            end += 2;
            result.pieces_.push_back({before, static_cast<std::size_t>(operand - names.begin()), needed(text, i, end)});
            before.clear();
        }
        i = end;
    }
    result.pieces_.push_back({before, std::nullopt, Binding::loose});
    return result;
}

BoundText ScalarExpression::with(const std::vector<BoundText>& operands) const {
    BoundText result{"", binding_};
    for (const Piece& piece : pieces_) {
        result.text += piece.text;
        if (piece.operand) {
            const BoundText& operand = operands.at(*piece.operand);
            result.text += operand.binding < piece.least ? "(" + operand.text + ")" : operand.text;
        }
    }
    return result;
}

bool ScalarExpression::repeats(std::size_t operand) const {
    return std::count_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.operand == operand; }) > 1;
}

} // namespace fusec::library
