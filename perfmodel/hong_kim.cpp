// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/hong_kim.hpp"

#include "fusion/instruction_rates.hpp"
#include "perfmodel/occupancy.hpp"
#include "perfmodel/warp_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fusec::perfmodel {

using fusion::Bound;
using fusion::KernelWork;

HongKim hong_kim(const HongKimInputs& in) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    HongKim r;
    const double n = in.active_warps_per_sm;
    const double mem_insts = in.uncoal_mem_insts + in.coal_mem_insts;
    r.comp_cycles = in.issue_cycles * in.total_insts;
    r.rep = in.blocks / (in.active_blocks_per_sm * in.active_sms);
    r.rep = in.blocks > 0 ? std::max(r.rep, 1.0) : 0;
    if (mem_insts == 0) {
        r.mwp = n;
        r.cwp_full = r.cwp = 1;
        r.exec_cycles_comp = r.comp_cycles * n * r.rep;
    } else {
        r.mem_l_uncoal = in.mem_ld + (in.uncoal_per_mw - 1) * in.departure_del_uncoal;
        r.mem_l_coal = in.mem_ld;
        r.weight_uncoal = in.uncoal_mem_insts / mem_insts;
        r.weight_coal = in.coal_mem_insts / mem_insts;
        r.mem_l = r.mem_l_uncoal * r.weight_uncoal + r.mem_l_coal * r.weight_coal;
        r.departure_delay = in.departure_del_uncoal * in.uncoal_per_mw * r.weight_uncoal + in.departure_del_coal * r.weight_coal;
        r.mwp_without_bw_full = r.mem_l / r.departure_delay;
        r.mwp_without_bw = std::min(r.mwp_without_bw_full, n);
        r.bw_per_warp = in.freq * in.load_bytes_per_warp / r.mem_l;
        r.mwp_peak_bw = r.bw_per_warp == 0 ? infinite : in.mem_bandwidth / (r.bw_per_warp * in.active_sms);
        r.mwp = std::max(1.0, std::min({r.mwp_without_bw, r.mwp_peak_bw, n}));
        r.mem_cycles = r.mem_l_uncoal * in.uncoal_mem_insts + r.mem_l_coal * in.coal_mem_insts;
        r.cwp_full = r.comp_cycles == 0 ? infinite : (r.mem_cycles + r.comp_cycles) / r.comp_cycles;
        r.cwp = std::min(r.cwp_full, n);
        if (r.mwp == n && r.cwp == n) {
            r.which = HongKimCase::a;
            r.exec_cycles_mem = r.mem_cycles * r.rep;
            r.exec_cycles_comp = (r.comp_cycles + r.comp_cycles / mem_insts * (r.mwp - 1)) * r.rep;
        } else if (r.cwp >= r.mwp || r.comp_cycles > r.mem_cycles) {
            r.which = HongKimCase::b;
            r.exec_cycles_mem = r.mem_cycles * n / r.mwp * r.rep;
            r.exec_cycles_comp = r.comp_cycles / mem_insts * (r.mwp - 1) * r.rep;
        } else {
            r.which = HongKimCase::c;
            r.exec_cycles_mem = r.mem_l * r.rep;
            r.exec_cycles_comp = r.comp_cycles * n * r.rep;
        }
        r.synch_cost = r.departure_delay * (r.mwp - 1) * in.synch_insts * in.active_blocks_per_sm * r.rep;
    }
    r.exec_cycles_app = r.exec_cycles_mem + r.exec_cycles_comp;
    r.seconds = (r.exec_cycles_app + r.synch_cost) / (in.freq * 1e9);
    return r;
}

double amd_comp_cycles(const AmdOperations& operations) {
    return 2 * operations.simple + operations.vector_simple + 20 * operations.divisions + 40 * operations.sines +
        20 * operations.native_sines;
}

AmdOperations amd_operations(const KernelWork& work, const fusion::DeviceLimits& limits) {
    const WarpWork warp = warp_work(work, limits);
    // Of a wavefront: one for all its lanes, those that idle too.
    const double per_element = work.elements_per_block / warp.warps_per_block * work.arithmetic_lane_slots / limits.warp_size;
    AmdOperations result;
    double sequences = 0;
    const auto add = [&](const fusion::Arithmetic& counts, Precision precision) {
        const fusion::LongOperations lengths = fusion::long_operations(precision, fusion::Target::cuda);
        result.divisions += (counts.divisions + counts.square_roots) * per_element;
        result.sines += counts.transcendentals * per_element;
        sequences += (counts.divisions * lengths.division + counts.square_roots * lengths.square_root +
                         counts.transcendentals * lengths.transcendental) *
            per_element;
    };
    const fusion::Arithmetic& narrow = work.in_float;
    add({0, work.divisions - narrow.divisions, work.square_roots - narrow.square_roots, work.transcendentals - narrow.transcendentals},
        work.precision);
    add(narrow, Precision::f32);
    result.simple = std::max(0.0, warp.instructions - sequences);
    result.uncounted = std::max(0.0, sequences - warp.instructions);
    return result;
}

namespace {

class HongKimPredictor final : public StepPredictor {
public:
    explicit HongKimPredictor(Device device) : device_(std::move(device)) {}

    std::string name() const override { return "hong-kim"; }
    Breakdown explain(const KernelWork& work, std::uint64_t elements) const override {
        const int resident = resident_blocks(device_.limits, work);
        if (resident == 0) {
            return Breakdown::never();
        }
        HongKimInputs in = inputs(work, elements, resident);
        const std::optional<double> amd_cost = figure(device_, "hong-kim.amd_cost");
        if (!amd_cost) {
            return described(in, hong_kim(in), device_.launch_us * 1e-6);
        }
        const AmdOperations operations = amd_operations(work, device_.limits);
        if (in.total_insts > 0) {
            in.issue_cycles = *amd_cost * amd_comp_cycles(operations) / in.total_insts;
        }
        Breakdown result = described(in, hong_kim(in), device_.launch_us * 1e-6);
        result.quantities.push_back({"simple operations (AMD)", operations.simple, "operations"});
        result.quantities.push_back({"divisions (AMD)", operations.divisions, "operations"});
        result.quantities.push_back({"sines (AMD)", operations.sines, "operations"});
        result.quantities.push_back({"mean #Issue_cycles", in.issue_cycles, "cycles"});
        if (operations.uncounted > 0) {
            result.quantities.push_back({"opcodes of functions beyond the instructions", operations.uncounted, "instructions"});
        }
        return result;
    }

private:
    double figure_of(const char* key) const { return needed_figure(device_, key, "hong-kim"); }

    HongKimInputs inputs(const KernelWork& work, std::uint64_t elements, int resident) const {
        const WarpWork warp = warp_work(work, device_.limits);
        const double sectors_of_words = device_.limits.warp_size * 4 / 32.0;
        HongKimInputs in;
        in.total_insts = warp.instructions;
        in.coal_mem_insts = warp.coalesced;
        in.uncoal_mem_insts = warp.uncoalesced;
        in.uncoal_per_mw = std::max(1.0, warp.sectors_per_uncoalesced);
        in.synch_insts = warp.barriers;
        in.load_bytes_per_warp = warp.accesses() == 0 ? 0 : warp.bytes / warp.accesses();
        in.blocks = std::ceil(static_cast<double>(elements) / work.elements_per_block);
        // Of no block as of one, whose #Rep is 0.
        in.active_sms = std::clamp<double>(in.blocks, 1, device_.limits.sm_count);
        in.active_blocks_per_sm = std::clamp<double>(std::ceil(in.blocks / in.active_sms), 1, resident);
        in.active_warps_per_sm = in.active_blocks_per_sm * warp.warps_per_block;
        in.mem_ld = figure_of("hong-kim.mem_ld");
        in.departure_del_coal =
            figure_of("hong-kim.departure_coalesced") * (warp.coalesced == 0 ? 1 : warp.sectors_per_coalesced / sectors_of_words);
        in.departure_del_uncoal = figure_of("hong-kim.departure_uncoalesced");
        in.issue_cycles = figure_of("hong-kim.issue_cycles");
        in.freq = device_.clock_ghz;
        in.mem_bandwidth = device_.dram_gb_per_s;
        return in;
    }

    static Breakdown described(const HongKimInputs& in, const HongKim& r, double launch) {
        const double second = in.freq * 1e9;
        const double waits = (r.exec_cycles_mem + r.synch_cost) / second;
        const double computes = r.exec_cycles_comp / second;
        // In case B warps wait for each other's accesses, in the others for their own.
        const Bound memory = r.which == HongKimCase::b ? Bound::dram : Bound::latency;
        Breakdown breakdown{{launch + r.seconds, waits >= computes ? memory : Bound::issue},
            {{memory, waits}, {Bound::issue, computes}, {Bound::launch, launch}}};
        if (launch > r.seconds) {
            breakdown.cost.bound_by = Bound::launch;
        }
        breakdown.quantities = {{"#total_insts", in.total_insts, "instructions"}, {"#Coal_Mem_insts", in.coal_mem_insts, "accesses"},
            {"#Uncoal_Mem_insts", in.uncoal_mem_insts, "accesses"}, {"#Uncoal_per_mw", in.uncoal_per_mw, "transactions"},
            {"#Synch_insts", in.synch_insts, "barriers"}, {"Load_bytes_per_warp", in.load_bytes_per_warp, "bytes"},
            {"#Blocks", in.blocks, "blocks"}, {"#Active_blocks_per_SM", in.active_blocks_per_sm, "blocks"},
            {"#Active_SMs", in.active_sms, ""}, {"N", in.active_warps_per_sm, "warps"},
            {"Departure_del_coal", in.departure_del_coal, "cycles"}, {"Mem_L_Uncoal", r.mem_l_uncoal, "cycles"},
            {"Mem_L_Coal", r.mem_l_coal, "cycles"}, {"Weight_uncoal", r.weight_uncoal, ""}, {"Weight_coal", r.weight_coal, ""},
            {"Mem_L", r.mem_l, "cycles"}, {"Departure_delay", r.departure_delay, "cycles"},
            {"MWP_Without_BW_full", r.mwp_without_bw_full, "warps"}, {"MWP_Without_BW", r.mwp_without_bw, "warps"},
            {"BW_per_warp", r.bw_per_warp, "GB/s"}, {"MWP_peak_BW", r.mwp_peak_bw, "warps"}, {"MWP", r.mwp, "warps"},
            {"Mem_cycles", r.mem_cycles, "cycles"}, {"Comp_cycles", r.comp_cycles, "cycles"}, {"CWP_full", r.cwp_full, "warps"},
            {"CWP", r.cwp, "warps"}, {"#Rep", r.rep, ""}, {"equation", static_cast<double>(r.which), ""},
            {"Exec_cycles_app", r.exec_cycles_app, "cycles"}, {"Synch_cost", r.synch_cost, "cycles"},
            {"seconds without the launch", r.seconds, "s"}};
        return breakdown;
    }

    Device device_;
};

} // namespace

std::unique_ptr<Predictor> make_hong_kim(const Device& device) {
    return std::make_unique<HongKimPredictor>(device);
}

} // namespace fusec::perfmodel
