// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_points.hpp"

#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/occupancy.hpp"

#include <algorithm>
#include <string>

namespace fusec::perfmodel {

namespace {

constexpr StreamKernel stream_kernels[] = {init_kernel, read_kernel, scale_kernel, add_kernel, triad_kernel, four_kernel};

class Points {
public:
    Points(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics)
        : measured_(measured), device_(device), diagnostics_(diagnostics) {}

    std::optional<GpuPoints> all() {
        streams();
        overlap();
        widths();
        volumes();
        waves();
        scattered();
        kernels();
        if (wrong_) {
            return std::nullopt;
        }
        if (std::none_of(result_.points.begin(), result_.points.end(), [](const Point& point) { return point.role == Role::fit; })) {
            diagnostics_.report(kind::invalid_measurement, {}, "no streams among the measurements, to which figures could be fitted");
            return std::nullopt;
        }
        return std::move(result_);
    }

private:
    static int whole(const ProbeRow& row, std::string_view key) { return static_cast<int>(row.number(key)); }

    /// Null: the row is left out.
    Point* add(const ProbeRow& row, std::string kernel, fusion::KernelWork work, double elements, Role role) {
        if (work.threads_per_block == 0) {
            ++result_.left_out[row.probe];
            return nullptr;
        }
        if (resident_blocks(device_.limits, work) == 0) {
            diagnostics_.report(
                kind::invalid_measurement, row.span, "no block of this kernel fits a multiprocessor of `" + device_.name + "`");
            wrong_ = true;
            return nullptr;
        }
        const auto clock = row.numbers.find("clock_ghz");
        return &result_.points.emplace_back(Point{device_.name, std::move(kernel), std::move(work), static_cast<std::uint64_t>(elements),
            row.number("seconds"), false, role, clock == row.numbers.end() ? 0 : clock->second, row.probe});
    }

    /// One of the words that the probe writes there.
    bool is(const ProbeRow& row, std::string_view key, std::string_view wanted, std::string_view other) {
        const std::string& text = row.text(key);
        if (text != wanted && text != other) {
            diagnostics_.report(kind::invalid_measurement, row.span, "`" + row.probe + "` has no `" + text + "`");
            wrong_ = true;
        }
        return text == wanted;
    }

    void streams() {
        for (const ProbeRow* row : measured_.of("stream")) {
            const auto kernel = std::find_if(std::begin(stream_kernels), std::end(stream_kernels),
                [&](const StreamKernel& each) { return row->text("kernel") == each.name; });
            if (kernel == std::end(stream_kernels)) {
                diagnostics_.report(kind::invalid_measurement, row->span, "`stream` has no `" + row->text("kernel") + "`");
                wrong_ = true;
                continue;
            }
            add(*row, kernel->name, stream_work(*kernel, whole(*row, "block"), whole(*row, "resident"), device_.limits),
                row->number("elements"), Role::fit);
        }
    }

    void overlap() {
        const std::vector<const ProbeRow*> rows = measured_.of("overlap");
        double most = 0;
        for (const ProbeRow* row : rows) {
            most = std::max(most, row->text("kernel") == "chained" ? row->number("resident") : 0);
        }
        for (const ProbeRow* row : rows) {
            const bool staged = is(*row, "kernel", "staged", "chained");
            const double resident = row->number("resident");
            const bool fitted = !staged && (resident == most || resident == 1);
            const fusion::KernelWork work =
                overlap_work(whole(*row, "fmas"), whole(*row, "registers"), whole(*row, "resident"), staged, device_.limits);
            add(*row,
                staged       ? "staged"
                    : fitted ? "chained"
                             : "overlap",
                work, row->number("elements"), fitted ? Role::fit : Role::held_out);
        }
    }

    /// The only streams that reach what memory can give, whatever the blocks: of a double for each thread, blocks are handed out too slowly.
    void widths() {
        for (const ProbeRow* row : measured_.of("width")) {
            add(*row, "width", wide_copy_work(whole(*row, "word"), whole(*row, "loads"), whole(*row, "block"), whole(*row, "registers")),
                row->number("words") / row->number("loads"), Role::fit);
        }
    }

    void volumes() {
        const std::vector<const ProbeRow*> rows = measured_.of("volume");
        double least = 0, shortest = 0; // elements; seconds of a launch that finds its lists in L2
        for (const ProbeRow* row : rows) {
            const double seconds = row->number("seconds");
            least = least == 0 ? row->number("elements") : std::min(least, row->number("elements"));
            shortest = row->text("cache") == "warm" && (shortest == 0 || seconds < shortest) ? seconds : shortest;
        }
        for (const ProbeRow* row : rows) {
            const bool warm = is(*row, "cache", "warm", "cold");
            fusion::KernelWork work = stream_work(scale_kernel, whole(*row, "block"), 0, device_.limits);
            work.repeated = warm;
            const bool start_up = warm && row->number("elements") == least;
            const bool in_cache = warm && 16 * row->number("elements") <= 0.5 * measured_.l2_bytes;
            // What is over sooner hides behind the launches of a queue, and says nothing of L2.
            const bool visible = row->number("seconds") >= 2 * shortest;
            const char* const name = start_up ? "start-up" : in_cache ? "in L2" : warm ? "around L2" : "cold";
            const bool fitted = start_up || (in_cache && visible);
            if (Point* point = add(*row, name, std::move(work), row->number("elements"), fitted ? Role::fit : Role::held_out)) {
                point->inside = !warm; // an empty kernel is subtracted
            }
        }
    }

    void waves() {
        for (const ProbeRow* row : measured_.of("grid")) {
            if (is(*row, "kernel", "copy", "compute")) {
                fusion::KernelWork work = stream_work(copy_kernel, whole(*row, "threads"), 0, device_.limits);
                work.repeated = true;
                add(*row, "waves", std::move(work), row->number("blocks") * row->number("threads"), Role::held_out);
            } else {
                constexpr double cycles = 4; // of a dependent FMA since sm_70
                const double latency = figure(device_, "latency.arithmetic_f32").value_or(cycles);
                add(*row, "computing waves", computing_work(computing_fmas, whole(*row, "threads"), latency),
                    row->number("blocks") * row->number("threads"), Role::held_out);
            }
        }
    }

    void scattered() {
        const std::vector<Point> others = std::move(result_.points);
        result_.points.clear();
        const auto take = [&](const ProbeRow& row, const char* name, int words, int stride, double elements) {
            const bool in_l2 = row.text("level") == "l2";
            fusion::KernelWork work = scattered_work(words, stride, whole(row, "block"));
            work.repeated = in_l2;
            add(row, std::string(name) + (in_l2 ? " in L2" : ""), std::move(work), elements, Role::fit);
        };
        for (const ProbeRow* row : measured_.of("stride")) {
            take(*row, "strided", 1, whole(*row, "stride"), row->number("words"));
        }
        for (const ProbeRow* row : measured_.of("record")) {
            take(*row, "records", whole(*row, "record"), whole(*row, "record"), row->number("elements"));
        }
        result_.scattered = std::move(result_.points);
        result_.points = others;
    }

    /// What the compiler emitted. With the registers and the shared memory that were measured where these are what is judged; else as predicted.
    void kernels() {
        for (const ProbeRow* row : measured_.of("kernel")) {
            fusion::KernelWork work = *row->work;
            if (row->text("role") == "occupancy") {
                work.registers = work.registers_needed = whole(*row, "registers");
                work.shared_bytes += whole(*row, "extra_shared");
                if (resident_blocks(device_.limits, work) != whole(*row, "resident")) {
                    work.threads_per_block = 0;
                }
                add(*row, "occupancy", std::move(work), row->number("elements"), Role::held_out);
            } else if (row->text("role") == "held-out") {
                const std::string from = row->number("seed") > 0 ? "generated" : "`" + row->text("program") + "`";
                add(*row, from, std::move(work), row->number("elements"), Role::held_out);
            }
        }
    }

    const GpuMeasurements& measured_;
    const Device& device_;
    Diagnostics& diagnostics_;
    GpuPoints result_;
    bool wrong_ = false;
};

} // namespace

bool is_candidate(const Point& point) {
    return point.kernel == "generated" || point.kernel.starts_with('`');
}

std::optional<GpuPoints> points_of(const GpuMeasurements& measured, const Device& device, Diagnostics& diagnostics) {
    return Points(measured, device, diagnostics).all();
}

} // namespace fusec::perfmodel
