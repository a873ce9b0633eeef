// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/pipeline_training.hpp"

#include "perfmodel/occupancy.hpp"

#include <vector>

namespace fusec::perfmodel {

std::optional<pipeline::Training> train_correction(const Device& device, std::span<const Point> points, std::string data) {
    std::vector<pipeline::Sample> samples;
    for (const Point& point : points) {
        if (point.role != Role::fit || point.elements == 0 || resident_blocks(device.limits, point.work) == 0) {
            continue;
        }
        Device at_clock = device;
        at_clock.clock_ghz = point.clock_ghz == 0 ? device.clock_ghz : point.clock_ghz;
        const PipelinePredictor predictor(at_clock);
        pipeline::Sample& sample = samples.emplace_back(predictor.sample(point.work, point.elements));
        sample.measured = point.seconds + (point.inside ? predictor.seconds(point.work, 0) : 0);
        sample.kernel = point.kernel;
    }
    return samples.empty() ? std::nullopt : std::optional(pipeline::train(samples, correction_ridge, std::move(data)));
}

} // namespace fusec::perfmodel
