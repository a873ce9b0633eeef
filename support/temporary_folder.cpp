// SPDX-License-Identifier: Apache-2.0
#include "support/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace fusec {

namespace fs = std::filesystem;

fs::path temporary_directory() {
    for (const char* const variable :
        {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) { // as std::filesystem::temp_directory_path, which wants it to be there
        if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0') {
            return value;
        }
    }
    return "/tmp";
}

TemporaryFolder::TemporaryFolder(const std::string& name, Diagnostics& diagnostics) {
    const fs::path parent = temporary_directory();
    std::string pattern = (parent / ("fusec-" + name + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) != nullptr) {
        path_ = pattern;
        return;
    }
    diagnostics.report(kind::unwritable_file, {}, "cannot make a folder in `" + parent.string() + "`: " + std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
        fs::remove_all(path_, ignored);
    }
}

} // namespace fusec
