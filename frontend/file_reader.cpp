// SPDX-License-Identifier: Apache-2.0
#include "frontend/file_reader.hpp"

#include "support/files.hpp"

namespace fusec::frontend {

std::string DiskReader::identity(const std::filesystem::path& path) const {
    std::error_code code; // links and `..` resolved as far as the path exists
    const std::filesystem::path found = std::filesystem::weakly_canonical(path, code);
    return code ? path.lexically_normal().string() : found.string();
}

std::optional<std::string> DiskReader::read(const std::filesystem::path& path, const Span& from, Diagnostics& diagnostics) {
    files_.push_back(path);
    return read_text(path, diagnostics, from);
}

} // namespace fusec::frontend
