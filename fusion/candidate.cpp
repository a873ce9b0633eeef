// SPDX-License-Identifier: Apache-2.0
// Small questions to a candidate, and the spellings of its enumerations.
#include "fusion/candidate.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::fusion {

const DatumPlan& Candidate::plan_of(DataId datum) const {
    const auto found =
        std::lower_bound(data.begin(), data.end(), datum, [](const DatumPlan& plan, DataId wanted) { return plan.datum < wanted; });
    internal_check(found != data.end() && found->datum == datum, "candidate: the kernel does not touch this datum");
    return *found;
}

std::string granularity_text(const Candidate& candidate) {
    std::string text = "{";
    for (const CallPlan& call : candidate.order) {
        text += (text.size() == 1 ? "" : " ") + std::to_string(call.threads);
    }
    return text + "}";
}

std::string_view to_string(Rejection::Reason reason) {
    switch (reason) {
    case Rejection::Reason::several_blocks:
        return "several-blocks";
    case Rejection::Reason::not_convex:
        return "not-convex";
    case Rejection::Reason::not_connected:
        return "not-connected";
    case Rejection::Reason::too_large:
        return "too-large";
    case Rejection::Reason::threads_per_block:
        return "threads-per-block";
    case Rejection::Reason::shared_memory:
        return "shared-memory";
    case Rejection::Reason::registers:
        return "registers";
    case Rejection::Reason::stack:
        return "stack";
    case Rejection::Reason::parameters:
        return "parameters";
    case Rejection::Reason::no_implementation:
        return "no-implementation";
    }
    throw InternalError("rejection: unknown reason");
}

double rounded_prediction(double seconds) {
    constexpr double scale = 1099511627776; // 2^40
    int exponent = 0;
    const double mantissa = std::frexp(seconds, &exponent);
    return std::isfinite(seconds) ? std::ldexp(std::nearbyint(mantissa * scale) / scale, exponent) : seconds;
}

std::string_view to_string(Bound bound) {
    switch (bound) {
    case Bound::dram:
        return "dram";
    case Bound::l2:
        return "l2";
    case Bound::shared:
        return "shared";
    case Bound::issue:
        return "issue";
    case Bound::fma:
        return "fma";
    case Bound::sfu:
        return "sfu";
    case Bound::latency:
        return "latency";
    case Bound::launch:
        return "launch";
    }
    throw InternalError("cost: unknown bound");
}

} // namespace fusec::fusion
