// SPDX-License-Identifier: Apache-2.0
// Reading whole files, and writing several files so that either all of them appear complete or none changes.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fusec {

/// The bytes of a file, or nothing after reporting `unreadable-file` at `from` (the place that asked for it; may be null).
std::optional<std::string> read_file(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& from = {});

/// A text that people write (a program, a plan, a description): as read_file, but reports `file-size-limit` instead of reading on past
/// `most_text_bytes`, so that an endless device is no endless wait.
std::optional<std::string> read_text(const std::filesystem::path& path, Diagnostics& diagnostics, const Span& from = {});
inline constexpr std::size_t most_text_bytes = std::size_t{64} << 20U;

/// Whether the path names something that is written to directly and has no neighbours: a device, a pipe, a socket.
bool is_stream(const std::filesystem::path& path);

struct OutputFile {
    std::filesystem::path path;
    std::string text;
};

/// Writes every file completely to a temporary beside its target, then renames all; on any failure reports `unwritable-file`,
/// removes the temporaries and leaves every target as it was. Symbolic links are resolved; a target that exists and is neither a
/// regular file nor a link to one (a device, a pipe) is written directly with every write and the close checked. Reports
/// `output-collision`, and writes nothing, if two files are the same or one of them is in `inputs` (what the command has read).
bool write_files(const std::vector<OutputFile>& files, Diagnostics& diagnostics, const std::vector<std::filesystem::path>& inputs = {});

/// Whether write_files could write them now, for commands that take minutes before they do: reports what it would, and leaves nothing behind. A
/// pipe or a device is asked for its permissions alone.
bool can_write_files(
    const std::vector<std::filesystem::path>& files, Diagnostics& diagnostics, const std::vector<std::filesystem::path>& inputs = {});

} // namespace fusec
