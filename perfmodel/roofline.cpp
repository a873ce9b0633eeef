// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/roofline.hpp"

#include <algorithm>

namespace fusec::perfmodel {

using fusion::Bound;

Breakdown roofline(const Device& device, double bytes, double flops, Precision precision, std::uint64_t elements) {
    const double n = static_cast<double>(elements);
    const double units = device.limits.target == fusion::Target::host ? device.cores : device.limits.sm_count;
    const double fma = precision == Precision::f32 ? device.fma_f32 : device.fma_f64;
    const double launch = device.launch_us * 1e-6;
    const double memory = n * bytes / (device.dram_gb_per_s * 1e9);
    const double arithmetic = n * flops / (2 * units * fma * device.clock_ghz * 1e9);
    const double body = std::max(memory, arithmetic);
    const Bound bound = launch > body ? Bound::launch : memory >= arithmetic ? Bound::dram : Bound::fma;
    return {{launch + body, bound}, {{Bound::dram, memory}, {Bound::fma, arithmetic}, {Bound::launch, launch}}};
}

} // namespace fusec::perfmodel
