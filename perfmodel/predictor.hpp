// SPDX-License-Identifier: Apache-2.0
// Predictors: implementations of fusion::CostModel for a device, chosen by name.
#pragma once

#include "fusion/cost_model.hpp"
#include "perfmodel/device.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fusec::perfmodel {

/// A cost with the seconds of each bound before they are combined.
struct Breakdown {
    fusion::Cost cost;
    std::vector<std::pair<fusion::Bound, double>> bounds;
};

class Predictor : public fusion::CostModel {
public:
    virtual std::string name() const = 0;
    virtual Breakdown explain(const fusion::KernelWork& work, std::uint64_t elements) const = 0;
};

/// "composite" or "roofline"; reports an error with the known names otherwise, or if the predictor cannot serve the device's target.
std::unique_ptr<Predictor> make_predictor(const std::string& name, const Device& device, Diagnostics& diagnostics);
std::vector<std::string> predictor_names();

} // namespace fusec::perfmodel
