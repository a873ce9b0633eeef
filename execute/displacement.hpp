// SPDX-License-Identifier: Apache-2.0
// Memory that is read so that processors' caches hold nothing else.
#pragma once

#include "execute/buffer.hpp"

#include <cstddef>
#include <vector>

namespace fusec::execute {

class Displacement {
public:
    /// What a processor has read of the memory.
    struct Share {
        int asked = -1;        ///< the processor it was to be read by; -1 for any
        int processor = -1;    ///< the one that it was read by at the end; -1 where the system does not tell
        std::size_t lines = 0; ///< cache lines of 64 bytes, counted by their contents
    };

    /// Writes `bytes` of memory, which nothing else uses, and divides them equally among the processors, where none are told to the one that the
    /// calling thread is on. Pre: bytes >= 0; the processors are of this process's affinity (fusec::affine_processors).
    Displacement(double bytes, std::vector<int> processors);

    /// Each processor reads its share, all at the same time; returns when all have. One processor alone reads them in the calling thread.
    std::vector<Share> read() const;

private:
    Buffer memory_;
    std::vector<int> processors_;
};

} // namespace fusec::execute
