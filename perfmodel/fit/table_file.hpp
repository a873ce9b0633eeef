// SPDX-License-Identifier: Apache-2.0
// Text files of columns that people and programs read: lines of words, numbers among them, errors with their places.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::perfmodel {

/// The words of one line, which white space separates.
struct TableLine {
    std::size_t number = 0; ///< from 1
    std::string_view text;
    std::vector<std::string_view> words;
};

class TableFile {
public:
    /// Reports `unreadable-file` and holds no lines where the file cannot be read. O(size).
    TableFile(const std::filesystem::path& path, Diagnostics& diagnostics);

    bool readable() const { return source_ != nullptr; }
    /// All lines that are neither blank nor begin with `#`.
    const std::vector<TableLine>& lines() const { return lines_; }
    /// "FILE:LINE", FILE without its folders but the last.
    std::string place(const TableLine& line) const;
    /// Reports `invalid-measurement` at the line; std::nullopt for callers to give back.
    std::nullopt_t damaged(const TableLine& line, const std::string& what);
    /// Reports it for the whole file.
    std::nullopt_t damaged(const std::string& what);

private:
    SourcePtr source_;
    std::vector<TableLine> lines_;
    std::string short_name_;
    Diagnostics& diagnostics_;
};

/// The number that a word is, as a whole; nothing if it is none.
std::optional<double> number_in(std::string_view word);

} // namespace fusec::perfmodel
