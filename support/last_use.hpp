// SPDX-License-Identifier: Apache-2.0
// When a file of a cache was used last: what was not used for longest is removed first.
#pragma once

#include <filesystem>

namespace fusec {

/// Marks a file as used now: sets its time of access by hand, because file systems are mounted without it; the time of writing stays. A file
/// that is not there, or that another user owns, stays as it is.
void mark_used(const std::filesystem::path& file);

} // namespace fusec
