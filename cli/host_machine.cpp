// SPDX-License-Identifier: Apache-2.0
#include "cli/host_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <sched.h>

namespace fusec::cli {

namespace {

double clock_of_processor() {
    std::ifstream processors("/proc/cpuinfo");
    for (std::string line; std::getline(processors, line);) {
        if (line.starts_with("cpu MHz") && line.find(": ") != std::string::npos) {
            double megahertz = 0;
            std::istringstream(line.substr(line.find(": ") + 2)) >> megahertz;
            return megahertz > 0 ? megahertz * 1e-3 : 1;
        }
    }
    return 1;
}

/// Of the first processor's cache of that level that holds data: "1024K".
double cache_bytes(int level, double unknown) {
    for (int index = 0; index < 8; ++index) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        int its_level = 0;
        std::string type;
        double size = 0;
        char unit = ' ';
        std::ifstream(folder + "level") >> its_level;
        std::ifstream(folder + "type") >> type;
        std::ifstream(folder + "size") >> size >> unit;
        if (its_level == level && type != "Instruction" && size > 0) {
            return size * (unit == 'M' ? 1048576 : unit == 'K' ? 1024 : 1);
        }
    }
    return unknown;
}

int bytes_of_vector() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
#else
    return 16;
#endif
}

/// Those of this process's affinity; no more than OMP_NUM_THREADS says, where it is set.
int usable_processors() {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    int count =
        sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : static_cast<int>(std::thread::hardware_concurrency());
    if (const char* const threads = std::getenv("OMP_NUM_THREADS")) {
        if (const int asked = std::atoi(threads); asked > 0) {
            count = std::min(count, asked);
        }
    }
    return std::max(1, count);
}

} // namespace

HostMachine host_machine() {
    constexpr double mebibyte = 1024 * 1024;
    return {usable_processors(), bytes_of_vector(), clock_of_processor(), cache_bytes(2, mebibyte), cache_bytes(3, 32 * mebibyte)};
}

} // namespace fusec::cli
