// SPDX-License-Identifier: Apache-2.0
// Arithmetic with a running error bound to first order. A bound counts units of roundoff u: a computation in working precision, in
// any legal order and with any contraction to fused multiply-add, differs from the exact value by at most u * bound + O(u^2).
// Every operation adds the rounding of its own result and passes on the bounds of its operands times its partial derivatives.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace fusec::execute {

struct Bounded {
    double value = 0;
    double bound = 0;
};

/// Roundings granted to exp, log, sin, cos: the device's are within 2 ulp and the vector mathematics library's within 4 ulp, of which
/// one is up to 2 u; the comparison's factor 4 covers the rest.
inline constexpr double function_roundings = 4;
/// pow composes two of them.
inline constexpr double power_roundings = 8;

/// `factor * bound`, where an exact operand contributes nothing even at a pole of the derivative, and one whose bound is infinite nothing
/// where the derivative is 0.
inline double propagated(double factor, double bound) {
    return bound == 0 || factor == 0 ? 0 : std::abs(factor) * bound;
}
/// The part of a bound of first order that the product of two errors takes over where one of them is infinite.
inline double unbounded(Bounded a, Bounded b) {
    return (std::isinf(a.bound) && b.bound != 0) || (std::isinf(b.bound) && a.bound != 0) ? std::numeric_limits<double>::infinity() : 0;
}

inline Bounded add(Bounded a, Bounded b) {
    const double value = a.value + b.value;
    return {value, a.bound + b.bound + std::abs(value)};
}
inline Bounded multiply(Bounded a, Bounded b) {
    const double value = a.value * b.value;
    return {value, propagated(b.value, a.bound) + propagated(a.value, b.bound) + unbounded(a, b) + std::abs(value)};
}
inline Bounded divide(Bounded a, Bounded b) {
    const double value = a.value / b.value;
    return {value, propagated(1 / b.value, a.bound) + propagated(value / b.value, b.bound) + unbounded(a, b) + std::abs(value)};
}
inline Bounded negate(Bounded a) {
    return {-a.value, a.bound};
}
inline Bounded absolute(Bounded a) {
    return {std::abs(a.value), a.bound};
}
/// The roundoff of the coarsest precision, which decides which of two values is the larger in every precision.
inline constexpr double coarsest_roundoff = 0x1p-24;
/// What decides in the call that this thread evaluates: that of its own precision where bounds hold the roundoff of lists that are stored in a
/// coarser one, or of values that were converted, and so say all that there is to doubt.
inline thread_local double deciding_roundoff = coarsest_roundoff;

/// One of two values, `selected` in exact arithmetic. Where their errors, four times each as a comparison allows, could not exchange them it is that one;
/// where they could, both are within the larger bound of it.
inline Bounded select(Bounded selected, Bounded other) {
    const bool apart = std::abs(selected.value - other.value) > 4 * deciding_roundoff * (selected.bound + other.bound);
    return {selected.value, apart ? selected.bound : std::max(selected.bound, other.bound)};
}
inline Bounded smaller(Bounded a, Bounded b) {
    return b.value < a.value ? select(b, a) : select(a, b);
}
inline Bounded larger(Bounded a, Bounded b) {
    return a.value < b.value ? select(b, a) : select(a, b);
}

/// Whether errors of the compared, four times each as a comparison allows, could turn a comparison of them round. Exact ones are never
/// in doubt, equal ones neither; what is no number always is.
inline bool comparison_in_doubt(Bounded a, Bounded b) {
    const double doubt = a.bound + b.bound;
    return doubt != 0 && !(std::abs(a.value - b.value) > 4 * deciding_roundoff * doubt);
}
/// `chosen`, as a comparison of exact values says. Where that is in doubt, the other one is as good: then there is a bound only if they agree.
inline Bounded choose(bool in_doubt, Bounded chosen, Bounded other) {
    if (!in_doubt) {
        return chosen;
    }
    const double bound = chosen.value == other.value ? std::max(chosen.bound, other.bound) : std::numeric_limits<double>::infinity();
    return {chosen.value, bound};
}

inline Bounded square_root(Bounded a) {
    const double value = std::sqrt(a.value);
    return {value, propagated(0.5 / value, a.bound) + value};
}
inline Bounded exponential(Bounded a) {
    const double value = std::exp(a.value);
    return {value, propagated(value, a.bound) + function_roundings * value};
}
inline Bounded logarithm(Bounded a) {
    const double value = std::log(a.value);
    return {value, propagated(1 / a.value, a.bound) + function_roundings * std::abs(value)};
}
inline Bounded sine(Bounded a) {
    const double value = std::sin(a.value);
    return {value, propagated(std::cos(a.value), a.bound) + function_roundings * std::abs(value)};
}
inline Bounded cosine(Bounded a) {
    const double value = std::cos(a.value);
    return {value, propagated(std::sin(a.value), a.bound) + function_roundings * std::abs(value)};
}
inline Bounded power(Bounded a, Bounded b) {
    const double value = std::pow(a.value, b.value);
    return {value,
        propagated(b.value * value / a.value, a.bound) + propagated(value * std::log(a.value), b.bound) +
            power_roundings * std::abs(value)};
}

/// A sum whose order of addition is unknown. With t terms there are t - 1 additions and no partial sum exceeds the sum of the
/// absolute values, whatever the order; of two terms the only partial sum is the result.
class UnorderedSum {
public:
    void add(Bounded term, double sign) {
        value_ += sign * term.value;
        magnitude_ += std::abs(term.value);
        bound_ += term.bound;
        ++terms_;
    }
    Bounded result() const {
        if (terms_ <= 2) {
            return {value_, bound_ + (terms_ == 2 ? std::abs(value_) : 0)};
        }
        return {value_, bound_ + static_cast<double>(terms_ - 1) * magnitude_};
    }

private:
    double value_ = 0;
    double magnitude_ = 0;
    double bound_ = 0;
    std::size_t terms_ = 0;
};

} // namespace fusec::execute
