// SPDX-License-Identifier: Apache-2.0
// Predictors: implementations of fusion::CostModel for a device, chosen by name. All see the same KernelWork.
#pragma once

#include "fusion/cost_model.hpp"
#include "perfmodel/device.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fusec::perfmodel {

/// An intermediate result, named as the predictor's source names it.
struct Quantity {
    std::string name;
    double value = 0;
    std::string unit; ///< "s", "cycles", "warps", ...; empty: a number
};

using Bounds = std::vector<std::pair<fusion::Bound, double>>;

/// A cost with the seconds of each bound before they are combined.
struct Breakdown {
    fusion::Cost cost;
    Bounds bounds;
    std::vector<Quantity> quantities = {}; ///< in the order of the computation

    /// Of a kernel that cannot run, as not one block of it fits on a multiprocessor: infinitely long, for want of anything that goes on.
    static Breakdown never();
};

/// The bound of the most seconds, of several as long the first. Pre: there is one.
fusion::Bound greatest_bound(const Bounds& bounds);

/// A figure that the predictor says it needs (PredictorKind::needs), in the unit of descriptions; throws InternalError, which names both, if
/// the device does not have it.
double needed_figure(const Device& device, std::string_view key, std::string_view predictor);

/// Schedulers of a multiprocessor, each of which issues an instruction of a warp per clock: a number of the architecture, at least 1, of which
/// `speed.issue_slots` is as much as a device was measured to reach (3.87 of 4 on an H200). Pre: the device is a GPU.
int schedulers(const Device& device);

class Predictor : public fusion::CostModel {
public:
    virtual std::string name() const = 0;
    /// What its answers rest on beside figures, as reports say it: of `pipeline` whether it is corrected, and by what data. Empty: nothing.
    virtual std::string label() const { return {}; }
    /// May be called by several threads at once.
    virtual Breakdown explain(const fusion::KernelWork& work, std::uint64_t elements) const = 0;
};

/// A predictor that looks at a kernel's steps. It bounds nothing from below (but by zero), so that a search with it prices every
/// implementation it looks at.
class StepPredictor : public Predictor {
public:
    bool needs_steps() const final { return true; }
    fusion::Cost cost(const fusion::KernelWork& work, std::uint64_t elements) const final { return explain(work, elements).cost; }
    double lower_bound(double, double, double, Precision, std::uint64_t) const final { return 0; }
    double least_seconds(const fusion::KernelWork&, std::uint64_t) const final { return 0; }
};

/// What is known of a predictor before there is one.
struct PredictorKind {
    const char* name;
    const char* source;                 ///< where its equations come from
    bool cuda, host;                    ///< which devices it serves
    std::span<const char* const> needs; ///< keys of figures that not every description has
    std::span<const char* const> fits;  ///< keys of figures that measurements of a device determine: what a fit may change
    /// Null, or reports what else is not as it needs it. Figures may be missing, which is reported already.
    bool (*ready)(const Device&, Diagnostics&);
    std::unique_ptr<Predictor> (*make)(const Device&); ///< pre: the device has what it needs
};

/// All of them: composite, roofline, then the others by name.
std::span<const PredictorKind> predictor_kinds();

/// The one of that name. Throws InternalError if there is none: names that a user gives go to make_predictor.
const PredictorKind& predictor_kind(std::string_view name);

/// One of them for the device; reports an error with the known names, or with what the device's description lacks, or if the predictor cannot
/// serve the device's target.
std::unique_ptr<Predictor> make_predictor(const std::string& name, const Device& device, Diagnostics& diagnostics);
std::vector<std::string> predictor_names();

} // namespace fusec::perfmodel
