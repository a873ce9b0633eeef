// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/calibration.hpp"

#include "perfmodel/device_figures.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace fusec::perfmodel {

namespace fs = std::filesystem;

namespace {

/// Lays one figure over the device, or reports why it is none.
void lay_over(const Calibration& calibration, const CalibratedFigure& figure, Device& device, Diagnostics& diagnostics) {
    const Figure entry{figure.key, figure.value, figure.unit,
        fmt::format("calibration of {} ({}): {}; {} points, mean deviation {:.2g} %", calibration.date, calibration.machine, figure.how,
            figure.points, 100 * figure.residual)};
    if (!store(entry, figure.span, device, diagnostics)) {
        return;
    }
    const auto described =
        std::find_if(device.figures.begin(), device.figures.end(), [&](const Figure& each) { return each.key == figure.key; });
    if (described == device.figures.end()) {
        device.figures.push_back(entry);
    } else {
        *described = entry;
    }
}

} // namespace

bool is_named_as_it_may(const std::string& name, const std::string& base, bool carried) {
    const std::vector<std::string> described = device_names();
    return (name == base && !carried) || std::find(described.begin(), described.end(), name) == described.end();
}

SourcePtr carried_description(const std::string& name, const Device& device, Diagnostics& diagnostics) {
    const std::optional<std::string> text = read_text(device_file(name), diagnostics);
    if (!text) {
        return nullptr;
    }
    const std::vector<std::string> described = device_names();
    Diagnostics ignored; // one that cannot be read is not the same
    const bool same = std::find(described.begin(), described.end(), device.name) != described.end() &&
        read_text(device_file(device.name), ignored) == text;
    return same ? nullptr : std::make_shared<const SourceText>(device_file(name).string(), *text);
}

std::optional<Device> described_device(const Calibration& calibration, Diagnostics& diagnostics) {
    if (calibration.description == nullptr) {
        return find_device(calibration.base, diagnostics);
    }
    std::optional<Device> device = load_device(calibration.description, diagnostics);
    if (device && device->name != calibration.base) {
        diagnostics.report(kind::calibration_file, {calibration.description, 0, 0},
            fmt::format("the description is of `{}`, and the figures are laid over `{}`", device->name, calibration.base));
        return std::nullopt;
    }
    return device;
}

std::span<const char* const> figures_of_a_host() {
    static constexpr const char* keys[] = {"limits.vector_bytes", "speed.cores", "speed.clock", "speed.l2_bytes", "speed.l2", "speed.dram",
        "speed.launch", "stream.read.peak", "stream.mixed.peak", "stream.copy.peak", "stream.write.peak", "compute.window",
        "benchmark.remap"};
    return keys;
}

namespace {

/// Reports what a calibration of a host lacks.
void check_host(const Calibration& calibration, Diagnostics& diagnostics) {
    std::vector<std::string> missing;
    for (const char* key : figures_of_a_host()) {
        if (std::ranges::find(calibration.figures, key, &CalibratedFigure::key) == calibration.figures.end()) {
            missing.push_back(fmt::format("`{}`", key));
        }
    }
    const std::string hint = "`fusec calibrate --target host -o FILE` measures all that a host's calibration has to have";
    if (!missing.empty()) {
        diagnostics
            .report(kind::missing_figure, calibration.figures_span,
                fmt::format("the calibration of a host without {}", fmt::join(missing, ", ")))
            .hint = hint;
    }
    if (calibration.routines.empty()) {
        diagnostics.report(kind::missing_figure, calibration.routines_span, "the calibration of a host without times of routines").hint =
            hint;
    }
}

} // namespace

std::optional<Device> calibrated_device(const Calibration& calibration, Diagnostics& diagnostics) {
    std::optional<Device> device = device_so_far(calibration, diagnostics);
    const std::size_t before = diagnostics.error_count();
    if (device && device->limits.target == fusion::Target::host) {
        check_host(calibration, diagnostics);
    }
    return diagnostics.error_count() == before ? device : std::nullopt;
}

std::optional<Device> device_so_far(const Calibration& calibration, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    const bool carried = calibration.description != nullptr;
    if (!is_named_as_it_may(calibration.name, calibration.base, carried)) {
        diagnostics.report(kind::calibration_file, calibration.name_span,
            fmt::format("a calibration over `{}`{} is called `{}`, which is the name of another device", calibration.base,
                carried ? ", whose description it carries," : "", calibration.name));
        return std::nullopt;
    }
    std::optional<Device> device = described_device(calibration, diagnostics);
    if (!device) {
        return std::nullopt;
    }
    if (!calibration.kernels.empty() && device->limits.target != fusion::Target::host) {
        diagnostics.report(kind::calibration_file, calibration.figures_span, "`kernels` names what kernels of a host do, and this is none");
    }
    std::vector<std::pair<std::string, Span>> given;
    for (const CalibratedFigure& figure : calibration.figures) {
        lay_over(calibration, figure, *device, diagnostics);
        given.emplace_back(figure.key, figure.span);
    }
    check_complete(given, diagnostics);
    if (diagnostics.error_count() != before) {
        return std::nullopt;
    }
    if (!calibration.routines.empty()) {
        device->routine_times = std::make_shared<const RoutineTimes>(RoutineTimes{
            calibration.name, calibration.date, calibration.machine, calibration.commit, calibration.routines, calibration.kernels});
    }
    if (calibration.name != calibration.base) {
        device->summary = fmt::format("{}, as {} has been measured", calibration.machine, calibration.base);
    }
    device->name = calibration.name;
    device->calibration = calibration.hash;
    return device;
}

std::optional<fs::path> user_calibrations() {
    for (const auto& [variable, below] : {std::pair("XDG_CONFIG_HOME", "fusec"), {"HOME", ".config/fusec"}}) {
        const char* const value = std::getenv(variable);
        if (value != nullptr && *value == '/') {
            return fs::path(value) / below / "calibrations";
        }
    }
    return std::nullopt;
}

std::vector<fs::path> calibration_folders() {
    std::vector<fs::path> folders;
    if (const auto own = user_calibrations()) {
        folders.push_back(*own);
    }
    folders.push_back(devices_folder().parent_path() / "calibrations");
    return folders;
}

std::optional<fs::path> find_calibration(const std::string& name) {
    for (const fs::path& folder : calibration_folders()) {
        std::error_code code; // what is there and cannot be read is found too: reading it says why
        const fs::path file = folder / (name + ".json");
        if (fs::symlink_status(file, code).type() != fs::file_type::not_found) {
            return file;
        }
    }
    return std::nullopt;
}

std::vector<std::string> known_device_names() {
    const std::vector<std::string> described = device_names();
    std::set<std::string> names(described.begin(), described.end());
    for (const fs::path& folder : calibration_folders()) {
        std::error_code code;
        for (fs::directory_iterator file(folder, code), end; !code && file != end; file.increment(code)) {
            if (file->path().extension() == ".json") {
                names.insert(file->path().stem().string());
            }
        }
    }
    return {names.begin(), names.end()};
}

std::optional<fs::path> calibration_file(const std::string& name) {
    const bool path = fs::path(name).extension() == ".json";
    return path ? std::optional(fs::path(name)) : name.find('/') == std::string::npos ? find_calibration(name) : std::nullopt;
}

std::optional<Device> find_calibrated_device(const std::string& name, Diagnostics& diagnostics) {
    const std::optional<fs::path> file = calibration_file(name);
    if (!file) {
        return find_device(name, known_device_names(), "a path that ends in .toml, or in .json of a calibration", diagnostics);
    }
    const std::optional<Calibration> calibration = read_calibration(*file, diagnostics);
    if (!calibration) {
        return std::nullopt;
    }
    const bool by_name = fs::path(name).extension() != ".json";
    if (by_name && (calibration->name != name || !is_named_as_it_may(name, calibration->base, calibration->description != nullptr))) {
        diagnostics.report(kind::calibration_file, calibration->name_span,
            fmt::format("`{}` calibrates `{}` over `{}`, not `{}`", file->string(), calibration->name, calibration->base, name));
        return std::nullopt;
    }
    return calibrated_device(*calibration, diagnostics);
}

std::vector<fs::path> files_of_device(const std::string& name) {
    const std::optional<fs::path> file = calibration_file(name);
    if (!file) {
        return {device_file(name)};
    }
    Diagnostics ignored; // read and reported where the device was made
    const std::optional<Calibration> calibration = read_calibration(*file, ignored);
    const bool whole = !calibration || calibration->description != nullptr;
    return whole ? std::vector<fs::path>{*file} : std::vector<fs::path>{*file, device_file(calibration->base)};
}

} // namespace fusec::perfmodel
