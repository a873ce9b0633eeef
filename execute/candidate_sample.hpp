// SPDX-License-Identifier: Apache-2.0
// Which candidates of a space are checked. Inside of execute/.
#pragma once

#include "fusion/space.hpp"

#include <cstdint>
#include <vector>

namespace fusec::execute {

struct CandidateSample {
    std::vector<fusion::Candidate> chosen;
    std::size_t kept = 0; ///< of the columns looked at
};

/// Every kept candidate, or, when `all` is false, `most` of them: columns are taken in turn from each size of fusion, in the seed's order,
/// until there are `most`; of them one candidate each, then a second one, and so on.
CandidateSample choose_candidates(fusion::Space& space, bool all, std::size_t most, std::uint64_t seed);

} // namespace fusec::execute
