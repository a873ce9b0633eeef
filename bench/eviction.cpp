// SPDX-License-Identifier: Apache-2.0
// How fast one processor reads a list of 32 MiB after what is to leave nothing of it in a cache: nothing at all, other memory read three times, more and
// more of it, and execute::evict_lines. Rounds of one way are in a row, as samples are: other memory that is read before each stays where there is room for both.
// The first three of a row do not count. Three times each, so that what disturbs the machine disturbs all of them.
// Usage: eviction RESULT.json [ROUNDS]
#include "execute/eviction.hpp"
#include "bench/run_record.hpp"
#include "execute/buffer.hpp"
#include "support/median.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace fusec::bench {
namespace {

using Clock = std::chrono::steady_clock;
using execute::Buffer;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Sixteen sums of as many lanes, so that none waits for another.
float sum(std::span<const float> list) {
    constexpr std::size_t lanes = 256;
    float sums[lanes] = {};
    for (std::size_t at = 0; at + lanes <= list.size(); at += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += list[at + lane];
        }
    }
    float all = 0;
    for (const float each : sums) {
        all += each;
    }
    return all;
}

std::span<const float> floats(Buffer& buffer) {
    auto* const first = reinterpret_cast<float*>(buffer.data());
    const std::span<float> all(first, buffer.size() / sizeof(float));
    std::ranges::fill(all, 1.0F);
    return all;
}

struct Way {
    std::string name;
    double other_mebibytes = 0; ///< of other memory, read three times
    std::function<void()> prepare;
    std::vector<double> list_seconds = {}, preparing_seconds = {};
};

int run(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: eviction RESULT.json [ROUNDS]\n";
        return 2;
    }
    const int rounds = argc == 3 ? std::stoi(argv[2]) : 8;
    if (rounds < 1 || !execute::can_evict()) {
        throw std::runtime_error("a positive number of rounds, and a processor that drops lines when it is told to");
    }
    constexpr int passes = 3, blocks = 3, settling = 3;
    constexpr std::size_t mebibyte = 1024 * 1024, list_bytes = 32 * mebibyte, most = 1024;
    Buffer list_memory(list_bytes, 0, execute::HugePages::all), other_memory(most * mebibyte, 0, execute::HugePages::all);
    const std::span<const float> list = floats(list_memory), other = floats(other_memory);
    volatile float kept = 0; // what is read is used, each time
    const auto read = [&](std::span<const float> part) {
        for (int pass = 0; pass < passes; ++pass) {
            kept = sum(part);
        }
    };
    std::vector<Way> ways = {{"nothing", 0, [] {}}};
    for (std::size_t mebibytes = 32; mebibytes <= most; mebibytes *= 2) {
        ways.push_back(
            {"readings", static_cast<double>(mebibytes), [&, mebibytes] { read(other.first(mebibytes * mebibyte / sizeof(float))); }});
    }
    ways.push_back({"evicted", 0, [&] { execute::evict_lines(list.data(), list.size_bytes()); }});
    for (int block = 0; block < blocks; ++block) {
        for (Way& way : ways) {
            for (int round = -settling; round < rounds; ++round) {
                kept = sum(list);
                const auto start = Clock::now();
                way.prepare();
                const double preparing = seconds_since(start);
                const auto prepared = Clock::now();
                kept = sum(list);
                if (const double reading = seconds_since(prepared); round >= 0) {
                    way.preparing_seconds.push_back(preparing);
                    way.list_seconds.push_back(reading);
                }
            }
        }
    }
    static_cast<void>(kept);
    auto result = run_record(FUSEC_SOURCE_FOLDER);
    result["schema"] = "fusec-eviction";
    result["version"] = 1;
    result["rounds"] = blocks * rounds;
    result["list_mebibytes"] = list_bytes / mebibyte;
    for (const Way& way : ways) {
        const double bytes = static_cast<double>(list.size_bytes());
        result["ways"].push_back({{"prepared_by", way.name}, {"other_mebibytes", way.other_mebibytes},
            {"median_gb_per_s", bytes / median(way.list_seconds) * 1e-9},
            {"greatest_gb_per_s", bytes / std::ranges::min(way.list_seconds) * 1e-9},
            {"median_preparing_ms", 1e3 * median(way.preparing_seconds)}});
    }
    if (std::ofstream file(argv[1]); !(file << result.dump(1) << '\n' << std::flush)) {
        throw std::runtime_error(std::string("cannot write ") + argv[1]);
    }
    std::cout << result["ways"].dump(1) << '\n';
    return 0;
}

} // namespace
} // namespace fusec::bench

int main(int argc, char** argv) {
    return fusec::bench::exit_code("eviction", fusec::bench::run, argc, argv);
}
