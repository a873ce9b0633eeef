// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_routines.hpp"

#include "perfmodel/fit/least_time.hpp"
#include "perfmodel/fit/transfer_times.hpp"
#include "support/counted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace fusec::perfmodel {

using fusion::GlobalAccess;

namespace {

constexpr double ns = 1e-9;

/// Of a kernel, per element.
double ns_per_element(const ProbeRow& row, double seconds) {
    return std::max(0.0, seconds) / row.number("elements") / ns;
}

class Tables {
public:
    Tables(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics)
        : measured_(measured), device_(device), diagnostics_(diagnostics) {}

    std::optional<GpuRoutines> all() {
        for (const ProbeRow* row : measured_.of("kernel")) {
            const std::string& role = row->text("role");
            if (role == "routine") {
                repeated(*row);
            } else if (role == "transfer" && row->texts.contains("counted")) {
                counted_before_.insert(row->text("name"));
            } else if (role == "transfer") {
                moved(*row);
            }
        }
        for (const auto& [place, waiting] : first_) {
            fail(*waiting, "without the time of another number of repetitions");
        }
        GpuRoutines result;
        divide(result);
        for (const auto& [name, cells] : cells_) {
            add_table(name, cells, result);
        }
        if (!counted_before_.empty()) {
            result.left_out.push_back(fmt::format("{} measured with names of earlier counts, by which no kernel is found now: `{}`",
                counted_before_.size() == 1 ? "a transfer was" : fmt::format("{} transfers were", counted_before_.size()),
                fmt::join(counted_before_, "`, `")));
        }
        result.remap = remap();
        return wrong_ ? std::nullopt : std::optional(std::move(result));
    }

private:
    /// Shared memory that nobody uses, elements of a block.
    using Place = std::pair<double, double>;
    struct Cell {
        double time = 0;                ///< ns per element
        double shared_bytes = 0;        ///< of an element
        std::optional<double> residual; ///< of a routine
        double least = 0;               ///< ns per element: what its arithmetic takes
        const ProbeRow* row = nullptr;

        bool unresolved() const { return residual && !(*residual <= most_residual); }
        bool too_fast() const { return time < least; }
        bool refused() const { return unresolved() || too_fast(); }
    };
    using Cells = std::map<Place, Cell>;

    void fail(const ProbeRow& row, const std::string& message) {
        diagnostics_.report(kind::invalid_measurement, row.span, fmt::format("`{}`: {}", row.text("name"), message));
        wrong_ = true;
    }
    static Place place_of(const ProbeRow& row) { return {row.number("extra_shared"), row.work->elements_per_block}; }

    void set(const ProbeRow& row, double time, std::optional<double> residual = std::nullopt, double least = 0) {
        const double own = static_cast<double>(row.work->shared_bytes) / row.work->elements_per_block;
        if (!cells_[row.text("name")].try_emplace(place_of(row), Cell{time, own, residual, least, &row}).second) {
            fail(row, "measured twice in blocks of this size with this shared memory");
        }
    }

    void repeated(const ProbeRow& row) {
        std::set<std::string> computed;
        for (const fusion::WorkStep& step : row.work->steps) {
            if (const auto routine = compute_routine(step)) {
                computed.insert(*routine);
            }
        }
        if (computed != std::set{row.text("name")}) {
            return fail(row, "not the one routine of the kernel that was measured");
        }
        const auto key = std::pair(row.text("name"), place_of(row));
        const auto other = first_.find(key);
        if (other == first_.end()) {
            first_.emplace(key, &row);
            return;
        }
        const bool ascending = other->second->number("repetitions") < row.number("repetitions");
        const ProbeRow &few = ascending ? *other->second : row, &many = ascending ? row : *other->second;
        const double more = many.number("repetitions") - few.number("repetitions");
        if (more == 0 || few.number("elements") != many.number("elements")) {
            return fail(row, "measured twice with one number of repetitions, or for two numbers of elements");
        }
        const double time = ns_per_element(row, (many.number("seconds") - few.number("seconds")) / more);
        const double of_all = ns_per_element(row, many.number("seconds") / many.number("repetitions"));
        const double clock = std::max(few.number("clock_ghz"), many.number("clock_ghz"));
        set(row, time, std::abs(of_all - time) / time, least_compute_ns(*row.work, device_, clock));
        first_.erase(other);
    }

    void moved(const ProbeRow& row) {
        MovingKernel kernel{{}, ns_per_element(row, row.number("seconds"))};
        std::vector<std::size_t> strided; // loads
        double others = 0, of_strided = 0;
        bool has = false;
        for (const fusion::WorkStep& step : row.work->steps) {
            for (const GlobalAccess& access : step.accesses) {
                if (access.addressing == fusion::Addressing::broadcast) {
                    continue;
                }
                constexpr int sector = 32; // bytes
                const double peak = access.store ? device_.write.peak_gb_per_s : device_.read.peak_gb_per_s;
                const double bytes = access.count * access.bytes / peak, sectors = access.sectors * sector / peak;
                const MovingKernel::List list{transfer_routine(access), std::min(bytes, sectors), sectors};
                has = has || list.transfer == row.text("name");
                const bool is_strided_load = !access.store && access.addressing == fusion::Addressing::strided;
                (is_strided_load ? of_strided : others) += list.least_ns;
                if (is_strided_load) {
                    strided.push_back(kernel.lists.size());
                }
                kernel.lists.push_back(list);
            }
        }
        if (!has) {
            return fail(row, "no transfer of the kernel that was measured");
        }
        if (kernel.ns <= 0 || std::ranges::any_of(kernel.lists, [](const auto& list) { return list.peak_ns <= 0; })) {
            return fail(row, "a list that asks for no sector, or no time");
        }
        for (const std::size_t i : strided) { // bytes that threads share are counted for each of them
            kernel.lists[i].least_ns *= std::clamp((kernel.ns - others) / of_strided, 0.0, 1.0);
        }
        auto& [kernels, rows] = moving_[{row.work->elements_per_block, row.number("resident")}];
        kernels.push_back(std::move(kernel));
        rows.push_back(&row);
    }

    void divide(GpuRoutines& result) {
        std::size_t measured = 0, alone = 0, contrary = 0;
        double worst = 0;
        std::string worst_name;
        for (const auto& [place, moving] : moving_) {
            const auto& [kernels, rows] = moving;
            const TransferTimes times = transfer_times(kernels);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::string& name = rows[i]->text("name");
                set(*rows[i], times.ns.at(name));
                ++measured;
                alone += times.alone[i] ? 1U : 0U;
                const double off = std::abs(times.sums[i] / kernels[i].ns - 1);
                contrary += off > most_residual ? 1U : 0U;
                if (off > worst) {
                    worst = off;
                    worst_name = name;
                }
            }
        }
        if (alone > 0) {
            result.divided.push_back(
                fmt::format("of {} of transfers, {} {} of kernels whose lists no other kernel moves beside others: bandwidths alone divide "
                            "their times",
                    counted(measured, "row"), alone, alone == 1 ? "is" : "are"));
        }
        if (contrary > 0) {
            result.divided.push_back(
                fmt::format("of {} of transfers, {} {} more than {:g} % from what the lists take by all of them, at most {:.0f} % (`{}`)",
                    counted(measured, "row"), contrary, contrary == 1 ? "is" : "are", 100 * most_residual, 100 * worst, worst_name));
        }
    }

    void add_table(const std::string& name, const Cells& cells, GpuRoutines& result) {
        std::set<double> extra, blocks;
        for (const auto& [place, cell] : cells) {
            extra.insert(place.first);
            blocks.insert(place.second);
        }
        for (const double bytes : extra) {
            for (const double block : blocks) {
                if (!cells.contains({bytes, block})) {
                    return fail(*cells.begin()->second.row,
                        fmt::format("not measured in blocks of {:g} elements with {:g} bytes that nobody uses", block, bytes));
                }
            }
        }
        drop_refused(cells, extra, blocks);
        if (extra.size() * blocks.size() < cells.size()) {
            result.left_out.push_back(why_left_out(name, cells, extra, blocks));
        }
        if (extra.empty()) {
            return;
        }
        RoutineTimes::Routine& made = result.routines[name];
        made.extra_shared.assign(extra.begin(), extra.end());
        made.block_size.assign(blocks.begin(), blocks.end());
        for (const auto& [place, cell] : cells) { // in the order of the table
            if (extra.contains(place.first) && blocks.contains(place.second)) {
                made.shared_bytes = std::max(made.shared_bytes, cell.shared_bytes);
                made.ns.push_back(cell.time);
                made.residual = std::max(made.residual, cell.residual);
            }
        }
    }

    /// Of the rows and columns of the table the one with the greatest share of refused cells, again and again until no cell is refused; of equal ones
    /// the column, and the first.
    static void drop_refused(const Cells& cells, std::set<double>& extra, std::set<double>& blocks) {
        const auto refused = [&](double bytes, double block) { return cells.at({bytes, block}).refused() ? 1.0 : 0.0; };
        while (true) {
            double worst = 0;
            std::optional<double> row, column;
            for (const double block : blocks) {
                double share = 0;
                for (const double bytes : extra) {
                    share += refused(bytes, block) / static_cast<double>(extra.size());
                }
                if (share > worst) {
                    worst = share;
                    column = block;
                }
            }
            for (const double bytes : extra) {
                double share = 0;
                for (const double block : blocks) {
                    share += refused(bytes, block) / static_cast<double>(blocks.size());
                }
                if (share > worst) {
                    worst = share;
                    row = bytes;
                }
            }
            if (row) {
                extra.erase(*row);
            } else if (column) {
                blocks.erase(*column);
            } else {
                break;
            }
            if (extra.empty() || blocks.empty()) {
                extra.clear();
                blocks.clear();
                break;
            }
        }
    }

    static std::string why_left_out(
        const std::string& name, const Cells& cells, const std::set<double>& extra, const std::set<double>& blocks) {
        std::size_t unresolved = 0, too_fast = 0;
        double least = 1;
        for (const auto& [place, cell] : cells) {
            unresolved += cell.unresolved() ? 1U : 0U;
            if (cell.too_fast()) {
                ++too_fast;
                least = std::min(least, cell.time / cell.least);
            }
        }
        std::string text = extra.empty() ? fmt::format("`{}` has no time", name)
                                         : fmt::format("`{}` has times in blocks of {:g} elements beside {:g} bytes alone", name,
                                               fmt::join(blocks, ", "), fmt::join(extra, ", "));
        text += fmt::format(": of {}", counted(cells.size(), "cell"));
        if (unresolved > 0) {
            text += fmt::format(", {} {} not tell the routine from what is around it", unresolved, unresolved == 1 ? "does" : "do");
        }
        if (too_fast > 0) {
            text += fmt::format(", {} {} less than the arithmetic takes at the peak rate, down to {:.2g} of it", too_fast,
                too_fast == 1 ? "is" : "are", least);
        }
        return text;
    }

    std::optional<CalibratedFigure> remap() {
        std::vector<double> with, without;
        for (const ProbeRow* row : measured_.of("kernel")) {
            if (row->text("role") != "remap") {
                continue;
            }
            if (row->work->remaps > 1) {
                fail(*row, "changes its threads more than once");
            }
            (row->work->remaps == 1 ? with : without).push_back(ns_per_element(*row, row->number("seconds")));
        }
        if (with.size() != 2 || without.size() != 2) { // of a run that is not all there: no figure, and the import says so
            return std::nullopt;
        }
        const double more = (with[0] + with[1] - without[0] - without[1]) / 2;
        return CalibratedFigure{"benchmark.remap", std::max(0.0, more), "ns per element", 4, 0,
            more < 0 ? "pairs of calls that change their threads take no longer than pairs that do not"
                     : "what pairs of calls that change their threads take more than pairs that do not"};
    }

    const GpuMeasurements& measured_;
    const Device& device_;
    Diagnostics& diagnostics_;
    std::set<std::string> counted_before_; ///< transfers
    /// Transfers, by elements of a block and resident blocks.
    std::map<std::pair<double, double>, std::pair<std::vector<MovingKernel>, std::vector<const ProbeRow*>>> moving_;
    std::map<std::string, Cells> cells_;                             ///< by routine or transfer
    std::map<std::pair<std::string, Place>, const ProbeRow*> first_; ///< rows that wait for the other number of repetitions
    bool wrong_ = false;
};

} // namespace

std::optional<GpuRoutines> routines_of(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics) {
    return Tables(measured, device, diagnostics).all();
}

} // namespace fusec::perfmodel
