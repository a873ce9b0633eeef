// SPDX-License-Identifier: Apache-2.0
// What the system says about the processors that emitted host code runs on.
#pragma once

namespace fusec::cli {

struct HostMachine {
    int cores = 1;         ///< processors that this process may use, or the threads that OMP_NUM_THREADS allows
    int vector_bytes = 16; ///< of a SIMD register, as -march=native uses it
    double clock_ghz = 1;  ///< at the moment; 1 where the system does not tell
    double l2_bytes = 0;   ///< second-level cache of a core; 1 MiB where the system does not tell
    double l3_bytes = 0;   ///< last-level cache; 32 MiB where the system does not tell
};

HostMachine host_machine();

} // namespace fusec::cli
