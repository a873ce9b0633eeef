// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/table_file.hpp"

#include "support/files.hpp"

#include <charconv>
#include <cmath>

namespace fusec::perfmodel {

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<std::string_view> words;
    for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

} // namespace

TableFile::TableFile(const std::filesystem::path& path, Diagnostics& diagnostics)
    : short_name_((path.parent_path().filename() / path.filename()).string()), diagnostics_(diagnostics) {
    std::optional<std::string> text = read_text(path, diagnostics);
    if (!text) {
        return;
    }
    source_ = std::make_shared<const SourceText>(path.string(), std::move(*text));
    for (std::size_t line = 1; line <= source_->line_count(); ++line) {
        std::vector<std::string_view> words = words_of(source_->line_text(line));
        if (!words.empty() && !words[0].starts_with('#')) {
            lines_.push_back({line, source_->line_text(line), std::move(words)});
        }
    }
}

std::string TableFile::place(const TableLine& line) const {
    return short_name_ + ":" + std::to_string(line.number);
}

std::nullopt_t TableFile::damaged(const TableLine& line, const std::string& what) {
    const std::size_t begin = source_->line_start(line.number);
    diagnostics_.report(kind::invalid_measurement, {source_, begin, begin + line.text.size()}, what);
    return std::nullopt;
}

std::nullopt_t TableFile::damaged(const std::string& what) {
    diagnostics_.report(kind::invalid_measurement, {source_, 0, 0}, what);
    return std::nullopt;
}

std::optional<double> number_in(std::string_view word) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc() && end == word.data() + word.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace fusec::perfmodel
