// SPDX-License-Identifier: Apache-2.0
// What the system says about the processors that emitted host code runs on.
#pragma once

#include "support/diagnostics.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::cli {

/// Where Linux tells of processors.
struct SystemFiles {
    std::filesystem::path processors = "/proc/cpuinfo";
    std::filesystem::path caches = "/sys/devices/system/cpu"; ///< as of cache_bytes
};

struct HostMachine {
    int cores = 1;         ///< processors that loops of emitted code may use: usable_processors()
    int vector_bytes = 16; ///< of a SIMD register, as -march=native uses it
    double clock_ghz = 1;  ///< at the moment
    double l2_bytes = 0;   ///< second-level cache of a core
    double l3_bytes = 0;   ///< last-level caches of all processors that this process may run on

    /// A figure that the system does not tell.
    struct Assumed {
        std::string key;  ///< "speed.clock", "speed.l2_bytes" or "speed.l3_bytes"
        std::string what; ///< "the clock is taken for 1 GHz"
    };
    std::vector<Assumed> assumed = {};
};

/// Of what `system` does not tell: 1 GHz, 1 MiB for each core, 32 MiB for all.
HostMachine host_machine(const SystemFiles& system = {});

/// Where the figure of that key comes from, for a calibration.
std::string source_of(const HostMachine& machine, std::string_view key);
/// One `assumed-machine` warning for each figure that is assumed.
void warn_of_assumed(const HostMachine& machine, Diagnostics& diagnostics);

/// How many processors a parallel loop of emitted code uses when this process starts it: the lesser of those of its affinity and of the threads
/// that OMP_NUM_THREADS asks for. At least 1.
int usable_processors();

/// The same of `affine` processors and the value of OMP_NUM_THREADS, null where it is not set. The value is a list of positive numbers,
/// separated by commas: threads of the outermost loop first, which counts. OpenMP leaves it to implementations what any other value means;
/// GNU's ignores it (and says so when the loop starts), and so does this.
int usable_processors(int affine, const char* omp_num_threads);

} // namespace fusec::cli
