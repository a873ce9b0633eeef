// SPDX-License-Identifier: Apache-2.0
// How the compiler scales: `fusec explore --json` on layered programs, and on matrices written by components, by stage, with the size of the space, the gap and the memory.
// Usage: explore_scale FUSEC COMMIT [--runs N] [CALLS...] > bench/results/explore_scale.json
// The first run of a size is the cold one; the median of the others is the warm one. Processor time stands beside the elapsed time,
// because the machine may be shared; its load is written down.

#include "bench/scale_programs.hpp"

#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::ordered_json;

struct Run {
    double seconds = 0;           ///< elapsed
    double processor_seconds = 0; ///< user and system
    double mebibytes = 0;         ///< peak resident
    ordered_json stages;          ///< seconds by stage
};

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// Lines `NAME MILLISECONDS ms  what the stage does` of --time-stages.
ordered_json stages_of(const std::filesystem::path& messages) {
    ordered_json stages = ordered_json::object();
    std::ifstream lines(messages);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, unit;
        double milliseconds = 0;
        if (words >> name >> milliseconds >> unit && unit == "ms") {
            stages[name] = milliseconds / 1000;
        }
    }
    return stages;
}

Run explore(const std::string& fusec, const std::filesystem::path& program, const std::filesystem::path& report,
    const std::filesystem::path& messages) {
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("fork failed");
    }
    if (child == 0) {
        const int file = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        dup2(file, STDERR_FILENO);
        execl(fusec.c_str(), fusec.c_str(), "explore", program.c_str(), "--json", report.c_str(), "--time-stages",
            static_cast<char*>(nullptr));
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw std::runtime_error("`" + fusec + " explore` failed on " + program.string() + ": " + text_of(messages));
    }
    return {elapsed.count(), seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024,
        stages_of(messages)};
}

ordered_json as_json(const Run& run) {
    return {
        {"seconds", run.seconds}, {"processor_seconds", run.processor_seconds}, {"peak_mebibytes", run.mebibytes}, {"stages", run.stages}};
}

struct Subject {
    std::string name;
    std::string text;
    ordered_json size; ///< what tells it from others of its kind
};

Subject layered(int calls) {
    const int width = std::max(2, static_cast<int>(std::sqrt(calls)));
    const auto seed = static_cast<std::uint64_t>(calls);
    return {"layered", fusec::bench::layered_program(seed, calls, width), {{"calls", calls}, {"width", width}, {"seed", seed}}};
}

std::vector<Subject> by_components() {
    std::vector<Subject> subjects;
    for (const int size : {6, 12, 24}) {
        subjects.push_back({"symmetrised", fusec::bench::symmetrised_program(size), {{"assignments", size * size}}});
    }
    for (const auto& [rows, columns] : {std::pair(6, 6), std::pair(10, 20)}) {
        subjects.push_back({"assembled", fusec::bench::assembled_program(rows, columns), {{"assignments", rows * columns}}});
    }
    return subjects;
}

ordered_json measure(const std::string& fusec, const Subject& subject, int runs, const std::filesystem::path& folder) {
    const auto program = folder / (subject.name + ".fus");
    const auto report = folder / "report.json";
    std::ofstream(program) << subject.text;

    const Run cold = explore(fusec, program, report, folder / "messages");
    std::vector<Run> warm;
    for (int i = 0; i < runs; ++i) {
        warm.push_back(explore(fusec, program, report, folder / "messages"));
    }
    // The median by processor time: the elapsed time also shows what else the machine did.
    std::sort(warm.begin(), warm.end(), [](const Run& a, const Run& b) { return a.processor_seconds < b.processor_seconds; });
    const ordered_json found = ordered_json::parse(text_of(report));
    ordered_json row;
    row["program"] = subject.name;
    row.update(subject.size);
    row["calls_after_merging"] = found.at("space").at("calls");
    for (const char* key : {"fusions", "candidates", "dominated", "complete"}) {
        row[key] = found.at("space").at(key);
    }
    row["gap"] = found.at("optimum").at("gap");
    row["plans"] = found.at("plans").size();
    row["kernels"] = found.at("plans").at(0).at("kernels").size();
    row["cold"] = as_json(cold);
    row["warm"] = as_json(warm[warm.size() / 2]);
    return row;
}

std::string processor() {
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown";
}

} // namespace

int main(int argc, char** argv) try {
    if (argc < 3) {
        std::cerr << "usage: explore_scale FUSEC COMMIT [--runs N] [CALLS...]\n";
        return 2;
    }
    int runs = 3;
    std::vector<Subject> subjects;
    for (int i = 3; i < argc; ++i) {
        if (std::string(argv[i]) == "--runs" && i + 1 < argc) {
            runs = std::max(1, std::atoi(argv[++i]));
        } else {
            subjects.push_back(layered(std::atoi(argv[i])));
        }
    }
    if (subjects.empty()) {
        for (const int calls : {10, 30, 100, 300, 1000}) {
            subjects.push_back(layered(calls));
        }
        const std::vector<Subject> others = by_components();
        subjects.insert(subjects.end(), others.begin(), others.end());
    }
    std::string folder = (std::filesystem::temp_directory_path() / "explore_scale.XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    const std::time_t now = std::time(nullptr);
    std::string date(32, '\0');
    date.resize(std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now)));
    double load[1] = {0};
    getloadavg(load, 1);

    ordered_json result{{"schema", 1}, {"what", "fusec explore --json on layered programs, and on matrices written by components"},
        {"date", date}, {"commit", argv[2]}, {"processor", processor()}, {"cores", sysconf(_SC_NPROCESSORS_ONLN)}, {"warm_runs", runs},
        {"load_at_start", load[0]}};
    for (const Subject& subject : subjects) {
        std::cerr << subject.name << ' ' << subject.size.dump() << '\n';
        result["sizes"].push_back(measure(argv[1], subject, runs, folder));
    }
    getloadavg(load, 1);
    result["load_at_end"] = load[0];
    std::filesystem::remove_all(folder);
    std::cout << result.dump(2) << '\n';
    return 0;
} catch (const std::exception& failure) {
    std::cerr << "explore_scale: " << failure.what() << '\n';
    return 1;
}
