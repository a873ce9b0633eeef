// SPDX-License-Identifier: Apache-2.0
#include "cli/host_session.hpp"

#include "cli/version.hpp"
#include "codegen/embedding.hpp"
#include "support/machine.hpp"
#include "support/median.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fusec::cli {

namespace {

using perfmodel::CalibratedFigure;

/// What the system says.
void describe_machine(HostSession& s) {
    s.made.calibration.name = "machine";
    s.made.calibration.base = host_base;
    s.made.calibration.date = utc_date();
    s.made.calibration.machine = processor_name();
    s.made.calibration.commit = version_and_commit();
    s.made.calibration.kernels = codegen::name_of_host_runtime();
    const auto set = [&s](const std::string& key, double value, const std::string& unit, const std::string& of_what = "") {
        s.set(key, value, unit, 1, 0, source_of(s.machine, key) + of_what);
    };
    set("limits.vector_bytes", s.machine.vector_bytes, "bytes");
    set("speed.cores", s.machine.cores, "cores");
    set("speed.clock", s.machine.clock_ghz, "GHz");
    set("speed.l2_bytes", s.machine.l2_bytes, "bytes", " (per core)");
    warn_of_assumed(s.machine, s.diagnostics);
    s.set("benchmark.remap", 0, "ns per element", 1, 0, "kernels of a host never change their threads");
}

} // namespace

HostSession::HostSession(const HostCalibrationOptions& asked, const execute::TimingSetup& timing, Diagnostics& told)
    : options(asked), setup(timing), machine(host_machine()), diagnostics(told), timer(setup, machine, diagnostics) {
    describe_machine(*this);
}

void HostSession::set(const std::string& key, double value, const std::string& unit, int points, double residual, const std::string& how) {
    const auto same = std::ranges::find(made.calibration.figures, key, &CalibratedFigure::key);
    CalibratedFigure figure{key, value, unit, points, residual, how};
    if (same == made.calibration.figures.end()) {
        made.calibration.figures.push_back(std::move(figure));
    } else {
        *same = std::move(figure);
    }
}

void HostSession::set_time(const std::string& routine, double time, double off) {
    if (time > 0) {
        made.calibration.routines[routine] = {0, {0}, {1}, {time}, off / time};
    } else {
        made.hidden.push_back(routine);
    }
}

double HostSession::value(const std::string& key) const {
    const auto found = std::ranges::find(made.calibration.figures, key, &CalibratedFigure::key);
    internal_check(found != made.calibration.figures.end(), "a figure is asked for before it is measured");
    return found->value;
}

double spread(const std::vector<double>& samples) {
    const double middle = median(samples);
    double sum = 0;
    for (const double sample : samples) {
        sum += std::abs(sample / middle - 1);
    }
    return sum / static_cast<double>(samples.size());
}

} // namespace fusec::cli
