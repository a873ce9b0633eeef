// SPDX-License-Identifier: Apache-2.0
#include "cli/host_machine.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
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

/// How many processors this process may run on.
int affine_processors() {
    // The kernel refuses a set that does not hold all the processors it is built for, and does not tell how many those are.
    constexpr std::size_t most = 1U << 20U;
    for (std::size_t held = CPU_SETSIZE; held <= most; held *= 2) {
        const auto release = [](cpu_set_t* set) { CPU_FREE(set); };
        const std::unique_ptr<cpu_set_t, decltype(release)> set(CPU_ALLOC(held));
        const std::size_t bytes = CPU_ALLOC_SIZE(held);
        if (set == nullptr) {
            break;
        }
        if (sched_getaffinity(0, bytes, set.get()) == 0) {
            return CPU_COUNT_S(bytes, set.get());
        }
        if (errno != EINVAL) {
            break;
        }
    }
    return static_cast<int>(std::thread::hardware_concurrency());
}

/// The first number of a list of positive numbers with commas between them; nothing where the text is no such list.
std::optional<long long> first_of_list(std::string_view list) {
    std::optional<long long> first;
    const auto skip_blanks = [&] { list.remove_prefix(std::min(list.find_first_not_of(" \t"), list.size())); };
    for (bool more = true; more;) {
        skip_blanks();
        long long number = 0;
        const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), number);
        if (error != std::errc() || number <= 0) {
            return std::nullopt;
        }
        first = first.value_or(number);
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
        skip_blanks();
        more = list.starts_with(',');
        list.remove_prefix(more ? 1 : 0);
    }
    return list.empty() ? first : std::nullopt;
}

} // namespace

int usable_processors(int affine, const char* omp_num_threads) {
    const std::optional<long long> asked = omp_num_threads == nullptr ? std::nullopt : first_of_list(omp_num_threads);
    return static_cast<int>(std::max<long long>(1, std::min<long long>(affine, asked.value_or(affine))));
}

int usable_processors() {
    return usable_processors(affine_processors(), std::getenv("OMP_NUM_THREADS"));
}

HostMachine host_machine() {
    constexpr double mebibyte = 1024 * 1024;
    return {usable_processors(), bytes_of_vector(), clock_of_processor(), cache_bytes(2, mebibyte), cache_bytes(3, 32 * mebibyte)};
}

} // namespace fusec::cli
