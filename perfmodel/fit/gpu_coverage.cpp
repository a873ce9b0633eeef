// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/gpu_coverage.hpp"

#include "support/counted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace fusec::perfmodel {

namespace {

constexpr int copies_past_registers = 80; // the first architecture that has them

std::vector<std::string> missing_probes(const GpuMeasurements& measured) {
    std::vector<std::string> names = gpu_probe_names();
    std::erase_if(names, [&](const std::string& name) {
        return name == "kernel" || (name == "async" && measured.arch < copies_past_registers) || !measured.of(name).empty();
    });
    std::ranges::for_each(names, [](std::string& name) { name = "`" + name + "`"; });
    return names;
}

std::vector<std::string> missing_operations(const GpuMeasurements& measured) {
    std::vector<std::string> names = gpu_probe_operations();
    for (const ProbeRow* row : measured.of("pipe")) {
        std::erase(names, row->text("operation"));
    }
    return names;
}

std::vector<std::string> missing_widths(const GpuMeasurements& measured) {
    std::vector<std::string> names;
    for (const char* way : {"load", "store"}) {
        for (const double word : {4.0, 8.0, 16.0}) {
            const auto rows = measured.of("shared");
            if (std::ranges::none_of(rows, [&](const ProbeRow* row) { return row->text("way") == way && row->number("word") == word; })) {
                names.push_back(fmt::format("{}s of {} bytes", way, word));
            }
        }
    }
    return names;
}

/// Modes in which launches were measured with one number of blocks at most.
std::vector<std::string> modes_of_one_size(const GpuMeasurements& measured) {
    std::vector<std::string> modes;
    for (const char* mode : {"stream", "event", "graph"}) {
        std::set<double> blocks;
        for (const ProbeRow* row : measured.of("launch")) {
            if (row->text("mode") == mode) {
                blocks.insert(row->number("blocks"));
            }
        }
        if (blocks.size() < 2) {
            modes.emplace_back(mode);
        }
    }
    return modes;
}

} // namespace

std::vector<std::string> missing_rows(const GpuMeasurements& measured) {
    std::vector<std::string> notes;
    const auto note = [&](const std::string& what, const std::vector<std::string>& names) {
        if (!names.empty()) {
            notes.push_back(fmt::format("not measured: {}{}", what, fmt::join(names, ", ")));
        }
    };
    note("probe ", missing_probes(measured));
    if (!measured.of("pipe").empty()) {
        note("`pipe` of ", missing_operations(measured));
    }
    if (!measured.of("shared").empty()) {
        note("`shared` of ", missing_widths(measured));
    }
    if (!measured.of("launch").empty()) {
        note("`launch` over the number of blocks in mode ", modes_of_one_size(measured));
    }
    const auto idle = std::ranges::count_if(measured.rows, [](const ProbeRow& row) { return !row.has_clock_under_load(); });
    if (idle > 0) {
        notes.push_back(fmt::format("{} {} the clock of an idle GPU, read behind the launches",
            counted(static_cast<std::size_t>(idle), "row"), idle == 1 ? "has" : "have"));
    }
    return notes;
}

} // namespace fusec::perfmodel
