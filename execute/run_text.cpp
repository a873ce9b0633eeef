// SPDX-License-Identifier: Apache-2.0
#include "execute/run_text.hpp"

#include "execute/gpu_driver.hpp"
#include "execute/process.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>

namespace fusec::execute {

namespace {

/// Jobs first .. last - 1, built as one translation unit; the reports of first_run .. last - 1 are wanted.
struct Batch {
    std::size_t first = 0, last = 0;
    std::size_t first_run = 0;
};

/// As many jobs per batch as the setup says, fewer where texts are long: what fails or takes too long costs its batch.
std::vector<Batch> batches_of(const std::vector<RunJob>& jobs, std::size_t most) {
    constexpr std::size_t most_bytes = 1000000;
    std::vector<Batch> batches;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        std::size_t own = 0;
        for (const BuildRequest::File& file : jobs[i].text.files) {
            own += file.text.size();
        }
        if (batches.empty() || i - batches.back().first == most || bytes + own > most_bytes) {
            batches.push_back({i, i, i});
            bytes = 0;
        }
        ++batches.back().last;
        bytes += own;
    }
    return batches;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// Reports cross the process boundary as lines, each as soon as it is made: a mark, counts, the ratio, then the texts.
constexpr const char* report_mark = "report";

std::string to_lines(const RunReport& report) {
    std::ostringstream lines;
    lines.precision(17);
    lines << report_mark << '\n'
          << report.launches << ' ' << report.components << ' ' << report.worst_ratio << ' ' << report.faults << ' ' << report.texts.size()
          << '\n';
    for (const std::string& text : report.texts) {
        lines << one_line(text) << '\n';
    }
    return lines.str();
}

/// Nothing where the lines go on with something else, which is then left to be read: what a child said when it ended.
std::optional<RunReport> from_lines(std::istream& lines) {
    const auto start = lines.tellg();
    std::string mark;
    if (!std::getline(lines, mark) || mark != report_mark) {
        lines.clear();
        lines.seekg(start);
        return std::nullopt;
    }
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
    send_from_child("loaded\n");
    const RunOptions options{setup.first_fault_only, setup.step_seconds};
    for (std::size_t i = batch.first_run; i < batch.last; ++i) {
        RunReport report;
        const auto functions =
            UnitFunctions::find(*library, jobs[i].text.name, diagnostics, jobs[i].interface.entries, !jobs[i].interface.checks.empty());
        if (!functions) {
            report.add(diagnostics.all().back().message);
        } else if (kind == BuildKind::emulated) {
            emulation::Device device;
            for (const auto& [kernel, tiles] : jobs[i].text.tiles) {
                device.name_tiles(kernel, tiles);
            }
            library->attach(device);
            report = run_unit(*functions, jobs[i].interface, jobs[i].cases, options, &device);
        } else {
            report = run_unit(*functions, jobs[i].interface, jobs[i].cases, options, nullptr, driver ? &*driver : nullptr);
        }
        send_from_child(to_lines(report));
    }
    return {};
}

} // namespace

std::vector<RunReport> run_texts(const std::vector<RunJob>& jobs, BuildKind kind, const RunSetup& setup) {
    std::vector<RunReport> reports(jobs.size());
    std::vector<Batch> batches = batches_of(jobs, setup.batch);
    // A batch that cannot be built is divided into units built alone. A unit that ends its child is run again as the first of another
    // child, because those before it may be to blame; then the batch goes on with the next one.
    while (!batches.empty()) {
        std::vector<std::function<std::string()>> functions;
        for (const Batch& batch : batches) {
            functions.emplace_back([&jobs, &setup, batch, kind] { return run_batch(jobs, batch, kind, setup); });
        }
        const std::vector<ChildResult> results = kind == BuildKind::gpu ? run_children(functions, setup.jobs, setup.seconds, 1)
                                                                        : run_children(functions, setup.jobs, setup.seconds);
        std::vector<Batch> left;
        for (std::size_t b = 0; b < batches.size(); ++b) {
            Batch batch = batches[b];
            const std::size_t first_run = batch.first_run;
            std::istringstream lines(results[b].text);
            std::string state;
            std::getline(lines, state);
            if (state == "loaded") {
                while (batch.first_run < batch.last) {
                    std::optional<RunReport> report = from_lines(lines);
                    if (!report) {
                        break;
                    }
                    reports[batch.first_run++] = std::move(*report);
                }
                internal_check(results[b].completed == (batch.first_run == batch.last), "a child ended with the wrong number of reports");
                if (!results[b].completed && batch.first_run != first_run) {
                    left.push_back(batch);
                } else if (!results[b].completed) {
                    const std::string said(std::istreambuf_iterator<char>(lines), {});
                    const bool ended = results[b].fault == "ended";
                    reports[batch.first_run++].add(one_line(ended ? said : said + (said.empty() ? "" : ": ") + results[b].fault));
                    if (batch.first_run < batch.last) {
                        left.push_back(batch);
                    }
                }
            } else if (batch.last - batch.first == 1) {
                std::getline(lines, state);
                reports[batch.first].add(
                    one_line(results[b].completed ? state : results[b].text + (results[b].text.empty() ? "" : ": ") + results[b].fault));
            } else {
                for (std::size_t i = batch.first; i < batch.last; ++i) {
                    left.push_back({i, i + 1, i});
                }
            }
        }
        batches = std::move(left);
    }
    return reports;
}

} // namespace fusec::execute
