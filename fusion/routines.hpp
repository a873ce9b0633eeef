// SPDX-License-Identifier: Apache-2.0
// For every call of a graph, the implementations of its function that are legal at its shape, with what the search needs of them.
#pragma once

#include "dag/call_graph.hpp"
#include "fusion/operand_reuse.hpp"
#include "fusion/target.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fusec::fusion {

/// An implementation at the shape of one call.
struct Routine {
    std::size_t implementation = 0; ///< index into library::Function::implementations
    int threads = 1;
    std::vector<library::Touch> inputs; ///< `all` when threads = 1
    std::vector<int> reads;             ///< of several threads, per operand (Access::reads); empty: of each, its part, or all
    std::vector<std::shared_ptr<const library::ThreadLoads>> loads; ///< the same (Access::loads); words
    library::Touch output = library::Touch::all;
    int temporaries = 0;
    bool synchronises = false;           ///< the routine itself orders the accesses of an instance's threads
    int exchanges = 0;                   ///< values that a thread gives to others of its instance
    library::OperationCounts operations; ///< of all its threads, work that they repeat included
    std::vector<OperandReuse> reuse;     ///< per operand
    /// Of one thread, per operand: the words that hold library::Implementation::components, ascending; empty: all.
    std::vector<std::vector<int>> components = {};
    /// What a table of measured times knows it by: "mmul_row(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3". Steps of work share it.
    std::shared_ptr<const std::string> signature = nullptr;
};

/// Two routines of as many threads load the same components of an operand, or both all that their touch says.
inline bool same_loads(const Routine& a, std::size_t operand_of_a, const Routine& b, std::size_t operand_of_b) {
    static const library::ThreadLoads none;
    const auto loads = [](const Routine& routine, std::size_t operand) -> const library::ThreadLoads& {
        return routine.loads.empty() || !routine.loads[operand] ? none : *routine.loads[operand];
    };
    return loads(a, operand_of_a) == loads(b, operand_of_b);
}

/// One thread moves components, by indices that the compiler knows, and computes nothing: into registers, that is no instruction.
inline bool only_moves(const Routine& routine) {
    return routine.threads == 1 && routine.operations.flops == 0 && !routine.components.empty();
}

struct CallRoutines {
    std::vector<Routine> routines;       ///< by threads, then as declared; never empty: the first implementation of a function has no limit
    library::OperationCounts operations; ///< of the function: no routine has fewer
    std::vector<std::string> unusable;   ///< why an implementation that is legal at the shape cannot be used on the target
    bool product = false;                ///< each component of the result is one product, as `s * A[i,j]` is
    bool sum = false;                    ///< each is the sum or difference of the same component of two operands
};

/// Per call of the graph, then per uniform call of its program: those have one routine, of one thread.
/// Of implementations with the same threads and touches only the one with the fewest temporaries is listed.
/// The host takes those of one thread; a routine that synchronises its threads, or exchanges values between them, needs its instance inside a
/// warp; one of several threads that indexes a derived datum by thread is unusable, since registers have no address.
std::vector<CallRoutines> find_routines(const dag::CallGraph& graph, const library::Catalog& catalog, const DeviceLimits& limits);

} // namespace fusec::fusion
