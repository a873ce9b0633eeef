// SPDX-License-Identifier: Apache-2.0
// Times of single routines in a simulated fusion, as Filipovic's predictor needs them: each routine runs alone while its blocks hold shared
// memory that the rest of a fusion would need, in blocks of several sizes.
#pragma once

#include "fusion/work_step.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusec::perfmodel {

struct RoutineTimes {
    struct Routine {
        double shared_bytes = 0;          ///< of one element: S_r of a block is this times its elements
        std::vector<double> extra_shared; ///< S - S_r, bytes per block, ascending
        std::vector<double> block_size;   ///< elements per block ("operations in block" of the source's figure), ascending
        std::vector<double> ns;           ///< per element; a row for each extra_shared
        /// By what share of itself the least certain of the times may be off, as far as it was measured more than once; nothing: it was not.
        /// GPU: gpu_routines.hpp. Host: half of what lies between the quartiles of its samples, those of both kernels where it is a difference.
        std::optional<double> residual = {};
        bool operator==(const Routine&) const = default;
    };

    std::string device, date, machine, commit;
    std::map<std::string, Routine, std::less<>> routines;
    std::string kernels = {}; ///< host: of the calibration
    bool operator==(const RoutineTimes&) const = default;
};

struct RoutineTime {
    double ns = 0;        ///< per element
    bool clamped = false; ///< the point lies outside of what was measured; the time is that of the nearest point inside
};

/// Bilinear between the four times around the point. Pre: the axes ascend and are not empty, and the times fill the grid.
RoutineTime time_at(const RoutineTimes::Routine& routine, double extra_shared, double block_size);

/// Ends the names of what a host does with floats beside doubles.
inline constexpr const char* half_registers = ", in half registers";
/// Host: ends the name of what a routine takes where each call waits for the result of the one before.
inline constexpr const char* in_chain = ", in a chain";

/// Names that a table knows the routines of a step by: one that computes by its signature, one that moves a list by its bytes per element and how
/// they are accessed ("load 36 bytes, 16 at a time, asynchronous"; "store 4 bytes, 4 at a time, in place"). A uniform that is read is
/// part of what reads it. Steps that synchronise have none.
std::optional<std::string> compute_routine(const fusion::WorkStep& step);
std::vector<std::string> transfer_routines(const fusion::WorkStep& step);
/// The name of one access. Of the host: whether a store goes past the caches is part of it.
std::string transfer_routine(const fusion::GlobalAccess& access);
/// Host: the name of what the access takes of a core's time while the list is in its second-level cache: an access per component and the
/// transposition into lanes or back.
std::string cached_transfer(fusion::GlobalAccess access);

/// Host: nanoseconds per element of the access in cache from the times of lists of other sizes that are accessed alike: between the next smaller
/// and the next larger one, nanoseconds per byte are linear in the bytes; a list longer than all takes as much per byte as the longest, where that
/// one is too long for halves of a tile too, as from there on all are moved in strips. Empty otherwise. O(names of transfers).
std::optional<double> cached_transfer_by_size(const RoutineTimes& times, const fusion::GlobalAccess& access);

} // namespace fusec::perfmodel
