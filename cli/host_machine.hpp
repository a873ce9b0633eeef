// SPDX-License-Identifier: Apache-2.0
// What the system says about the processors that emitted host code runs on.
#pragma once

#include "perfmodel/device.hpp"

namespace fusec::cli {

struct HostMachine {
    int cores = 1;         ///< processors that loops of emitted code may use: usable_processors()
    int vector_bytes = 16; ///< of a SIMD register, as -march=native uses it
    double clock_ghz = 1;  ///< at the moment; 1 where the system does not tell
    double l2_bytes = 0;   ///< second-level cache of a core; 1 MiB where the system does not tell
    double l3_bytes = 0;   ///< last-level caches of all processors that this process may run on; 32 MiB where the system does not tell
    /// Twice what all caches of those processors hold (execute::TimingSetup::displaced_bytes).
    double displacing_bytes = 0;
};

HostMachine host_machine();

/// The same where the last level was found to hold `last_level` bytes, if these are fewer than what the system says.
double displacing_bytes(const HostMachine& machine, double last_level);
/// The same by what a calibration of this processor found its last level to hold; a device that is none of this processor says nothing of that.
double displacing_bytes(const perfmodel::Device& device);

/// How many processors a parallel loop of emitted code uses when this process starts it: the lesser of those of its affinity and of the threads
/// that OMP_NUM_THREADS asks for. At least 1.
int usable_processors();

/// The same of `affine` processors and the value of OMP_NUM_THREADS, null where it is not set. The value is a list of positive numbers,
/// separated by commas: threads of the outermost loop first, which counts. OpenMP leaves it to implementations what any other value means;
/// GNU's ignores it (and says so when the loop starts), and so does this.
int usable_processors(int affine, const char* omp_num_threads);

} // namespace fusec::cli
