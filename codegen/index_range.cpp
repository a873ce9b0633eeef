// SPDX-License-Identifier: Apache-2.0
#include "codegen/index_range.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

namespace fusec::codegen {

namespace {

constexpr long largest = 1L << 30; ///< no index is that far; sums and products of what is below stay in 64 bits

/// Recursive descent over an expression of integers; gives up on anything else.
class Evaluator {
public:
    using Known = std::map<std::string, std::optional<IndexRange>, std::less<>>;
    Evaluator(std::string_view text, const Known& known) : text_(text), known_(known) {}

    std::optional<IndexRange> whole() {
        const std::optional<IndexRange> value = sum();
        return value && next() == '\0' ? value : std::nullopt;
    }

private:
    char next() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    static std::optional<IndexRange> bounded(long least, long most) {
        const bool small = std::max({least, -least, most, -most}) < largest;
        return small ? std::optional(IndexRange{least, most}) : std::nullopt;
    }

    std::optional<IndexRange> sum() {
        std::optional<IndexRange> value = product();
        while (value && (next() == '+' || next() == '-')) {
            const bool plus = text_[at_++] == '+';
            const std::optional<IndexRange> term = product();
            value = !term ? std::nullopt
                : plus    ? bounded(value->least + term->least, value->most + term->most)
                          : bounded(value->least - term->most, value->most - term->least);
        }
        return value;
    }

    std::optional<IndexRange> product() {
        std::optional<IndexRange> value = factor();
        while (value && (next() == '*' || next() == '/' || next() == '%')) {
            const char sign = text_[at_++];
            const std::optional<IndexRange> by = factor();
            value = by ? applied(*value, sign, *by) : std::nullopt;
        }
        return value;
    }

    static std::optional<IndexRange> applied(const IndexRange& value, char sign, const IndexRange& by) {
        if (sign == '*') {
            const auto [least, most] =
                std::minmax({value.least * by.least, value.least * by.most, value.most * by.least, value.most * by.most});
            return bounded(least, most);
        }
        if (by.least != by.most || by.least <= 0 || value.least < 0 || value.most < value.least) {
            return std::nullopt;
        }
        return sign == '/'          ? bounded(value.least / by.least, value.most / by.least)
            : value.most < by.least ? bounded(value.least, value.most)
                                    : bounded(0, by.least - 1);
    }

    std::optional<IndexRange> factor() {
        const char c = next();
        if (c == '(') {
            ++at_;
            const std::optional<IndexRange> value = sum();
            return next() == ')' && ++at_ != 0 ? value : std::nullopt;
        }
        if (c == '-') {
            ++at_;
            const std::optional<IndexRange> value = factor();
            return value ? bounded(-value->most, -value->least) : std::nullopt;
        }
        std::size_t end = at_;
        while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
            ++end;
        }
        const std::string_view word = text_.substr(at_, end - at_);
        at_ = end;
        if (!word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string_view::npos) {
            const long number = std::stol(std::string(word));
            return bounded(number, number);
        }
        const auto variable = known_.find(word);
        return variable == known_.end() ? std::nullopt : variable->second;
    }

    std::string_view text_;
    const Known& known_;
    std::size_t at_ = 0;
};

} // namespace

bool IndexRanges::enter_loop(std::string_view header) {
    static const std::regex form(R"(int (\w+) = ([^;]*); (\w+) (<|<=|>|>=) ([^;]*); (\+\+|--)(\w+))");
    std::cmatch parts;
    if (!std::regex_match(header.data(), header.data() + header.size(), parts, form)) {
        return false;
    }
    const std::optional<IndexRange> start = of(parts[2].str()), end = of(parts[5].str());
    const bool up = parts[6] == "++", less = parts[4].str()[0] == '<';
    const long open = parts[4].length() == 1 ? 1 : 0;
    if (parts[1] != parts[3] || parts[1] != parts[7] || up != less || !start || !end) {
        return false;
    }
    add(parts[1].str(), up ? IndexRange{start->least, end->most - open} : IndexRange{end->least + open, start->most});
    return true;
}

void IndexRanges::declare(std::string_view name, std::string_view expression) {
    add(name, of(expression));
}

std::optional<IndexRange> IndexRanges::of(std::string_view expression) const {
    return Evaluator(expression, known_).whole();
}

void IndexRanges::add(std::string_view name, std::optional<IndexRange> range) {
    const auto [known, is_new] = known_.emplace(name, range);
    if (!is_new) {
        known->second = known->second && range
            ? std::optional(IndexRange{std::min(known->second->least, range->least), std::max(known->second->most, range->most)})
            : std::nullopt;
    }
}

} // namespace fusec::codegen
