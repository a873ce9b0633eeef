// SPDX-License-Identifier: Apache-2.0
// What one step of a kernel does, for the predictors that look at a kernel in order.
#pragma once

#include "elementary-lib/type.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fusec::fusion {

/// Arithmetic per element, as KernelWork counts it: `flops` counts a division, a root and each step of a transcendental as one too.
struct Arithmetic {
    double flops = 0, divisions = 0, square_roots = 0, transcendentals = 0;
};

/// How the threads of a warp address memory in one access.
enum class Addressing : std::uint8_t {
    broadcast, ///< all at one place
    unit,      ///< one next to the other
    strided    ///< a constant distance apart, or in groups that are: what a thread owns of an array of structures
};

/// Accesses of one step to one list in global memory.
struct GlobalAccess {
    bool store = false;
    Addressing addressing = Addressing::unit;
    int bytes = 4;      ///< of one thread's access
    double count = 0;   ///< accesses of threads, per element
    double sectors = 0; ///< 32-byte sectors that they request, per element; those of a warp's access that fall together count once
    bool asynchronous = false;
    bool staged = false;    ///< to or from a tile (host: lanes), by threads that share the copy
    bool streaming = false; ///< host: a store that goes past the caches
    double registers =
        1; ///< host: SIMD registers that a component of a tile takes in the list's precision: half of one where the kernel has
           ///< wider values, two where the list has wider ones
    bool converted = false; ///< host: into values of another precision, or from them
};

/// Amounts are per element, summed over the threads that work on it, as in KernelWork.
struct WorkStep {
    enum class Kind : std::uint8_t {
        derive,  ///< from uniforms, by every thread
        load,    ///< a list into a tile (host: into lanes)
        wait,    ///< for asynchronous copies
        compute, ///< a call; reads in place are part of it
        store,
        warp_barrier,
        block_barrier
    } kind = Kind::compute;
    int index = -1;  ///< compute: the call's place in the kernel; load, store: the datum's; derive: the derivation's; else -1
    int threads = 1; ///< per element that execute it; host: 1
    /// compute, derive: which routine runs, at which types (Routine::signature); else null.
    std::shared_ptr<const std::string> routine;
    bool remap = false;      ///< its threads per element differ from those of the call before
    bool round_trip = false; ///< it waits for global memory, and no step before it since the last wait or barrier does
    double instructions = 0; ///< thread-instructions
    Arithmetic arithmetic;
    Arithmetic in_float;                    ///< of these, in a kernel that has doubles too
    double read_bytes = 0, write_bytes = 0; ///< of lists, each list in one step
    double shared_wavefronts = 0, l1_wavefronts = 0, store_requests = 0;
    int exchanges = 0;
    /// Host, compute: shares of the routine's instructions that are left in the kernel and in one of the call's own (KernelOutline::Call).
    double remaining = 1, alone = 1;
    std::vector<GlobalAccess> accesses;
    /// Host, compute: the steps of calls that make what it reads, by their places among the kernel's steps, ascending.
    std::vector<int> after;
};

} // namespace fusec::fusion
