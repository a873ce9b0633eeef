// SPDX-License-Identifier: Apache-2.0
// Every predictor fitted on the same points and judged on the others, and then with one device left out.
#pragma once

#include "bench/audit_data.hpp"
#include "perfmodel/fit/fit.hpp"
#include "perfmodel/fit/statistics.hpp"

namespace fusec::bench {

/// A prediction of a point that is held out.
struct Judged {
    std::string kernel, place;
    double measured = 0, predicted = 0; ///< seconds
};

struct KernelAccuracy {
    std::string kernel;
    perfmodel::Accuracy accuracy;
    /// Where the points are launches of one kernel on the same lists: the ranks that the predictor gives to the five fastest, 1 the first and of
    /// equal predictions the mean of theirs, and how much slower than the fastest the launch is that it calls the fastest, of several the mean.
    /// Else empty, and 0.
    std::vector<double> fastest = {};
    double loss = 0;
};

/// One predictor on one device.
struct Verdict {
    std::string predictor, device;
    std::string unavailable = {}; ///< why there is no such predictor for the device; then the rest is empty
    std::vector<perfmodel::FittedFigure> figures = {};
    double fit_error = 0; ///< mean of the kernels' MAPEs on the points fitted to
    int evaluations = 0;
    std::vector<Judged> points = {};
    perfmodel::Accuracy all = {}; ///< over all held-out points
    std::size_t unanswered = 0;   ///< held-out points that the predictor has no time of, which the accuracies leave out
    double by_kernel = 0;         ///< mean of the MAPEs of the kernels, each of which weighs the same
    std::vector<KernelAccuracy> kernels = {};
};

std::vector<perfmodel::Point> held_out(const std::vector<perfmodel::Point>& points);

/// Fills in what predicted seconds of these points say of the predictor.
void judge(Verdict& verdict, const std::vector<perfmodel::Point>& points, const std::vector<double>& predicted);

/// Whether figures of streams can be fitted to the device's points.
bool has_streams(const DeviceData& data);

/// `pipeline` as it was fitted, with its correction trained on the same points of role fit (fit_error: the mean error on them).
std::vector<Verdict> judge_corrected(const std::vector<DeviceData>& devices, const std::vector<Verdict>& fitted);

/// What a predictor knows of a device beside the points that it is fitted to, if any: its data sheet, clock and latencies; and the bandwidth of L2 that
/// was measured on it (where gpu-l2-cache has no file of it, the mean share of those that were measured), or the mean share of the others in its place.
enum class Known {
    bandwidth_of_l2_too,
    data_sheet_and_latencies
};

/// Fitted to the device's own points of role fit, of which `benchmark` and `staircase` have what audit_seeds.hpp makes.
std::vector<Verdict> judge_fitted(const std::vector<DeviceData>& devices, Known known = Known::bandwidth_of_l2_too);

/// With what is `known` of the device itself, whatever a fit may make of it, and with what the other devices have in place of everything else that a
/// fit may change, and of the launch: as their fits have it, or where none determines it as measured or described. Of a figure in GB/s the
/// mean share of the data sheet's bandwidth; of one in ns or cycles that is at least 0.8 latencies of memory on each of them, the mean
/// excess over that latency; of any other the mean. Devices without points to fit are judged too.
std::vector<Verdict> judge_left_out(const std::vector<DeviceData>& devices, const std::vector<Verdict>& fitted, Known known);

} // namespace fusec::bench
