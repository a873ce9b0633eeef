// SPDX-License-Identifier: Apache-2.0
// What this compiler calls itself where its build matters.
#pragma once

#include <string>

namespace fusec::cli {

/// "fusec 0.1.0, commit 0123456789abcdef0123456789abcdef01234567"; without the commit where none is known. Emitted text has the version alone: it is
/// the same for all builds.
std::string version_and_commit();

} // namespace fusec::cli
