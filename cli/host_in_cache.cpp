// SPDX-License-Identifier: Apache-2.0
#include "cli/host_in_cache.hpp"

#include "cli/host_footprints.hpp"
#include "codegen/repeated.hpp"
#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/host_overlap.hpp"
#include "perfmodel/host_compute.hpp"
#include "perfmodel/routine_times.hpp"
#include "support/counted.hpp"
#include "support/median.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fusec::cli {

namespace {

constexpr double most_issued = 32; // vector instructions per clock: several times what any processor does, as they and clocks are estimates
constexpr double most_flops = 16;  // of a lane and clock: four pipes that multiply and add, at twice the clock that a system tells

} // namespace

std::uint64_t share_of_tiles(const HostProbe& probe, double share, int processors) {
    const auto each = static_cast<std::uint64_t>(probe.candidate.instances_per_block);
    const std::uint64_t tiles = probe.unit.elements / each;
    if (tiles == 0) {
        return probe.unit.elements;
    }
    constexpr std::uint64_t few = 8;
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(tiles));
    if (tiles <= most_serial_tiles) {
        return each * std::min(tiles, std::max(few, wanted));
    }
    const auto dividing = static_cast<std::uint64_t>(processors);
    const std::uint64_t least = std::max({wanted, few * dividing, std::uint64_t{most_serial_tiles + 1}});
    return each * std::min(tiles, (least + dividing - 1) / dividing * dividing);
}

// The kernel reads 64 words for one that it writes.
bool measure_footprints(HostSession& s) {
    const double most = s.options.bytes > 0 ? s.options.bytes : 1024.0 * 1024 * 1024;
    const fusion::Candidate& reading = *std::ranges::max_element(s.kernels.streams->plans.front().kernels, {},
        [](const fusion::Candidate& kernel) { return kernel.work.read_bytes / kernel.work.write_bytes; });
    std::vector<HostProbe> probes;
    for (const double bytes : footprints(s.machine.l2_bytes * s.machine.cores, s.machine.l3_bytes, most)) {
        probes.push_back(cached_probe(*s.kernels.streams, reading, "probe footprints", bytes));
    }
    const auto times = s.timer.time(probes);
    if (!times) {
        return false;
    }
    std::vector<Footprint> sweep;
    for (std::size_t i = 0; i < probes.size(); ++i) {
        const double least = times->at(i).undisturbed();
        const double bytes = bytes_of(probes[i].candidate) * static_cast<double>(probes[i].unit.elements);
        sweep.push_back({bytes, bytes / least * 1e-9});
        perfmodel::Point point{s.options.name, probes[i].group, probes[i].candidate.work, probes[i].unit.elements, least, false,
            perfmodel::Role::held_out, 0, probes[i].name};
        point.work.repeated = true;
        s.swept.push_back(std::move(point));
    }
    constexpr double mebibyte = 1024 * 1024;
    const auto found = last_level(sweep);
    if (!found) {
        s.made.notes.push_back(fmt::format("no cache beyond the second level shows in lists of {} footprints: what comes from memory is as "
                                           "large as the last level that the system tells asks for",
            sweep.size()));
        return true;
    }
    const std::string how = fmt::format(
        "lists read again and again, {:.0f} to {:.0f} MiB of them", sweep.front().bytes / mebibyte, sweep.back().bytes / mebibyte);
    s.set("speed.l3_bytes", found->bytes, "bytes", static_cast<int>(sweep.size()), 0, how + ": the most that it holds");
    s.set("speed.l3", found->gb_per_s, "GB/s", found->points, found->spread, how + ": those that it holds, the median");
    s.machine.l3_bytes = std::min(s.machine.l3_bytes, found->bytes);
    return true;
}

namespace {

/// The start-up, and each list.
void add_transfers(HostSession& s) {
    const std::vector<fusion::Candidate>& moving = s.kernels.transfers->plans.front().kernels;
    const auto scalar = std::ranges::find_if(moving, [](const fusion::Candidate& kernel) { return bytes_of(kernel) == 2 * sizeof(float); });
    const double few = 1.125 * most_serial_tiles * scalar->instances_per_block * bytes_of(*scalar);
    s.cached.probes.push_back(cached_probe(*s.kernels.transfers, *scalar, "start-up", few));
    for (const fusion::Candidate& kernel : moving) {
        s.cached.probes.push_back(cached_probe(*s.kernels.transfers, kernel, "transfers", cached_bytes(kernel, s.machine)));
    }
}

/// Each routine few times and many, and so where its calls wait for each other.
void add_routines(HostSession& s) {
    constexpr int few = 4, many = 16;
    constexpr int few_in_turn = 96, many_in_turn = 288;                // so long that a processor's window has no other tile beside
    constexpr double fewer = static_cast<double>(many) / many_in_turn; // elements, as each has so many calls
    s.cached.routines = s.cached.probes.size();
    for (const HostProbe& routine : s.kernels.routines) {
        const auto add = [&](int times, bool chained) {
            HostProbe& probe = s.cached.probes.emplace_back(routine);
            probe.unit.repeated = times;
            probe.unit.chained = chained;
            if (chained) {
                probe.unit.elements = share_of_tiles(routine, fewer, s.machine.cores);
            }
        };
        s.cached.firsts.push_back(s.cached.probes.size());
        add(few, false);
        add(many, false);
        if (codegen::can_chain(routine.unit.unit.kernels.front())) {
            add(few_in_turn, true);
            add(many_in_turn, true);
        }
    }
}

void add_chains(HostSession& s) {
    s.cached.chains = s.cached.probes.size();
    for (const FusedKernel& each : s.kernels.fused) {
        if (each.group == chain_group) {
            s.cached.probes.push_back(cached_probe(*each.compilation, each.kernel, each.group, cached_bytes(each.kernel, s.machine)));
        }
    }
}

void take_transfers(HostSession& s) {
    const std::vector<HostProbe>& probes = s.cached.probes;
    const std::vector<execute::UnitTimes>& times = s.cached.times;
    s.timer.launch_seconds = times.front().undisturbed();
    s.set("speed.launch", s.timer.launch_seconds / 1e-6, "us", 1, spread(times.front().seconds),
        "a parallel loop over " + std::to_string(probes.front().unit.elements) + " floats in cache");
    double fastest = 0, fastest_spread = 0;
    for (std::size_t i = 1; i < s.cached.routines; ++i) {
        const double time = s.timer.ns_of(probes[i], times[i]);
        const auto accesses = transfers_of(probes[i].candidate);
        for (const fusion::GlobalAccess& access : accesses) {
            const auto lists = static_cast<double>(accesses.size());
            s.set_time(perfmodel::cached_transfer(access), time / lists, s.timer.uncertain_ns(probes[i], times[i]) / lists);
        }
        if (const double rate = bytes_of(probes[i].candidate) / std::max(time, 1e-6); rate > fastest) {
            fastest = rate;
            fastest_spread = spread(times[i].seconds);
        }
    }
    s.set("speed.l2", fastest, "GB/s", static_cast<int>(s.cached.routines - 1), fastest_spread, "lists moved in cache, the fastest size");
}

/// What a repetition adds, from the probe and the one behind it, and by how much that may be off.
/// Where it does not wait, of all of the routine: of a call whose operands are one value, compilers leave a part.
std::pair<double, double> time_of_one(const HostSession& s, std::size_t i) {
    const HostProbe &less = s.cached.probes[i], &more = s.cached.probes[i + 1];
    const execute::UnitTimes &of_less = s.cached.times[i], &of_more = s.cached.times[i + 1];
    const double share = less.unit.chained ? 1 : computing_steps(less.candidate).front()->alone;
    const double repetitions = share * (more.unit.repeated - less.unit.repeated);
    const double time = s.timer.ns_of(more, of_more) - s.timer.ns_of(less, of_less);
    const double off = s.timer.uncertain_ns(more, of_more) + s.timer.uncertain_ns(less, of_less);
    return {time / repetitions, off / repetitions};
}

void take_routines(HostSession& s) {
    const perfmodel::Field& possible = *perfmodel::find_field("speed.issue_slots", fusion::Target::host);
    std::vector<double> rates;
    for (const std::size_t i : s.cached.firsts) {
        const auto [time, off] = time_of_one(s, i);
        const fusion::Candidate& candidate = s.cached.probes[i].candidate;
        const fusion::WorkStep& step = *computing_steps(candidate).front();
        const double lanes = static_cast<double>(s.machine.vector_bytes) / fusec::bytes_of(candidate.work.precision);
        const double rate = time <= 0 ? 0 : step.instructions / lanes / (time * s.machine.clock_ghz * s.machine.cores);
        const double least = step.arithmetic.flops / lanes / (most_flops * s.machine.clock_ghz * s.machine.cores);
        const bool hidden = time <= 0 || rate > most_issued || time < least;
        if (hidden) {
            s.made.hidden.push_back(*step.routine);
            continue;
        }
        s.set_time(*step.routine, time, off);
        rates.push_back(rate);
        if (i + 2 < s.cached.chains && s.cached.probes[i + 2].unit.chained) { // no call is over sooner where it waits
            const auto [in_turn, uncertain] = time_of_one(s, i + 2);
            const double alone = step.alone * time;
            s.set_time(*step.routine + perfmodel::in_chain, std::max(alone, in_turn), in_turn > alone ? uncertain : step.alone * off);
        }
    }
    // A routine that something disturbed for its whole time issues next to nothing.
    const std::size_t disturbed = std::erase_if(rates, [&](double rate) { return rate < possible.least; });
    if (disturbed != 0) {
        s.made.notes.push_back(counted(disturbed, "routine") + " took a time that cannot be, and did not count for `speed.issue_slots`" +
            (rates.empty() ? ", which stays that of the description" : ""));
    }
    if (!rates.empty()) {
        s.set("speed.issue_slots", median(rates), "instructions per clock", static_cast<int>(rates.size()), spread(rates),
            "what routines are estimated to issue over the time that they take, the median");
    }
}

/// After lists and routines, of whose times the chains' are made. False after a report.
bool take_overlap(HostSession& s) {
    const auto device = device_so_far(s.made.calibration, s.diagnostics);
    if (!device) {
        return false;
    }
    std::vector<perfmodel::OverlappedTime> times;
    for (std::size_t i = s.cached.chains; i < s.cached.probes.size(); ++i) {
        const perfmodel::HostCompute alone = perfmodel::host_compute(*device, s.cached.probes[i].candidate.work, false);
        times.push_back({alone.transfers_ns, alone.routines_ns, s.timer.ns_of(s.cached.probes[i], s.cached.times[i])});
    }
    const auto found = perfmodel::fit_overlap(times);
    if (const std::size_t counting = found ? static_cast<std::size_t>(found->points) : 0; counting < times.size()) {
        s.made.notes.push_back(counted(times.size() - counting, "chain") +
            " of products took a time that cannot be, and did not count for `compute.overlap`" +
            (found ? "" : ", which is not set: transfers and routines are taken to follow each other"));
    }
    if (found) {
        const bool at_bound = found->exponent <= 1 || found->exponent >= perfmodel::greatest_overlap;
        s.set("compute.overlap", found->exponent, "exponent", found->points, found->error,
            std::string("products of matrices in chains, on lists in cache") + (at_bound ? ", at the end of the search" : ""));
        if (at_bound) {
            s.diagnostics
                .report(kind::poor_fit, {},
                    fmt::format("`compute.overlap` at {:.6g} (searched: 1 to {:.6g}): the search for it ended at a bound", found->exponent,
                        perfmodel::greatest_overlap))
                .hint = found->exponent <= 1
                ? "transfers and routines followed each other, or took longer together than one after the other"
                : "the longer of transfers and routines hid the other";
        }
    }
    return true;
}

} // namespace

bool time_in_cache(HostSession& s) {
    if (s.cached.probes.empty()) {
        add_transfers(s);
        add_routines(s);
        add_chains(s);
    }
    const std::size_t before = s.cached.times.empty() ? 0 : s.cached.times.front().seconds.size();
    for (std::size_t i = 0; i < s.cached.times.size(); ++i) { // samples of both halves are alike
        s.cached.probes[i].unit.launches = s.cached.times[i].launches;
    }
    auto times = s.timer.time(s.cached.probes, 0.5, 5, before);
    if (!times) {
        return false;
    }
    for (std::size_t i = 0; i < s.cached.times.size(); ++i) {
        times->at(i).add(s.cached.times[i]);
    }
    s.cached.times = std::move(*times);
    return true;
}

bool take_in_cache(HostSession& s) {
    take_transfers(s);
    take_routines(s);
    return take_overlap(s);
}

} // namespace fusec::cli
