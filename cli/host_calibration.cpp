// SPDX-License-Identifier: Apache-2.0
#include "cli/host_calibration.hpp"

#include "cli/host_footprints.hpp"
#include "cli/host_machine.hpp"
#include "cli/host_probes.hpp"
#include "cli/host_timer.hpp"
#include "cli/version.hpp"
#include "execute/candidate_sample.hpp"
#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/fit.hpp"
#include "perfmodel/fit/host_overlap.hpp"
#include "perfmodel/host_compute.hpp"
#include "support/counted.hpp"
#include "support/files.hpp"
#include "support/machine.hpp"
#include "support/median.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace fusec::cli {

namespace {

using perfmodel::CalibratedFigure;

constexpr double most_issued = 32; // vector instructions per clock: several times what any processor does, as they and clocks are estimates
/// Entries of reorder buffers of today, and instructions of a few tiles and of many: a window and bandwidths can make up for each other.
constexpr std::array<double, 3> window_starts{500, 2000, 8000};
constexpr double most_flops = 16; // of a lane and clock: four pipes that multiply and add, at twice the clock that a system tells

constexpr const char* chain_group = "probe chain";

/// Steps that a time is wanted of: calls that compute. Names of components are none.
std::vector<const fusion::WorkStep*> computing_steps(const fusion::Candidate& candidate) {
    std::vector<const fusion::WorkStep*> steps;
    for (const fusion::WorkStep& step : candidate.work.steps) {
        if (step.kind == fusion::WorkStep::Kind::compute && step.instructions > 0) {
            steps.push_back(&step);
        }
    }
    return steps;
}

/// Accesses to lists, without uniforms.
std::vector<fusion::GlobalAccess> transfers_of(const fusion::Candidate& candidate) {
    std::vector<fusion::GlobalAccess> accesses;
    for (const fusion::WorkStep& step : candidate.work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            if (access.addressing != fusion::Addressing::broadcast) {
                accesses.push_back(access);
            }
        }
    }
    return accesses;
}

double bytes_of(const fusion::Candidate& candidate) {
    return candidate.work.read_bytes + candidate.work.write_bytes;
}

/// Mean of |sample / median - 1|.
double spread(const std::vector<double>& samples) {
    const double middle = median(samples);
    double sum = 0;
    for (const double sample : samples) {
        sum += std::abs(sample / middle - 1);
    }
    return sum / static_cast<double>(samples.size());
}

class Calibrator {
public:
    Calibrator(const HostCalibrationOptions& options, const execute::TimingSetup& setup, Path scratch, Diagnostics& diagnostics)
        : options_(options),
          setup_(setup),
          progress_(setup.progress),
          diagnostics_(diagnostics),
          machine_(host_machine()),
          timer_(setup_, machine_, diagnostics),
          scratch_(std::move(scratch)) {}

    std::optional<HostCalibration> run() {
        describe_machine();
        const auto machine = device_so_far(calibration_, diagnostics_);
        if (!machine) {
            return std::nullopt;
        }
        probes_.emplace(*machine, scratch_);
        // Shares of the time that a calibration takes with nothing compiled before.
        if (!find_probes() || !phase(0, 0.02).measure_footprints() || !phase(0.02, 0.2).measure_transfers() ||
            !phase(0.2, 0.38).measure_routines() || !find_fused() || !phase(0.38, 0.4).measure_overlap() ||
            !phase(0.4, 0.99).measure_memory()) {
            return std::nullopt;
        }
        if (progress_) {
            progress_(1);
        }
        calibration_.name = options_.name;
        result_.calibration = std::move(calibration_);
        return std::move(result_);
    }

private:
    struct Fused {
        Compilation* compilation;
        fusion::Candidate kernel;
        std::string group;
    };

    /// What is measured next is told as this part of the whole.
    Calibrator& phase(double from, double to) {
        if (progress_) {
            setup_.progress = [this, from, to](double share) { progress_(from + share * (to - from)); };
        }
        return *this;
    }
    void set(const std::string& key, double value, const std::string& unit, int points, double residual, const std::string& how) {
        const auto same = std::ranges::find(calibration_.figures, key, &CalibratedFigure::key);
        CalibratedFigure figure{key, value, unit, points, residual, how};
        if (same == calibration_.figures.end()) {
            calibration_.figures.push_back(std::move(figure));
        } else {
            *same = std::move(figure);
        }
    }
    /// In ns per element, with what it may be off by; a time that is none makes the routine, or the transfer, a hidden one.
    void set_time(const std::string& routine, double time, double off) {
        if (time > 0) {
            calibration_.routines[routine] = {0, {0}, {1}, {time}, off / time};
        } else {
            result_.hidden.push_back(routine);
        }
    }

    void describe_machine() {
        calibration_.name = "machine";
        calibration_.base = host_base;
        calibration_.date = utc_date();
        calibration_.machine = processor_name();
        calibration_.commit = version_and_commit();
        const std::string how = "what the system says";
        set("limits.vector_bytes", machine_.vector_bytes, "bytes", 1, 0, how);
        set("speed.cores", machine_.cores, "cores", 1, 0, how);
        set("speed.clock", machine_.clock_ghz, "GHz", 1, 0, how);
        set("speed.l2_bytes", machine_.l2_bytes, "bytes", 1, 0, how + " (per core)");
        set("benchmark.remap", 0, "ns per element", 1, 0, "kernels of a host never change their threads");
    }

    /// Kernels of single calls, one for each routine, and the transfers of all their lists.
    bool find_probes() {
        const Path folder = options_.probes.empty() ? perfmodel::devices_folder().parent_path() / "probes" : options_.probes;
        std::vector<Compilation*> sources;
        for (const Precision real : {Precision::f32, Precision::f64}) {
            sources.push_back(probes_->compile(folder / "routines.fus", "none", real, diagnostics_));
        }
        sources.push_back(streams_ = probes_->compile(folder / "streams.fus", "none", Precision::f32, diagnostics_));
        for (const int rows : {6, 7, 8, 10, 12, 16}) {
            sums_.push_back(probes_->compile_text("sum" + std::to_string(rows), sum_text(rows), "none", Precision::f32, diagnostics_));
        }
        sources.insert(sources.end(), sums_.begin(), sums_.end());
        for (const auto* programs : {&options_.programs, &options_.routines}) {
            for (const Path& program : *programs) {
                sources.push_back(probes_->compile(program, "none", Precision::f32, diagnostics_));
            }
        }
        if (std::ranges::count(sources, nullptr) != 0) {
            return false;
        }
        std::map<std::tuple<int, int, bool>, MovedList>
            moved; // a kind each, as names of transfers tell them apart; a scalar gives the start-up
        const auto move = [&](const Type& type, const Storage& storage) {
            moved.try_emplace({in_memory(type, storage).bytes(), fusec::bytes_of(storage.value_or(type.precision)), storage.has_value()},
                MovedList{type, storage});
        };
        for (int words = 1; words <= options_.widest_list; ++words) {
            const Shape shape = words == 1 ? Shape{} : Shape{Form::vector, words, 1};
            move({shape, Precision::f32}, std::nullopt);
            move({shape, Precision::f64}, std::nullopt);
            move({shape, Precision::f64}, Precision::f32);
        }
        std::set<std::string> known;
        for (Compilation* c : sources) {
            for (const fusion::Candidate& kernel : c->plans.front().kernels) {
                const auto steps = computing_steps(kernel);
                for (const auto* data : {&kernel.loads, &kernel.stores}) {
                    for (const DataId datum : *data) {
                        const frontend::Datum& list = c->graph->datum(datum);
                        if (!list.type.shape.packed) {
                            move(list.type, list.storage);
                        }
                    }
                }
                if (steps.size() == 1 && steps.front()->routine != nullptr && known.insert(*steps.front()->routine).second) {
                    routines_.push_back(cached_probe(*c, kernel, c->program->name, cached_bytes(kernel)));
                }
            }
        }
        std::vector<MovedList> listed;
        for (const auto& [key, list] : moved) {
            listed.push_back(list);
        }
        transfers_ = probes_->compile_text("transfers", transfer_text(listed), "none", Precision::f32, diagnostics_);
        return transfers_ != nullptr;
    }

    /// Half of the second-level caches of all processors; of one, where the elements are too large for a parallel loop over them.
    double cached_bytes(const fusion::Candidate& kernel) const {
        const double all = 0.5 * machine_.l2_bytes * machine_.cores;
        const double tile = bytes_of(kernel) * kernel.instances_per_block;
        return all / tile > 2.0 * most_serial_tiles ? all : std::min(0.5 * machine_.l2_bytes, tile * most_serial_tiles);
    }

    /// A kernel on lists that lie in the caches.
    static HostProbe cached_probe(Compilation& c, const fusion::Candidate& kernel, const std::string& group, double bytes) {
        HostProbe probe = HostProbes::probe(c, kernel, group, bytes, true);
        probe.unit.cached = true;
        return probe;
    }

    /// Where the caches end, which decides how large lists are that come from memory, and what displaces them. The kernel reads 64 words for one
    /// that it writes.
    bool measure_footprints() {
        const double most = options_.bytes > 0 ? options_.bytes : 1024.0 * 1024 * 1024;
        const fusion::Candidate& reading = *std::ranges::max_element(streams_->plans.front().kernels, {},
            [](const fusion::Candidate& kernel) { return kernel.work.read_bytes / kernel.work.write_bytes; });
        std::vector<HostProbe> probes;
        for (const double bytes : footprints(machine_.l2_bytes * machine_.cores, machine_.l3_bytes, most)) {
            probes.push_back(cached_probe(*streams_, reading, "probe footprints", bytes));
        }
        const auto seconds = timer_.time(probes);
        if (!seconds) {
            return false;
        }
        std::vector<Footprint> sweep;
        for (std::size_t i = 0; i < probes.size(); ++i) {
            const double least = execute::undisturbed(seconds->at(i));
            const double bytes = bytes_of(probes[i].candidate) * static_cast<double>(probes[i].unit.elements);
            sweep.push_back({bytes, bytes / least * 1e-9});
            perfmodel::Point point{options_.name, probes[i].group, probes[i].candidate.work, probes[i].unit.elements, least, false,
                perfmodel::Role::held_out, 0, probes[i].name};
            point.work.repeated = true;
            swept_.push_back(std::move(point));
        }
        constexpr double mebibyte = 1024 * 1024;
        const auto found = last_level(sweep);
        if (!found) {
            result_.notes.push_back(
                fmt::format("no cache beyond the second level shows in lists of {} footprints: what comes from memory is as "
                            "large as the last level that the system tells asks for",
                    sweep.size()));
            return true;
        }
        const std::string how = fmt::format(
            "lists read again and again, {:.0f} to {:.0f} MiB of them", sweep.front().bytes / mebibyte, sweep.back().bytes / mebibyte);
        set("speed.l3_bytes", found->bytes, "bytes", static_cast<int>(sweep.size()), 0, how + ": the most that it holds");
        set("speed.l3", found->gb_per_s, "GB/s", found->points, found->spread, how + ": those that it holds, the median");
        setup_.displaced_bytes = std::min(setup_.displaced_bytes, displacing_bytes(machine_, found->bytes));
        machine_.l3_bytes = std::min(machine_.l3_bytes, found->bytes);
        return true;
    }

    /// Start-up, and lists moved between cache and lanes.
    bool measure_transfers() {
        std::vector<HostProbe> probes;
        const std::vector<fusion::Candidate>& moving = transfers_->plans.front().kernels;
        const auto scalar =
            std::ranges::find_if(moving, [](const fusion::Candidate& kernel) { return bytes_of(kernel) == 2 * sizeof(float); });
        const double few = 1.125 * most_serial_tiles * scalar->instances_per_block * bytes_of(*scalar);
        probes.push_back(cached_probe(*transfers_, *scalar, "start-up", few));
        for (const fusion::Candidate& kernel : moving) {
            probes.push_back(cached_probe(*transfers_, kernel, "transfers", cached_bytes(kernel)));
        }
        const auto seconds = timer_.time(probes, 3);
        if (!seconds) {
            return false;
        }
        timer_.launch_seconds = execute::undisturbed(seconds->front());
        set("speed.launch", timer_.launch_seconds / 1e-6, "us", 1, spread(seconds->front()),
            "a parallel loop over " + std::to_string(probes.front().unit.elements) + " floats in cache");
        double fastest = 0, fastest_spread = 0;
        for (std::size_t i = 1; i <= moving.size(); ++i) {
            const double time = timer_.ns_of(probes[i], seconds->at(i));
            const auto accesses = transfers_of(probes[i].candidate);
            for (const fusion::GlobalAccess& access : accesses) {
                const auto lists = static_cast<double>(accesses.size());
                set_time(perfmodel::cached_transfer(access), time / lists, timer_.uncertain_ns(probes[i], seconds->at(i)) / lists);
            }
            if (const double rate = bytes_of(probes[i].candidate) / std::max(time, 1e-6); rate > fastest) {
                fastest = rate;
                fastest_spread = spread(seconds->at(i));
            }
        }
        set("speed.l2", fastest, "GB/s", static_cast<int>(moving.size()), fastest_spread, "lists moved in cache, the fastest size");
        return true;
    }

    /// Each routine from how much longer its kernel takes that computes it more often.
    bool measure_routines() {
        constexpr int few = 4, many = 16;
        std::vector<HostProbe> probes;
        for (const HostProbe& routine : routines_) {
            for (const int times : {few, many}) {
                probes.push_back(routine);
                probes.back().unit.repeated = times;
            }
        }
        const auto seconds = timer_.time(probes);
        if (!seconds) {
            return false;
        }
        const perfmodel::Field& possible = *perfmodel::find_field("speed.issue_slots", fusion::Target::host);
        std::vector<double> rates;
        for (std::size_t i = 0; i < probes.size(); i += 2) {
            const double time = (timer_.ns_of(probes[i + 1], seconds->at(i + 1)) - timer_.ns_of(probes[i], seconds->at(i))) / (many - few);
            const fusion::WorkStep& step = *computing_steps(probes[i].candidate).front();
            const double lanes = static_cast<double>(machine_.vector_bytes) / fusec::bytes_of(probes[i].candidate.work.precision);
            const double rate = time <= 0 ? 0 : step.instructions / lanes / (time * machine_.clock_ghz * machine_.cores);
            const double least = step.arithmetic.flops / lanes / (most_flops * machine_.clock_ghz * machine_.cores);
            const bool hidden = time <= 0 || rate > most_issued || time < least;
            if (hidden) {
                result_.hidden.push_back(*step.routine);
            } else {
                const double off = timer_.uncertain_ns(probes[i], seconds->at(i)) + timer_.uncertain_ns(probes[i + 1], seconds->at(i + 1));
                set_time(*step.routine, time, off / (many - few));
                rates.push_back(rate);
            }
        }
        // A routine that something disturbed for its whole time issues next to nothing.
        const std::size_t disturbed = std::erase_if(rates, [&](double rate) { return rate < possible.least; });
        if (disturbed != 0) {
            result_.notes.push_back(counted(disturbed, "routine") +
                " took a time that cannot be, and did not count for `speed.issue_slots`" +
                (rates.empty() ? ", which stays that of the description" : ""));
        }
        if (!rates.empty()) {
            set("speed.issue_slots", median(rates), "instructions per clock", static_cast<int>(rates.size()), spread(rates),
                "what routines are estimated to issue over the time that they take, the median");
        }
        return true;
    }

    /// Chains of products, sums of long lists, and kernels of the programs.
    bool find_fused() {
        for (const int products : {1, 2, 3, 4, 6, 8}) {
            Compilation* c =
                probes_->compile_text("chain" + std::to_string(products), chain_text(products), "max", Precision::f32, diagnostics_);
            if (c == nullptr) {
                return false;
            }
            fused_.push_back({c, c->plans.front().kernels.front(), chain_group});
        }
        for (Compilation* c : sums_) {
            fused_.push_back({c, c->plans.front().kernels.front(), "probe sums"});
        }
        for (const Path& program : options_.programs) {
            Compilation* c = probes_->compile(program, "auto", Precision::f32, diagnostics_);
            if (c == nullptr) {
                return false;
            }
            std::vector<fusion::Candidate> kernels = c->plans.front().kernels;
            const auto sample = execute::choose_candidates(*c->space, false, options_.kernels, setup_.seed).chosen;
            kernels.insert(kernels.end(), sample.begin(), sample.end());
            for (const fusion::Candidate& kernel : kernels) {
                fused_.push_back({c, kernel, c->program->name});
            }
        }
        return true;
    }

    /// Chains in cache, where memory has no part: the exponent by which the times of their lists and of their products come nearest to theirs.
    bool measure_overlap() {
        std::vector<HostProbe> chains;
        for (const Fused& each : fused_) {
            if (each.group == chain_group) {
                chains.push_back(cached_probe(*each.compilation, each.kernel, each.group, cached_bytes(each.kernel)));
            }
        }
        const auto seconds = timer_.time(chains);
        const auto device = device_so_far(calibration_, diagnostics_);
        if (!seconds || !device) {
            return false;
        }
        std::vector<perfmodel::OverlappedTime> times;
        for (std::size_t i = 0; i < chains.size(); ++i) {
            const perfmodel::HostCompute alone = perfmodel::host_compute(*device, chains[i].candidate.work, false);
            times.push_back({alone.transfers_ns, alone.routines_ns, timer_.ns_of(chains[i], seconds->at(i))});
        }
        const auto found = perfmodel::fit_overlap(times);
        if (const std::size_t counting = found ? static_cast<std::size_t>(found->points) : 0; counting < times.size()) {
            result_.notes.push_back(counted(times.size() - counting, "chain") +
                " of products took a time that cannot be, and did not count for `compute.overlap`" +
                (found ? "" : ", which is not set: transfers and routines are taken to follow each other"));
        }
        if (found) {
            set("compute.overlap", found->exponent, "exponent", found->points, found->error,
                "products of matrices in chains, on lists in cache");
        }
        return true;
    }

    /// What waits for memory, and the fit.
    bool measure_memory() {
        constexpr double least_bytes = 64.0 * 1024 * 1024;
        const double bytes = options_.bytes > 0 ? options_.bytes : std::max(least_bytes, 4.0 * machine_.l3_bytes);
        std::vector<HostProbe> probes;
        for (const fusion::Candidate& kernel : streams_->plans.front().kernels) {
            probes.push_back(HostProbes::probe(*streams_, kernel, "probe streams", bytes, false));
        }
        const std::size_t streams = probes.size();
        for (const Fused& each : fused_) {
            probes.push_back(HostProbes::probe(*each.compilation, each.kernel, each.group, bytes, false));
        }
        const std::size_t fitted = probes.size();
        for (const fusion::Candidate& kernel : transfers_->plans.front().kernels) {
            for (const bool plain : {false, true}) {
                // What goes past the caches leaves nothing in them, and lists of twice as much as these hold come from memory.
                const double moved = plain || options_.bytes > 0 ? bytes : std::max(least_bytes, bytes / 2);
                probes.push_back(HostProbes::probe(*transfers_, kernel, plain ? "probe plain" : "probe moved", moved, plain));
                probes.back().fitted = !plain;
            }
        }
        const auto seconds = timer_.time(probes);
        if (!seconds) {
            return false;
        }
        for (std::size_t i = 0; i < probes.size(); ++i) {
            // Fits weigh kernels of one name together: each program as much as each kind of probe. No program has a blank in its name.
            // Lists that ordinary stores write are measured for `benchmark`, and to tell how far off `composite` is where lists are not aligned.
            result_.points.push_back(
                {options_.name, probes[i].group, probes[i].candidate.work, probes[i].unit.elements, execute::undisturbed(seconds->at(i)),
                    false, probes[i].fitted ? perfmodel::Role::fit : perfmodel::Role::held_out, 0, probes[i].name});
        }
        result_.points.insert(result_.points.end(), swept_.begin(), swept_.end());
        if (!fit_figures({probes.begin(), probes.begin() + static_cast<std::ptrdiff_t>(streams)})) {
            return false;
        }
        divide_transfers({probes.begin() + static_cast<std::ptrdiff_t>(fitted), probes.end()},
            {seconds->begin() + static_cast<std::ptrdiff_t>(fitted), seconds->end()});
        return true;
    }

    /// Bandwidths start at what the streams with the nearest mixes reach.
    bool fit_figures(const std::vector<HostProbe>& streams) {
        static constexpr std::pair<const char*, double> peaks[] = {
            {"stream.read.peak", 0}, {"stream.mixed.peak", 0.25}, {"stream.copy.peak", 0.5}, {"stream.write.peak", 1}};
        double greatest = 0;
        for (const auto& [key, writes] : peaks) {
            double best = 0, distance = 2;
            for (std::size_t i = 0; i < streams.size(); ++i) {
                const fusion::KernelWork& work = streams[i].candidate.work;
                const double all = work.read_bytes + work.write_bytes;
                if (const double off = std::abs(work.write_bytes / all - writes); off < distance) {
                    distance = off;
                    best = all * static_cast<double>(result_.points[i].elements) / result_.points[i].seconds * 1e-9;
                }
            }
            set(key, best, "GB/s", 1, 0, "start of the fit");
            greatest = std::max(greatest, best);
        }
        set("speed.dram", 2 * greatest, "GB/s", 1, 0, "bound of the fit");
        constexpr double half_of_a_first_level = 16.0 * 1024; // of the smaller ones of today
        set("compute.first_level", half_of_a_first_level, "bytes", 1, 0, "start of the fit");
        set("compute.window", window_starts.front(), "instructions", 1, 0, "start of the fit");
        auto device = device_so_far(calibration_, diagnostics_);
        if (!device) {
            return false;
        }
        perfmodel::PredictorKind kind = perfmodel::predictor_kind("composite");
        const auto fitted = [&](std::span<const char* const> keys) {
            kind.fits = keys;
            return perfmodel::fit_figures_from(kind, *device, result_.points, "compute.window", window_starts);
        };
        perfmodel::Fit fit = fitted(fitted_figures);
        if (const perfmodel::FittedFigure& level = fit.figures.back(); level.after >= level.most) {
            result_.notes.emplace_back("no list that was measured waits for the second level: `compute.first_level` is not set");
            std::erase_if(calibration_.figures, [&](const CalibratedFigure& each) { return each.key == level.key; });
            device->optional_figures.erase(level.key);
            fit = fitted(std::span(fitted_figures).first(std::size(fitted_figures) - 1));
        }
        warn_of_bounds(fit, fusion::Target::host, diagnostics_);
        double peak = 0;
        const auto points = static_cast<int>(std::ranges::count(result_.points, perfmodel::Role::fit, &perfmodel::Point::role));
        for (const perfmodel::FittedFigure& figure : fit.figures) {
            const bool stream = figure.key.starts_with("stream.");
            peak = std::max(peak, stream ? figure.after : 0);
            if (!figure.determined) {
                result_.notes.push_back(
                    "`" + figure.key + "` makes no difference to what was measured, and stays what it was assumed to be");
            }
            set(figure.key, figure.after, perfmodel::find_field(figure.key, fusion::Target::host)->unit, figure.determined ? points : 1,
                figure.determined ? fit.error : 0,
                !figure.determined      ? "assumption: nothing that was measured depends on it"
                    : figure.at_bound() ? "fitted to kernels that wait for memory, and at the end of the search"
                                        : "fitted to kernels that wait for memory");
        }
        set("speed.dram", peak, "GB/s", 4, fit.error, "the greatest of the fitted bandwidths");
        result_.predicted = fit.predicted;
        return true;
    }

    /// For `benchmark`: of a list that is moved there and back, the load and the store take shares as the bandwidths of reading and writing have it.
    void divide_transfers(const std::vector<HostProbe>& probes, const std::vector<std::vector<double>>& seconds) {
        const auto value = [&](const char* key) { return std::ranges::find(calibration_.figures, key, &CalibratedFigure::key)->value; };
        const double read = 1 / value("stream.read.peak"), write = 1 / value("stream.write.peak");
        for (std::size_t i = 0; i + 1 < probes.size(); i += 2) {
            const double streaming = timer_.ns_of(probes[i], seconds[i]), plain = timer_.ns_of(probes[i + 1], seconds[i + 1]);
            const double load = streaming * read / (read + write);
            const double off = timer_.uncertain_ns(probes[i], seconds[i]), off_load = off * read / (read + write);
            for (fusion::GlobalAccess access : transfers_of(probes[i].candidate)) {
                access.streaming = false;
                if (!access.store) {
                    set_time(perfmodel::transfer_routine(access), load, off_load);
                    continue;
                }
                set_time(perfmodel::transfer_routine(access), plain - load, timer_.uncertain_ns(probes[i + 1], seconds[i + 1]) + off_load);
                access.streaming = true;
                set_time(perfmodel::transfer_routine(access), streaming - load, off - off_load);
            }
        }
    }

    const HostCalibrationOptions& options_;
    execute::TimingSetup setup_;
    std::function<void(double)> progress_; ///< of the whole
    Diagnostics& diagnostics_;
    HostMachine machine_;
    HostTimer timer_;                  ///< of setup_ and machine_, as they come to be
    std::optional<HostProbes> probes_; ///< once the machine is described
    Path scratch_;
    perfmodel::Calibration calibration_;
    HostCalibration result_;
    std::vector<HostProbe> routines_;
    std::vector<Fused> fused_;
    std::vector<perfmodel::Point> swept_; ///< footprints
    Compilation* streams_ = nullptr;
    std::vector<Compilation*> sums_; ///< of long lists
    Compilation* transfers_ = nullptr;
};

} // namespace

std::optional<HostCalibration> calibrate_host(
    const HostCalibrationOptions& options, const execute::TimingSetup& setup, const Path& scratch, Diagnostics& diagnostics) {
    return Calibrator(options, setup, scratch, diagnostics).run();
}

} // namespace fusec::cli
