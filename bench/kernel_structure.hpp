// SPDX-License-Identifier: Apache-2.0
// Which kernel a work is of, without what is counted.
#pragma once

#include "fusion/cost_model.hpp"

#include <string>

namespace fusec::bench {

/// Block, shared memory, barriers, and the steps in order: what each executes, and by how many threads. Two works of one program that differ in it are of
/// different kernels, however the compiler counts.
std::string structure_of(const fusion::KernelWork& work);

/// How each step accesses each of its lists, in words of which size: also no amounts, but the compiler may come to know of accesses that it did not count.
std::string accesses_of(const fusion::KernelWork& work);

} // namespace fusec::bench
