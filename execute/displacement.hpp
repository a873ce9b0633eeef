// SPDX-License-Identifier: Apache-2.0
// Memory that is read so that processors' caches hold nothing else.
#pragma once

#include "execute/buffer.hpp"

#include <cstddef>
#include <vector>

namespace fusec::execute {

class Displacement {
public:
    /// How often all of the memory is read. A last level may keep lines that were read twice before lines that were read once: on a Zen 5 lists that
    /// several kernels read stayed there in part where twice what the caches hold was read once (kernels moved up to 67 GB/s where memory gives
    /// 53), less so where it was read twice (up to 60), and no more than samples scatter where it was read three or four times (up to 55).
    static constexpr int passes = 3;

    /// What a processor has read of the memory.
    struct Share {
        int asked = -1;        ///< the processor it was to be read by; -1 for any
        int processor = -1;    ///< the one that it was read by at the end; -1 where the system does not tell
        std::size_t lines = 0; ///< cache lines of 64 bytes, in all passes, counted by their contents
    };

    /// Writes `bytes` of memory, which nothing else uses, and divides them equally among the processors, where none are told to the one that the
    /// calling thread is on. Pre: bytes >= 0; the processors are of this process's affinity (fusec::affine_processors).
    Displacement(double bytes, std::vector<int> processors);

    /// Each processor reads its share `passes` times, all at the same time; returns when all have. One processor alone reads them in the calling thread.
    std::vector<Share> read() const;

private:
    Buffer memory_;
    std::vector<int> processors_;
};

} // namespace fusec::execute
