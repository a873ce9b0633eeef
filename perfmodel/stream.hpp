// SPDX-License-Identifier: Apache-2.0
// The loaded-latency law: how much of the memory's bandwidth a number of bytes in flight reaches, by the mix of reads and writes.
#pragma once

#include "fusion/cost_model.hpp"
#include "perfmodel/device.hpp"

namespace fusec::perfmodel {

/// GB/s at which `bytes_in_flight` stand in Little's law with the latency under load,
///     bytes_in_flight = BW * (tau + c * rho / (1 - rho)),  rho = BW / peak.
/// Fitted on every second occupancy of the RRZE gpu-stream sweeps, the law predicts the other half within 0.4-2.9 %
/// (mean, per GPU and kernel). Increasing in bytes_in_flight, at most `peak`. 1 GB/s is 1 byte per ns.
double loaded_bandwidth(const StreamLaw& law, double bytes_in_flight);

/// The law of a kernel that reads and writes these bytes per element: c and peak interpolated linearly over the share of writes
/// between the measured mixes read 1:0, mixed 3:1, copy 1:1 and write 0:1. tau likewise up to 1:1; beyond, it stays that of the copy
/// while anything is read, because the stores of an element still wait for its loads.
StreamLaw law_of_mix(const Device& device, double read_bytes, double write_bytes);

/// From so many lists on a host is taken to gain nothing by more of them: fitted to kernels of the Xeon of docs/measured-hosts.md, 8 and 16 in its place
/// change errors by 0.1 % (seen during development), and would have the search take kernels for as much cheaper as none of them is.
inline constexpr int most_followed_lists = 4;

/// How many lists a host's kernel reads at a time, by their bytes b: (sum b)^2 / sum b^2. Lists of one size count as they are; a short one beside a
/// long one hardly does. 1 where nothing is read. Pre: the work has its steps. O(accesses).
double followed_lists(const fusion::KernelWork& work);

/// Share of memory's time that is left to a host's kernel that reads so many lists, of what it takes for as many bytes of one: a processor that
/// follows each list by itself has more of memory's answers under way the more of them there are. `stream.lists` for each doubling, up to
/// most_followed_lists; 1 without that figure. No less than that of any greater number. The figure is at least 0.71 (1 / sqrt(2) and more), so that
/// no kernel is cheaper with a list made longer or one more list to read.
double share_of_lists(const Device& device, double lists);

/// Share of the bytes of a launch that L2 still has from the launch before, where that one touched the same lists: all of them up to
/// three quarters of L2, none from 1.4 times L2 on, linear between (gpu-l2-cache has full speed up to 0.7, 0.8 and 0.9 of L2 on A100, H200
/// and L40, and that of memory from 1.2, 1.5 and 1.3 on). 0 in candidates, of which the launch before is not known.
double l2_hits(const Device& device, const fusion::KernelWork& work, double elements);

} // namespace fusec::perfmodel
