// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/analysis/content_cache.hpp"

#include "support/files.hpp"
#include "support/hash.hpp"
#include "support/last_use.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace fusec::perfmodel::analysis {

namespace fs = std::filesystem;

namespace {

/// A line with key, size and hash of what follows, then the content.
std::string entry_text(const std::string& key, const std::string& content) {
    ContentKey hash;
    hash.add(content);
    return "fusec-device-code " + key + " " + std::to_string(content.size()) + " " + hash.digits() + "\n" + content;
}

} // namespace

std::optional<std::string> bytes_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        return std::nullopt;
    }
    std::ostringstream text;
    text << stream.rdbuf();
    return std::move(text).str();
}

std::optional<std::string> ContentCache::look_up(const std::string& key, Diagnostics& diagnostics) const {
    const std::optional<std::string> text = folder_.empty() ? std::nullopt : bytes_of(entry(key));
    if (!text) {
        return std::nullopt;
    }
    const std::size_t end = std::min(text->find('\n'), text->size());
    std::string content = text->substr(std::min(end + 1, text->size()));
    if (entry_text(key, content) == *text) {
        mark_used(entry(key));
        return content;
    }
    diagnostics.report(
        kind::damaged_cache_entry, {}, "`" + entry(key).string() + "` does not hold what was written to it: it is made anew");
    return std::nullopt;
}

void ContentCache::keep(const std::string& key, const std::string& content, Diagnostics& diagnostics) const {
    if (folder_.empty()) {
        return;
    }
    std::error_code error;
    fs::create_directories(folder_, error);
    Diagnostics attempt;
    if (!write_files({{entry(key), entry_text(key, content)}}, attempt)) {
        diagnostics.report(kind::no_cache, {}, "compiled device code is not kept: " + attempt.all().front().message);
    }
}

} // namespace fusec::perfmodel::analysis
