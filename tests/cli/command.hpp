// SPDX-License-Identifier: Apache-2.0
// Runs the built compiler as a user would, with its output, exit code and time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fusec::test {

struct Outcome {
    int code = -1; ///< exit code; 128 + signal if it was killed
    std::string out;
    std::string err;
    double seconds = 0; ///< processor time of it and its children, in seconds: other work on the machine does not count
};

/// Runs the `fusec` under test with these arguments in `folder` (created if absent).
Outcome fusec(const std::vector<std::string>& arguments, const std::filesystem::path& folder);
/// Runs any program found on PATH.
Outcome run(const std::vector<std::string>& words, const std::filesystem::path& folder);

/// A fresh folder that is removed at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// Writes a file and gives its path.
    std::string write(const std::string& name, const std::string& text) const;
    /// The bytes of a file, or "<absent>".
    std::string read(const std::string& name) const;
    std::vector<std::string> names() const;

private:
    std::filesystem::path path_;
};

} // namespace fusec::test
