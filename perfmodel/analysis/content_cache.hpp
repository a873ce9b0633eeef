// SPDX-License-Identifier: Apache-2.0
// What compilers have made of texts, by content: the same texts, flags and version give the same key, and an entry is used only if it holds what
// was written to it.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace fusec::perfmodel::analysis {

class ContentCache {
public:
    /// `folder` is made when something is kept; empty: nothing is ever kept. Entries end on `.extension`.
    ContentCache(std::filesystem::path folder, std::string extension) : folder_(std::move(folder)), extension_(std::move(extension)) {}

    /// Marks the entry as used. Nothing if there is no such entry, or if it is damaged, which is told as a warning (`damaged-cache-entry`).
    std::optional<std::string> look_up(const std::string& key, Diagnostics& diagnostics) const;
    /// Written by rename, so that jobs may run side by side. A cache is no condition: one that cannot be written to is a remark (`no-cache`).
    void keep(const std::string& key, const std::string& content, Diagnostics& diagnostics) const;

private:
    std::filesystem::path entry(const std::string& key) const { return folder_ / (key + "." + extension_); }

    std::filesystem::path folder_;
    std::string extension_;
};

/// Nothing if it cannot be read.
std::optional<std::string> bytes_of(const std::filesystem::path& path);

} // namespace fusec::perfmodel::analysis
