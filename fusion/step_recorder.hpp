// SPDX-License-Identifier: Apache-2.0
// Keeps the steps of a kernel's work while its counts are made: a step is what the counts grow by between its begin and its end.
#pragma once

#include "fusion/cost_model.hpp"

#include <set>

namespace fusec::fusion {

class StepRecorder {
public:
    /// Null: nothing is recorded. The work must outlive this; its steps are appended to.
    explicit StepRecorder(KernelWork* work) : work_(work) {}
    bool records() const { return work_ != nullptr; }

    void begin(WorkStep::Kind kind, int index, int threads);
    /// Pre: one is begun.
    void end();

    void instructions(double count) { step_.instructions += count; }
    void reads(double bytes) { step_.read_bytes += bytes; }
    void writes(double bytes) { step_.write_bytes += bytes; }
    void round_trip() { step_.round_trip = true; }
    void remap() { step_.remap = true; }
    void remaining(double share, double alone) {
        step_.remaining = share;
        step_.alone = alone;
    }
    void routine(const std::shared_ptr<const std::string>& signature);
    void access(const GlobalAccess& access);
    /// The step reads what these made: places of steps, as last() gave them; unmade ones are left out.
    void after(std::vector<int> steps);
    /// The place of the step that was recorded last; `unmade` where nothing is recorded.
    int last() const { return work_ == nullptr ? unmade : static_cast<int>(work_->steps.size()) - 1; }

    static constexpr int unmade = -1;
    /// True the first time for the list: it moves once.
    bool first(int list) { return work_ != nullptr && lists_.insert(list).second; }

private:
    KernelWork* work_;
    WorkStep step_;
    Arithmetic arithmetic_, in_float_; ///< at the begin
    double shared_ = 0, l1_ = 0, requests_ = 0;
    int exchanges_ = 0;
    std::set<int> lists_;
};

} // namespace fusec::fusion
