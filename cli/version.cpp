// SPDX-License-Identifier: Apache-2.0
#include "cli/version.hpp"

#include "support/build_commit.hpp"

namespace fusec::cli {

std::string version_and_commit() {
    const std::string commit = build_commit();
    return "fusec " FUSEC_VERSION + (commit.empty() ? std::string() : ", commit " + commit);
}

} // namespace fusec::cli
