// SPDX-License-Identifier: Apache-2.0
#include "codegen/written_out.hpp"

#include "codegen/folded_text.hpp"
#include "codegen/index_range.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace fusec::codegen {

namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first, last - first + 1);
}

/// Position of the bracket that closes the one at `open`, or npos.
std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) {
            return i;
        }
    }
    return std::string_view::npos;
}

std::vector<std::string_view> split_at_commas(std::string_view list) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        depth += list[i] == '(' ? 1 : list[i] == ')' ? -1 : 0;
        if (list[i] == ',' && depth == 0) {
            parts.push_back(trimmed(list.substr(start, i - start)));
            start = i + 1;
        }
    }
    if (!trimmed(list).empty()) {
        parts.push_back(trimmed(list.substr(start)));
    }
    return parts;
}

/// Thrown within this file where a text cannot be written out.
struct MustBeCalled {};

/// One pass over a body. Words after `.` or `::` belong to something else and are left alone.
class Body {
public:
    Body(const std::map<std::string, OperandText, std::less<>>& operands, const std::map<std::string, Shape, std::less<>>& types,
        Precision precision)
        : operands_(operands), types_(types), value_type_(c_name(precision)) {}

    /// Text with numbers for `A::rows` and `A::columns`.
    std::string with_dimensions(std::string_view text) const {
        std::string result;
        for (std::size_t i = 0; i < text.size();) {
            std::size_t end = i;
            while (end < text.size() && is_word(text[end])) {
                ++end;
            }
            const auto type = types_.find(text.substr(i, end - i));
            if (end > i && type != types_.end()) {
                result += dimension(type->second, text, end);
            } else {
                end = std::max(end, i + 1);
                result += text.substr(i, end - i);
            }
            i = end;
        }
        return result;
    }

    std::string rewrite(std::string_view text) {
        std::string result;
        for (std::size_t i = 0; i < text.size();) {
            const char c = text[i];
            if (c == '[' || c == '"' || c == '\'' || c == '#') {
                throw MustBeCalled{}; // arrays and lambdas, strings, directives
            }
            if (!is_word(c)) {
                result += c;
                ++i;
                continue;
            }
            std::size_t end = i;
            while (end < text.size() && is_word(text[end])) {
                ++end;
            }
            const std::string_view word = text.substr(i, end - i);
            const bool qualified = i > 0 && (text[i - 1] == '.' || text[i - 1] == ':');
            if (qualified || is_digit(c)) {
                result += word;
            } else if (const auto operand = operands_.find(word); operand != operands_.end()) {
                const std::size_t close = end < text.size() && text[end] == '(' ? closing(text, end) : std::string_view::npos;
                if (close == std::string_view::npos) {
                    throw MustBeCalled{};
                }
                ++mentions_[operand->first];
                result += access(operand->second, text.substr(end + 1, close - end - 1));
                end = close + 1;
            } else if (const auto type = types_.find(word); type != types_.end()) {
                result += dimension(type->second, text, end);
            } else if (word == "auto") {
                check_value(text.substr(end, text.find(';', end) - end));
                result += value_type_;
            } else {
                static constexpr std::array<std::string_view, 9> refused = {
                    "using", "typename", "constexpr", "return", "template", "struct", "class", "static", "decltype"};
                if (std::find(refused.begin(), refused.end(), word) != refused.end()) {
                    throw MustBeCalled{};
                }
                follow_indices(text, i, end);
                words_.emplace(word);
                result += word;
            }
            i = end;
        }
        return result;
    }

    /// Names that the body uses and that are no operands.
    const std::set<std::string>& words() const { return words_; }
    int mentions(const std::string& operand) const { return mentions_.count(operand) == 0 ? 0 : mentions_.at(operand); }

private:
    /// Notes what the `int` at `begin` declares. A known index variable has to keep its range: no other statement may change it.
    void follow_indices(std::string_view text, std::size_t begin, std::size_t end) {
        const std::string_view word = text.substr(begin, end - begin);
        if (word == "int") {
            const bool in_header = begin > 0 && text[begin - 1] == '(';
            const std::size_t close = in_header ? closing(text, begin - 1) : text.find(';', end);
            if (close == std::string_view::npos) {
                throw MustBeCalled{};
            }
            if (in_header) {
                header_end_ = text.data() + close;
                if (!ranges_.enter_loop(with_dimensions(text.substr(begin, close - begin)))) {
                    throw MustBeCalled{};
                }
            } else {
                for (const std::string_view declared : split_at_commas(text.substr(end, close - end))) {
                    const std::size_t equals = std::min(declared.find('='), declared.size());
                    ranges_.declare(
                        trimmed(declared.substr(0, equals)), with_dimensions(declared.substr(std::min(equals + 1, declared.size()))));
                }
                header_end_ = text.data() + close;
            }
        } else if (ranges_.has(word) && text.data() + begin >= header_end_) {
            const std::string_view before = trimmed(text.substr(0, begin)), after = trimmed(text.substr(end));
            const auto either = [](std::string_view part) { return part == "++" || part == "--"; };
            const bool assigned = !after.empty() && (after[0] == '=' || (after.size() > 1 && after[1] == '=')) &&
                after.substr(0, 2) != "==" && after[0] != '<' && after[0] != '>' && after[0] != '!';
            if (assigned || either(after.substr(0, 2)) || (before.size() > 1 && either(before.substr(before.size() - 2)))) {
                throw MustBeCalled{};
            }
        }
    }

    std::string access(const OperandText& operand, std::string_view list) {
        std::vector<std::string> indices;
        std::string call = operand.name + "(";
        for (const std::string_view index : split_at_commas(list)) {
            indices.push_back(rewrite(index));
            call += (indices.size() == 1 ? "" : ", ") + indices.back();
        }
        if (indices.size() > 2) {
            throw MustBeCalled{};
        }
        indices.resize(2, "0");
        for (const auto& [index, size] : {std::pair(indices[0], operand.shape.rows), std::pair(indices[1], operand.shape.columns)}) {
            // Written out, an index that is not shown to be in range would be dropped or reach another component.
            const std::optional<IndexRange> range = ranges_.of(index);
            if (!range || range->least < 0 || range->most >= size) {
                throw MustBeCalled{};
            }
        }
        switch (operand.form) {
        case OperandText::Form::scalar:
            return operand.name;
        case OperandText::Form::array: {
            const std::string start = operand.offset.empty() ? "0" : operand.offset;
            const std::string row = operand.shape.rows == 1 ? "0" : indices[0], column = operand.shape.columns == 1 ? "0" : indices[1];
            return operand.name + "[" +
                folded_index(start + " + (" + row + ") * " + std::to_string(operand.pitch != 0 ? operand.pitch : operand.shape.columns) +
                    " + " + column) +
                "]";
        }
        case OperandText::Form::view:
            return call + ")";
        }
        return {};
    }

    /// What `A::rows` or `A::columns` is; moves `end` behind it.
    static std::string dimension(const Shape& shape, std::string_view text, std::size_t& end) {
        for (const auto& [member, number] :
            {std::pair{std::string_view("::rows"), shape.rows}, {std::string_view("::columns"), shape.columns}}) {
            if (text.substr(end, member.size()) == member && !(end + member.size() < text.size() && is_word(text[end + member.size()]))) {
                end += member.size();
                return std::to_string(number);
            }
        }
        throw MustBeCalled{};
    }

    /// ` sum = a(i, 0) * b(0, j)`: one variable whose initial value is made of components, not of indices or comparisons.
    void check_value(std::string_view declaration) {
        const std::size_t equals = declaration.find('=');
        if (equals == std::string_view::npos || declaration.find_first_of("<>!&") != std::string_view::npos ||
            declaration.find("==") != std::string_view::npos) {
            throw MustBeCalled{};
        }
        const std::string name(trimmed(declaration.substr(0, equals)));
        bool of_values = false;
        for (std::size_t i = equals; i < declaration.size(); ++i) {
            if (is_word(declaration[i]) && !is_word(declaration[i - 1])) {
                std::size_t end = i;
                while (end < declaration.size() && is_word(declaration[end])) {
                    ++end;
                }
                const std::string_view word = declaration.substr(i, end - i);
                of_values = of_values || operands_.find(word) != operands_.end() || values_.count(std::string(word)) != 0;
            }
        }
        if (!of_values || !std::all_of(name.begin(), name.end(), is_word)) {
            throw MustBeCalled{};
        }
        values_.insert(name);
    }

    const std::map<std::string, OperandText, std::less<>>& operands_;
    const std::map<std::string, Shape, std::less<>>& types_;
    std::string value_type_;
    std::set<std::string> words_, values_;
    std::map<std::string, int> mentions_; ///< by operand
    IndexRanges ranges_;
    const char* header_end_ = nullptr; ///< of the loop or the declaration that was read last: up to here its variables are set
};

/// Lines without the indentation of a function body.
std::string dedented(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1);
        std::string_view line = text.substr(0, end + 1);
        text.remove_prefix(end + 1);
        if (line.substr(0, 4) == "    ") {
            line.remove_prefix(4);
        } else if (line != "\n") {
            throw MustBeCalled{};
        }
        result += line;
    }
    return result;
}

std::size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

/// Without the braces of loops around one statement that is a loop itself (behind a pragma, clang-format would not indent it).
std::string without_single_braces(const std::string& text) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        lines.push_back(std::string_view(text).substr(at, text.find('\n', at) - at));
    }
    std::set<std::size_t> closed; // lines that are left out
    std::string result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string_view line = lines[i];
        if (closed.count(i) != 0) {
            continue;
        }
        if (line.find("for (") != std::string_view::npos && line.size() > 3 && line.substr(line.size() - 3) == ") {" &&
            i + 1 < lines.size()) {
            std::size_t end = i + 1, statements = 0;
            for (; end < lines.size() && indentation(lines[end]) > indentation(line); ++end) {
                statements +=
                    indentation(lines[end]) == indentation(line) + 4 && lines[end].find_first_not_of(" }") != std::string_view::npos ? 1u
                                                                                                                                     : 0u;
            }
            if (statements == 1 && trimmed(lines[i + 1]).substr(0, 5) == "for (" && end < lines.size() && trimmed(lines[end]) == "}") {
                closed.insert(end);
                line.remove_suffix(2);
            }
        }
        result += std::string(line) + '\n';
    }
    return result;
}

/// True when a line outside all loops starts with a type.
bool declares_outside_loops(std::string_view lines, std::string_view value_type) {
    for (std::size_t at = 0; at < lines.size(); at = std::min(lines.find('\n', at), lines.size() - 1) + 1) {
        for (const std::string_view type : {std::string_view("const "), std::string_view("int "), value_type}) {
            if (lines.substr(at, type.size()) == type) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

std::optional<WrittenOut> written_out(std::string_view routine, const std::vector<OperandText>& operands, Precision precision,
    const std::function<bool(const std::string&)>& taken) {
    const std::size_t open = routine.find('(', routine.find("FUSEC_DEVICE")),
                      close = open == std::string_view::npos ? open : closing(routine, open);
    if (close == std::string_view::npos || routine.substr(close, 4) != ") {\n" || trimmed(routine).back() != '}') {
        return std::nullopt;
    }
    std::map<std::string, OperandText, std::less<>> by_name;
    std::map<std::string, Shape, std::less<>> types;
    std::string last;
    const std::vector<std::string_view> parameters = split_at_commas(routine.substr(open + 1, close - open - 1));
    if (parameters.size() != operands.size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) { // `const A& a`, the result `C& c`
        std::string_view parameter = parameters[i];
        if (parameter.substr(0, 6) == "const ") {
            parameter.remove_prefix(6);
        }
        const std::size_t split = parameter.find("& ");
        if (split == std::string_view::npos) {
            return std::nullopt;
        }
        last = parameter.substr(split + 2);
        by_name.emplace(last, operands[i]);
        types.emplace(std::string(parameter.substr(0, split)), operands[i].shape);
    }
    try {
        Body body(by_name, types, precision);
        const std::size_t start = close + 4;
        WrittenOut result;
        const std::string text = dedented(routine.substr(start, routine.rfind('}') - start));
        result.lines = without_single_braces(body.rewrite(with_folded_loops(body.with_dimensions(text))));
        if (std::any_of(body.words().begin(), body.words().end(), taken)) {
            return std::nullopt;
        }
        result.result_mentions = body.mentions(last);
        result.declares = declares_outside_loops(result.lines, c_name(precision));
        return result;
    } catch (const MustBeCalled&) {
        return std::nullopt;
    }
}

} // namespace fusec::codegen
