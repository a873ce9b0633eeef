// SPDX-License-Identifier: Apache-2.0
// What one block of a kernel executes, found from its LLVM IR without running it.
#pragma once

#include "perfmodel/analysis/instruction_class.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fusec::perfmodel::analysis {

/// Which block of which launch is looked at. Profiles of a full tile: leave the element count large.
struct Launch {
    unsigned threads = 0;      ///< per block, one dimension; 1 .. 1024
    unsigned block = 0;        ///< index of the block
    unsigned blocks = 1 << 20; ///< in the grid
    /// Values of integer parameters by name. A parameter without a value is unknown; what depends on it is reported.
    std::map<std::string, std::int64_t> arguments;
    /// Every pointer parameter is taken to be a multiple of this many bytes, so that sectors can be counted.
    unsigned base_alignment = 256;
    /// Instructions of all threads together after which the analysis stops, and says so.
    std::uint64_t most_steps = 100'000'000;
};

enum class Space {
    global,
    shared,
    local,
    constant
};
std::string_view to_string(Space space);

/// How the addresses of a warp's lanes depend on the lane.
enum class Pattern {
    single,    ///< never more than one lane at work
    broadcast, ///< one address for all
    unit,      ///< each lane follows its neighbour without a gap
    stride,    ///< a constant distance other than that
    scattered  ///< anything else, or not known
};
std::string_view to_string(Pattern pattern);

/// One access of the text (a load, a store, one end of an asynchronous copy), all its executions by the block together.
struct AccessProfile {
    Space space = Space::global;
    bool store = false;
    bool async = false;       ///< an end of an asynchronous copy
    int bytes = 0;            ///< of one lane
    double count = 0;         ///< executions by threads of the block
    double warp_accesses = 0; ///< executions by warps
    Pattern pattern = Pattern::single;
    std::int64_t stride_bytes = 0; ///< between neighbouring lanes, where the pattern is one distance (bytes for unit, 0 for broadcast)
    /// Per warp access, the mean: global memory 32-byte sectors; shared memory passes of the 32 banks of 4 bytes, where accesses of 8 and
    /// 16 bytes are served by half and quarter warps.
    double transactions = 0;
    double least_transactions = 0; ///< the same if the lanes' bytes were adjacent (broadcast: as it is)
    /// Global memory: passes of the L1 pipe per warp access, the mean (CUDA notes 2.3): the greater of those of the banks, and a quarter of the
    /// 128-byte lines and 0.75.
    double l1_passes = 0;
    bool known = true; ///< false: an address depends on data, and the worst is assumed
    std::string base;  ///< parameter or variable that the address starts from
    std::string where; ///< "line 12"; the line of the innermost function's text
};

/// A loop of the text after optimisation.
struct LoopProfile {
    int depth = 1;                           ///< 1: outermost
    std::optional<std::uint64_t> trip_count; ///< by ScalarEvolution, if it is a constant
    std::string expression;                  ///< else its expression in parameters and the thread index; "unknown" if there is none
    double entries = 0;                      ///< by threads of the block
    double iterations = 0;                   ///< of all threads together
    std::string where;
};

/// Of one thread from the first instruction to the last.
struct ThreadPath {
    unsigned thread = 0;
    ByClass counts;
    double critical_path_cycles = 0; ///< longest chain of dependent instructions, barriers and branches included
    int dependency_depth = 0;        ///< instructions in the longest chain, latencies left aside
};

struct KernelProfile {
    std::string kernel;              ///< as in the source, with template arguments: `demo_kernels::demo_F<float4>`
    ByClass block;                   ///< instructions executed, summed over the threads of the block; of 64 bits in halves, two
    ByClass warps;                   ///< instructions issued, summed over the warps: one for all lanes that take part
    ThreadPath longest;              ///< the thread with the most instructions
    double critical_path_cycles = 0; ///< the longest of all threads
    std::vector<AccessProfile> accesses;
    std::vector<LoopProfile> loops;
    /// 32-bit registers that values occupy at the widest point, in the order of the IR. Registers of NVPTX are virtual and ptxas reorders: a
    /// measure of demand, not a prediction of what ptxas allocates.
    int live_registers = 0;
    int block_barriers = 0; ///< that the longest thread passes
    int warp_barriers = 0;
    /// What could not be found, each a sentence with its place. Where this is not empty, counts hold under the assumption that it names.
    std::vector<std::string> unknowns;
    std::string source; ///< "llvm (clang 19.1.7, sm_90)"

    /// Bytes that the threads of the block move in one space and direction; both ends of an asynchronous copy count.
    double bytes(Space space, bool store) const;
};

/// What each of so many elements of the block has of its instructions and bytes; classes and spaces that are not met are left out.
struct Mix {
    struct Moved {
        Space space = Space::global;
        double loaded = 0, stored = 0; ///< bytes
    };
    std::vector<std::pair<InstructionClass, double>> instructions;
    std::vector<Moved> moved;
};
/// Pre: elements > 0. O(classes + accesses).
Mix mix_per_element(const KernelProfile& profile, double elements);

} // namespace fusec::perfmodel::analysis
