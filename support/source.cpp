// SPDX-License-Identifier: Apache-2.0
#include "support/source.hpp"

#include <algorithm>

namespace fusec {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

} // namespace

SourceText::SourceText(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), starts_{text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0} {
    for (std::size_t i = 0; i < text_.size(); ++i) {
        const bool return_alone = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
        if (text_[i] == '\n' || return_alone) {
            starts_.push_back(i + 1);
        }
    }
}

std::size_t SourceText::line(std::size_t offset) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return std::max<std::size_t>(1, static_cast<std::size_t>(next - starts_.begin())); // a byte order mark stands before line 1
}

std::size_t SourceText::column(std::size_t offset) const {
    const std::size_t start = line_start(line(offset));
    std::size_t column = 1;
    for (std::size_t i = start; i < std::min(offset, text_.size()); ++i) {
        const bool continuation = (static_cast<unsigned char>(text_[i]) & 0xC0U) == 0x80U;
        column += continuation ? 0 : 1;
    }
    return column;
}

std::string_view SourceText::line_text(std::size_t line) const {
    const std::size_t start = line_start(line);
    std::size_t end = line < starts_.size() ? starts_[line] - 1 : text_.size();
    if (end > start && text_[end - 1] == '\r') {
        --end;
    }
    return text().substr(start, end - start);
}

std::size_t SourceText::line_start(std::size_t line) const {
    return starts_.at(line - 1);
}

} // namespace fusec
