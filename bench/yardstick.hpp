// SPDX-License-Identifier: Apache-2.0
// Kernels that are measured beside others and say how fast the machine is just now. What shares a machine with others changes from minute to
// minute: memory with whoever else uses it, a core with who runs on its other thread.
#pragma once

#include "cli/host_calibration.hpp"
#include "cli/host_probes.hpp"
#include "perfmodel/device.hpp"
#include "perfmodel/routine_times.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fusec::bench {

/// How much longer things take than when the host was calibrated.
struct Moment {
    double memory = 1, cores = 1;
};

class Yardstick {
public:
    /// Of a calibration of this machine; `scratch` is a folder to write to. Throws std::runtime_error with what does not compile or is not in
    /// the calibration.
    Yardstick(const cli::HostCalibration& calibration, const std::filesystem::path& scratch, Diagnostics& diagnostics);

    /// To be measured beside others: streams of several mixes out of memory, and routines that are computed again and again.
    std::vector<execute::TimedUnit> units;

    /// From the times of the units, as execute::time_units says them: geometric means.
    Moment moment(const std::vector<std::vector<double>>& seconds) const;

private:
    void add_streams(const std::vector<perfmodel::Point>& calibrated, Diagnostics& diagnostics);
    void add_routines(const std::map<std::string, perfmodel::RoutineTimes::Routine, std::less<>>& times, Diagnostics& diagnostics);

    cli::HostProbes probes_;
    std::size_t streams_ = 0;        ///< the first units
    std::vector<double> calibrated_; ///< seconds of each unit
};

/// The device as it is at the moment: memory slower by the one figure, routines and transfers in cache by the other.
perfmodel::Device slowed(perfmodel::Device device, const Moment& moment);

} // namespace fusec::bench
