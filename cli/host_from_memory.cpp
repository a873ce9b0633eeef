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
constexpr std::array<std::pair<std::string_view, const char*>, 3> left_out_at_most{
    {{"compute.pacing", "memory is no faster beside a busy core than streams make it"},
        {"compute.first_level", "no list that was measured waits for the second level"},
        {"stream.lists", "memory is no faster for several lists than for one"}}};

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
    s.set("stream.lists", 0.95, "share", 1, 0, "start of the fit");
    s.set("compute.window", window_starts.front(), "instructions", 1, 0, "start of the fit");
}

/// The bandwidth of the machine: measured, since a fitted peak is as far off as the model may be. Pre: as above; `times` begin with those of the streams.
void set_bandwidth(HostSession& s, std::size_t streams, const std::vector<execute::UnitTimes>& times) {
    std::size_t fastest = 0;
    for (std::size_t i = 1; i < streams; ++i) {
        fastest = gb_per_s(s.made.points[i]) > gb_per_s(s.made.points[fastest]) ? i : fastest;
    }
    s.set("speed.dram", gb_per_s(s.made.points[fastest]), "GB/s", static_cast<int>(streams), spread(times[fastest].seconds),
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
    for (auto next = left_out_at_most.begin(); next != left_out_at_most.end();) {
        const auto& [key, nothing_shows_it] = *next++;
        const auto figure = std::ranges::find(fit.figures, key, &perfmodel::FittedFigure::key);
        if (figure != fit.figures.end() && figure->after >= figure->most) {
            s.made.notes.push_back(fmt::format("{}: `{}` is not set", nothing_shows_it, key));
            std::erase_if(s.made.calibration.figures, [&](const perfmodel::CalibratedFigure& each) { return each.key == key; });
            std::erase(keys, key);
            device->optional_figures.erase(std::string(key));
            fit = fitted();
            next = left_out_at_most.begin(); // one that the others made up for may be at its greatest value now
        }
    }
    warn_of_bounds(fit, fusion::Target::host, s.diagnostics);
    take_over(s, fit);
    return true;
}

/// For `benchmark`: of a list that is moved there and back, the load and the store take shares as the bandwidths of reading and writing have it.
void divide_transfers(HostSession& s, const std::vector<execute::UnitTimes>& times) {
    const double read = 1 / s.value("stream.read.peak"), write = 1 / s.value("stream.write.peak");
    const std::vector<HostProbe>& plain = s.from_memory.plain;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const std::size_t at = s.from_memory.moved + i;
        const HostProbe& moved = s.from_memory.fitted[at];
        const execute::UnitTimes& plain_times = s.from_memory.plain_times[i];
        const double streaming = s.timer.ns_of(moved, times[at]), ordinary = s.timer.ns_of(plain[i], plain_times);
        const double load = streaming * read / (read + write);
        const double off = s.timer.uncertain_ns(moved, times[at]), off_load = off * read / (read + write);
        for (fusion::GlobalAccess access : transfers_of(moved.candidate)) {
            access.streaming = false;
            if (!access.store) {
                s.set_time(perfmodel::transfer_routine(access), load, off_load);
                continue;
            }
            s.set_time(perfmodel::transfer_routine(access), ordinary - load, s.timer.uncertain_ns(plain[i], plain_times) + off_load);
            access.streaming = true;
            s.set_time(perfmodel::transfer_routine(access), streaming - load, off - off_load);
        }
    }
}

/// Fits weigh kernels of one name together: each program as much as each kind of probe. No program has a blank in its name.
/// Lists that ordinary stores write are measured for `benchmark`, and to tell how far off `composite` is where lists are not aligned.
void add_points(HostSession& s, const std::vector<HostProbe>& probes, const std::vector<execute::UnitTimes>& times) {
    for (std::size_t i = 0; i < probes.size(); ++i) {
        s.made.points.push_back({s.options.name, probes[i].group, probes[i].candidate.work, probes[i].unit.elements, times[i].undisturbed(),
            false, probes[i].fitted ? perfmodel::Role::fit : perfmodel::Role::held_out, 0, probes[i].name});
    }
}

/// Caches hold nothing of a launch's lists before it, so that few bytes come from memory as many do. But what ordinary stores write is in the caches
/// behind it as far as these hold it: of that lists are four times as large as the last level.
double bytes_from_memory(const HostSession& s, const fusion::Candidate& kernel, bool plain) {
    constexpr double few = 32.0 * 1024 * 1024, least = 64.0 * 1024 * 1024;
    const auto stays = [](const fusion::GlobalAccess& access) { return access.store && !access.streaming; };
    return s.options.bytes > 0                                      ? s.options.bytes
        : plain || std::ranges::any_of(transfers_of(kernel), stays) ? std::max(least, 4.0 * s.machine.l3_bytes)
                                                                    : few;
}

MemoryProbes memory_probes(const HostSession& s) {
    MemoryProbes made;
    const auto add = [&](std::vector<HostProbe>& to, Compilation& c, const fusion::Candidate& kernel, const std::string& group,
                         bool fitted) {
        to.push_back(HostProbes::probe(c, kernel, group, bytes_from_memory(s, kernel, !fitted), !fitted));
        to.back().unit.in_pieces = true;
        to.back().fitted = fitted;
    };
    for (const fusion::Candidate& kernel : s.kernels.streams->plans.front().kernels) {
        add(made.fitted, *s.kernels.streams, kernel, "probe streams", true);
    }
    made.streams = made.fitted.size();
    for (const FusedKernel& each : s.kernels.fused) {
        add(made.fitted, *each.compilation, each.kernel, each.group, true);
    }
    made.moved = made.fitted.size();
    for (const fusion::Candidate& kernel : s.kernels.transfers->plans.front().kernels) {
        add(made.fitted, *s.kernels.transfers, kernel, "probe moved", true);
        add(made.plain, *s.kernels.transfers, kernel, "probe plain", false);
    }
    return made;
}

} // namespace

bool time_from_memory(HostSession& s) {
    constexpr double few_samples = 0.3; // of lists that are many, and that nothing is fitted to
    s.from_memory = memory_probes(s);
    auto times = s.timer.time(s.from_memory.fitted);
    auto plain_times = times ? s.timer.time(s.from_memory.plain, few_samples, 1) : std::nullopt;
    if (!plain_times) {
        return false;
    }
    s.from_memory.times = std::move(*times);
    s.from_memory.plain_times = std::move(*plain_times);
    return true;
}

bool take_from_memory(HostSession& s) {
    s.in_cache = s.made;
    return fit_memory(s, s.from_memory.times);
}

bool fit_memory(HostSession& s, const std::vector<execute::UnitTimes>& times) {
    s.made = s.in_cache;
    add_points(s, s.from_memory.fitted, times);
    add_points(s, s.from_memory.plain, s.from_memory.plain_times);
    s.made.points.insert(s.made.points.end(), s.swept.begin(), s.swept.end());
    set_starts(s, s.from_memory.streams);
    if (!fit_figures(s)) {
        return false;
    }
    set_bandwidth(s, s.from_memory.streams, times);
    divide_transfers(s, times);
    return true;
}

} // namespace fusec::cli
