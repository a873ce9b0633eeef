// SPDX-License-Identifier: Apache-2.0
#include "fusion/step_recorder.hpp"

#include <algorithm>
#include <utility>

namespace fusec::fusion {

namespace {

Arithmetic arithmetic_of(const KernelWork& work) {
    return {work.flops, work.divisions, work.square_roots, work.transcendentals};
}

Arithmetic difference(const Arithmetic& after, const Arithmetic& before) {
    return {after.flops - before.flops, after.divisions - before.divisions, after.square_roots - before.square_roots,
        after.transcendentals - before.transcendentals};
}

} // namespace

void StepRecorder::begin(WorkStep::Kind kind, int index, int threads) {
    if (work_ == nullptr) {
        return;
    }
    step_ = {};
    step_.kind = kind;
    step_.index = index;
    step_.threads = threads;
    arithmetic_ = arithmetic_of(*work_);
    in_float_ = work_->in_float;
    shared_ = work_->shared_wavefronts;
    l1_ = work_->l1_wavefronts;
    requests_ = work_->store_requests;
    exchanges_ = work_->exchanges;
}

void StepRecorder::end() {
    if (work_ == nullptr) {
        return;
    }
    step_.arithmetic = difference(arithmetic_of(*work_), arithmetic_);
    step_.in_float = difference(work_->in_float, in_float_);
    step_.shared_wavefronts = work_->shared_wavefronts - shared_;
    step_.l1_wavefronts = work_->l1_wavefronts - l1_;
    step_.store_requests = work_->store_requests - requests_;
    step_.exchanges = work_->exchanges - exchanges_;
    work_->steps.push_back(std::move(step_));
}

void StepRecorder::routine(const std::shared_ptr<const std::string>& signature) {
    if (work_ != nullptr) {
        step_.routine = signature;
    }
}

void StepRecorder::after(std::vector<int> steps) {
    if (work_ != nullptr) {
        std::erase(steps, unmade);
        std::ranges::sort(steps);
        const auto repeated = std::ranges::unique(steps);
        steps.erase(repeated.begin(), repeated.end());
        step_.after = std::move(steps);
    }
}

void StepRecorder::access(const GlobalAccess& access) {
    if (work_ != nullptr) {
        step_.accesses.push_back(access);
    }
}

} // namespace fusec::fusion
