// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_routines.hpp"

#include <fmt/format.h>

#include <algorithm>
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
            } else if (role == "transfer") {
                moved(*row);
            }
        }
        for (const auto& [place, waiting] : first_) {
            fail(*waiting, "without the time of another number of repetitions");
        }
        GpuRoutines result;
        for (const auto& [name, cells] : cells_) {
            result.routines.emplace(name, table(cells));
        }
        result.remap = remap();
        return wrong_ ? std::nullopt : std::optional(std::move(result));
    }

private:
    /// Shared memory that nobody uses, elements of a block.
    using Place = std::pair<double, double>;
    struct Cell {
        double time = 0;         ///< ns per element
        double shared_bytes = 0; ///< of an element
        const ProbeRow* row = nullptr;
    };
    using Cells = std::map<Place, Cell>;

    void fail(const ProbeRow& row, const std::string& message) {
        diagnostics_.report(kind::invalid_measurement, row.span, fmt::format("`{}`: {}", row.text("name"), message));
        wrong_ = true;
    }
    static Place place_of(const ProbeRow& row) { return {row.number("extra_shared"), row.work->elements_per_block}; }

    void set(const ProbeRow& row, double time) {
        const double own = static_cast<double>(row.work->shared_bytes) / row.work->elements_per_block;
        if (!cells_[row.text("name")].try_emplace(place_of(row), Cell{time, own, &row}).second) {
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
        const ProbeRow& before = *other->second;
        const double more = row.number("repetitions") - before.number("repetitions");
        if (more == 0 || row.number("elements") != before.number("elements")) {
            return fail(row, "measured twice with one number of repetitions, or for two numbers of elements");
        }
        set(row, ns_per_element(row, (row.number("seconds") - before.number("seconds")) / more));
        first_.erase(other);
    }

    void moved(const ProbeRow& row) {
        double all = 0, wanted = 0;
        for (const fusion::WorkStep& step : row.work->steps) {
            for (const GlobalAccess& access : step.accesses) {
                if (access.addressing != fusion::Addressing::broadcast) {
                    const double peak = access.store ? device_.write.peak_gb_per_s : device_.read.peak_gb_per_s;
                    const double share = access.count * access.bytes / peak;
                    all += share;
                    wanted = transfer_routine(access) == row.text("name") ? share : wanted;
                }
            }
        }
        if (wanted <= 0) {
            return fail(row, "no transfer of the kernel that was measured");
        }
        set(row, ns_per_element(row, row.number("seconds")) * wanted / all);
    }

    RoutineTimes::Routine table(const Cells& cells) {
        std::set<double> extra, blocks;
        RoutineTimes::Routine result;
        for (const auto& [place, cell] : cells) {
            extra.insert(place.first);
            blocks.insert(place.second);
            result.shared_bytes = std::max(result.shared_bytes, cell.shared_bytes);
        }
        result.extra_shared.assign(extra.begin(), extra.end());
        result.block_size.assign(blocks.begin(), blocks.end());
        for (const double bytes : extra) {
            for (const double block : blocks) {
                const auto cell = cells.find({bytes, block});
                if (cell == cells.end()) {
                    fail(*cells.begin()->second.row,
                        fmt::format("not measured in blocks of {:g} elements with {:g} bytes that nobody uses", block, bytes));
                    return result;
                }
                result.ns.push_back(cell->second.time);
            }
        }
        return result;
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
    std::map<std::string, Cells> cells_;                             ///< by routine or transfer
    std::map<std::pair<std::string, Place>, const ProbeRow*> first_; ///< rows that wait for the other number of repetitions
    bool wrong_ = false;
};

} // namespace

std::optional<GpuRoutines> routines_of(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics) {
    return Tables(measured, device, diagnostics).all();
}

} // namespace fusec::perfmodel
