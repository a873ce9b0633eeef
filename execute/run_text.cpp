// SPDX-License-Identifier: Apache-2.0
#include "execute/run_text.hpp"

#include "execute/gpu_driver.hpp"
#include "execute/process.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace fusec::execute {

namespace {

/// Jobs first .. last - 1, built as one translation unit; the reports of first_run .. last_run - 1 are wanted.
struct Batch {
    std::size_t first = 0, last = 0;
    std::size_t first_run = 0, last_run = 0;
};

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// Reports cross the process boundary as lines: counts, the ratio, then the texts.
std::string to_lines(const RunReport& report) {
    std::ostringstream lines;
    lines.precision(17);
    lines << report.launches << ' ' << report.components << ' ' << report.worst_ratio << ' ' << report.faults << ' ' << report.texts.size() << '\n';
    for (const std::string& text : report.texts) {
        lines << one_line(text) << '\n';
    }
    return lines.str();
}

RunReport from_lines(std::istream& lines) {
    RunReport report;
    std::size_t texts = 0;
    lines >> report.launches >> report.components >> report.worst_ratio >> report.faults >> texts;
    lines.ignore();
    for (std::size_t i = 0; i < texts; ++i) {
        report.texts.emplace_back();
        std::getline(lines, report.texts.back());
    }
    internal_check(bool(lines), "a child's report is cut off");
    return report;
}

BuildRequest request_of(const std::vector<RunJob>& jobs, const Batch& batch, BuildKind kind, const RunSetup& setup) {
    BuildRequest request;
    request.kind = kind;
    request.files.push_back({"batch.cpp", {}});
    for (std::size_t i = batch.first; i < batch.last; ++i) {
        const UnitText& text = jobs[i].text;
        request.files.front().text += "#include \"" + text.files.front().name + "\"\n";
        request.files.insert(request.files.end(), text.files.begin(), text.files.end());
    }
    if (kind == BuildKind::gpu) {
        request.arch = setup.arch;
        request.files.push_back(gpu_driver_file());
        request.files.front().text += "#include \"" + request.files.back().name + "\"\n";
    }
    if (kind == BuildKind::emulated) {
        request.include_folders.push_back(emulation_folder(setup.library_folder));
    }
    request.include_folders.push_back(setup.library_folder / "runtime");
    return request;
}

/// Runs in a child: builds and loads the batch and runs the wanted units. The text begins with whether the batch could be loaded.
std::string run_batch(const std::vector<RunJob>& jobs, const Batch& batch, BuildKind kind, const RunSetup& setup) {
    Diagnostics diagnostics;
    const auto path = build_library(request_of(jobs, batch, kind, setup), setup.compiler, setup.cache, diagnostics);
    const auto library = path ? LoadedLibrary::open(*path, diagnostics) : std::nullopt;
    const auto driver = library && kind == BuildKind::gpu ? GpuDriver::find(*library, diagnostics) : std::nullopt;
    if (!library || (kind == BuildKind::gpu && !driver)) {
        const Diagnostic& first = diagnostics.all().front();
        return "unloadable\n" + one_line(first.message + (first.hint.empty() ? "" : "; " + first.hint));
    }
    std::string lines = "loaded\n";
    for (std::size_t i = batch.first_run; i < batch.last_run; ++i) {
        RunReport report;
        const auto functions = UnitFunctions::find(*library, jobs[i].text.name, diagnostics);
        if (!functions) {
            report.add(diagnostics.all().back().message);
        } else if (kind == BuildKind::emulated) {
            emulation::Device device;
            for (const auto& [kernel, tiles] : jobs[i].text.tiles) {
                device.name_tiles(kernel, tiles);
            }
            library->attach(device);
            report = run_unit(*functions, jobs[i].interface, jobs[i].cases, &device);
        } else {
            report = run_unit(*functions, jobs[i].interface, jobs[i].cases, nullptr, driver ? &*driver : nullptr);
        }
        lines += to_lines(report);
    }
    return lines;
}

} // namespace

std::vector<RunReport> run_texts(const std::vector<RunJob>& jobs, BuildKind kind, const RunSetup& setup) {
    std::vector<RunReport> reports(jobs.size());
    std::vector<Batch> batches;
    for (std::size_t first = 0; first < jobs.size(); first += setup.batch) {
        const std::size_t last = std::min(first + setup.batch, jobs.size());
        batches.push_back({first, last, first, last});
    }
    // A batch that fails is divided: one that cannot be built into units built alone, one that faults into units run alone.
    while (!batches.empty()) {
        std::vector<std::function<std::string()>> functions;
        for (const Batch& batch : batches) {
            functions.emplace_back([&jobs, &setup, batch, kind] { return run_batch(jobs, batch, kind, setup); });
        }
        const std::vector<ChildResult> results = run_children(functions, setup.jobs, setup.seconds);
        std::vector<Batch> divided;
        for (std::size_t b = 0; b < batches.size(); ++b) {
            const Batch& batch = batches[b];
            std::istringstream lines(results[b].text);
            std::string state;
            std::getline(lines, state);
            if (results[b].completed && state == "loaded") {
                for (std::size_t i = batch.first_run; i < batch.last_run; ++i) {
                    reports[i] = from_lines(lines);
                }
            } else if (results[b].completed) {
                if (batch.last - batch.first == 1) {
                    std::getline(lines, state);
                    reports[batch.first].add(state);
                }
                for (std::size_t i = batch.first; i < batch.last && batch.last - batch.first > 1; ++i) {
                    divided.push_back({i, i + 1, i, i + 1});
                }
            } else if (batch.last_run - batch.first_run == 1) {
                reports[batch.first_run].add(one_line(results[b].fault == "ended" ? results[b].text : results[b].text + (results[b].text.empty() ? "" : ": ") + results[b].fault));
            } else {
                for (std::size_t i = batch.first_run; i < batch.last_run; ++i) {
                    divided.push_back({batch.first, batch.last, i, i + 1});
                }
            }
        }
        batches = std::move(divided);
    }
    return reports;
}

} // namespace fusec::execute
