// SPDX-License-Identifier: Apache-2.0
// Where the text of included files comes from.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec::frontend {

/// Reads the files that a program includes. A path is that of the including file's folder with the written one appended.
class FileReader {
public:
    FileReader() = default;
    FileReader(const FileReader&) = delete;
    FileReader& operator=(const FileReader&) = delete;
    virtual ~FileReader() = default;

    /// The same for all paths of one file, so that it is taken once.
    virtual std::string identity(const std::filesystem::path& path) const = 0;
    /// The bytes of the file; nothing after reporting `unreadable-file` at `from`.
    virtual std::optional<std::string> read(const std::filesystem::path& path, const Span& from, Diagnostics& diagnostics) = 0;
};

/// Reads from the file system and remembers what it has read.
class DiskReader final : public FileReader {
public:
    std::string identity(const std::filesystem::path& path) const override;
    std::optional<std::string> read(const std::filesystem::path& path, const Span& from, Diagnostics& diagnostics) override;
    const std::vector<std::filesystem::path>& files() const { return files_; }

private:
    std::vector<std::filesystem::path> files_;
};

} // namespace fusec::frontend
