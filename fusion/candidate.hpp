// SPDX-License-Identifier: Apache-2.0
// A candidate: one fully decided kernel (calls, data stored, order, granularity, placements, addresses, barriers) with its work and
// cost. The generator lowers it without further decisions; the kernel IR's verifier checks it independently.
#pragma once

#include "dag/call_graph.hpp"
#include "fusion/cost_model.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fusec::fusion {

using dag::CallSet;

/// Where a kernel keeps a datum.
enum class Placement {
    registers, ///< each thread holds the part that its `touch` names; for the host target: SIMD lanes
    shared,    ///< a tile of all the block's elements in shared memory
    memory,    ///< read in place from global memory (loaded lists, uniforms); never written
    constant,  ///< a table of the program, folded into the text
    derived,   ///< the same for all elements: every thread computes it from uniforms and holds all of it
};

/// How a list crosses between global memory and the chip.
enum class Staging {
    none,            ///< it does not cross, or each owner thread accesses its own part (registers, memory)
    words,           ///< the block copies the tile cooperatively, one component per thread and step
    vectors,         ///< the same with 16-byte accesses when the pointer allows, else as `words`
    async,           ///< 16-byte cp.async (sm_80 and later); falls back to cp.async of one component for a misaligned pointer
    lanes,           ///< host: transposed between array-of-structures memory and SIMD lanes
    lanes_streaming, ///< host: the same with non-temporal stores
};

/// A tile in shared memory. Word w of its elements (component k of element e: w = e * element_words + k) lies at
/// offset + padded_word(w, run, pad_words) * word_bytes.
struct SharedSlot {
    int offset = 0; ///< bytes from the start of the block's shared memory; multiple of 16
    int bytes = 0;
    int element_words = 0; ///< components of one element
    int run = 0;           ///< words between paddings: of a row, or of some elements; 0: no padding
    int pad_words = 0;
    int first_step = 0; ///< first and last step (index into Candidate::steps) that touches it
    int last_step = 0;
};

/// How a kernel treats one datum it loads, makes or reads as uniform/constant.
struct DatumPlan {
    DataId datum;
    Placement placement = Placement::registers;
    library::Touch touch = library::Touch::all; ///< registers: the part each thread holds
    int threads = 1;                            ///< registers: threads per instance of the calls that share it
    std::optional<SharedSlot> slot;             ///< shared
    bool loaded = false;                        ///< comes from global memory
    bool stored = false;                        ///< goes to global memory
    Staging load = Staging::none;
    Staging store = Staging::none;
};

/// One call as implemented in this kernel.
struct CallPlan {
    CallId call;
    std::size_t implementation = 0; ///< index into library::Function::implementations
    int threads = 1;                ///< granularity: threads per instance
};

/// One uniform call as implemented in this kernel, by one thread for itself.
struct DerivedPlan {
    DataId datum;
    std::size_t implementation = 0; ///< index into library::Function::implementations
};

struct Step {
    enum class Kind {
        load,          ///< cooperative copy global -> shared of `datum` (async ones only start here); host: transposed into lanes
        async_wait,    ///< all asynchronous copies started so far have arrived for the waiting thread
        block_barrier, ///< __syncthreads
        warp_barrier,  ///< __syncwarp
        compute,       ///< `call`: item = thread index; element = item / threads, lane = item % threads; idle above
        store,         ///< shared: cooperative copy to global; registers: every owner stores its part
        derive,        ///< `datum`: every thread of the block computes it, before the first wait and the first compute
    } kind = Kind::compute;
    CallId call;
    DataId datum;
};

/// A kernel with every decision made: routines, order, placements, steps. `verify` says what holds between them.
struct Candidate {
    CallSet calls;              ///< executed, ascending
    std::vector<DataId> loads;  ///< per-element lists read, ascending
    std::vector<DataId> stores; ///< per-element lists written, ascending, at least one

    std::vector<CallPlan> order;      ///< the linearization
    std::vector<DerivedPlan> derived; ///< what the calls are derived from, ascending by datum
    std::vector<DatumPlan> data;      ///< everything the kernel touches, ascending by datum
    std::vector<Step> steps;
    int instances_per_block = 32; ///< elements of a tile; host: SIMD lanes
    int threads_per_block = 32;   ///< instances times the largest granularity, a multiple of the warp; host: 1
    int shared_bytes = 0;
    bool placement_cut = false; ///< the search for addresses was cut short: less shared memory might do

    KernelWork work;
    Cost cost;

    const DatumPlan& plan_of(DataId datum) const; ///< pre: the kernel touches it
};

/// `{3 3 1}`: granularities in linear order, as the talk writes them.
std::string granularity_text(const Candidate& candidate);

/// Why an implementation, or a fusion, is not possible: data, not a failed assertion.
struct Rejection {
    enum class Reason {
        several_blocks,
        not_convex,
        not_connected,
        too_large,
        threads_per_block,
        shared_memory,
        registers,
        stack,      ///< host: values of a kernel are arrays on the stack of a thread
        parameters, ///< CUDA: a pointer for each list, and two counts
        no_implementation
    } reason;
    std::string detail; ///< with both numbers: "112 KiB of shared memory needed, 99 KiB available"
};
/// The JSON key: "shared-memory", ...
std::string_view to_string(Rejection::Reason reason);

/// Breaks with InternalError unless loads, stores, order, placements and steps of the candidate fit each other and the graph.
void verify(const Candidate& candidate, const dag::CallGraph& graph, const library::Catalog& catalog);

} // namespace fusec::fusion
