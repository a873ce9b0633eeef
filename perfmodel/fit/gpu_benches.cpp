// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_benches.hpp"

#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/fit/table_file.hpp"
#include "support/median.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fusec::perfmodel {

namespace fs = std::filesystem;
using fusion::DeviceLimits;

namespace {

constexpr double giga = 1e9;

/// The number that a word with this unit behind it is: "0.8%".
std::optional<double> number_with(std::string_view word, std::string_view unit) {
    return word.ends_with(unit) ? number_in(word.substr(0, word.size() - unit.size())) : std::nullopt;
}

enum class StreamFormat {
    blocks_given, ///< block, threads, blocks of a multiprocessor
    two_blocks,   ///< block, threads of one of the two
    per_sm        ///< threads of a multiprocessor, threads of the GPU
};

struct StreamRow {
    int block = 0, resident = 0;
    double threads = 0, occupancy = 0;
    std::array<double, 6> bandwidth{};
};

/// Words of a row, before what the format makes of them.
std::optional<StreamRow> stream_row(const TableLine& line, StreamFormat format) {
    const bool given = format == StreamFormat::blocks_given;
    const std::vector<std::string_view>& words = line.words;
    constexpr std::size_t before = 6; // "|" and "GB/s:" are the last of them
    if (words.size() != before + 6 || words[4] != "|" || words[5] != "GB/s:") {
        return std::nullopt;
    }
    const std::optional<double> first = number_in(words[0]), threads = number_in(words[1]);
    const std::optional<double> third = number_in(words[2]);
    const std::optional<double> occupancy = given ? number_with(words[3], "%") : third;
    if (!first || !threads || !third || !occupancy || *first < 1 || *first > 4096 || *third < 0 || *third > 100) {
        return std::nullopt;
    }
    StreamRow row;
    row.block = static_cast<int>(*first);
    row.threads = *threads;
    row.occupancy = *occupancy;
    if (given) {
        row.resident = static_cast<int>(*third);
    } else if (format == StreamFormat::two_blocks) {
        row.resident = 2;
    } else {
        const bool even_warps = row.block >= 128 && row.block % 64 == 0;
        row.resident = even_warps ? 2 : 1;
        row.block /= row.resident;
    }
    for (std::size_t column = 0; column < row.bandwidth.size(); ++column) {
        const std::optional<double> value = number_in(words[before + column]);
        if (!value || *value <= 0) {
            return std::nullopt;
        }
        row.bandwidth[column] = *value;
    }
    return row;
}

} // namespace

std::optional<Measurements> read_gpu_stream(
    const fs::path& file, const std::string& device, const DeviceLimits& limits, Diagnostics& diagnostics) {
    TableFile table(file, diagnostics);
    if (!table.readable()) {
        return std::nullopt;
    }
    const std::vector<TableLine>& lines = table.lines();
    if (lines.size() < 2) {
        return table.damaged("no rows under a header of gpu-stream");
    }
    const auto header = [&](const std::vector<std::string_view>& words) {
        return lines[0].words.size() > words.size() && std::equal(words.begin(), words.end(), lines[0].words.begin());
    };
    StreamFormat format{};
    Measurements result;
    if (header({"block", "smBlocks", "threads", "occ%"})) {
        format = StreamFormat::blocks_given;
        result.reading =
            "columns are block size, resident threads of the GPU, blocks per multiprocessor (the header swaps the latter two); triad of "
            "3 loads and 1 store";
    } else if (header({"blockSize", "threads", "%occ"})) {
        const bool per_sm = lines[1].words[0] == "16";
        format = per_sm ? StreamFormat::per_sm : StreamFormat::two_blocks;
        result.reading = per_sm
            ? "the first column is the threads of a multiprocessor, an even number of warps from 4 on in 2 blocks, else in 1; triad of 2 "
              "loads and 1 store"
            : "2 blocks per multiprocessor, of which the column of threads counts 1; triad of 2 loads and 1 store";
    } else {
        return table.damaged(lines[0], "no header of gpu-stream: `block smBlocks threads occ%` or `blockSize threads %occ`");
    }
    const StreamKernel& triad = format == StreamFormat::blocks_given ? triad_kernel : triad_of_two_kernel;
    const std::array<StreamKernel, 6> kernels{init_kernel, read_kernel, scale_kernel, triad, three_point_kernel, five_point_kernel};
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
        const std::optional<StreamRow> row = stream_row(*line, format);
        if (!row) {
            return table.damaged(*line, "no row of gpu-stream: two numbers, the occupancy and six bandwidths are needed");
        }
        const int counted = format == StreamFormat::two_blocks ? 1 : row->resident;
        if (row->threads != static_cast<double>(limits.sm_count) * row->block * counted) {
            return table.damaged(*line,
                std::to_string(limits.sm_count) + " multiprocessors with " + std::to_string(counted) + " blocks of " +
                    std::to_string(row->block) + " threads do not have " + std::string(line->words[1]));
        }
        const double occupancy = 100.0 * row->block * row->resident / limits.threads_per_sm;
        const bool whole =
            line->words[format == StreamFormat::blocks_given ? 3 : 2].find('.') == std::string_view::npos; // the first rows are rounded so
        if (std::abs(occupancy - row->occupancy) > (whole ? 0.5 : 0.06)) {
            return table.damaged(
                *line, "the row says an occupancy of " + std::to_string(row->occupancy) + " %, it is " + std::to_string(occupancy));
        }
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            const StreamKernel& kernel = kernels[k];
            Point point{device, kernel.name, stream_work(kernel, row->block, row->resident, limits), std::uint64_t{1} << 28U, 0, false,
                k < 3 ? Role::fit : Role::held_out, 0, table.place(*line)};
            if (point.work.threads_per_block == 0) {
                return table.damaged(*line,
                    "no amount of shared memory leaves " + std::to_string(row->resident) + " blocks of " + std::to_string(row->block) +
                        " threads on a multiprocessor");
            }
            const double bytes = point.work.read_bytes + point.work.write_bytes;
            point.seconds = bytes * static_cast<double>(point.elements) / (row->bandwidth[k] * giga);
            result.points.push_back(std::move(point));
        }
    }
    return result;
}

std::optional<Measurements> read_gpu_roofline(
    const fs::path& file, const std::string& device, const DeviceLimits& limits, Diagnostics& diagnostics) {
    TableFile table(file, diagnostics);
    if (!table.readable()) {
        return std::nullopt;
    }
    constexpr int passes = 1024;
    struct Row {
        std::vector<double> bandwidth, clocks;
        double blocks = 0;
        std::string place;
    };
    std::map<int, Row> rows; // by FMAs
    double slowest = 0, fastest = 0;
    std::map<std::string_view, double> first_clock; // of each GPU of the node
    std::string left_out;
    for (const TableLine& line : table.lines()) {
        const std::vector<std::string_view>& words = line.words;
        const bool is_row = words.size() > 2 && words[2] == "blocks";
        if (!is_row) {
            if (!rows.empty()) {
                return table.damaged(line, "no row of gpu-roofline");
            }
            continue; // of the build before the first row
        }
        const auto number = [&](std::size_t place, std::string_view unit) {
            return words.size() > place + 1 && words[place + 1] == unit ? number_in(words[place]) : std::nullopt;
        };
        const std::optional<double> blocks = number(1, "blocks"), fmas = number(3, "its"), intensity = number(5, "Fl/B"),
                                    bandwidth = number(7, "GB/s"), clock = number(11, "Mhz");
        if (!blocks || !fmas || !intensity || !bandwidth || !clock || *bandwidth <= 0 || *fmas < 0 || *fmas > 1e6) {
            return table.damaged(line, "no row of gpu-roofline: device, blocks, its, Fl/B, GB/s, GF/s and Mhz are needed");
        }
        if (std::abs(*intensity - (2 + 2 * *fmas) / 8) > 1e-3) {
            return table.damaged(
                line, "a pair of floats and " + std::string(words[3]) + " FMAs are " + std::to_string((2 + 2 * *fmas) / 8) + " flop/byte");
        }
        if (const int resident = limits.sm_count * (limits.threads_per_sm / 256); *blocks != resident) {
            return table.damaged(line,
                "all threads of " + std::to_string(limits.sm_count) + " multiprocessors are not " + std::string(words[1]) +
                    " blocks of 256");
        }
        const double first = first_clock.try_emplace(words[0], *clock).first->second;
        if (first != first_clock.begin()->second) { // another product
            left_out = ", GPU " + std::string(words[0]) + " left out, whose clock is not that of the first";
            continue;
        }
        slowest = rows.empty() ? *clock : std::min(slowest, *clock);
        fastest = std::max(fastest, *clock);
        Row& row = rows[static_cast<int>(*fmas)];
        row.blocks = *blocks;
        row.bandwidth.push_back(*bandwidth);
        row.clocks.push_back(*clock);
        row.place = table.place(line);
    }
    if (rows.empty()) {
        return table.damaged("no rows of gpu-roofline");
    }
    Measurements result;
    result.reading = "median of the node's GPUs" + left_out + "; " + std::to_string(passes) +
        " passes of a thread taken, as they are not printed; clocks from " + std::to_string(static_cast<int>(slowest)) + " to " +
        std::to_string(static_cast<int>(fastest)) + " MHz, predicted at that of the row";
    for (const auto& [fmas, row] : rows) {
        Point point{device, "roofline", roofline_work(fmas, passes), 0, 0, false, Role::held_out, median(row.clocks) / 1000, row.place};
        point.elements = static_cast<std::uint64_t>(row.blocks) * static_cast<std::uint64_t>(point.work.elements_per_block);
        point.seconds = point.work.read_bytes * static_cast<double>(point.elements) / (median(row.bandwidth) * giga);
        result.points.push_back(std::move(point));
    }
    return result;
}

std::optional<Measurements> read_gpu_small_kernels(
    const fs::path& file, const std::string& device, const DeviceLimits& limits, Diagnostics& diagnostics) {
    TableFile table(file, diagnostics);
    if (!table.readable()) {
        return std::nullopt;
    }
    if (table.lines().empty()) {
        return table.damaged("no rows of gpu-small-kernels");
    }
    const std::size_t columns = table.lines().front().words.size();
    if (columns < 3 || columns > 2 + 11) {
        return table.damaged(table.lines().front(), "no row of gpu-small-kernels: elements, kB and up to eleven bandwidths are needed");
    }
    Measurements result;
    const int least_block = 1024 >> (columns - 3);
    result.reading = "columns are blocks of " + std::to_string(least_block) + " to 1024 threads; the smallest size determines start-up";
    double smallest = 0;
    for (const TableLine& line : table.lines()) {
        const std::optional<double> elements = number_in(line.words[0]);
        if (&line == &table.lines().back() && line.words.size() < columns) {
            result.reading += "; the last line is cut off and left out";
            break;
        }
        if (line.words.size() != columns || !elements || *elements < 1 || *elements > 1e15 || !line.words[1].ends_with("kB")) {
            return table.damaged(
                line, "no row of gpu-small-kernels: elements, kB and " + std::to_string(columns - 2) + " bandwidths are needed");
        }
        smallest = smallest == 0 ? *elements : smallest;
        for (std::size_t column = 2; column < columns; ++column) {
            const std::optional<double> bandwidth = number_in(line.words[column]);
            if (!bandwidth || *bandwidth <= 0) {
                return table.damaged(line, "`" + std::string(line.words[column]) + "` is no bandwidth");
            }
            Point point{device, *elements == smallest ? "start-up" : "small",
                stream_work(scale_kernel, least_block << (column - 2), 0, limits), static_cast<std::uint64_t>(*elements), 0, false,
                *elements == smallest ? Role::fit : Role::held_out, 0, table.place(line)};
            point.work.repeated = true;
            point.seconds = 16 * *elements / (*bandwidth * giga);
            result.points.push_back(std::move(point));
        }
    }
    return result;
}

std::optional<Measurements> read_gpu_latency(
    const fs::path& file, const std::string& device, const DeviceLimits&, Diagnostics& diagnostics) {
    TableFile table(file, diagnostics);
    if (!table.readable()) {
        return std::nullopt;
    }
    if (table.lines().empty()) {
        return table.damaged("no rows of gpu-latency");
    }
    const TableLine& line = table.lines().back();
    constexpr std::size_t before = 4; // iterations, MHz, kB, ms
    std::vector<double> numbers;
    for (const std::string_view word : line.words) {
        const std::optional<double> value = number_in(word);
        if (!value || *value <= 0) {
            return table.damaged(line, "`" + std::string(word) + "` is no positive number");
        }
        numbers.push_back(*value);
    }
    if (numbers.size() <= before) {
        return table.damaged(line, "no row of gpu-latency: iterations, MHz, kB, ms and cycles are needed");
    }
    const double cycles = median({numbers.begin() + before, numbers.end()});
    constexpr int loads = 1000;
    Measurements result;
    result.reading = "the last row, " + std::string(line.words[2]) + " kB: median of its runs; " + std::to_string(loads) + " loads taken";
    result.points.push_back({device, "latency", chase_work(loads), static_cast<std::uint64_t>(1), loads * cycles / (numbers[1] * 1e6), true,
        Role::fit, 0, table.place(line)});
    return result;
}

} // namespace fusec::perfmodel
