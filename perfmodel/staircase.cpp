// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/staircase.hpp"

#include "perfmodel/occupancy.hpp"

#include <cmath>
#include <sstream>

namespace fusec::perfmodel {

using fusion::Bound;
using fusion::KernelWork;

namespace {

constexpr double ps = 1e-12;

int m_warps(const fusion::DeviceLimits& limits) {
    return limits.threads_per_sm / limits.warp_size;
}

double warps_per_block(const StaircaseInputs& in) {
    return std::ceil(in.block_size / in.warp_size);
}

/// Operations of a full stair.
double stair_operations(const StaircaseInputs& in) {
    return in.work_per_thread * in.m_warps * in.occupancy * in.warp_size * in.n_mp;
}

} // namespace

StaircaseInputs staircase_inputs(const fusion::DeviceLimits& limits, const KernelWork& work, std::uint64_t elements, int resident) {
    StaircaseInputs in;
    in.nblocks = std::ceil(static_cast<double>(elements) / work.elements_per_block);
    in.block_size = work.threads_per_block;
    in.warp_size = limits.warp_size;
    in.n_mp = limits.sm_count;
    in.m_warps = m_warps(limits);
    in.occupancy = resident * warps_per_block(in) / in.m_warps;
    in.work_per_thread = 32 * work.instructions * work.elements_per_block / work.threads_per_block;
    return in;
}

Staircase staircase(const StaircaseInputs& in) {
    Staircase r;
    // Whole blocks: occupancy is that of so many blocks, and the quotients below are whole where they should be.
    const double held = std::round(in.m_warps * in.occupancy / warps_per_block(in));
    r.warps_held = held * warps_per_block(in);
    r.warps_per_mp = std::ceil(in.nblocks / in.n_mp) * warps_per_block(in);
    r.saturated = in.nblocks * warps_per_block(in) / in.n_mp > r.warps_held;
    r.stairs = std::ceil(r.warps_per_mp / r.warps_held);
    r.first_stair = in.t0 * ps * stair_operations(in);
    r.seconds = r.first_stair * r.stairs;
    return r;
}

double t0_of(double seconds, const StaircaseInputs& inputs) {
    return seconds / ps / stair_operations(inputs);
}

StaircaseLine staircase_line(double first_t0, double first_occupancy, double second_t0, double second_occupancy) {
    const double tb = (second_t0 - first_t0) / (second_occupancy - first_occupancy);
    return {first_t0 - tb * first_occupancy, tb};
}

namespace {

StaircaseLine line_of(const Device& device) {
    return {needed_figure(device, "staircase.ta", "staircase"), needed_figure(device, "staircase.tb", "staircase")};
}

class StaircasePredictor final : public StepPredictor {
public:
    explicit StaircasePredictor(Device device) : device_(std::move(device)), line_(line_of(device_)) {}

    std::string name() const override { return "staircase"; }
    Breakdown explain(const KernelWork& work, std::uint64_t elements) const override {
        const int resident = resident_blocks(device_.limits, work);
        if (resident == 0) {
            return Breakdown::never();
        }
        StaircaseInputs in = staircase_inputs(device_.limits, work, elements, resident);
        in.t0 = line_.t0(in.occupancy);
        const Staircase r = staircase(in);
        // On the first stair more blocks cost nothing: they run while others wait.
        const Bound bound = r.stairs > 1 ? Bound::issue : Bound::latency;
        const double launch = device_.launch_us * 1e-6;
        Breakdown breakdown{
            {launch + r.seconds, launch > r.seconds ? Bound::launch : bound}, {{bound, r.seconds}, {Bound::launch, launch}}};
        breakdown.quantities = {{"nblocks", in.nblocks, "blocks"}, {"blockSize", in.block_size, "threads"},
            {"workPerThread", in.work_per_thread, "instructions"}, {"mWarps", in.m_warps, "warps"}, {"occupancy", in.occupancy, ""},
            {"t0", in.t0, "ps"}, {"warpsPerMP", r.warps_per_mp, "warps"}, {"mWarps * occupancy", r.warps_held, "warps"},
            {"saturated", r.saturated ? 1.0 : 0.0, ""}, {"stairs", r.stairs, ""}, {"first stair", r.first_stair, "s"},
            {"seconds without the launch", r.seconds, "s"}};
        return breakdown;
    }

private:
    Device device_;
    StaircaseLine line_;
};

} // namespace

std::unique_ptr<Predictor> make_staircase(const Device& device) {
    return std::make_unique<StaircasePredictor>(device);
}

bool staircase_ready(const Device& device, Diagnostics& diagnostics) {
    if (!figure(device, "staircase.ta") || !figure(device, "staircase.tb")) {
        return false;
    }
    const StaircaseLine line = line_of(device);
    for (const double occupancy : {1.0 / m_warps(device.limits), 1.0}) { // between these t0 is between
        if (line.t0(occupancy) <= 0) {
            std::ostringstream text;
            text << "`staircase.ta` + `staircase.tb` * occupancy of `" << device.name << "` is " << line.t0(occupancy)
                 << " ps at occupancy " << occupancy << ", needed more than 0";
            diagnostics.report(kind::invalid_figure, {}, std::move(text).str());
            return false;
        }
    }
    return true;
}

} // namespace fusec::perfmodel
