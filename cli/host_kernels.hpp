// SPDX-License-Identifier: Apache-2.0
// The kernels that a calibration of a host measures.
#pragma once

#include "cli/host_calibration.hpp"
#include "cli/host_machine.hpp"
#include "cli/host_probes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fusec::cli {

inline constexpr const char* chain_group = "probe chain";

/// A kernel that moves lists and computes on them.
struct FusedKernel {
    Compilation* compilation;
    fusion::Candidate kernel;
    std::string group; ///< chain_group, "probe squares", "probe sums" or a program's name
};

/// Compilations are those of the HostProbes that they were found with.
struct HostKernels {
    Compilation* streams = nullptr;   ///< mixes of reads and writes, a kernel each
    Compilation* transfers = nullptr; ///< a list of each kind that any kernel has, there and back, a kernel each
    std::vector<HostProbe> routines;  ///< kernels of one call, one for each routine, on lists in cache
    std::vector<FusedKernel> fused;   ///< chains of products, squares of several lists, sums of long lists, kernels of the programs
};

/// Compiles them all. `seed` chooses among the kernels of the programs. Nothing after a report.
std::optional<HostKernels> find_kernels(
    const HostCalibrationOptions& options, const HostMachine& machine, std::uint64_t seed, HostProbes& probes, Diagnostics& diagnostics);

/// Half of the second-level caches of all processors; of one, where the elements are too large for a parallel loop over them.
double cached_bytes(const fusion::Candidate& kernel, const HostMachine& machine);
/// A kernel on lists that lie in the caches.
HostProbe cached_probe(Compilation& c, const fusion::Candidate& kernel, const std::string& group, double bytes);

/// Bytes that an element of it moves.
double bytes_of(const fusion::Candidate& candidate);
/// Steps that a time is wanted of: calls that compute. Names of components are none.
std::vector<const fusion::WorkStep*> computing_steps(const fusion::Candidate& candidate);
/// Accesses to lists, without uniforms.
std::vector<fusion::GlobalAccess> transfers_of(const fusion::Candidate& candidate);

} // namespace fusec::cli
