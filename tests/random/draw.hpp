// SPDX-License-Identifier: Apache-2.0
// The choices of a generator: the same seed gives the same ones on any machine.
#pragma once

#include "support/hash.hpp"

#include <vector>

namespace fusec::random_programs {

class Draw {
public:
    explicit Draw(std::uint64_t seed) : numbers_(seed) {}

    /// Uniform in 0..bound-1; pre: bound > 0.
    int below(int bound) { return static_cast<int>(numbers_.next() % static_cast<std::uint64_t>(bound)); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T>
    const T& one_of(const std::vector<T>& values) {
        return values.at(static_cast<std::size_t>(below(static_cast<int>(values.size()))));
    }

private:
    SplitMix numbers_;
};

} // namespace fusec::random_programs
