// SPDX-License-Identifier: Apache-2.0
// What lists take to be moved, of kernels that move several at once and were measured whole.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace fusec::perfmodel {

/// A kernel that does little but move lists.
struct MovingKernel {
    struct List {
        std::string transfer; ///< routine_times.hpp
        double least_ns = 0;  ///< per element: what it takes at the least
        double peak_ns = 0;   ///< per element: what all that it asks of memory takes at the peak bandwidth
    };
    std::vector<List> lists; ///< two of one transfer: twice
    double ns = 0;           ///< per element, measured
};

struct TransferTimes {
    std::map<std::string, double> ns; ///< per element, of each transfer
    std::vector<double> sums;         ///< ns per element that the lists of each kernel take by these times
    std::vector<bool> alone;          ///< of each kernel: none of its lists is in a kernel that moves others than it does
};

/// Of all times, none less than `least_ns`, whose sums come nearest to what the kernels take (the least sum of squares of relative deviations), those
/// nearest to `peak_ns`, where the sum of peak_ns * (ns / peak_ns - 1)^2 is least. So lists that are alone together are as many times slower than
/// at the peak as each other; and beside a slow list a fast one is not slow where other kernels move the slow one.
/// Kernels that each have one load and one store tell sums alone: adding as much to all loads as stores are given less changes none of them, and is
/// left to `peak_ns`. Of a transfer whose lists differ the least of `least_ns` and of `peak_ns` count.
/// Pre: every kernel has a list; `ns` and `peak_ns` are positive, `least_ns` is not negative. O(n^3) for each of n transfers that is above its least.
TransferTimes transfer_times(std::span<const MovingKernel> kernels);

} // namespace fusec::perfmodel
