// SPDX-License-Identifier: Apache-2.0
// What every result file of bench/ says about the run that made it.
#pragma once

#include "support/machine.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <thread>

namespace fusec::bench {

/// The first line that a command prints; empty when it cannot be run.
inline std::string first_line(const std::string& command) {
    std::string text;
    if (FILE* pipe = popen(command.c_str(), "r")) {
        std::array<char, 4096> buffer{};
        if (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
            text = buffer.data();
        }
        while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) { // the command may finish
        }
        pclose(pipe);
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    return text;
}

/// `date` (UTC), `machine` {processor, threads, system, load_average: of the last minute, as others may use the machine}, `commit`
/// (of the folder that holds the sources; `+` when files other than results differ from it).
inline nlohmann::ordered_json run_record(const std::string& sources) {
    const std::string git = "git -C '" + sources + "' ";
    const bool changed = !first_line(git + "status --porcelain --untracked-files=no -- . ':!bench/results'").empty();
    return {{"date", utc_date()},
        {"machine",
            {{"processor", processor_name()}, {"threads", std::thread::hardware_concurrency()}, {"system", first_line("uname -sr")},
                {"load_average", first_line("cut -d' ' -f1 /proc/loadavg")}}},
        {"commit", first_line(git + "rev-parse HEAD") + (changed ? "+" : "")}};
}

/// The exit code of a program that is `run(argc, argv)`: its own, or 1 after what it throws is printed behind the program's name.
template <class Run>
int exit_code(const char* name, Run run, int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << name << ": " << error.what() << '\n';
        return 1;
    }
}

} // namespace fusec::bench
