// SPDX-License-Identifier: Apache-2.0
// The order in which the implementations of a kernel are tried: which routines, block size and transfers suit it is learnt on the way.
#pragma once

#include "fusion/kernel_choice.hpp"

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <tuple>

namespace fusec::fusion {

/// What became of an implementation; the lesser is the better. One that spills registers is worse than any that does not, and better than one
/// that is none.
struct Trial {
    bool spills = false;
    double seconds = std::numeric_limits<double>::infinity(); ///< infinite: the device cannot run it, or it cannot be the best

    bool operator<(const Trial& other) const {
        const auto rank = [](const Trial& trial) { return std::tuple(std::isinf(trial.seconds), trial.spills, trial.seconds); };
        return rank(*this) < rank(other);
    }
};

/// Tries at most `most` choices of the space, each at most once; all of them if there are no more:
/// 1. every uniform combination with its preferred axes, and with lists read in place;
/// 2. from the best so far, descent along the axes, one at a time, until none improves;
/// 3. the other uniform combinations, then those that differ from the best in one call, with the axes of the best and with direct
///    stores; descent again from each that is better;
/// 4. the rest: usual axes of the listed combinations, their other axes, then what differs from a listed combination in one call.
/// Deterministic; the time beside the trials is linear in the choices of the combinations that it lists.
void search_choices(ChoiceSpace& space, std::size_t most, const std::function<Trial(const KernelChoice&)>& attempt);

} // namespace fusec::fusion
