// SPDX-License-Identifier: Apache-2.0
// Source files and positions in them. Spans are byte ranges; lines and columns are computed only for messages.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fusec {

/// The bytes of one input file and the start of each of its lines, which end with `\n`, `\r\n` or `\r`. A byte order mark belongs to no
/// line. Shared by every span into it.
class SourceText {
public:
    SourceText(std::string path, std::string text);

    const std::string& path() const { return path_; }
    std::string_view text() const { return text_; }

    /// 1-based line that holds byte `offset` (offset <= size). O(log lines).
    std::size_t line(std::size_t offset) const;
    /// 1-based column of byte `offset`, counted in Unicode code points.
    std::size_t column(std::size_t offset) const;
    /// Text of the 1-based line without its line break.
    std::string_view line_text(std::size_t line) const;
    /// Offset of the first byte of the 1-based line.
    std::size_t line_start(std::size_t line) const;
    std::size_t line_count() const { return starts_.size(); }

private:
    std::string path_;
    std::string text_;
    std::vector<std::size_t> starts_;
};

using SourcePtr = std::shared_ptr<const SourceText>;

/// Half-open byte range of a source. A null source marks something without a place in a file.
struct Span {
    SourcePtr source;
    std::size_t begin = 0;
    std::size_t end = 0;

    /// The smallest span that covers both; pre: same source.
    Span to(const Span& last) const { return {source, begin, last.end}; }
    std::string_view text() const { return source ? source->text().substr(begin, end - begin) : std::string_view{}; }
};

} // namespace fusec
