// SPDX-License-Identifier: Apache-2.0
// A small deterministic cost model: bytes and passes, no device in particular.
#pragma once

#include "fusion/cost_model.hpp"

namespace fusec::test {

/// One nanosecond per byte and element, a tenth per pass and per sector, a thousandth per instruction, 5 us per launch.
class FakeCost : public fusion::CostModel {
public:
    fusion::Cost cost(const fusion::KernelWork& work, std::uint64_t elements) const override {
        const double passes = work.shared_wavefronts + work.l1_wavefronts + work.store_requests;
        const double spills = work.spill_bytes;
        return {5e-6 +
                1e-9 * static_cast<double>(elements) *
                    (work.read_bytes + work.write_bytes + 0.1 * passes + 0.001 * work.instructions + spills),
            fusion::Bound::dram};
    }
    double lower_bound(double read_bytes, double write_bytes, double, Precision, std::uint64_t elements) const override {
        return 5e-6 + 1e-9 * static_cast<double>(elements) * (read_bytes + write_bytes);
    }
};

} // namespace fusec::test
