// SPDX-License-Identifier: Apache-2.0
// A folder of its own for one run of a compiler or assembler.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <string>

namespace fusec {

/// The directory that the system names for temporary files ($TMPDIR, $TMP, $TEMP, $TEMPDIR, else /tmp), be it there or not: what cannot be made in
/// it has a place in the message.
std::filesystem::path temporary_directory();

/// Below the system's temporary directory, removed with all it holds.
class TemporaryFolder {
public:
    /// `/tmp/fusec-NAME-XXXXXX`. Reports `unwritable-file`, and the path is empty, if it cannot be made.
    TemporaryFolder(const std::string& name, Diagnostics& diagnostics);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace fusec
