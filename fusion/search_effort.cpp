// SPDX-License-Identifier: Apache-2.0
#include "fusion/search_effort.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::fusion {

namespace {

using Clock = std::chrono::steady_clock;

// Deterministic stand-ins for time, from runs on a loaded two-core machine in November 2026; not remeasured on an idle one.
constexpr double seconds_per_pivot_and_row = 1e-7;
constexpr double seconds_per_evaluation = 1e-4;
constexpr double seconds_per_priced_column = 5e-8;
constexpr double seconds_per_node_and_size = 1.5e-5; ///< size = rows + columns

/// Seconds of work that a plan is worth by default. Small programs are solved to the end; large ones are cut off early enough for the
/// whole compile to stay within 2 s for 100 calls, 10 s for 300 and 60 s for 1000.
double default_work(std::size_t calls) {
    return calls <= large_program ? 20 : 0.1 * static_cast<double>(calls);
}

Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

} // namespace

Effort::Effort(const PlanOptions& options, std::size_t calls)
    : timed_(options.time_limit > 0),
      nodes_(timed_ ? INT32_MAX : options.nodes),
      work_(timed_ ? INFINITY : default_work(calls) * options.nodes / PlanOptions{}.nodes) {
    if (timed_) {
        end_ = Clock::now() + duration(options.time_limit);
    }
}

bool Effort::exhausted() const {
    return timed_ ? Clock::now() >= end_ : nodes_ <= 0 || work_ <= 0;
}

double Effort::seconds_left() const {
    return timed_ ? std::max(1e-3, std::chrono::duration<double>(end_ - Clock::now()).count()) : 0;
}

BinaryLimits Effort::limits(std::size_t rows, std::size_t columns) const {
    BinaryLimits limits;
    if (timed_) {
        limits.nodes = INT32_MAX;
        limits.seconds = seconds_left();
        return limits;
    }
    const double per_node = seconds_per_node_and_size * static_cast<double>(rows + columns);
    limits.nodes = std::min(nodes_, static_cast<int>(std::clamp(work_ / per_node, 1.0, 1e9)));
    limits.pivots = static_cast<std::uint64_t>(std::max(1.0, work_ / (seconds_per_pivot_and_row * static_cast<double>(rows + 1))));
    return limits;
}

void Effort::spend_pivots(std::uint64_t pivots, std::size_t rows) {
    work_ -= seconds_per_pivot_and_row * static_cast<double>(pivots) * static_cast<double>(rows + 1);
}

void Effort::spend_evaluations(double units) {
    work_ -= seconds_per_evaluation * units;
    evaluations_ -= units;
}

double Effort::evaluations_left() const {
    return timed_ ? INFINITY : std::max(0.0, std::min(evaluations_, work_ / seconds_per_evaluation));
}

void Effort::cap(double work) {
    work_ = timed_ ? work_ : std::min(work_, work);
}

void Effort::cap_evaluations(double units) {
    evaluations_ = timed_ ? evaluations_ : std::min(evaluations_, units);
}

void Effort::spend_pricing(std::size_t columns) {
    work_ -= seconds_per_priced_column * static_cast<double>(columns);
}

void Effort::spend_nodes(int nodes, std::size_t rows, std::size_t columns) {
    nodes_ -= nodes;
    work_ -= seconds_per_node_and_size * static_cast<double>(rows + columns) * nodes;
}

Effort Effort::share(double part) const {
    Effort result = *this;
    if (timed_) {
        result.end_ = Clock::now() + duration(seconds_left() * part);
    } else {
        result.nodes_ = static_cast<int>(nodes_ * part);
        result.work_ = work_ * part;
    }
    return result;
}

void Effort::spend_like(const Effort& part, const Effort& before) {
    nodes_ -= before.nodes_ - part.nodes_;
    evaluations_ -= std::isinf(evaluations_) ? 0 : before.evaluations_ - part.evaluations_;
    work_ -= timed_ ? 0 : before.work_ - part.work_; // infinite when timed
}

} // namespace fusec::fusion
