// SPDX-License-Identifier: Apache-2.0
#include "support/processors.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <sched.h>

namespace fusec {

namespace {

struct Cache {
    int level = 0;
    double bytes = 0;
    std::string sharers; ///< "0-7": tells caches of one level apart
};

/// Nothing where there is no such cache or it holds instructions alone.
std::optional<Cache> data_cache(const std::filesystem::path& folder) {
    Cache cache;
    std::string type;
    char unit = ' ';
    std::ifstream(folder / "level") >> cache.level;
    std::ifstream(folder / "type") >> type;
    std::ifstream(folder / "size") >> cache.bytes >> unit;
    std::ifstream(folder / "shared_cpu_list") >> cache.sharers;
    if (type == "Instruction" || cache.level <= 0 || !(cache.bytes > 0)) {
        return std::nullopt;
    }
    cache.bytes *= unit == 'G' ? 1073741824 : unit == 'M' ? 1048576 : unit == 'K' ? 1024 : 1;
    return cache;
}

} // namespace

std::vector<int> affine_processors() {
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
            std::vector<int> processors;
            for (std::size_t i = 0; i < held; ++i) {
                if (CPU_ISSET_S(i, bytes, set.get())) {
                    processors.push_back(static_cast<int>(i));
                }
            }
            return processors;
        }
        if (errno != EINVAL) {
            break;
        }
    }
    return {};
}

unsigned threads_at_once() {
    const std::size_t affine = affine_processors().size();
    return std::max(1U, affine > 0 ? static_cast<unsigned>(affine) : std::thread::hardware_concurrency());
}

CacheBytes cache_bytes(const std::vector<int>& processors, const std::filesystem::path& system) {
    CacheBytes result;
    int last = 0;
    std::set<std::string> counted; // of the level `last`
    for (const int processor : processors) {
        const std::string name = "cpu" + std::to_string(processor);
        for (int index = 0;; ++index) {
            const std::filesystem::path folder = system / name / "cache" / ("index" + std::to_string(index));
            if (!std::filesystem::exists(folder)) {
                break;
            }
            const std::optional<Cache> cache = data_cache(folder);
            if (!cache) {
                continue;
            }
            if (cache->level == 2) {
                result.second_level = result.second_level > 0 ? std::min(result.second_level, cache->bytes) : cache->bytes;
            }
            if (cache->level > last) {
                last = cache->level;
                counted.clear();
                result.last_level = 0;
            }
            if (cache->level == last && counted.insert(cache->sharers.empty() ? name : cache->sharers).second) {
                result.last_level += cache->bytes;
            }
        }
    }
    return result;
}

} // namespace fusec
