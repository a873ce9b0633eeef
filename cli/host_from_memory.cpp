// SPDX-License-Identifier: Apache-2.0
#include "cli/host_from_memory.hpp"

#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fusec::cli {

namespace {

/// Entries of reorder buffers of today, and instructions of a few tiles and of many: a window and bandwidths can make up for each other.
constexpr std::array<double, 3> window_starts{500, 2000, 8000};

/// Figures that at their greatest value change nothing, and are not set then.
constexpr std::array<std::pair<std::string_view, const char*>, 2> left_out_at_most{
    {{"compute.pacing", "memory is no faster beside a busy core than streams make it"},
        {"compute.first_level", "no list that was measured waits for the second level"}}};

double gb_per_s(const perfmodel::Point& point) {
    return (point.work.read_bytes + point.work.write_bytes) * static_cast<double>(point.elements) / point.seconds * 1e-9;
}

/// Bandwidths start at what the streams with the nearest mixes reach. Pre: points begin with those of so many streams.
void set_starts(HostSession& s, std::size_t streams) {
    static constexpr std::pair<const char*, double> peaks[] = {
        {"stream.read.peak", 0}, {"stream.mixed.peak", 0.25}, {"stream.copy.peak", 0.5}, {"stream.write.peak", 1}};
    double greatest = 0;
    for (const auto& [key, writes] : peaks) {
        double best = 0, distance = 2;
        for (std::size_t i = 0; i < streams; ++i) {
            const fusion::KernelWork& work = s.made.points[i].work;
            const double all = work.read_bytes + work.write_bytes;
            if (const double off = std::abs(work.write_bytes / all - writes); off < distance) {
                distance = off;
                best = gb_per_s(s.made.points[i]);
            }
        }
        s.set(key, best, "GB/s", 1, 0, "start of the fit");
        greatest = std::max(greatest, best);
    }
    s.set("speed.dram", perfmodel::host_peak_over_stream * greatest, "GB/s", 1, 0, "bound of the fit");
    constexpr double half_of_a_first_level = 16.0 * 1024; // of the smaller ones of today
    s.set("compute.first_level", half_of_a_first_level, "bytes", 1, 0, "start of the fit");
    s.set("compute.pacing", 0.9, "share", 1, 0, "start of the fit");
    s.set("compute.window", window_starts.front(), "instructions", 1, 0, "start of the fit");
}

/// The bandwidth of the machine: measured, since a fitted peak is as far off as the model may be. Pre: as above; `seconds` begin with those of the streams.
void set_bandwidth(HostSession& s, std::size_t streams, const std::vector<std::vector<double>>& seconds) {
    std::size_t fastest = 0;
    for (std::size_t i = 1; i < streams; ++i) {
        fastest = gb_per_s(s.made.points[i]) > gb_per_s(s.made.points[fastest]) ? i : fastest;
    }
    s.set("speed.dram", gb_per_s(s.made.points[fastest]), "GB/s", static_cast<int>(streams), spread(seconds[fastest]),
        "reads and writes in several mixes, the fastest of them");
}

/// What was fitted becomes figures of the calibration.
void take_over(HostSession& s, const perfmodel::Fit& fit) {
    const auto points = static_cast<int>(std::ranges::count(s.made.points, perfmodel::Role::fit, &perfmodel::Point::role));
    for (const perfmodel::FittedFigure& figure : fit.figures) {
        if (!figure.determined) {
            s.made.notes.push_back("`" + figure.key + "` makes no difference to what was measured, and stays what it was assumed to be");
        }
        s.set(figure.key, figure.after, perfmodel::find_field(figure.key, fusion::Target::host)->unit, figure.determined ? points : 1,
            figure.determined ? fit.error : 0,
            !figure.determined      ? "assumption: nothing that was measured depends on it"
                : figure.at_bound() ? "fitted to kernels that wait for memory, and at the end of the search"
                                    : "fitted to kernels that wait for memory");
    }
    s.made.predicted = fit.predicted;
}

/// Pre: points are measured, and figures have their starts.
bool fit_figures(HostSession& s) {
    auto device = device_so_far(s.made.calibration, s.diagnostics);
    if (!device) {
        return false;
    }
    perfmodel::PredictorKind kind = perfmodel::predictor_kind("composite");
    std::vector<const char*> keys(std::begin(fitted_figures), std::end(fitted_figures));
    const auto fitted = [&] {
        kind.fits = keys;
        return perfmodel::fit_figures_from(kind, *device, s.made.points, "compute.window", window_starts);
    };
    perfmodel::Fit fit = fitted();
    for (const auto& [key, nothing_shows_it] : left_out_at_most) {
        const auto figure = std::ranges::find(fit.figures, key, &perfmodel::FittedFigure::key);
        if (figure->after >= figure->most) {
            s.made.notes.push_back(fmt::format("{}: `{}` is not set", nothing_shows_it, key));
            std::erase_if(s.made.calibration.figures, [&](const perfmodel::CalibratedFigure& each) { return each.key == key; });
            std::erase(keys, key);
            device->optional_figures.erase(std::string(key));
            fit = fitted();
        }
    }
    warn_of_bounds(fit, fusion::Target::host, s.diagnostics);
    take_over(s, fit);
    return true;
}

/// For `benchmark`: of a list that is moved there and back, the load and the store take shares as the bandwidths of reading and writing have it.
void divide_transfers(HostSession& s, const std::vector<HostProbe>& probes, const std::vector<std::vector<double>>& seconds) {
    const double read = 1 / s.value("stream.read.peak"), write = 1 / s.value("stream.write.peak");
    for (std::size_t i = 0; i + 1 < probes.size(); i += 2) {
        const double streaming = s.timer.ns_of(probes[i], seconds[i]), plain = s.timer.ns_of(probes[i + 1], seconds[i + 1]);
        const double load = streaming * read / (read + write);
        const double off = s.timer.uncertain_ns(probes[i], seconds[i]), off_load = off * read / (read + write);
        for (fusion::GlobalAccess access : transfers_of(probes[i].candidate)) {
            access.streaming = false;
            if (!access.store) {
                s.set_time(perfmodel::transfer_routine(access), load, off_load);
                continue;
            }
            s.set_time(perfmodel::transfer_routine(access), plain - load, s.timer.uncertain_ns(probes[i + 1], seconds[i + 1]) + off_load);
            access.streaming = true;
            s.set_time(perfmodel::transfer_routine(access), streaming - load, off - off_load);
        }
    }
}

} // namespace

bool measure_memory(HostSession& s) {
    constexpr double least_bytes = 64.0 * 1024 * 1024;
    const double bytes = s.options.bytes > 0 ? s.options.bytes : std::max(least_bytes, 4.0 * s.machine.l3_bytes);
    std::vector<HostProbe> probes;
    for (const fusion::Candidate& kernel : s.kernels.streams->plans.front().kernels) {
        probes.push_back(HostProbes::probe(*s.kernels.streams, kernel, "probe streams", bytes, false));
    }
    const std::size_t streams = probes.size();
    for (const FusedKernel& each : s.kernels.fused) {
        probes.push_back(HostProbes::probe(*each.compilation, each.kernel, each.group, bytes, false));
    }
    const std::size_t fitted = probes.size();
    for (const fusion::Candidate& kernel : s.kernels.transfers->plans.front().kernels) {
        for (const bool plain : {false, true}) {
            // What goes past the caches leaves nothing in them, and lists of twice as much as these hold come from memory.
            const double moved = plain || s.options.bytes > 0 ? bytes : std::max(least_bytes, bytes / 2);
            probes.push_back(HostProbes::probe(*s.kernels.transfers, kernel, plain ? "probe plain" : "probe moved", moved, plain));
            probes.back().fitted = !plain;
        }
    }
    const auto seconds = s.timer.time(probes);
    if (!seconds) {
        return false;
    }
    for (std::size_t i = 0; i < probes.size(); ++i) {
        // Fits weigh kernels of one name together: each program as much as each kind of probe. No program has a blank in its name.
        // Lists that ordinary stores write are measured for `benchmark`, and to tell how far off `composite` is where lists are not aligned.
        s.made.points.push_back(
            {s.options.name, probes[i].group, probes[i].candidate.work, probes[i].unit.elements, execute::undisturbed(seconds->at(i)),
                false, probes[i].fitted ? perfmodel::Role::fit : perfmodel::Role::held_out, 0, probes[i].name});
    }
    s.made.points.insert(s.made.points.end(), s.swept.begin(), s.swept.end());
    set_starts(s, streams);
    if (!fit_figures(s)) {
        return false;
    }
    set_bandwidth(s, streams, *seconds);
    divide_transfers(s, {probes.begin() + static_cast<std::ptrdiff_t>(fitted), probes.end()},
        {seconds->begin() + static_cast<std::ptrdiff_t>(fitted), seconds->end()});
    return true;
}

} // namespace fusec::cli
