// SPDX-License-Identifier: Apache-2.0
#include "cli/host_machine.hpp"

#include "support/machine.hpp"
#include "support/processors.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::cli {

namespace {

/// GHz; nothing where the system does not tell.
std::optional<double> clock_of_processor(const std::filesystem::path& told) {
    std::ifstream processors(told);
    for (std::string line; std::getline(processors, line);) {
        if (line.starts_with("cpu MHz") && line.find(": ") != std::string::npos) {
            double megahertz = 0;
            std::istringstream(line.substr(line.find(": ") + 2)) >> megahertz;
            return megahertz > 0 ? std::optional(megahertz * 1e-3) : std::nullopt;
        }
    }
    return std::nullopt;
}

int bytes_of_vector() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
#else
    return 16;
#endif
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
    return usable_processors(static_cast<int>(threads_at_once()), std::getenv("OMP_NUM_THREADS"));
}

HostMachine host_machine(const SystemFiles& system) {
    constexpr double mebibyte = 1024 * 1024;
    const std::vector<int> affine = affine_processors();
    const CacheBytes caches = cache_bytes(affine, system.caches);
    HostMachine machine;
    const auto told_or_assumed = [&](double told, double else_assumed, const char* key, const char* what) {
        if (told <= 0) {
            machine.assumed.push_back({key, what});
        }
        return told > 0 ? told : else_assumed;
    };
    machine.cores = usable_processors();
    machine.vector_bytes = bytes_of_vector();
    machine.clock_ghz =
        told_or_assumed(clock_of_processor(system.processors).value_or(0), 1, "speed.clock", "the processor's clock is taken for 1 GHz");
    machine.l2_bytes =
        told_or_assumed(caches.second_level, mebibyte, "speed.l2_bytes", "the second-level cache is taken to hold 1 MiB for each core");
    machine.l3_bytes =
        told_or_assumed(caches.last_level, 32 * mebibyte, "speed.l3_bytes", "the last-level caches are taken to hold 32 MiB together");
    return machine;
}

std::string source_of(const HostMachine& machine, std::string_view key) {
    return std::ranges::find(machine.assumed, key, &HostMachine::Assumed::key) == machine.assumed.end()
        ? "what the system says"
        : "assumption: the system does not tell";
}

void warn_of_assumed(const HostMachine& machine, Diagnostics& diagnostics) {
    for (const HostMachine::Assumed& each : machine.assumed) {
        diagnostics.report(kind::assumed_machine, {}, "the system does not tell all of this machine: " + each.what);
    }
}

} // namespace fusec::cli
