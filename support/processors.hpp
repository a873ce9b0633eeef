// SPDX-License-Identifier: Apache-2.0
// The processors that this process may run on, and their caches, as Linux tells them.
#pragma once

#include <filesystem>
#include <vector>

namespace fusec {

/// The numbers of the processors of this process's affinity, ascending; empty where the system does not tell.
std::vector<int> affine_processors();

/// How many threads this process runs at once: the processors of its affinity, where the system does not tell all that the machine has. At least 1.
/// (std::thread::hardware_concurrency() counts processors that a batch system has given to others.)
unsigned threads_at_once();

/// Bytes of caches that hold data, of a set of processors.
struct CacheBytes {
    double second_level = 0; ///< of one core: the least of them; 0 where the system tells of none
    double last_level = 0;   ///< of all caches of the greatest level, each counted once however many of the processors share it; 0 likewise
};

/// Pre: `system` is laid out like /sys/devices/system/cpu (cpu0/cache/index0/level, type, size, shared_cpu_list). What is missing there or is
/// no size counts for nothing.
CacheBytes cache_bytes(const std::vector<int>& processors, const std::filesystem::path& system = "/sys/devices/system/cpu");

} // namespace fusec
