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

    /// Seconds of every sample of each probe. All are compiled first, but for those that were before. In parts whose lists take 2 GiB together, or one kernel: a machine may not have memory for all, or
    /// slower memory for more. `more`: so many times the rounds of others, of kernels that are over soon. Nothing where a kernel cannot be built
    /// or run, which is said.
    std::optional<std::vector<std::vector<double>>> time(const std::vector<HostProbe>& probes, std::size_t more = 1);

    /// Nanoseconds of an element with all processors at work: of the least sample, the start-up of a parallel loop subtracted; not below 0.
    double ns_of(const HostProbe& probe, const std::vector<double>& seconds) const;
    /// By how much that may be off: half of what lies between the quartiles of the samples.
    double uncertain_ns(const HostProbe& probe, const std::vector<double>& seconds) const;

    double launch_seconds = 0; ///< the start-up of a parallel loop, once it is known

private:
    double ns_of(const HostProbe& probe, double seconds) const;

    const execute::TimingSetup& setup_;
    const HostMachine& machine_;
    Diagnostics& diagnostics_;
    execute::TimedTexts texts_;
};

} // namespace fusec::cli
