// SPDX-License-Identifier: Apache-2.0
// Support of the bound tests: float computations in several orders against a reference in double with its bound.
#pragma once

#include "execute/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace fusec::execute {

enum class Order {
    forward,
    backward,
    pairwise,
    fused
};
inline constexpr Order all_orders[]{Order::forward, Order::backward, Order::pairwise, Order::fused};

/// start + sum sign * x[k] * y[k] in float, the products added in the given order.
inline float accumulate(float start, float sign, const std::vector<float>& x, const std::vector<float>& y, Order order) {
    const std::size_t n = x.size();
    if (order == Order::fused) {
        for (std::size_t k = 0; k < n; ++k) {
            start = std::fmaf(sign * x[k], y[k], start);
        }
        return start;
    }
    std::vector<float> terms;
    for (std::size_t k = 0; k < n; ++k) {
        terms.push_back(sign * (x[k] * y[k]));
    }
    if (order == Order::pairwise) {
        while (terms.size() > 1) {
            std::vector<float> halved;
            for (std::size_t k = 0; k < terms.size(); k += 2) {
                halved.push_back(k + 1 < terms.size() ? terms[k] + terms[k + 1] : terms[k]);
            }
            terms = halved;
        }
        return start + (terms.empty() ? 0.0F : terms[0]);
    }
    for (std::size_t k = 0; k < n; ++k) {
        start += terms[order == Order::forward ? k : n - 1 - k];
    }
    return start;
}

/// How near float errors come to what is allowed (4 u bound): no ratio may exceed 1/4 but for second order (the bound itself is
/// sound, before the comparison's factor 4), and the largest over all draws must not be tiny (the bound says something).
class Tightness {
public:
    void see(double computed, Bounded reference, const char* what) {
        const double ratio = std::abs(computed - reference.value) / allowed_error(reference.bound, Precision::f32);
        EXPECT_LE(ratio, 0.251) << what << ": " << computed << " against " << reference.value << " +- 4 u " << reference.bound;
        largest_ = std::max(largest_, ratio);
    }
    void expect_at_least(double least, const char* what) const {
        EXPECT_GE(largest_, least) << what << ": the bound is too loose";
        testing::Test::RecordProperty(what, std::to_string(largest_));
        std::printf("             %s: largest error is %.3f of what is allowed\n", what, largest_);
    }

private:
    double largest_ = 0;
};

/// Numbers that are floats, from the generator under test's sibling: a fixed linear congruence, so tests do not depend on domains.cpp.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : state_(seed) {}
    float next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<float>(static_cast<double>(state_ >> 40) * 0x1p-23 - 1);
    }
    std::vector<float> list(std::size_t count) {
        std::vector<float> out(count);
        for (float& x : out) {
            x = next();
        }
        return out;
    }

private:
    std::uint64_t state_;
};

inline BoundedMatrix exact(const std::vector<float>& values) {
    BoundedMatrix out;
    for (const float value : values) {
        out.push_back({static_cast<double>(value), 0});
    }
    return out;
}

} // namespace fusec::execute
