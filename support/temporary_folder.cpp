// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace fusec {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& name, Diagnostics& diagnostics) {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string pattern = (parent / ("fusec-" + name + "-XXXXXX")).string();
    if (!error && ::mkdtemp(pattern.data()) != nullptr) {
        path_ = pattern;
        return;
    }
    const std::string why = error ? error.message() : std::strerror(errno);
    diagnostics.report(kind::unwritable_file, {}, "cannot make a folder in `" + parent.string() + "`: " + why);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
        fs::remove_all(path_, ignored);
    }
}

} // namespace fusec
