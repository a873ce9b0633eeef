// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/transfer_times.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

namespace fusec::perfmodel {

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

/// How much being near to the peaks counts beside being near to the kernels: so little that it decides where these leave a choice.
constexpr double peak_weight = 1e-6;

/// x of h x = g in the chosen rows and columns, 0 in the others. Pre: h is symmetric and positive definite.
Vector solved(const Matrix& h, const Vector& g, const std::vector<bool>& chosen) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (chosen[i]) {
            rows.push_back(i);
        }
    }
    const std::size_t n = rows.size();
    Matrix root(n, Vector(n)); // Cholesky's
    Vector y(n);
    for (std::size_t i = 0; i < n; ++i) {
        y[i] = g[rows[i]];
        for (std::size_t j = 0; j <= i; ++j) {
            double left = h[rows[i]][rows[j]];
            for (std::size_t k = 0; k < j; ++k) {
                left -= root[i][k] * root[j][k];
            }
            root[i][j] = i == j ? std::sqrt(left) : left / root[j][j];
        }
        for (std::size_t k = 0; k < i; ++k) {
            y[i] -= root[i][k] * y[k];
        }
        y[i] /= root[i][i];
    }
    Vector x(g.size());
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) {
            y[i] -= root[k][i] * y[k];
        }
        y[i] /= root[i][i];
        x[rows[i]] = y[i];
    }
    return x;
}

/// The x >= 0 at which x h x / 2 - g x is least, by Lawson and Hanson: of those at 0 the one that gains most is set free, and whatever would get below 0
/// by that is held there, until none gains. Pre: h is symmetric and positive definite.
Vector least_above_zero(const Matrix& h, const Vector& g) {
    constexpr double rounding = 1e-13; // of gains beside 1
    const std::size_t n = g.size();
    Vector x(n);
    std::vector<bool> is_free(n), refused(n);
    while (true) {
        std::size_t best = n;
        double gain = rounding;
        for (std::size_t i = 0; i < n; ++i) {
            double rest = g[i];
            for (std::size_t j = 0; j < n; ++j) {
                rest -= h[i][j] * x[j];
            }
            if (!is_free[i] && !refused[i] && rest > gain) {
                best = i;
                gain = rest;
            }
        }
        if (best == n) {
            return x;
        }
        is_free[best] = true;
        Vector wanted = solved(h, g, is_free);
        if (wanted[best] <= 0) { // its gain was of rounding
            is_free[best] = false;
            refused[best] = true;
            continue;
        }
        refused.assign(n, false);
        while (true) {
            double step = 1;
            for (std::size_t i = 0; i < n; ++i) {
                if (is_free[i] && wanted[i] <= 0) {
                    step = std::min(step, x[i] / (x[i] - wanted[i]));
                }
            }
            bool held = false;
            for (std::size_t i = 0; i < n; ++i) {
                if (!is_free[i]) {
                    continue;
                }
                const bool below = wanted[i] <= 0 && x[i] / (x[i] - wanted[i]) <= step;
                x[i] = below ? 0 : x[i] + step * (wanted[i] - x[i]);
                is_free[i] = !below;
                held = held || below;
            }
            if (!held) {
                break;
            }
            wanted = solved(h, g, is_free);
        }
    }
}

/// By the transfers of each kernel, whether other kernels have none of them beside others.
std::vector<bool> are_alone(std::span<const MovingKernel> kernels) {
    std::vector<std::set<std::string>> names;
    std::map<std::string, std::set<std::set<std::string>>> company;
    for (const MovingKernel& kernel : kernels) {
        std::set<std::string>& of = names.emplace_back();
        for (const MovingKernel::List& list : kernel.lists) {
            of.insert(list.transfer);
        }
        for (const std::string& name : of) {
            company[name].insert(of);
        }
    }
    std::vector<bool> alone;
    for (const std::set<std::string>& of : names) {
        alone.push_back(std::ranges::all_of(of, [&](const std::string& name) { return company.at(name).size() == 1; }));
    }
    return alone;
}

} // namespace

TransferTimes transfer_times(std::span<const MovingKernel> kernels) {
    std::map<std::string, std::size_t> index;
    Vector least, peak; // ns per element
    for (const MovingKernel& kernel : kernels) {
        internal_check(!kernel.lists.empty() && kernel.ns > 0, "a kernel moves nothing, or in no time");
        for (const MovingKernel::List& list : kernel.lists) {
            const auto [at, is_new] = index.try_emplace(list.transfer, least.size());
            if (is_new) {
                least.push_back(list.least_ns);
                peak.push_back(list.peak_ns);
            }
            least[at->second] = std::min(least[at->second], list.least_ns);
            peak[at->second] = std::min(peak[at->second], list.peak_ns);
        }
    }
    const std::size_t n = least.size();
    // Of (t - least) / peak. At the peaks first; each pass is near to the one before, and as much nearer to the kernels as they outweigh that.
    Matrix h(n, Vector(n));
    Vector of_kernels(n), weights(n), above(n);
    for (std::size_t i = 0; i < n; ++i) {
        weights[i] = peak_weight * peak[i] / *std::ranges::max_element(peak);
        h[i][i] += weights[i];
        above[i] = 1 - least[i] / peak[i];
    }
    for (const MovingKernel& kernel : kernels) {
        Vector shares(n);
        double rest = 1;
        for (const MovingKernel::List& list : kernel.lists) {
            const std::size_t i = index.at(list.transfer);
            shares[i] += peak[i] / kernel.ns;
            rest -= least[i] / kernel.ns;
        }
        for (std::size_t i = 0; i < n; ++i) {
            of_kernels[i] += shares[i] * rest;
            for (std::size_t j = 0; j < n; ++j) {
                h[i][j] += shares[i] * shares[j];
            }
        }
    }
    constexpr int passes = 2; // what is left of the peaks' weight is its square
    for (int pass = 0; pass < passes; ++pass) {
        Vector g = of_kernels;
        for (std::size_t i = 0; i < n; ++i) {
            g[i] += weights[i] * above[i];
        }
        above = least_above_zero(h, g);
    }
    TransferTimes result;
    for (const auto& [name, i] : index) {
        result.ns[name] = least[i] + above[i] * peak[i];
    }
    for (const MovingKernel& kernel : kernels) {
        double& sum = result.sums.emplace_back();
        for (const MovingKernel::List& list : kernel.lists) {
            sum += result.ns.at(list.transfer);
        }
    }
    result.alone = are_alone(kernels);
    return result;
}

} // namespace fusec::perfmodel
