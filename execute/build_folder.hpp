// SPDX-License-Identifier: Apache-2.0
// The folders that generated text is built in: one that lasts as long as a build, and the one where libraries are kept.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace fusec::execute {

/// A new folder of this user alone, removed with all it holds by the process that made it: a child that ends does not take it along.
class PrivateFolder {
public:
    /// `parent/NAME-XXXXXX`. The path is empty, and errno says why, when it cannot be made.
    PrivateFolder(const std::filesystem::path& parent, const std::string& name);
    ~PrivateFolder();
    PrivateFolder(PrivateFolder&& other) noexcept;
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    PrivateFolder& operator=(PrivateFolder&&) = delete;
    const std::filesystem::path& path() const { return path_; }

    /// Whether a folder is named as these are: one that a process which was killed has left behind.
    static bool is_named_like_one(const std::filesystem::path& folder);

private:
    std::filesystem::path path_;
    pid_t owner_;
};

/// Where a command keeps what it compiles: the cache, or a folder of the command's own.
class BuildFolder {
public:
    /// The cache if libraries can be written there. Else a folder of the system's temporary directory that lasts as long as the object, and
    /// a `no-cache` remark with the reason; where that cannot be made either, `unwritable-file` and nothing.
    static std::optional<BuildFolder> open(const std::filesystem::path& cache, Diagnostics& diagnostics);

    const std::filesystem::path& path() const { return temporary_ ? temporary_->path() : cache_; }

private:
    std::filesystem::path cache_;
    std::optional<PrivateFolder> temporary_;
};

} // namespace fusec::execute
