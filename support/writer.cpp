// SPDX-License-Identifier: Apache-2.0
#include "support/writer.hpp"

namespace fusec {

void Writer::line(std::string_view text) {
    if (!text.empty()) {
        text_.append(static_cast<std::size_t>(depth_) * 4, ' ');
        text_.append(text);
    }
    text_.push_back('\n');
}

void Writer::lines(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        line(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
}

Writer::Block::Block(Writer& writer, std::string_view head, std::string tail) : writer_(writer), tail_(std::move(tail)) {
    writer_.line(head.empty() ? std::string("{") : std::string(head) + " {");
    writer_.indent();
}

Writer::Block::~Block() {
    writer_.dedent();
    writer_.line("}" + tail_);
}

} // namespace fusec
