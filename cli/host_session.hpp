// SPDX-License-Identifier: Apache-2.0
// What the parts of one calibration of a host share: the machine, what is measured on it, and the calibration as it comes to be.
#pragma once

#include "cli/host_calibration.hpp"
#include "cli/host_kernels.hpp"
#include "cli/host_machine.hpp"
#include "cli/host_timer.hpp"
#include "execute/timing.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fusec::cli {

/// Kernels on lists that caches hold.
struct CachedProbes {
    std::vector<HostProbe> probes;         ///< the start-up, lists of each kind that are moved, routines, chains of products, in this order
    std::size_t routines = 0, chains = 0;  ///< where these begin
    std::vector<std::size_t> firsts;       ///< of each routine, the first of its probes
    std::vector<execute::UnitTimes> times; ///< of all, in as many rounds as were had so far
};

/// Kernels whose lists come from memory.
struct MemoryProbes {
    std::vector<HostProbe> fitted;               ///< streams, kernels that compute, and lists of each kind that are moved, in this order
    std::size_t streams = 0, moved = 0;          ///< how many streams there are, and where the lists that are moved begin
    std::vector<HostProbe> plain;                ///< these lists, written by ordinary stores
    std::vector<execute::UnitTimes> times;       ///< of `fitted`
    std::vector<execute::UnitTimes> plain_times; ///< of `plain`
};

struct HostSession {
    HostSession(const HostCalibrationOptions& options, const execute::TimingSetup& setup, Diagnostics& diagnostics);
    HostSession(const HostSession&) = delete; // the timer refers to what is here
    HostSession& operator=(const HostSession&) = delete;

    /// Gives the calibration a figure, instead of the one that it has by that key.
    void set(const std::string& key, double value, const std::string& unit, int points, double residual, const std::string& how);
    /// In ns per element, with what it may be off by; a time that is none makes the routine, or the transfer, a hidden one.
    void set_time(const std::string& routine, double time, double off);
    /// Pre: the calibration has the figure.
    double value(const std::string& key) const;

    const HostCalibrationOptions& options;
    execute::TimingSetup setup;
    HostMachine machine; ///< its last level becomes less where it is found to hold less than the system says
    Diagnostics& diagnostics;
    HostTimer timer; ///< of `setup` and `machine`, as they come to be
    HostKernels kernels;
    HostCalibration made;
    std::vector<perfmodel::Point> swept; ///< footprints
    CachedProbes cached;
    MemoryProbes from_memory;
    HostCalibration in_cache; ///< as it was made before anything came from memory
};

/// Mean of |sample / median - 1|. Pre: not empty. O(n log n).
double spread(const std::vector<double>& samples);

} // namespace fusec::cli
