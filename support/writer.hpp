// SPDX-License-Identifier: Apache-2.0
// Structured text output: lines with indentation, blocks that close themselves.
#pragma once

#include <string>
#include <string_view>

namespace fusec {

/// Collects lines of text. Indentation is four spaces per open block. An empty line carries no blanks.
class Writer {
public:
    /// Appends one line at the current indentation; `text` holds no line break.
    void line(std::string_view text = {});
    /// Appends text that is already several lines, each indented as it stands plus the current indentation.
    void lines(std::string_view text);

    /// Writes `head {`, indents until destroyed, then writes `}` and `tail`.
    class [[nodiscard]] Block {
    public:
        Block(Writer& writer, std::string_view head, std::string tail);
        ~Block();
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;

    private:
        Writer& writer_;
        std::string tail_;
    };
    Block block(std::string_view head, std::string tail = {}) { return Block(*this, head, std::move(tail)); }

    void indent() { ++depth_; }
    void dedent() { --depth_; }
    const std::string& text() const { return text_; }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
    int depth_ = 0;
};

} // namespace fusec
