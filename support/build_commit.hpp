// SPDX-License-Identifier: Apache-2.0
// Of which commit this build is. The definition is written by cmake/BuildCommit.cmake with every build.
#pragma once

namespace fusec {

/// Its hash, with `+` where the sources differed from it; empty: not built in a git tree of its own.
const char* build_commit();

} // namespace fusec
