// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/stream.hpp"

#include <algorithm>
#include <cmath>

namespace fusec::perfmodel {

double loaded_bandwidth(const StreamLaw& law, double bytes_in_flight) {
    // The law is a x^2 + b x - inflight = 0 in x = rho, with a = peak (c - tau), b = peak tau + inflight. This form of its root in
    // (0, 1] does not cancel, holds for a = 0, and is min(1, inflight / (peak tau)) for c = 0.
    const double a = law.peak_gb_per_s * (law.c_ns - law.tau_ns);
    const double b = law.peak_gb_per_s * law.tau_ns + bytes_in_flight;
    const double discriminant = std::max(0.0, b * b + 4 * a * bytes_in_flight);
    return law.peak_gb_per_s * std::min(1.0, 2 * bytes_in_flight / (b + std::sqrt(discriminant)));
}

StreamLaw law_of_mix(const Device& device, double read_bytes, double write_bytes) {
    struct Point {
        double writes; ///< share of the bytes
        const StreamLaw& law;
    };
    // A description without the mix of 3:1: c lies between its neighbours, as always; writes cost memory its turnarounds as soon as there are some.
    const StreamLaw between_neighbours{device.copy.tau_ns, (device.read.c_ns + device.copy.c_ns) / 2, device.copy.peak_gb_per_s};
    const StreamLaw& mixed = device.mixed.peak_gb_per_s > 0 ? device.mixed : between_neighbours;
    const Point points[] = {{0, device.read}, {0.25, mixed}, {0.5, device.copy}, {1, device.write}};
    const double bytes = read_bytes + write_bytes;
    const double writes = bytes > 0 ? write_bytes / bytes : 0;
    const Point* upper =
        std::find_if(std::begin(points) + 1, std::end(points) - 1, [&](const Point& point) { return writes <= point.writes; });
    const Point& lower = *(upper - 1);
    const double share = (writes - lower.writes) / (upper->writes - lower.writes);
    const auto between = [&](double StreamLaw::* member) { return (1 - share) * (lower.law.*member) + share * (upper->law.*member); };
    StreamLaw law{between(&StreamLaw::tau_ns), between(&StreamLaw::c_ns), between(&StreamLaw::peak_gb_per_s)};
    if (writes > 0.5 && read_bytes > 0) {
        law.tau_ns = device.copy.tau_ns;
    }
    return law;
}

double followed_lists(const fusion::KernelWork& work) {
    double bytes = 0, squares = 0;
    for (const fusion::WorkStep& step : work.steps) {
        for (const fusion::GlobalAccess& access : step.accesses) {
            if (!access.store && access.addressing != fusion::Addressing::broadcast) {
                const double of_list = access.count * access.bytes;
                bytes += of_list;
                squares += of_list * of_list;
            }
        }
    }
    return squares > 0 ? bytes * bytes / squares : 1;
}

double share_of_lists(const Device& device, double lists) {
    const auto twice_as_many = figure(device, "stream.lists");
    return twice_as_many ? std::pow(*twice_as_many, std::log2(std::clamp(lists, 1.0, double{most_followed_lists}))) : 1;
}

double l2_hits(const Device& device, const fusion::KernelWork& work, double elements) {
    constexpr double all = 0.75, none = 1.4;
    if (!work.repeated) {
        return 0;
    }
    const double footprint = elements * (work.read_bytes + work.write_bytes) / device.l2_bytes;
    return std::clamp((none - footprint) / (none - all), 0.0, 1.0);
}

} // namespace fusec::perfmodel
