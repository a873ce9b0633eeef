// SPDX-License-Identifier: Apache-2.0
// Plays a candidate thread by thread and word by word and finds every pair of conflicting accesses that no barrier orders. Shares no
// rule with the code that places barriers.
#pragma once

#include "fusion/candidate.hpp"

#include <string>

namespace fusec::test {

/// Empty, or a description of the first race or of the first read of a word that was never written.
std::string find_race(const fusion::Candidate& candidate, const dag::CallGraph& graph, const library::Catalog& catalog);

} // namespace fusec::test
