// SPDX-License-Identifier: Apache-2.0
// How long kernels of a calibration take, and what that makes of an element.
#pragma once

#include "cli/host_machine.hpp"
#include "cli/host_probes.hpp"
#include "execute/timed_texts.hpp"
#include "execute/timing.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace fusec::cli {

/// A loop of so many tiles stays on one processor: for_tiles of the runtime.
inline constexpr std::size_t most_serial_tiles = 64;

class HostTimer {
public:
    /// Keeps references: `setup` and `machine` may change between measurements.
    HostTimer(const execute::TimingSetup& setup, const HostMachine& machine, Diagnostics& diagnostics)
        : setup_(setup), machine_(machine), diagnostics_(diagnostics) {}

    /// The times of each probe. All are compiled first, but for those that were before. In parts whose lists take 2 GiB together, or one kernel (a machine
    /// may not have memory for all, or slower memory for more), and `passes` times over all parts, each time for a share of the rounds
    /// (execute::time_in_passes). `share`: of the setup's rounds, behind `rounds_before` that were had. Nothing where a kernel cannot be built or run, which is said.
    std::optional<std::vector<execute::UnitTimes>> time(
        const std::vector<HostProbe>& probes, double share = 1, std::size_t passes = 5, std::size_t rounds_before = 0);

    /// The parts: units of the probes, in their order.
    static std::vector<std::vector<execute::TimedUnit>> groups(const std::vector<HostProbe>& probes);
    /// What was compiled.
    execute::TimedTexts& texts() { return texts_; }

    /// Nanoseconds of an element with all processors at work: undisturbed, the start-up of a parallel loop subtracted; not below 0.
    double ns_of(const HostProbe& probe, const execute::UnitTimes& times) const;
    /// By how much that may be off: half of what lies between the quartiles of the samples.
    double uncertain_ns(const HostProbe& probe, const execute::UnitTimes& times) const;

    double launch_seconds = 0; ///< the start-up of a parallel loop, once it is known

private:
    double ns_of(const HostProbe& probe, double seconds) const;

    const execute::TimingSetup& setup_;
    const HostMachine& machine_;
    Diagnostics& diagnostics_;
    execute::TimedTexts texts_;
};

} // namespace fusec::cli
