// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/device.hpp"

#include "perfmodel/device_figures.hpp"
#include "perfmodel/device_file.hpp"
#include "support/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace fusec::perfmodel {

namespace fs = std::filesystem;
using fusion::DeviceLimits;

namespace {

/// Figures that contradict each other: what a block may use must fit a multiprocessor.
void check_limits(const DeviceFile& file, const Device& device, Diagnostics& diagnostics) {
    const DeviceLimits& limits = device.limits;
    const auto place = [&](const char* key) {
        return std::find_if(file.figures.begin(), file.figures.end(), [&](const LocatedFigure& f) { return f.figure.key == key; })->span;
    };
    if (limits.target == fusion::Target::host) {
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
    std::optional<std::string> text = read_text(path, diagnostics);
    return text ? load_device(std::make_shared<const SourceText>(path.string(), std::move(*text)), diagnostics) : std::nullopt;
}

std::optional<Device> load_device(const SourcePtr& source, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
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
    std::vector<std::pair<std::string, Span>> places;
    for (const LocatedFigure& figure : file->figures) {
        store(figure.figure, figure.span, device, diagnostics);
        device.figures.push_back(figure.figure);
        places.emplace_back(figure.figure.key, figure.span);
    }
    check_complete(places, diagnostics);
    for (const Field& field : device_fields()) {
        const bool given =
            std::any_of(file->figures.begin(), file->figures.end(), [&](const LocatedFigure& f) { return f.figure.key == field.key; });
        if (field.serves(device.limits.target) && field.required && !given) {
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
    return find_device(name, device_names(), "a path that ends in .toml", diagnostics);
}

std::optional<Device> find_device(
    const std::string& name, const std::vector<std::string>& known, std::string_view or_else, Diagnostics& diagnostics) {
    const std::vector<std::string> names = device_names();
    if (is_path(name) || std::find(names.begin(), names.end(), name) != names.end()) {
        return load_device(device_file(name), diagnostics);
    }
    diagnostics.report(kind::unknown_device, {}, fmt::format("no device is named `{}`", name)).hint =
        fmt::format("{}, or {}", known_instead(name, known), or_else);
    return std::nullopt;
}

bool is_device_name(const std::string& name) {
    const auto possible = [](unsigned char c) { return (std::isalnum(c) != 0 && c < 128) || c == '-' || c == '_'; };
    return !name.empty() && std::all_of(name.begin(), name.end(), possible);
}

bool has_control_character(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
}

std::string known_instead(const std::string& name, const std::vector<std::string>& known) {
    const std::string guess = nearest(name, known);
    return fmt::format("{}known: {}", guess.empty() ? "" : fmt::format("did you mean `{}`? ", guess), fmt::join(known, ", "));
}

} // namespace fusec::perfmodel
