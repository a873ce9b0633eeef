// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/fit/transfer_times.hpp"

#include "support/diagnostics.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cstddef>
#include <set>

namespace fusec::perfmodel {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// How much being near to the peaks counts beside being near to the kernels: so little that it decides where these leave a choice.
constexpr double peak_weight = 1e-6;

/// x of h x = g in the rows and columns that are free, 0 in the others. Pre: h is symmetric and positive definite.
VectorXd solved(const MatrixXd& h, const VectorXd& g, const std::vector<bool>& is_free) {
    std::vector<Index> rows;
    for (Index i = 0; i < g.size(); ++i) {
        if (is_free[static_cast<std::size_t>(i)]) {
            rows.push_back(i);
        }
    }
    const MatrixXd part = h(rows, rows);
    const VectorXd right = g(rows);
    VectorXd x = VectorXd::Zero(g.size());
    const Eigen::LLT<MatrixXd> root(part);
    internal_check(root.info() == Eigen::Success, "the times of transfers are not determined");
    x(rows) = VectorXd(root.solve(right));
    return x;
}

/// The x >= 0 at which x h x / 2 - g x is least, by Lawson and Hanson: of those at 0 the one that gains most is set free, and whatever would get below 0
/// by that is held there, until none gains. Pre: h is symmetric and positive definite.
VectorXd least_above_zero(const MatrixXd& h, const VectorXd& g) {
    constexpr double rounding = 1e-13; // of gains beside 1
    const auto n = static_cast<std::size_t>(g.size());
    VectorXd x = VectorXd::Zero(g.size());
    std::vector<bool> is_free(n), refused(n);
    while (true) {
        const VectorXd gains = g - h * x;
        std::size_t best = n;
        double gain = rounding;
        for (std::size_t i = 0; i < n; ++i) {
            if (!is_free[i] && !refused[i] && gains[static_cast<Index>(i)] > gain) {
                best = i;
                gain = gains[static_cast<Index>(i)];
            }
        }
        if (best == n) {
            return x;
        }
        is_free[best] = true;
        VectorXd wanted = solved(h, g, is_free);
        if (wanted[static_cast<Index>(best)] <= 0) { // its gain was of rounding
            is_free[best] = false;
            refused[best] = true;
            continue;
        }
        refused.assign(n, false);
        while (true) {
            // Free ones that are wanted at 0 or below come first to 0 there.
            const auto share = [&](std::size_t i) {
                const auto at = static_cast<Index>(i);
                return is_free[i] && wanted[at] <= 0 ? x[at] / (x[at] - wanted[at]) : 1;
            };
            double step = 1;
            for (std::size_t i = 0; i < n; ++i) {
                step = std::min(step, share(i));
            }
            std::vector<bool> stops(n);
            for (std::size_t i = 0; i < n; ++i) {
                stops[i] = is_free[i] && wanted[static_cast<Index>(i)] <= 0 && share(i) <= step;
            }
            x += step * (wanted - x);
            for (std::size_t i = 0; i < n; ++i) {
                if (stops[i]) {
                    x[static_cast<Index>(i)] = 0;
                    is_free[i] = false;
                }
            }
            if (std::ranges::count(stops, true) == 0) {
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
    std::map<std::string, Index> index;
    std::vector<double> leasts, peaks; // ns per element
    for (const MovingKernel& kernel : kernels) {
        internal_check(!kernel.lists.empty() && kernel.ns > 0, "a kernel moves nothing, or in no time");
        for (const MovingKernel::List& list : kernel.lists) {
            internal_check(list.peak_ns > 0 && list.least_ns >= 0, "a list takes less than nothing");
            const auto [at, is_new] = index.try_emplace(list.transfer, static_cast<Index>(leasts.size()));
            if (is_new) {
                leasts.push_back(list.least_ns);
                peaks.push_back(list.peak_ns);
            }
            double& least = leasts[static_cast<std::size_t>(at->second)];
            double& peak = peaks[static_cast<std::size_t>(at->second)];
            least = std::min(least, list.least_ns);
            peak = std::min(peak, list.peak_ns);
        }
    }
    const auto n = static_cast<Index>(leasts.size());
    const Eigen::Map<const VectorXd> least(leasts.data(), n), peak(peaks.data(), n);
    // Of (t - least) / peak. At the peaks first; each pass is near to the one before, and as much nearer to the kernels as they outweigh that.
    const VectorXd weights = n == 0 ? VectorXd() : VectorXd(peak_weight / peak.maxCoeff() * peak);
    VectorXd above = 1 - (least.array() / peak.array());
    MatrixXd h = weights.asDiagonal();
    VectorXd of_kernels = VectorXd::Zero(n);
    for (const MovingKernel& kernel : kernels) {
        VectorXd shares = VectorXd::Zero(n);
        double rest = 1;
        for (const MovingKernel::List& list : kernel.lists) {
            const Index i = index.at(list.transfer);
            shares[i] += peak[i] / kernel.ns;
            rest -= least[i] / kernel.ns;
        }
        of_kernels += rest * shares;
        h += shares * shares.transpose();
    }
    constexpr int passes = 2; // what is left of the peaks' weight is its square
    for (int pass = 0; pass < passes; ++pass) {
        above = least_above_zero(h, of_kernels + weights.cwiseProduct(above));
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
