// SPDX-License-Identifier: Apache-2.0
#include "bench/yardstick.hpp"

#include "perfmodel/calibration.hpp"
#include "perfmodel/device_figures.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>

namespace fusec::bench {

namespace {

constexpr int repetitions = 64; ///< of a routine; its lists do not count beside so many
constexpr std::uint64_t elements_of_routine = 1U << 15U;
constexpr std::size_t most_routines = 12; ///< of the library's, evenly

[[noreturn]] void fail(const std::string& what, const Diagnostics& diagnostics) {
    throw std::runtime_error(what + (diagnostics.all().empty() ? "" : ": " + diagnostics.all().front().message));
}

double slowdown(std::span<const std::vector<double>> seconds, std::span<const double> calibrated) {
    double sum = 0;
    for (std::size_t i = 0; i < calibrated.size(); ++i) {
        sum += std::log(execute::undisturbed(seconds[i]) / calibrated[i]);
    }
    return std::exp(sum / static_cast<double>(calibrated.size()));
}

/// The machine as calibrations find it: the kernels that they measure are chosen without what they measure.
std::filesystem::path uncalibrated(perfmodel::Calibration calibration, const std::filesystem::path& scratch, Diagnostics& diagnostics) {
    const std::set<std::string> said_by_the_system = {"limits.vector_bytes", "speed.cores", "speed.clock", "speed.l2_bytes"};
    std::erase_if(calibration.figures, [&](const perfmodel::CalibratedFigure& each) { return !said_by_the_system.contains(each.key); });
    calibration.routines.clear();
    std::filesystem::path file = scratch / "uncalibrated.json";
    if (!write_files({{file, to_json(calibration)}}, diagnostics, {})) {
        fail("the description of the machine cannot be written", diagnostics);
    }
    return file;
}

} // namespace

Yardstick::Yardstick(const cli::HostCalibration& calibration, const std::filesystem::path& scratch, Diagnostics& diagnostics)
    : probes_(uncalibrated(calibration.calibration, scratch, diagnostics), scratch) {
    add_streams(calibration.points, diagnostics);
    streams_ = units.size();
    add_routines(calibration.calibration.routines, diagnostics);
}

void Yardstick::add_streams(const std::vector<perfmodel::Point>& calibrated, Diagnostics& diagnostics) {
    cli::Compilation* c =
        probes_.compile(perfmodel::devices_folder().parent_path() / "probes" / "streams.fus", "none", Precision::f32, diagnostics);
    if (c == nullptr) {
        fail("the streams do not compile", diagnostics);
    }
    for (const fusion::Candidate& kernel : c->plans.front().kernels) {
        cli::HostProbe probe = cli::HostProbes::probe(*c, kernel, "streams", 0, false);
        const auto then = std::ranges::find(calibrated, probe.name, &perfmodel::Point::kernel);
        if (then == calibrated.end()) {
            fail("the calibration has no " + probe.name, diagnostics);
        }
        if (probe.candidate.work.elements_per_block != then->work.elements_per_block ||
            probe.candidate.work.streaming_stores != then->work.streaming_stores) {
            fail("of the calibration " + probe.name + " is another kernel", diagnostics);
        }
        probe.unit.elements = then->elements;
        units.push_back(probe.unit);
        calibrated_.push_back(then->seconds);
    }
}

void Yardstick::add_routines(const std::map<std::string, perfmodel::RoutineTimes::Routine, std::less<>>& times, Diagnostics& diagnostics) {
    cli::Compilation* c =
        probes_.compile(perfmodel::devices_folder().parent_path() / "probes" / "routines.fus", "none", Precision::f32, diagnostics);
    if (c == nullptr) {
        fail("the routines do not compile", diagnostics);
    }
    std::vector<execute::TimedUnit> found;
    std::vector<double> seconds;
    for (const fusion::Candidate& kernel : c->plans.front().kernels) {
        const auto step = std::ranges::find_if(
            kernel.work.steps, [](const fusion::WorkStep& each) { return each.routine != nullptr && each.instructions > 0; });
        const auto time = step == kernel.work.steps.end() ? times.end() : times.find(*step->routine);
        if (time == times.end() || time->second.ns.front() <= 0) {
            continue;
        }
        found.push_back(cli::HostProbes::probe(*c, kernel, "routines", 0, true).unit);
        found.back().elements = elements_of_routine;
        found.back().repeated = repetitions;
        seconds.push_back(time->second.ns.front() * 1e-9 * repetitions * static_cast<double>(elements_of_routine));
    }
    if (found.empty()) {
        fail("the calibration has no time of a routine", diagnostics);
    }
    const std::size_t chosen = std::min(most_routines, found.size());
    for (std::size_t i = 0; i < chosen; ++i) {
        units.push_back(found[i * found.size() / chosen]);
        calibrated_.push_back(seconds[i * found.size() / chosen]);
    }
}

Moment Yardstick::moment(const std::vector<std::vector<double>>& seconds) const {
    const std::span times(seconds);
    const std::span then(calibrated_);
    return {slowdown(times.first(streams_), then.first(streams_)), slowdown(times.subspan(streams_), then.subspan(streams_))};
}

perfmodel::Device slowed(perfmodel::Device device, const Moment& moment) {
    const auto divide = [&](const char* key, double by) {
        internal_check(
            perfmodel::set_figure(device, key, perfmodel::figure(device, key).value() / by), "a figure that cannot be, of the moment");
    };
    for (const char* key : {"stream.read.peak", "stream.mixed.peak", "stream.copy.peak", "stream.write.peak", "speed.dram"}) {
        divide(key, moment.memory);
    }
    for (const char* key : {"speed.l2", "speed.issue_slots"}) {
        divide(key, moment.cores);
    }
    perfmodel::RoutineTimes times = *device.routine_times;
    for (auto& [name, routine] : times.routines) {
        const bool memory = name.starts_with("load ") || name.starts_with("store ");
        for (double& ns : routine.ns) {
            ns *= memory ? moment.memory : moment.cores;
        }
    }
    device.routine_times = std::make_shared<const perfmodel::RoutineTimes>(std::move(times));
    return device;
}

} // namespace fusec::bench
