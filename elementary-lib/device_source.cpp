// SPDX-License-Identifier: Apache-2.0
#include "elementary-lib/device_source.hpp"

namespace fusec::library {

namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// True when the head of a template (all before its first `{`) declares the function `name`.
bool declares(std::string_view text, std::string_view name) {
    const std::string_view head = text.substr(0, text.find('{'));
    for (std::size_t at = head.find(name); at != std::string_view::npos; at = head.find(name, at + 1)) {
        std::size_t end = at + name.size();
        while (end < head.size() && head[end] == ' ') {
            ++end;
        }
        if (at > 0 && !is_word(head[at - 1]) && end < head.size() && head[end] == '(') {
            return true;
        }
    }
    return false;
}

} // namespace

std::string template_name(const Function& function, const Implementation& implementation) {
    return function.name + "_" + implementation.routine;
}

std::string_view implementation_source(const Function& function, const Implementation& implementation) {
    const std::string_view source = function.source;
    const std::string name = template_name(function, implementation);
    constexpr std::string_view opening = "template <";
    for (std::size_t line = 0; line < source.size();) {
        if (source.substr(line, opening.size()) == opening) {
            const std::size_t close = source.find("\n}", line);
            if (close == std::string_view::npos) {
                return {};
            }
            const std::string_view whole = source.substr(line, close + 2 - line);
            if (declares(whole, name)) {
                return whole;
            }
            line = close + 1;
        }
        const std::size_t end = source.find('\n', line);
        line = end == std::string_view::npos ? source.size() : end + 1;
    }
    return {};
}

} // namespace fusec::library
