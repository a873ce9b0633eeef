// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/benchmark.hpp"

#include "perfmodel/occupancy.hpp"
#include "perfmodel/routine_times.hpp"

#include <algorithm>
#include <numeric>

namespace fusec::perfmodel {

using fusion::Bound;
using fusion::KernelWork;

Benchmark benchmark(const BenchmarkInputs& in) {
    Benchmark r;
    r.compute = std::accumulate(in.compute.begin(), in.compute.end(), 0.0);
    r.transfer = std::accumulate(in.transfer.begin(), in.transfer.end(), 0.0);
    r.remap = in.n_remap * in.c_remap;
    r.t = std::max(r.compute, r.transfer) + r.remap;
    return r;
}

namespace {

class BenchmarkPredictor final : public StepPredictor {
public:
    explicit BenchmarkPredictor(const Device& device)
        : limits_(device.limits),
          times_(device.routine_times),
          remap_(needed_figure(device, "benchmark.remap", "benchmark")),
          launch_(device.launch_us * 1e-6) {}

    std::string name() const override { return "benchmark"; }
    Breakdown explain(const KernelWork& work, std::uint64_t elements) const override {
        Breakdown breakdown = Breakdown::never();
        if (limits_.target == fusion::Target::cuda && resident_blocks(limits_, work) == 0) {
            return breakdown;
        }
        std::vector<Quantity>& quantities = breakdown.quantities;
        quantities = {
            {"S", static_cast<double>(work.shared_bytes), "bytes"}, {"B", static_cast<double>(work.elements_per_block), "elements"}};
        BenchmarkInputs in;
        bool complete = true;
        const auto add = [&](const std::string& routine, std::vector<double>& to, double share = 1) {
            const auto found = times_->routines.find(routine);
            if (found == times_->routines.end()) {
                complete = false;
                quantities.push_back({"no time of " + routine, breakdown.cost.seconds, "ns per element"});
                return;
            }
            // Of a host times do not depend on the block: its loop has none.
            const double block = limits_.target == fusion::Target::host ? found->second.block_size.front() : work.elements_per_block;
            const double extra = work.shared_bytes - found->second.shared_bytes * block;
            const RoutineTime time = time_at(found->second, extra, block);
            to.push_back(share * time.ns);
            quantities.push_back({(time.clamped ? "t_r outside of what was measured: " : "t_r: ") + routine, to.back(), "ns per element"});
        };
        for (const fusion::WorkStep& step : work.steps) {
            const std::optional<std::string> computed = compute_routine(step);
            if (computed && !takes_no_time(step)) {
                add(*computed, in.compute, step.alone); // as it was timed: where operands are one value, a part
            }
            for (const std::string& routine : transfer_routines(step)) {
                add(routine, in.transfer);
            }
        }
        if (!complete) {
            return breakdown;
        }
        in.n_remap = work.remaps;
        in.c_remap = remap_;
        describe(breakdown, in, static_cast<double>(elements));
        return breakdown;
    }

private:
    /// Of a kernel of a host: values of uniforms alone are computed once in a launch, not for an element, and routines without an instruction
    /// are other names of components.
    bool takes_no_time(const fusion::WorkStep& step) const {
        return limits_.target == fusion::Target::host && (step.kind == fusion::WorkStep::Kind::derive || step.instructions == 0);
    }
    void describe(Breakdown& breakdown, const BenchmarkInputs& in, double elements) const {
        const Benchmark r = benchmark(in);
        const double scale = elements * 1e-9;
        breakdown.bounds = {{Bound::dram, r.transfer * scale}, {Bound::issue, r.compute * scale}, {Bound::latency, r.remap * scale},
            {Bound::launch, launch_}};
        breakdown.cost = {launch_ + r.t * scale, greatest_bound(breakdown.bounds)};
        for (const Quantity& each :
            {Quantity{"sum of compute routines", r.compute, "ns per element"}, Quantity{"sum of transfers", r.transfer, "ns per element"},
                Quantity{"n_remap", in.n_remap, ""}, Quantity{"n_remap * c_remap", r.remap, "ns per element"},
                Quantity{"T", r.t, "ns per element"}, Quantity{"seconds without the launch", r.t * scale, "s"}}) {
            breakdown.quantities.push_back(each);
        }
    }

    fusion::DeviceLimits limits_;
    std::shared_ptr<const RoutineTimes> times_;
    double remap_, launch_;
};

} // namespace

std::unique_ptr<Predictor> make_benchmark(const Device& device) {
    return std::make_unique<BenchmarkPredictor>(device);
}

bool benchmark_ready(const Device& device, Diagnostics& diagnostics) {
    if (device.routine_times == nullptr) {
        diagnostics.report(kind::missing_figure, {}, "`benchmark` needs times of routines, which `" + device.name + "` does not have")
            .hint = "`fusec calibrate` measures them";
        return false;
    }
    return true;
}

} // namespace fusec::perfmodel
