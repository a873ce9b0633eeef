// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_data.hpp"

#include "perfmodel/fit/gpu_benches.hpp"
#include "perfmodel/fit/table_file.hpp"
#include "perfmodel/predictor.hpp"
#include "support/median.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fusec::bench {

namespace fs = std::filesystem;
using perfmodel::Device;
using perfmodel::Point;
using perfmodel::Role;

namespace {

/// Descriptions and the names that the data's files have for them.
struct Known {
    const char* device;
    std::vector<const char*> files;
    const char* overlap; ///< the device whose roofline sweep its exponent of overlap was made from, by itself or by an assumption
};

const std::vector<Known>& known_devices() {
    static const std::vector<Known> all = {{"a100", {"a100_80"}, "a100-40"}, {"a100-40", {"a100_40", "alex_a100_40"}, "a100-40"},
        {"a40", {"a40", "alex_a40"}, "l40"}, {"gh200", {"gh200"}, "h200"}, {"h100-pcie", {"h100_pcie"}, "h200"}, {"h200", {"h200"}, "h200"},
        {"l40", {"l40", "genoa_l40"}, "l40"}, {"v100", {"v100"}, "a100-40"}};
    return all;
}

using Reader = std::optional<perfmodel::Measurements> (*)(const fs::path&, const std::string&, const fusion::DeviceLimits&, Diagnostics&);
constexpr std::pair<const char*, Reader> readers[] = {{"gpu-stream", perfmodel::read_gpu_stream},
    {"gpu-latency", perfmodel::read_gpu_latency}, {"gpu-roofline", perfmodel::read_gpu_roofline},
    {"gpu-small-kernels", perfmodel::read_gpu_small_kernels}};

void replace(DeviceData& data, const char* key, double used, const std::string& reason) {
    data.replaced.push_back({key, perfmodel::figure(data.device, key).value_or(0), used, reason});
    perfmodel::set_figure(data.device, key, used);
}

/// The last file of `kind` that the device has (of two centres that measured it, the one that names itself); nothing where there is none.
std::optional<fs::path> file_of(const fs::path& folder, const char* kind, const std::string& device) {
    const auto known = std::ranges::find(known_devices(), device, &Known::device);
    std::optional<fs::path> found;
    for (const char* stem : known->files) {
        const fs::path file = folder / kind / (std::string(stem) + ".txt");
        found = fs::exists(file) ? file : found;
    }
    return found;
}

/// The number in that word of a line; reports it damaged where it is none.
double number_of(perfmodel::TableFile& table, const perfmodel::TableLine& line, std::size_t word, const char* what) {
    const std::optional<double> number = word < line.words.size() ? perfmodel::number_in(line.words[word]) : std::nullopt;
    if (!number) {
        table.damaged(line, what);
    }
    return number.value_or(0);
}

/// The bandwidth of L2 as gpu-l2-cache has it: the median over sets from 4 MB to half of L2, which every block reads; 0 where there is no
/// such set.
double l2_bandwidth(const fs::path& file, const Device& device, Diagnostics& diagnostics) {
    perfmodel::TableFile table(file, diagnostics);
    std::vector<double> found;
    for (const perfmodel::TableLine& line : table.lines()) { // "512 kB 4096 kB 10ms 0.5% 5466.9 GB/s ..."
        if (line.words.size() > 7 && line.words[3] == "kB" && line.words[7] == "GB/s") {
            const double bytes = 1024 * number_of(table, line, 2, "kilobytes");
            if (bytes >= 4 * 1024 * 1024 && bytes <= device.l2_bytes / 2) {
                found.push_back(number_of(table, line, 6, "GB/s"));
            }
        }
    }
    return found.empty() ? 0 : median(found);
}

/// The clock that gpu-latency prints, in GHz; 0 where it prints none.
double printed_clock(const fs::path& file, Diagnostics& diagnostics) {
    perfmodel::TableFile table(file, diagnostics);
    return table.lines().empty() ? 0 : number_of(table, table.lines().back(), 1, "MHz") / 1000;
}

/// Cycles of a load out of L2 as gpu-latency has them: the median over sets from 1 MB to 0.4 of L2; 0 where there is no such set.
double l2_latency(const fs::path& file, const Device& device, Diagnostics& diagnostics) {
    perfmodel::TableFile table(file, diagnostics);
    std::vector<double> found;
    for (const perfmodel::TableLine& line : table.lines()) { // iterations, MHz, kB, ms, cycles of each run
        if (line.words.size() > 4) {
            const double bytes = 1024 * number_of(table, line, 2, "kilobytes");
            if (bytes >= 1024 * 1024 && bytes <= 0.4 * device.l2_bytes) {
                found.push_back(number_of(table, line, 4, "cycles"));
            }
        }
    }
    return found.empty() ? 0 : median(found);
}

/// That of descriptions is of small kernels, which are held out, or was made from another device's.
void replace_l2_bandwidths(const fs::path& folder, std::vector<DeviceData>& all, Diagnostics& diagnostics) {
    std::map<std::string, double> shares; // of the data sheet's bandwidth of memory, on devices that were measured
    for (DeviceData& data : all) {
        const auto file = file_of(folder, "gpu-l2-cache", data.device.name);
        if (const double l2 = file ? l2_bandwidth(*file, data.device, diagnostics) : 0; l2 > 0) {
            shares.emplace(data.device.name, l2 / data.device.dram_gb_per_s);
            data.l2_measured = true;
            replace(data, "speed.l2", l2,
                "the description's is of gpu-small-kernels or derived from it; this is read bandwidth of gpu-l2-cache");
        }
    }
    if (shares.empty()) {
        diagnostics
            .report(kind::unreadable_file, {}, "no bandwidth of L2 of a known device in `" + (folder / "gpu-l2-cache").string() + "`")
            .hint = "those of the descriptions were made from points that the audit holds out";
        return;
    }
    double sum = 0;
    for (const auto& [device, share] : shares) {
        sum += share;
    }
    static const std::string mean_share =
        "the description's is of gpu-small-kernels or derived from it, and gpu-l2-cache has nothing of this "
        "device; this is the mean share of the data sheet's bandwidth on those that it has";
    for (DeviceData& data : all) {
        if (!shares.contains(data.device.name)) {
            replace(data, "speed.l2", sum / static_cast<double>(shares.size()) * data.device.dram_gb_per_s, mean_share);
        }
    }
}

/// Figures of the descriptions that come from held-out points give way to others before anything is fitted or judged.
void replace_figures(const fs::path& folder, std::vector<DeviceData>& all, Diagnostics& diagnostics) {
    std::map<std::string, std::string> origins;
    for (const Known& known : known_devices()) {
        origins.emplace(known.device, known.overlap);
    }
    std::map<std::string, double> exponents; // as described, of devices with a sweep of their own
    for (const DeviceData& data : all) {
        if (origins.at(data.device.name) == data.device.name) {
            exponents[data.device.name] = data.device.overlap_exponent;
        }
    }
    replace_l2_bandwidths(folder, all, diagnostics);
    for (DeviceData& data : all) {
        double least = 0;
        for (const Point& point : data.points) {
            least = point.kernel == "start-up" && (least == 0 || point.seconds < least) ? point.seconds : least;
        }
        if (least > 0) {
            replace(data, "speed.launch", least * 1e6,
                "the description's is of all sizes of gpu-small-kernels; this is the least time of the smallest");
        }
        if (const auto file = file_of(folder, "gpu-latency", data.device.name)) {
            if (const double clock = printed_clock(*file, diagnostics); clock > 0 && clock != data.device.clock_ghz) {
                replace(data, "speed.clock", clock, "the description's is of gpu-roofline; this is the clock that gpu-latency prints");
            }
            if (const double cycles = l2_latency(*file, data.device, diagnostics); cycles > 0) {
                replace(data, "latency.l2", cycles, "of gpu-latency, as that of every device that has a file there");
            }
        }
        double sum = 0, count = 0;
        for (const auto& [name, exponent] : exponents) {
            if (name != origins.at(data.device.name)) {
                sum += exponent;
                count += 1;
            }
        }
        if (count > 0) {
            replace(data, "speed.overlap_exponent", sum / count,
                "the description's is of gpu-roofline or an assumption; this is the mean of those made from other devices' sweeps");
        }
        data.replaced.push_back(
            {"stream.mixed", data.device.mixed.peak_gb_per_s, 0, "the description's is of triads; the rule for mixes takes its place"});
        data.device.mixed = {};
    }
}

/// Figures that a predictor needs and a fit determines start, where a description lacks them, at the mean of the descriptions that have them.
void supply_starts(std::vector<DeviceData>& all) {
    for (const perfmodel::PredictorKind& kind : perfmodel::predictor_kinds()) {
        for (const std::string_view key : kind.fits) {
            const bool needed = std::find(kind.needs.begin(), kind.needs.end(), key) != kind.needs.end();
            double sum = 0, count = 0;
            for (const DeviceData& data : all) {
                const std::optional<double> value = perfmodel::figure(data.device, key);
                sum += value.value_or(0);
                count += value ? 1 : 0;
            }
            for (DeviceData& data : all) {
                if (needed && count > 0 && !perfmodel::figure(data.device, key)) {
                    replace(data, std::string(key).c_str(), sum / count,
                        "the description has none; the mean of the others', from which the fit starts");
                }
            }
        }
    }
}

} // namespace

bool DeviceData::has(Role role) const {
    return std::any_of(points.begin(), points.end(), [&](const Point& point) { return point.role == role; });
}

std::vector<std::string> files_not_read(const fs::path& folder) {
    std::set<std::string> known, left;
    for (const Known& device : known_devices()) {
        known.insert(device.files.begin(), device.files.end());
    }
    for (const auto& [kind, read] : readers) {
        std::error_code none; // a folder that is not there has no files
        for (const fs::directory_entry& entry : fs::directory_iterator(folder / kind, none)) {
            if (entry.path().extension() != ".txt" || !known.contains(entry.path().stem().string())) {
                left.insert(std::string(kind) + "/" + entry.path().filename().string());
            }
        }
    }
    return {left.begin(), left.end()};
}

std::vector<DeviceData> read_audit_data(const fs::path& folder, Diagnostics& diagnostics) {
    std::vector<DeviceData> all;
    for (const auto& [name, stems, overlap] : known_devices()) {
        const std::optional<Device> device = perfmodel::find_device(name, diagnostics);
        if (!device) {
            return {};
        }
        DeviceData data{*device, {}, {}, {}};
        for (const auto& [kind, read] : readers) {
            for (const char* stem : stems) {
                const fs::path file = folder / kind / (std::string(stem) + ".txt");
                if (!fs::exists(file)) {
                    continue;
                }
                std::optional<perfmodel::Measurements> found = read(file, name, device->limits, diagnostics);
                if (!found) {
                    return {};
                }
                data.files.push_back({std::string(kind) + "/" + stem + ".txt", found->reading, found->points.size()});
                std::move(found->points.begin(), found->points.end(), std::back_inserter(data.points));
            }
        }
        if (!data.points.empty()) {
            all.push_back(std::move(data));
        }
    }
    if (all.empty()) {
        diagnostics.report(kind::unreadable_file, {}, "no measurements of a known device in `" + folder.string() + "`").hint =
            "the folder is the one that has gpu-benches' folders in it, such as `" + std::string(readers[0].first) + "`";
        return {};
    }
    supply_starts(all);
    replace_figures(folder, all, diagnostics);
    return diagnostics.has_errors() ? std::vector<DeviceData>{} : all;
}

} // namespace fusec::bench
