// SPDX-License-Identifier: Apache-2.0
#include "execute/build_folder.hpp"

#include "execute/library_cache.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <unistd.h>

namespace fusec::execute {

namespace fs = std::filesystem;

namespace {

/// Why no library can be written to the cache; empty when one can.
std::string fault_of(const fs::path& cache) {
    Diagnostics refusal;
    if (!prepare_cache_folder(cache, refusal)) {
        return refusal.all().front().message;
    }
    errno = 0;
    const PrivateFolder attempt(cache, "building"); // asks the file system: permissions alone do not tell
    return attempt.path().empty() ? "cannot write to the cache `" + cache.string() + "`: " + std::strerror(errno) : std::string();
}

} // namespace

PrivateFolder::PrivateFolder(const fs::path& parent, const std::string& name) : owner_(::getpid()) {
    std::string pattern = (parent / (name + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) != nullptr) {
        path_ = pattern;
    }
}

bool PrivateFolder::is_named_like_one(const fs::path& folder) {
    const std::string name = folder.filename().string();
    const std::size_t dash = name.rfind('-');
    return dash != std::string::npos && dash > 0 && name.size() - dash == std::strlen("-XXXXXX") &&
        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, name.end(),
            [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})), owner_(other.owner_) {}

PrivateFolder::~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty() && owner_ == ::getpid()) {
        fs::remove_all(path_, ignored);
    }
}

std::optional<BuildFolder> BuildFolder::open(const fs::path& cache, Diagnostics& diagnostics) {
    BuildFolder folder;
    folder.cache_ = cache;
    const std::string fault = fault_of(cache);
    if (fault.empty()) {
        return folder;
    }
    const fs::path parent = temporary_directory();
    PrivateFolder own(parent, "fusec");
    if (own.path().empty()) {
        diagnostics.report(
            kind::unwritable_file, {}, fault + ", nor to the temporary directory `" + parent.string() + "`: " + std::strerror(errno));
        return std::nullopt;
    }
    diagnostics.report(kind::no_cache, {}, fault + "; compiled code is kept in `" + own.path().string() + "` until the command ends");
    folder.temporary_.emplace(std::move(own));
    return folder;
}

} // namespace fusec::execute
