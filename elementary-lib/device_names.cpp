// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/device_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace fusec::library {

namespace {

using Words = std::vector<std::string_view>;

bool holds(const Words& sorted, std::string_view word) {
    return std::binary_search(sorted.begin(), sorted.end(), word);
}

/// Words of the language behind which an expression stands, not a name that is being declared.
const Words& before_expressions() {
    static const Words words{"and", "case", "co_return", "co_yield", "delete", "do", "else", "goto", "new", "not", "or", "return", "throw"};
    return words;
}

/// What is followed by parentheses and calls nothing: the language's own, and types of which a value is made.
const Words& never_called() {
    static const Words words{"alignas", "alignof", "and", "asm", "assert", "auto", "bool", "catch", "char", "const_cast", "constexpr",
        "decltype", "defined", "double", "dynamic_cast", "float", "for", "if", "int", "int16_t", "int32_t", "int64_t", "int8_t", "long",
        "noexcept", "not", "operator", "or", "ptrdiff_t", "reinterpret_cast", "requires", "return", "short", "signed", "size_t", "sizeof",
        "static_assert", "static_cast", "switch", "throw", "typeid", "typeof", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "unsigned",
        "void", "while"};
    return words;
}

const Words& cmath_functions() {
    static const Words words{"abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh",
        "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "isfinite", "isinf",
        "isnan", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "max", "min", "pow", "remainder", "rint", "round", "signbit", "sin",
        "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc"};
    return words;
}

/// Types of the runtime that a routine may name: views, and the values they hold.
const Words& runtime_types() {
    static const Words words{"column_registers", "entry_registers", "lane", "memory_view", "own_row", "pitched_view", "registers",
        "row_registers", "rows_registers", "rows_view", "simd", "view"};
    return words;
}

struct Token {
    std::string_view text;
    std::size_t begin = 0;
    bool word = false;
};

std::vector<Token> tokens_of(std::string_view code, TextRange range) {
    std::vector<Token> tokens;
    for (std::size_t at = range.begin; at < range.end;) {
        const char c = code[at];
        std::size_t size = 1;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            ++at;
            continue;
        }
        if (is_word_character(c)) {
            while (at + size < range.end && is_word_character(code[at + size])) {
                ++size;
            }
        } else if (const std::string_view pair = code.substr(at, 2); pair == "::" || pair == "->" || pair == "&&" || pair == "||") {
            size = 2;
        }
        tokens.push_back({code.substr(at, size), at, is_word_character(c) && !is_decimal_digit(c)});
        at += size;
    }
    return tokens;
}

/// The tokens of one template, and what its words are.
class Scope {
public:
    Scope(std::string_view code, TextRange range) : code_(code), tokens_(tokens_of(code, range)) {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].word && is_declared_at(i)) {
                declared_.insert(tokens_[i].text);
            }
        }
        bindings();
    }

    const std::vector<Token>& tokens() const { return tokens_; }
    bool declares(std::string_view name) const { return declared_.contains(name); }

    std::string_view before(std::size_t i, std::size_t steps = 1) const { return i < steps ? "" : tokens_[i - steps].text; }
    std::string_view behind(std::size_t i) const { return i + 1 < tokens_.size() ? tokens_[i + 1].text : ""; }

    /// Something's member: not a name that is looked up here.
    bool is_member(std::size_t i) const { return before(i) == "." || before(i) == "->"; }
    /// Whether the word is followed by `(...)`, arguments of a template between them or not.
    bool is_called(std::size_t i) const {
        const std::size_t end = tokens_[i].begin + tokens_[i].text.size();
        const std::size_t open = behind(i) == "<" ? arguments_end(i) : end;
        const std::size_t next = code_.find_first_not_of(" \t\r\n", open);
        return next != std::string_view::npos && code_[next] == '(';
    }
    /// The first of the words that `::` joins with this one; its own index when there is none, nothing for `::f`.
    std::optional<std::size_t> root(std::size_t i) const {
        while (before(i) == "::") {
            if (i < 2 || !tokens_[i - 2].word) {
                return i >= 2 && tokens_[i - 2].text == ">" ? std::optional(i) : std::nullopt; // `X<T>::f`: a type's member
            }
            i -= 2;
        }
        return i;
    }

private:
    bool word_at(std::size_t i) const { return i < tokens_.size() && tokens_[i].word; }

    /// Behind the `<...>` that follows the word, if it can be arguments of a template; else behind the word.
    std::size_t arguments_end(std::size_t i) const {
        const std::size_t end = tokens_[i].begin + tokens_[i].text.size();
        const std::size_t behind = behind_parameters(code_, end);
        const std::string_view between = code_.substr(end, behind - end);
        const bool expression = between.find(';') != std::string_view::npos || between.find("&&") != std::string_view::npos ||
            between.find("||") != std::string_view::npos || between.find('{') != std::string_view::npos;
        return expression ? end : behind;
    }

    /// A word behind a type: another word, `auto&` and the like, or the end of a template's arguments.
    bool is_declared_at(std::size_t i) const {
        const std::string_view previous = before(i), next = behind(i);
        if (i == 0 || holds(before_expressions(), tokens_[i].text)) {
            return false;
        }
        if (word_at(i - 1)) {
            return !holds(before_expressions(), previous);
        }
        const bool ends = next == "=" || next == ";" || next == "," || next == ")" || next == ":" || next == "{" || next == "[";
        if (previous == "&" || previous == "*" || previous == "&&") {
            const std::string_view of = before(i, 2), start = before(i, 3);
            return ends &&
                (of == "auto" || of == ">" || start == "const" || start == ";" || start == "{" || start == "}" ||
                    (word_at(i - 2) && (start == "," || start == "(") && of.size() == 1 && of.front() <= 'Z'));
        }
        if (previous == ">") {
            return ends || next == "(" ? closes_arguments(i - 1) : false;
        }
        // `int i = 0, j = 1`, `[x = y]`, `class... Rest`
        return ((previous == "," || previous == "[") && next == "=") || (previous == "." && before(i, 3) == ".");
    }
    /// Whether the `>` ends arguments of a template: of a word, in the same statement.
    bool closes_arguments(std::size_t close) const {
        int depth = 0;
        for (std::size_t i = close + 1; i-- > 0;) {
            const std::string_view text = tokens_[i].text;
            depth += text == ">" ? 1 : text == "<" ? -1 : 0;
            if (depth == 0) {
                return i > 0 && tokens_[i - 1].word;
            }
            if (text == ";" || text == "{" || text == "}" || text == "&&" || text == "||") {
                return false;
            }
        }
        return false;
    }
    /// `auto [a, b] = ...`
    void bindings() {
        for (std::size_t i = 1; i < tokens_.size(); ++i) {
            const bool of_auto = before(i) == "auto" || (i > 1 && before(i, 2) == "auto" && (before(i) == "&" || before(i) == "&&"));
            if (tokens_[i].text == "[" && of_auto) {
                for (; i < tokens_.size() && tokens_[i].text != "]"; ++i) {
                    declared_.insert(tokens_[i].text);
                }
            }
        }
    }

    std::string_view code_;
    std::vector<Token> tokens_;
    std::set<std::string_view> declared_;
};

/// Names that the source defines outside of any function: by name, where first.
std::map<std::string_view, TextRange> defined_names(
    std::string_view source, const DeviceText& text, const std::vector<TemplateDefinition>& definitions) {
    std::map<std::string_view, TextRange> names;
    const std::string_view code = text.code;
    const auto add = [&](TextRange place) { names.emplace(code.substr(place.begin, place.end - place.begin), place); };
    const auto add_between = [&](TextRange range) {
        const Scope scope(code, range);
        const std::vector<Token>& tokens = scope.tokens();
        std::size_t behind = range.begin; // of the body that is skipped
        bool space = false;               // the next brace opens a namespace, which is looked into
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i].begin < behind) {
                continue;
            }
            if (tokens[i].text == "namespace") {
                space = true;
            } else if (tokens[i].text == ";" || tokens[i].text == "}") {
                space = false;
            } else if (tokens[i].text == "{" || tokens[i].text == "(" || tokens[i].text == "[") {
                behind = tokens[i].text == "{" && space ? behind : behind_brackets(code, tokens[i].begin);
                space = false;
            } else if (tokens[i].word && !space && i > 0 && scope.declares(tokens[i].text) && scope.before(i) != "::") {
                const std::string_view next = scope.behind(i);
                if (next == "(" || next == "=" || next == "{" || next == ";" || next == "[" || next == ":") {
                    add({tokens[i].begin, tokens[i].begin + tokens[i].text.size()});
                }
            }
        }
    };
    std::size_t at = 0;
    for (const TemplateDefinition& definition : definitions) {
        add_between({at, definition.begin});
        for (const Token& token : tokens_of(code, {definition.head, definition.body})) {
            if (definition.name.empty() ? token.word && token.text != "class" && token.text != "struct" && token.text != "union"
                                        : token.text == definition.name) {
                add({token.begin, token.begin + token.text.size()});
                break;
            }
        }
        at = definition.end;
    }
    add_between({at, code.size()});
    for (const TextRange& macro : text.macros) {
        const bool inside = std::any_of(definitions.begin(), definitions.end(),
            [&](const TemplateDefinition& definition) { return definition.begin <= macro.begin && macro.end <= definition.end; });
        if (!inside) { // blanked in the code, which has no directives
            names.emplace(source.substr(macro.begin, macro.end - macro.begin), macro);
        }
    }
    return names;
}

/// Whether something of the runtime, the language or the toolkit may be meant, or a type's own function.
bool known_call(const Scope& scope, std::size_t i) {
    const std::string_view name = scope.tokens()[i].text;
    const auto root = scope.root(i);
    const std::string_view space = root ? scope.tokens()[*root].text : "";
    if (name.starts_with("__") || name.starts_with("FUSEC_") || name == "_Pragma") {
        return true;
    }
    const bool math = holds(cmath_functions(), name);
    if (root == i && scope.before(i) != "::") {
        return scope.declares(name) || math || holds(never_called(), name) || holds(runtime_functions(), name) ||
            holds(runtime_types(), name);
    }
    if (space == "fusec") {
        return holds(runtime_functions(), name) || holds(runtime_types(), name);
    }
    return !root ? math : space == "std" || root == i || scope.declares(space) || holds(runtime_types(), space);
}

} // namespace

const std::vector<std::string_view>& runtime_functions() {
    static const Words words{"abs", "cos", "exp", "log", "max", "min", "pow", "rsqrt", "select", "sin", "sqrt", "sum_over", "value_from"};
    return words;
}

std::vector<ForeignName> foreign_names(std::string_view source, const std::vector<std::string>& routines) {
    const DeviceText text = device_text(source);
    const std::vector<TemplateDefinition> definitions = template_definitions(text.code);
    const std::map<std::string_view, TextRange> outside = defined_names(source, text, definitions);
    std::vector<ForeignName> found;
    for (const TemplateDefinition& definition : definitions) {
        if (definition.name.empty() || std::find(routines.begin(), routines.end(), definition.name) == routines.end()) {
            continue;
        }
        const Scope scope(text.code, {definition.begin, definition.end});
        std::set<std::string_view> told;
        for (std::size_t i = 0; i < scope.tokens().size(); ++i) {
            const Token& token = scope.tokens()[i];
            if (!token.word || scope.is_member(i) || (scope.declares(token.text) && scope.before(i) != "::")) {
                continue;
            }
            const auto own = outside.find(token.text);
            const bool of_another = scope.before(i) == "::" && scope.root(i) && *scope.root(i) != i &&
                (scope.tokens()[*scope.root(i)].text == "std" || scope.declares(scope.tokens()[*scope.root(i)].text));
            const bool uses = own != outside.end() && !of_another && scope.behind(i) != "::";
            const bool called = scope.is_called(i);
            if ((uses || (called && !known_call(scope, i))) && told.insert(token.text).second) {
                const std::size_t begin = scope.before(i) == "::" && scope.root(i) ? scope.tokens()[*scope.root(i)].begin : token.begin;
                const TextRange place{begin, token.begin + token.text.size()};
                found.push_back({definition.name, std::string(source.substr(place.begin, place.end - place.begin)), place, called,
                    own == outside.end() ? std::nullopt : std::optional(own->second)});
            }
        }
    }
    return found;
}

} // namespace fusec::library
