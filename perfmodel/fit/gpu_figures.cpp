// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_figures.hpp"

#include "perfmodel/device_figures.hpp"
#include "perfmodel/fit/gpu_functions.hpp"
#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/staircase.hpp"
#include "perfmodel/wave_predictor.hpp"
#include "support/counted.hpp"
#include "support/median.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace fusec::perfmodel {

namespace {

constexpr double warp = 32;

/// The line y = a + b x that is not negative: through the points' mean where b would be, through the origin where a would be.
wave::LaunchLine line_from_zero(const std::vector<wave::EmptyKernel>& points) {
    wave::LaunchLine line = wave::fit_launch(points);
    double y = 0, xx = 0, xy = 0;
    for (const wave::EmptyKernel& each : points) {
        y += each.time;
        xx += each.grid_size * each.grid_size;
        xy += each.grid_size * each.time;
    }
    if (line.x1 < 0) {
        line = {0, std::max(0.0, y / static_cast<double>(points.size()))};
    } else if (line.x2 < 0) {
        line = {std::max(0.0, xy / xx), 0};
    }
    return line;
}

class Figures {
public:
    Figures(const GpuMeasurements& measured, const fusion::DeviceLimits& limits) : measured_(measured), limits_(limits) {}

    MeasuredFigures all() {
        clock();
        latencies();
        rates();
        shared_memory();
        barriers();
        launches();
        cache();
        strides();
        stairs();
        return {std::move(found_), std::move(impossible_)};
    }

private:
    using Rows = std::vector<const ProbeRow*>;
    using Condition = std::function<bool(const ProbeRow&)>;

    /// With `residual`, the mean relative deviation of what the value was made from. Values that the figure cannot have are none.
    void set(const std::string& key, double value, std::size_t points, double residual, const std::string& how) {
        const Field* field = find_field(key, fusion::Target::cuda);
        if (points == 0 || field == nullptr) {
            return;
        }
        if (std::isnan(value)) {
            impossible_.push_back(fmt::format("`{}` cannot be computed from what was measured", key));
        } else if (value < field->least || value > field->most) {
            impossible_.push_back(fmt::format("`{}` was measured as {:.6g} {}, which it cannot be", key, value, field->unit));
        } else {
            std::erase_if(found_, [&](const CalibratedFigure& each) { return each.key == key; });
            found_.push_back({key, value, field->unit, static_cast<int>(points), residual, how});
        }
    }
    Rows rows(std::string_view probe, const Condition& condition) const {
        Rows chosen = measured_.of(probe);
        std::erase_if(chosen, [&](const ProbeRow* row) { return !condition(*row); });
        return chosen;
    }

    void clock() {
        Rows streams = measured_.of("stream");
        const bool under_load = std::ranges::any_of(streams, &ProbeRow::has_clock_under_load);
        if (under_load) {
            std::erase_if(streams, [](const ProbeRow* row) { return !row->has_clock_under_load(); });
        }
        std::vector<double> clocks;
        for (const ProbeRow* row : streams) {
            clocks.push_back(row->number("clock_ghz"));
        }
        if (!clocks.empty()) {
            const double middle = median(clocks);
            double off = 0; // mean relative deviation
            for (const double each : clocks) {
                off += std::abs(each / middle - 1) / static_cast<double>(clocks.size());
            }
            set("speed.clock", middle, clocks.size(), off,
                fmt::format("clocks of a multiprocessor per nanosecond of the GPU's timer {} each stream, the median",
                    under_load ? "during" : "behind"));
        }
    }

    void latencies() {
        const Rows chases = rows("chase", [](const ProbeRow& row) { return row.text("space") == "global"; });
        const auto farthest = std::max_element(
            chases.begin(), chases.end(), [](const ProbeRow* a, const ProbeRow* b) { return a->number("bytes") < b->number("bytes"); });
        if (farthest != chases.end() && (*farthest)->number("bytes") >= 2 * measured_.l2_bytes) {
            set("speed.dram_latency", (*farthest)->number("cycles") / (*farthest)->number("clock_ghz"), 1, 0,
                "a warp that follows pointers through more than L2 holds");
        }
        std::vector<double> l1, l2;
        for (const ProbeRow* row : chases) {
            const double bytes = row->number("bytes");
            if (bytes <= 16384) {
                l1.push_back(row->number("cycles"));
            } else if (bytes >= 1048576 && bytes <= 0.5 * measured_.l2_bytes) {
                l2.push_back(row->number("cycles"));
            }
        }
        if (!l1.empty()) {
            set("latency.l1", median(l1), l1.size(), 0, "pointers within 16 KiB");
        }
        if (!l2.empty()) {
            set("latency.l2", median(l2), l2.size(), 0, "pointers within 1 MiB to half of L2");
        }
        for (const ProbeRow* row : rows("chase", [](const ProbeRow& each) { return each.text("space") == "shared"; })) {
            set("speed.shared_latency", row->number("cycles"), 1, 0, "indices within shared memory");
        }
        for (const auto& [key, operation] : {std::pair("latency.arithmetic_f32", "fma_f32"), {"latency.arithmetic_f64", "fma_f64"},
                 {"latency.integer", "add_i32"}, {"latency.special", "reciprocal_root"}}) {
            for (const ProbeRow* row : rows("pipe", [&](const ProbeRow& each) {
                     return each.text("operation") == operation && each.number("independent") == 1 && each.number("warps") == 1;
                 })) {
                set(key, row->number("cycles"), 1, 0, std::string("one warp, one chain of ") + operation);
            }
        }
    }

    double rate_of(std::string_view operation) const { return pipe_rate(measured_, operation); }

    void rates() {
        for (const auto& [key, operation] :
            {std::pair("speed.fma_f32", "fma_f32"), {"speed.fma_f64", "fma_f64"}, {"wave.integer_rate", "add_i32"}}) {
            if (const double rate = rate_of(operation); rate > 0) {
                set(key, rate, 1, 0, std::string("many chains of ") + operation + ", the best of warps and chains");
            }
        }
        std::vector<double> special;
        for (const char* operation : {"reciprocal_root", "exponential_2", "logarithm_2", "sine", "reciprocal"}) {
            if (const double rate = rate_of(operation); rate > 0) {
                special.push_back(rate);
            }
        }
        if (!special.empty()) {
            static constexpr const char* numbers[] = {
                "one function", "two functions", "three functions", "four functions", "five functions"};
            set("speed.special", median(special), special.size(), 0,
                fmt::format("many chains of special functions, the median of {}", numbers[special.size() - 1]));
        }
        std::vector<double> issued;
        for (const ProbeRow* row : measured_.of("pair")) {
            issued.push_back(2 * row->number("warps") / row->number("cycles"));
        }
        for (const char* operation : {"fma_f32", "add_f32", "mul_f32"}) {
            if (const double rate = rate_of(operation); rate > 0) {
                issued.push_back(rate / warp);
            }
        }
        constexpr double most = 4.2; // four schedulers: beyond, the compiler has left operations out
        std::erase_if(issued, [](double rate) { return rate > most; });
        if (!issued.empty()) {
            set("speed.issue_slots", *std::max_element(issued.begin(), issued.end()), issued.size(), 0,
                "instructions of warps per clock, the most of single operations and pairs");
        }
    }

    void shared_memory() {
        for (const ProbeRow* row : rows("shared", [](const ProbeRow& each) {
                 return each.text("way") == "load" && each.number("word") == 4 && each.number("stride") == warp;
             })) {
            set("speed.shared_wavefronts", warp / row->number("cycles"), 1, 0,
                "loads of which all words of a warp lie in one bank, 32 passes each");
        }
    }

    /// A line over the warps of a block that is alone on its multiprocessor: what others there do is priced as overlap.
    void barriers() {
        std::vector<wave::EmptyKernel> alone; // cycles over the warps
        for (const ProbeRow* row : rows("barrier", [](const ProbeRow& each) { return each.number("resident") == 1; })) {
            alone.push_back({row->number("warps"), row->number("cycles")});
        }
        const auto [least, most] = std::ranges::minmax_element(alone, {}, &wave::EmptyKernel::grid_size);
        if (alone.empty() || least->grid_size == most->grid_size) {
            return;
        }
        const wave::LaunchLine line = line_from_zero(alone);
        double off = 0;
        for (const wave::EmptyKernel& each : alone) {
            off += std::abs(line.at(each.grid_size) / each.time - 1) / static_cast<double>(alone.size());
        }
        const char* const how = "barriers of a block alone on its multiprocessor over its warps, a line of least squares";
        set("speed.barrier", line.x2, alone.size(), off, how);
        set("speed.barrier_per_warp", line.x1, alone.size(), off, how);
    }

    /// Read and written bytes over the time beyond the overhead of a launch (where that is not known, of the least volume), of volumes that take twice
    /// as long as the least or longer: what is over sooner hides behind the launches, which a processor may issue more slowly than the GPU executes
    /// them (an H200: 3.3 us for up to 8 MB).
    void cache() {
        set("speed.l2_bytes", measured_.l2_bytes, 1, 0, "what the driver says");
        double best = 0;
        std::size_t points = 0;
        const Rows warm = rows("volume", [&](const ProbeRow& row) { return row.text("cache") == "warm"; });
        const auto least = std::min_element(
            warm.begin(), warm.end(), [](const ProbeRow* a, const ProbeRow* b) { return a->number("elements") < b->number("elements"); });
        for (const ProbeRow* row : warm) {
            const double bytes = 16 * row->number("elements"), of_least = (*least)->number("seconds");
            if (bytes >= 0.1 * measured_.l2_bytes && bytes <= 0.5 * measured_.l2_bytes && row->number("seconds") >= 2 * of_least) {
                best = std::max(best,
                    launch_overhead_ ? bytes / (row->number("seconds") - *launch_overhead_) * 1e-9
                                     : (bytes - 16 * (*least)->number("elements")) / (row->number("seconds") - of_least) * 1e-9);
                ++points;
            }
        }
        if (points > 0) {
            set("speed.l2", best, points, 0,
                "scaling lists that L2 has from the launch before, the best of volumes up to half of it, the overhead of a launch "
                "subtracted");
        }
    }

    void launches() {
        const Rows streamed = rows("launch", [](const ProbeRow& row) { return row.text("mode") == "stream"; });
        if (streamed.empty()) {
            return;
        }
        std::vector<double> seconds, threads;
        double start = streamed.front()->number("seconds");
        for (const ProbeRow* row : streamed) {
            start = start_ = std::min(start, row->number("seconds"));
            seconds.push_back(row->number("seconds"));
            threads.push_back(row->number("blocks") * row->number("threads"));
        }
        set("speed.launch", start * 1e6, streamed.size(), 0, "empty kernels queued in a stream, the least");
        set("pipeline.launch", start * 1e6, streamed.size(), 0, "empty kernels queued in a stream, the least");
        const auto deviation = [&](const std::function<double(std::size_t)>& law) {
            double sum = 0;
            for (std::size_t i = 0; i < seconds.size(); ++i) {
                sum += std::abs(law(i) / seconds[i] - 1);
            }
            return sum / static_cast<double>(seconds.size());
        };
        double along = 0, squares = 0; // the law of its source has threads alone
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            const double weight = 1 / (seconds[i] * seconds[i]);
            along += weight * threads[i] * (seconds[i] - start);
            squares += weight * threads[i] * threads[i];
        }
        const double per_thread = along / squares;
        set("pipeline.launch_per_thread", per_thread * 1e12, streamed.size(),
            deviation([&](std::size_t i) { return start + per_thread * threads[i]; }),
            "empty kernels over their threads, least squares of relative deviations");
        launches_by_warps(streamed);
        dispatch(streamed);
        for (const ProbeRow* row : rows("stream", [](const ProbeRow& each) {
                 return each.text("kernel") == "init" && each.number("resident") == 1 && each.number("block") == warp;
             })) {
            const double of_multiprocessor = std::ceil(row->number("elements") / row->number("block")) / measured_.multiprocessors;
            set("speed.block_turnaround", row->number("seconds") / of_multiprocessor * 1e9, 1, 0,
                "blocks of one warp and one store, one at a time on each multiprocessor");
        }
    }

    /// From the launches with the most blocks, of each size of block: how much longer they take than those with a tenth of them, or fewer. What
    /// the fewest blocks that do not hide behind the launches of the queue take beyond that is the overhead of a launch.
    void dispatch(const Rows& streamed) {
        std::map<double, std::map<double, double>> seconds; // by threads and blocks
        for (const ProbeRow* row : streamed) {
            seconds[row->number("threads")][row->number("blocks")] = row->number("seconds");
        }
        std::optional<double> least; // larger blocks may have to wait for warps
        std::vector<double> overheads;
        for (const auto& [threads, by_blocks] : seconds) {
            const auto most = std::prev(by_blocks.end());
            auto fewer = by_blocks.upper_bound(most->first / 10);
            if (fewer == by_blocks.begin() || most->second < 10 * start_) { // what is over sooner hides behind the launch
                continue;
            }
            --fewer;
            const double of_block = (most->second - fewer->second) / (most->first - fewer->first);
            least = std::min(least.value_or(of_block), of_block);
            const auto visible = std::ranges::find_if(by_blocks, [&](const auto& each) { return each.second >= 1.5 * start_; });
            overheads.push_back(visible->second - visible->first * of_block);
        }
        if (!overheads.empty() && median(overheads) > 0) {
            launch_overhead_ = std::min(median(overheads), start_);
            set("speed.launch_overhead", *launch_overhead_ * 1e6, overheads.size(), 0,
                "empty kernels of the fewest blocks that do not hide behind the launches of the queue, less the handing out of these, the "
                "median");
        }
        if (least) {
            set("speed.block_dispatch", *least * 1e9, 2, 0,
                "empty kernels of the most blocks and of a tenth of them, the size of block that is handed out fastest");
        }
    }

    /// The source's law: for each size of block a line over the blocks, x1 gridSize + x2; and, for devices of which only figures are fitted, x1 as a
    /// line over the warps of a block, whose residual is that of start + gridSize (per block + per warp times warps).
    void launches_by_warps(const Rows& streamed) {
        std::map<double, std::vector<wave::EmptyKernel>> by_warps;
        for (const ProbeRow* row : streamed) {
            by_warps[std::ceil(row->number("threads") / warp)].push_back({row->number("blocks"), row->number("seconds")});
        }
        std::erase_if(by_warps, [](const auto& each) {
            const auto [least, most] = std::ranges::minmax_element(each.second, {}, &wave::EmptyKernel::grid_size);
            return least->grid_size == most->grid_size;
        });
        std::vector<wave::EmptyKernel> slopes; // x1 over the warps
        std::size_t points = 0;
        for (const auto& [warps, kernels] : by_warps) {
            slopes.push_back({warps, wave::fit_launch(kernels).x1});
            points += kernels.size();
        }
        if (slopes.size() < 2) {
            return;
        }
        launch_lines(by_warps);
        const wave::LaunchLine of_warps = line_from_zero(slopes);
        double off = 0;
        for (const auto& [warps, kernels] : by_warps) {
            const wave::LaunchLine used{of_warps.at(warps), start_};
            for (const wave::EmptyKernel& each : kernels) {
                off += std::abs(used.at(each.grid_size) / each.time - 1) / static_cast<double>(points);
            }
        }
        const char* const how =
            "empty kernels over their blocks, a line of least squares for each size of block, and the slopes over the warps";
        set("wave.launch_per_block", of_warps.x2 * 1e9, points, off, how);
        set("wave.launch_per_warp", of_warps.x1 * 1e9, points, off, how);
    }

    /// Where all sizes of block are there that the probes launch, and each has a line that can be: half of them is no calibration.
    void launch_lines(const std::map<double, std::vector<wave::EmptyKernel>>& by_warps) {
        const auto possible = [&](int warps) {
            const auto kernels = by_warps.find(warps);
            const auto line = kernels == by_warps.end() ? wave::LaunchLine{-1, -1} : line_from_zero(kernels->second);
            return find_field("wave.launch_x1_1", fusion::Target::cuda)->possible(line.x1 * 1e9) &&
                find_field("wave.launch_x2_1", fusion::Target::cuda)->possible(line.x2 * 1e6);
        };
        if (!std::ranges::all_of(launched_warps, possible)) {
            return;
        }
        for (const int warps : launched_warps) {
            const std::vector<wave::EmptyKernel>& kernels = by_warps.at(warps);
            const wave::LaunchLine line = line_from_zero(kernels);
            double off = 0;
            for (const wave::EmptyKernel& each : kernels) {
                off += std::abs(line.at(each.grid_size) / each.time - 1) / static_cast<double>(kernels.size());
            }
            const std::string how = fmt::format(
                "empty kernels in blocks of {} over their blocks, least squares", counted(static_cast<std::size_t>(warps), "warp"));
            set(fmt::format("wave.launch_x1_{}", warps), line.x1 * 1e9, kernels.size(), off, how);
            set(fmt::format("wave.launch_x2_{}", warps), line.x2 * 1e6, kernels.size(), off, how);
        }
    }

    void strides() {
        for (const ProbeRow* row :
            rows("stride", [](const ProbeRow& each) { return each.text("level") == "dram" && each.number("stride") == warp; })) {
            const double words = row->number("words"), seconds = row->number("seconds") - overhead();
            if (seconds <= 0) {
                continue;
            }
            set("wave.uncoalesced_band", 4 * words / seconds * 1e-9, 1, 0, "floats read from memory, 128 bytes apart");
            set("hong-kim.departure_uncoalesced", seconds * row->number("clock_ghz") * 1e9 * measured_.multiprocessors / words, 1, 0,
                "clocks of a multiprocessor per float read from memory, 128 bytes apart");
        }
    }

    /// The predictor's inputs for a row of `overlap` whose chain is not staged; none for a row that the description does not make possible.
    std::optional<StaircaseInputs> stair_of(const ProbeRow& row) const {
        const auto number = [&](std::string_view key) { return static_cast<int>(row.number(key)); };
        const fusion::KernelWork work = overlap_work(number("fmas"), number("registers"), number("resident"), false, limits_);
        if (work.threads_per_block == 0) {
            return std::nullopt;
        }
        StaircaseInputs in = staircase_inputs(limits_, work, static_cast<std::uint64_t>(row.number("elements")), number("resident"));
        in.n_mp = measured_.multiprocessors;
        return in;
    }

    /// Two t0 of one kernel at two occupancies, as its source has it: the longest chain of FMAs, at the fewest and at the most resident blocks.
    void stairs() {
        struct Stair {
            double fmas, occupancy, t0;
        };
        std::vector<Stair> found;
        for (const ProbeRow* row : rows("overlap", [](const ProbeRow& each) { return each.text("kernel") == "chained"; })) {
            const double seconds = row->number("seconds") - overhead();
            if (const auto in = stair_of(*row); in && seconds > 0) {
                found.push_back({row->number("fmas"), in->occupancy, t0_of(seconds / staircase(*in).stairs, *in)});
            }
        }
        double most = 0;
        for (const Stair& each : found) {
            most = std::max(most, each.fmas);
        }
        std::erase_if(found, [&](const Stair& each) { return each.fmas < most; });
        const auto [low, high] =
            std::minmax_element(found.begin(), found.end(), [](const Stair& a, const Stair& b) { return a.occupancy < b.occupancy; });
        if (found.empty() || low->occupancy == high->occupancy) {
            return;
        }
        const StaircaseLine line = staircase_line(low->t0, low->occupancy, high->t0, high->occupancy);
        const double least = limits_.warp_size / static_cast<double>(limits_.threads_per_sm);
        if (std::isnan(line.ta) || std::isnan(line.tb)) {
            impossible_.push_back("`staircase.ta` and `staircase.tb` cannot be computed from what was measured");
            return;
        }
        if (line.t0(least) <= 0 || line.t0(1) <= 0) {
            impossible_.push_back(
                fmt::format("`staircase.ta` and `staircase.tb` were measured as {:.6g} and {:.6g} ps, which make t0 zero or "
                            "less at some occupancy",
                    line.ta, line.tb));
            return;
        }
        const std::string how = fmt::format("t0 of {:g} FMAs behind two loads, at the fewest and at the most resident blocks", most);
        set("staircase.ta", line.ta, 2, 0, how);
        set("staircase.tb", line.tb, 2, 0, how);
    }

    const GpuMeasurements& measured_;
    const fusion::DeviceLimits& limits_;
    std::vector<CalibratedFigure> found_;
    std::vector<std::string> impossible_;
    /// Seconds from the end of one kernel to the next; that of an empty kernel, where no more is known.
    double overhead() const { return launch_overhead_.value_or(start_); }

    double start_ = 0;                      ///< seconds of an empty kernel in a queue
    std::optional<double> launch_overhead_; ///< seconds, once launches() has found it
};

} // namespace

MeasuredFigures measured_figures(const GpuMeasurements& measured, const fusion::DeviceLimits& limits) {
    return Figures(measured, limits).all();
}

} // namespace fusec::perfmodel
