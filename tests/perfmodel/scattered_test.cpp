// SPDX-License-Identifier: Apache-2.0
// What each model makes of a kernel whose words lie scattered, a sector of memory each: sectors, requests and uncoalesced accesses by hand.
#include "perfmodel/composite.hpp"
#include "perfmodel/pipeline.hpp"
#include "perfmodel/predictor.hpp"
#include "perfmodel/warp_work.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/kernels_with_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fusec::perfmodel {
namespace {

using fusion::Addressing;
using fusion::Bound;
using fusion::KernelWork;

constexpr double words = 4;

/// The stream of four words in and four out; scattered, each word of each lane is in a sector of its own.
KernelWork stream(bool scattered) {
    KernelWork work = streaming_kernel(words, 8);
    if (!scattered) {
        return work;
    }
    for (fusion::WorkStep& step : work.steps) {
        for (fusion::GlobalAccess& access : step.accesses) {
            access.addressing = Addressing::strided;
            access.sectors = access.count;
        }
    }
    work.steps.back().store_requests = work.store_requests = words - words * 4 / 32; // sectors beyond the full ones
    work.l1_wavefronts = words * (32 / 4.0 + 0.75) / 32;                             // 32 lines of a warp for each word
    return work;
}

std::map<std::string, double> quantities(const Breakdown& breakdown) {
    std::map<std::string, double> result;
    for (const Quantity& each : breakdown.quantities) {
        result[each.name] = each.value;
    }
    return result;
}

class Scattered : public testing::Test {
protected:
    Breakdown said(const char* predictor, const KernelWork& work) {
        const auto made = make_predictor(predictor, device, diagnostics);
        return made == nullptr ? Breakdown{} : made->explain(work, elements);
    }
    const Device device = standard_device("a100");
    const std::uint64_t elements = 1U << 24U;
    Diagnostics diagnostics;
};

TEST_F(Scattered, AccessesOfAWarpAskForASectorOfEachLane) {
    const WarpWork apart = warp_work(stream(true), device.limits), together = warp_work(stream(false), device.limits);
    EXPECT_EQ(apart.uncoalesced, 2 * words);
    EXPECT_EQ(apart.coalesced, 0);
    EXPECT_EQ(apart.sectors_per_uncoalesced, 32);
    EXPECT_EQ(together.coalesced, 2 * words);
    EXPECT_EQ(together.sectors_per_coalesced, 4);
    EXPECT_EQ(pipeline::uncoalesced_accesses(stream(true), device.limits), 2 * words);
}

// Composite: 32 bytes of L2 for each request, of 16 and 16 bytes of lists; a request per clock of a multiprocessor; the passes of L1.
TEST_F(Scattered, CompositeChargesRequestsAndPasses) {
    auto apart = quantities(said("composite", stream(true)));
    const double n = static_cast<double>(elements), clock = device.clock_ghz * 1e9,
                 of_one = 256 * std::ceil(n / 256 / device.limits.sm_count);
    EXPECT_NEAR(apart["L2 with all traffic"], n * (32 + 32 * 3.5) / (device.l2_gb_per_s * 1e9), 1e-12);
    EXPECT_NEAR(apart["L2 beside the lists"], std::max(n * 32 * 3.5 / (device.l2_gb_per_s * 1e9), of_one * 3.5 / clock), 1e-12);
    for (const auto& [bound, seconds] : said("composite", stream(true)).bounds) {
        if (bound == Bound::shared) {
            EXPECT_NEAR(seconds, of_one * words * 8.75 / 32 / (device.shared_wavefronts * clock), 1e-12);
        }
    }
    EXPECT_GT(said("composite", stream(true)).cost.seconds, 1.2 * said("composite", stream(false)).cost.seconds);
}

TEST_F(Scattered, HongKimDelaysEachTransaction) {
    auto apart = quantities(said("hong-kim", stream(true)));
    EXPECT_EQ(apart["#Uncoal_Mem_insts"], 2 * words);
    EXPECT_EQ(apart["#Uncoal_per_mw"], 32);
    const double mem_ld = figure(device, "hong-kim.mem_ld").value(), delay = figure(device, "hong-kim.departure_uncoalesced").value();
    EXPECT_NEAR(apart["Mem_L"], mem_ld + 31 * delay, 1e-9);
    EXPECT_NEAR(apart["Departure_delay"], 32 * delay, 1e-9);
    EXPECT_GT(said("hong-kim", stream(true)).cost.seconds, 3 * said("hong-kim", stream(false)).cost.seconds);
}

TEST_F(Scattered, WaveWaitsForItsUncoalescedLatencyAndBand) {
    auto apart = quantities(said("wave", stream(true))), together = quantities(said("wave", stream(false)));
    EXPECT_GE(apart["lat"], figure(device, "wave.uncoalesced_latency").value() * (1 - 1e-12)) << "all of it is uncoalesced";
    EXPECT_GT(apart["lat"], together["lat"]);
    // All bytes of a wave at the band of uncoalesced accesses, which the latency grows to.
    const double bytes = 2 * 4 * words * static_cast<double>(elements);
    const double band = figure(device, "wave.uncoalesced_band").value() * 1e9;
    EXPECT_GT(apart["time_exec"], 0.99 * bytes / band);
}

} // namespace
} // namespace fusec::perfmodel
