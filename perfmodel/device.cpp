// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/device.hpp"

#include "perfmodel/device_file.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iomanip>
#include <span>
#include <sstream>

namespace fusec::perfmodel {

namespace fs = std::filesystem;

namespace {

enum class For {
    cuda,
    host,
    both
};

/// A figure that a description must have: where it goes and what is a possible value. The bounds are wide of any device, and near enough
/// that nothing computed from figures overflows an int or leaves the range of a double.
struct Field {
    const char* key;
    const char* unit;
    For target;
    double least;
    double most;
    bool whole;
    void (*set)(Device&, double);
};

template <int fusion::DeviceLimits::* Member>
void limit(Device& device, double value) {
    device.limits.*Member = static_cast<int>(value);
}

template <double Device::* Member>
void speed(Device& device, double value) {
    device.*Member = value;
}

template <StreamLaw Device::* Law, double StreamLaw::* Member>
void stream(Device& device, double value) {
    device.*Law.*Member = value;
}

using fusion::DeviceLimits;
constexpr Field fields[] = {
    {"limits.arch", "compute capability * 10", For::cuda, 0, 999, true, limit<&DeviceLimits::arch>},
    {"limits.warp_size", "threads", For::cuda, 32, 64, true, limit<&DeviceLimits::warp_size>},
    {"limits.threads_per_block", "threads", For::cuda, 32, 1024, true, limit<&DeviceLimits::threads_per_block>},
    {"limits.threads_per_sm", "threads", For::cuda, 32, 65536, true, limit<&DeviceLimits::threads_per_sm>},
    {"limits.blocks_per_sm", "blocks", For::cuda, 1, 256, true, limit<&DeviceLimits::blocks_per_sm>},
    {"limits.registers_per_sm", "registers", For::cuda, 1024, 1 << 24, true, limit<&DeviceLimits::registers_per_sm>},
    {"limits.registers_per_thread", "registers", For::cuda, 16, 1024, true, limit<&DeviceLimits::registers_per_thread>},
    {"limits.shared_bytes_per_block", "bytes", For::cuda, 1, 1 << 26, true, limit<&DeviceLimits::shared_bytes_per_block>},
    {"limits.shared_bytes_per_sm", "bytes", For::cuda, 1, 1 << 26, true, limit<&DeviceLimits::shared_bytes_per_sm>},
    {"limits.shared_bytes_reserved", "bytes per block", For::cuda, 0, 1 << 26, true, limit<&DeviceLimits::shared_bytes_reserved>},
    {"limits.sm_count", "multiprocessors", For::cuda, 1, 4096, true, limit<&DeviceLimits::sm_count>},
    {"limits.vector_bytes", "bytes", For::host, 16, 256, true, limit<&DeviceLimits::vector_bytes>},
    {"speed.cores", "cores", For::host, 1, 65536, true, [](Device& device, double value) { device.cores = static_cast<int>(value); }},
    {"speed.clock", "GHz", For::both, 1e-3, 1e3, false, speed<&Device::clock_ghz>},
    {"speed.l2_bytes", "bytes", For::both, 1, 1e15, false, speed<&Device::l2_bytes>},
    {"speed.l2", "GB/s", For::both, 1e-3, 1e9, false, speed<&Device::l2_gb_per_s>},
    {"speed.dram", "GB/s", For::both, 1e-3, 1e9, false, speed<&Device::dram_gb_per_s>},
    {"speed.fma_f32", "fma per clock", For::both, 1e-3, 1e9, false, speed<&Device::fma_f32>},
    {"speed.fma_f64", "fma per clock", For::both, 1e-3, 1e9, false, speed<&Device::fma_f64>},
    {"speed.special", "operations per clock", For::both, 1e-3, 1e9, false, speed<&Device::special>},
    {"speed.issue_slots", "instructions per clock", For::both, 1e-3, 1e9, false, speed<&Device::issue_slots>},
    {"speed.shared_wavefronts", "128-byte passes per clock", For::cuda, 1e-3, 1e9, false, speed<&Device::shared_wavefronts>},
    {"speed.launch", "us", For::both, 0, 1e6, false, speed<&Device::launch_us>},
    {"speed.block_turnaround", "ns", For::cuda, 1e-3, 1e9, false, speed<&Device::block_turnaround_ns>},
    {"speed.dram_latency", "ns", For::cuda, 1e-3, 1e9, false, speed<&Device::dram_latency_ns>},
    {"speed.shared_latency", "cycles", For::cuda, 1e-3, 1e9, false, speed<&Device::shared_latency_cycles>},
    {"speed.overlap_exponent", "exponent", For::both, 1, 64, false, speed<&Device::overlap_exponent>},
    {"stream.read.tau", "ns", For::cuda, 1e-3, 1e9, false, stream<&Device::read, &StreamLaw::tau_ns>},
    {"stream.read.c", "ns", For::cuda, 0, 1e9, false, stream<&Device::read, &StreamLaw::c_ns>},
    {"stream.read.peak", "GB/s", For::both, 1e-3, 1e9, false, stream<&Device::read, &StreamLaw::peak_gb_per_s>},
    {"stream.write.tau", "ns", For::cuda, 1e-3, 1e9, false, stream<&Device::write, &StreamLaw::tau_ns>},
    {"stream.write.c", "ns", For::cuda, 0, 1e9, false, stream<&Device::write, &StreamLaw::c_ns>},
    {"stream.write.peak", "GB/s", For::both, 1e-3, 1e9, false, stream<&Device::write, &StreamLaw::peak_gb_per_s>},
    {"stream.copy.tau", "ns", For::cuda, 1e-3, 1e9, false, stream<&Device::copy, &StreamLaw::tau_ns>},
    {"stream.copy.c", "ns", For::cuda, 0, 1e9, false, stream<&Device::copy, &StreamLaw::c_ns>},
    {"stream.copy.peak", "GB/s", For::both, 1e-3, 1e9, false, stream<&Device::copy, &StreamLaw::peak_gb_per_s>},
    {"stream.mixed.tau", "ns", For::cuda, 1e-3, 1e9, false, stream<&Device::mixed, &StreamLaw::tau_ns>},
    {"stream.mixed.c", "ns", For::cuda, 0, 1e9, false, stream<&Device::mixed, &StreamLaw::c_ns>},
    {"stream.mixed.peak", "GB/s", For::both, 1e-3, 1e9, false, stream<&Device::mixed, &StreamLaw::peak_gb_per_s>},
};

bool serves(const Field& field, fusion::Target target) {
    return field.target == For::both || (field.target == For::cuda) == (target == fusion::Target::cuda);
}

std::string number(double value) {
    std::ostringstream text;
    text << std::setprecision(12) << value;
    return std::move(text).str();
}

/// Stores one figure, or reports why it is none.
void apply(const LocatedFigure& located, Device& device, Diagnostics& diagnostics) {
    const Figure& figure = located.figure;
    const auto field = std::find_if(
        std::begin(fields), std::end(fields), [&](const Field& f) { return figure.key == f.key && serves(f, device.limits.target); });
    if (field == std::end(fields)) {
        std::vector<std::string> known;
        for (const Field& f : fields) {
            if (serves(f, device.limits.target)) {
                known.emplace_back(f.key);
            }
        }
        const std::string guess = nearest(figure.key, known);
        Diagnostic& report = diagnostics.report(kind::unknown_figure, located.span,
            "no figure of a " + std::string(device.limits.target == fusion::Target::cuda ? "cuda" : "host") + " device is named `" +
                figure.key + "`");
        report.hint = guess.empty() ? "" : "did you mean `" + guess + "`?";
        return;
    }
    if (figure.unit != field->unit) {
        diagnostics.report(
            kind::invalid_figure, located.span, "`" + figure.key + "` is in `" + figure.unit + "`, needed in `" + field->unit + "`");
        return;
    }
    const bool in_range = figure.value >= field->least && figure.value <= field->most; // nan is in no range
    if (!in_range || (field->whole && figure.value != std::floor(figure.value))) {
        diagnostics.report(kind::invalid_figure, located.span,
            "`" + figure.key + "` is " + number(figure.value) + ", needed " + (field->whole ? "a whole number" : "a number") + " from " +
                number(field->least) + " to " + number(field->most));
        return;
    }
    field->set(device, figure.value);
}

/// Figures that contradict each other: what a block may use must fit a multiprocessor.
void check_limits(const DeviceFile& file, const Device& device, Diagnostics& diagnostics) {
    const DeviceLimits& limits = device.limits;
    const auto place = [&](const char* key) {
        return std::find_if(file.figures.begin(), file.figures.end(), [&](const LocatedFigure& f) { return f.figure.key == key; })->span;
    };
    if (limits.target == fusion::Target::host) {
        if (!std::has_single_bit(static_cast<unsigned>(limits.vector_bytes))) {
            diagnostics.report(kind::invalid_figure, place("limits.vector_bytes"),
                "`limits.vector_bytes` is " + std::to_string(limits.vector_bytes) + ", needed a power of 2");
        }
        return;
    }
    // Lanes, barriers and exchanges of CUDA text are those of warps of 32 threads; code of arch 0 is predicted and never emitted.
    if (limits.warp_size != 32 && (limits.arch != 0 || limits.warp_size != 64)) {
        diagnostics.report(kind::invalid_figure, place("limits.warp_size"),
            "`limits.warp_size` is " + std::to_string(limits.warp_size) + ", needed 32" +
                (limits.arch == 0 ? " or 64" : " for `limits.arch` = " + std::to_string(limits.arch)));
    }
    if (limits.shared_bytes_per_block + limits.shared_bytes_reserved > limits.shared_bytes_per_sm) {
        diagnostics.report(kind::invalid_figure, place("limits.shared_bytes_per_block"),
            "a block of " + std::to_string(limits.shared_bytes_per_block) + " bytes and " + std::to_string(limits.shared_bytes_reserved) +
                " reserved exceed the " + std::to_string(limits.shared_bytes_per_sm) + " bytes of a multiprocessor");
    }
    if (limits.threads_per_block > limits.threads_per_sm) {
        diagnostics.report(kind::invalid_figure, place("limits.threads_per_block"),
            "a block of " + std::to_string(limits.threads_per_block) + " threads exceeds the " + std::to_string(limits.threads_per_sm) +
                " of a multiprocessor");
    }
}

} // namespace

std::optional<Device> load_device(const fs::path& path, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    std::optional<std::string> text = read_text(path, diagnostics);
    if (!text) {
        return std::nullopt;
    }
    const auto source = std::make_shared<const SourceText>(path.string(), std::move(*text));
    const std::optional<DeviceFile> file = read_device_file(source, diagnostics);
    if (!file) {
        return std::nullopt;
    }
    Device device;
    device.name = file->name;
    device.summary = file->summary;
    for (const auto& [key, value] :
        {std::pair("name", &file->name), std::pair("summary", &file->summary), std::pair("target", &file->target)}) {
        if (value->empty()) {
            diagnostics.report(kind::missing_figure, file->whole, "the description has no `" + std::string(key) + "`");
        }
    }
    if (file->target == "host") {
        device.limits.target = fusion::Target::host;
    } else if (!file->target.empty() && file->target != "cuda") {
        diagnostics.report(kind::invalid_figure, file->target_span, "`target` is `" + file->target + "`, needed `cuda` or `host`");
    }
    if (diagnostics.error_count() != before) {
        return std::nullopt;
    }
    for (const LocatedFigure& figure : file->figures) {
        apply(figure, device, diagnostics);
        device.figures.push_back(figure.figure);
    }
    for (const Field& field : fields) {
        const bool given =
            std::any_of(file->figures.begin(), file->figures.end(), [&](const LocatedFigure& f) { return f.figure.key == field.key; });
        if (serves(field, device.limits.target) && !given) {
            diagnostics.report(
                kind::missing_figure, file->whole, "the description has no `" + std::string(field.key) + "` (" + field.unit + ")");
        }
    }
    if (diagnostics.error_count() == before) {
        check_limits(*file, device, diagnostics);
    }
    return diagnostics.error_count() == before ? std::optional(std::move(device)) : std::nullopt;
}

fs::path devices_folder() {
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code);
    const fs::path installed = self.parent_path().parent_path() / "share" / "fusec" / "devices";
    return !code && fs::is_directory(installed, code) ? installed : fs::path(FUSEC_DEVICES);
}

std::vector<std::string> device_names() {
    std::vector<std::string> names;
    std::error_code code;
    for (const fs::directory_entry& entry : fs::directory_iterator(devices_folder(), code)) {
        if (entry.path().extension() == ".toml") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

namespace {

bool is_path(const std::string& name) {
    return name.find('/') != std::string::npos || fs::path(name).extension() == ".toml";
}

} // namespace

fs::path device_file(const std::string& name) {
    return is_path(name) ? fs::path(name) : devices_folder() / (name + ".toml");
}

std::optional<Device> find_device(const std::string& name, Diagnostics& diagnostics) {
    const std::vector<std::string> names = device_names();
    if (is_path(name) || std::find(names.begin(), names.end(), name) != names.end()) {
        return load_device(device_file(name), diagnostics);
    }
    const std::string guess = nearest(name, names);
    std::string known;
    for (const std::string& each : names) {
        known += (known.empty() ? "" : ", ") + each;
    }
    diagnostics.report(kind::unknown_device, {}, "no device is named `" + name + "`").hint =
        (guess.empty() ? std::string() : "did you mean `" + guess + "`? ") + "known: " + known + ", or a path that ends in .toml";
    return std::nullopt;
}

} // namespace fusec::perfmodel
