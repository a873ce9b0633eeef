// SPDX-License-Identifier: Apache-2.0
// What the emulated machine has to say about a kernel.
#pragma once

#include "elementary-lib/emulation/machine_interface.h"

#include <string>
#include <string_view>
#include <vector>

namespace fusec::emulation {

enum class Fault {
    race,               ///< two threads touch a word, one writes, and no barrier orders them
    uninitialised,      ///< a word is read that the block has not written
    shared_bounds,      ///< an access outside the launch's shared memory
    early_access,       ///< a word is touched while an asynchronous copy to it is under way
    unfinished_copy,    ///< a thread ends without having waited for its asynchronous copies
    global_bounds,      ///< a wide access or an asynchronous copy that touches global memory which is nobody's
    misaligned,         ///< an access whose address is no multiple of its width
    divergent_barrier,  ///< the threads that meet stand at different barriers
    unreached_barrier,  ///< a barrier that not all live threads reach
    bad_exchange,       ///< a thread exchanges values with a lane outside of the exchange's mask, or is outside of it
    divergent_exchange, ///< the threads of an exchange's mask stand at different exchanges
    unreached_exchange, ///< an exchange that a thread of its mask does not reach
    unsupported,        ///< something the machine does not model, such as a barrier of part of a warp
};
/// "race", "uninitialised read", ...
std::string_view to_string(Fault fault);

struct Finding {
    Fault fault = Fault::race;
    std::string kernel; ///< qualified name, without template arguments
    uint3 block{0, 0, 0};
    unsigned thread = 0; ///< index within the block
    std::string datum;   ///< name of the tile, `A/M2` where tiles follow each other in place; empty when unknown or not about a tile
    std::string text;    ///< what happened, both threads and the words named
    int line = 0;        ///< device source line of the last barrier the thread passed or stands at; 0: none yet
};
/// `demo_kernels::F: race on `M1`: thread 3 reads ... (block 0, after the barrier in line 12)`
std::string to_string(const Finding& finding);

/// A tile of shared memory by name, for messages.
struct NamedTile {
    std::string datum;
    std::ptrdiff_t offset = 0; ///< bytes
    std::ptrdiff_t bytes = 0;
};

/// Global memory that no access may touch, though it can be accessed: what rounding leaves between two slots.
struct Forbidden {
    const unsigned char* first = nullptr;
    const unsigned char* last = nullptr; ///< the byte behind it
    std::string what;                    ///< `behind slot 1 of the workspace`
};

} // namespace fusec::emulation
