// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/stream.hpp"

#include "tests/perfmodel/devices.hpp"

#include <array>
#include <cmath>
#include <fstream>
#include <map>

namespace fusec::perfmodel {
namespace {

TEST(Stream, SolvesTheLawByHand) {
    // c = 0 is a roofline over occupancy: 100 GB/s * 500 ns = 50,000 bytes fill the pipe.
    const StreamLaw sharp{500, 0, 100};
    EXPECT_NEAR(loaded_bandwidth(sharp, 25000), 50, 1e-9);
    EXPECT_NEAR(loaded_bandwidth(sharp, 50000), 100, 1e-9);
    EXPECT_NEAR(loaded_bandwidth(sharp, 1e9), 100, 1e-9);
    // rho = 1/2: 50 GB/s * (500 + 60 * 1) ns = 28,000 bytes. rho = 4/5: 80 * (500 + 60 * 4) = 59,200 bytes.
    const StreamLaw soft{500, 60, 100};
    EXPECT_NEAR(loaded_bandwidth(soft, 28000), 50, 1e-9);
    EXPECT_NEAR(loaded_bandwidth(soft, 59200), 80, 1e-9);
    // tau = c makes the quadratic linear: x = inflight / (peak tau + inflight); 100 * 60 = 6,000.
    EXPECT_NEAR(loaded_bandwidth({60, 60, 100}, 6000), 50, 1e-9);
}

TEST(Stream, IsTheInverseOfLittlesLawEverywhere) {
    for (const double tau : {50.0, 220.0, 700.0}) {
        for (const double c : {0.001, 40.0, 400.0}) {
            for (const double rho : {0.01, 0.3, 0.7, 0.95, 0.999}) {
                const StreamLaw law{tau, c, 2000};
                const double bandwidth = rho * 2000;
                EXPECT_NEAR(loaded_bandwidth(law, bandwidth * (tau + c * rho / (1 - rho))), bandwidth, 1e-6 * bandwidth);
            }
        }
    }
}

TEST(Stream, ReproducesMeasuredBandwidthOverOccupancy) {
    std::ifstream file(FUSEC_SOURCE_DIR "/tests/perfmodel/data/gpu_stream.csv");
    ASSERT_TRUE(file);
    constexpr std::array<double, 4> bytes_per_thread = {8, 8, 16, 32}; // init, read, scale, triad
    std::map<std::string, std::array<double, 4>> error;
    std::map<std::string, int> rows;
    std::map<std::string, Device> devices{{"a100", standard_device("a100")}, {"l40", standard_device("l40")}};
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        std::istringstream fields(line);
        std::string name, field;
        std::getline(fields, name, ',');
        const Device& device = devices.at(name);
        std::getline(fields, field, ',');
        const double threads = std::stod(field);
        const StreamLaw* laws[] = {&device.write, &device.read, &device.copy, &device.mixed};
        for (std::size_t kernel = 0; kernel < 4; ++kernel) {
            std::getline(fields, field, ',');
            const double measured = std::stod(field);
            const double deviation = std::abs(loaded_bandwidth(*laws[kernel], threads * bytes_per_thread[kernel]) / measured - 1);
            EXPECT_LT(deviation, 0.11) << line << " column " << kernel;
            error[name][kernel] += deviation;
        }
        ++rows[name];
    }
    ASSERT_EQ(rows.size(), 2U);
    for (const auto& [name, sums] : error) {
        ASSERT_GE(rows.at(name), 8);
        for (const double sum : sums) {
            EXPECT_LT(sum / rows.at(name), 0.03) << name;
        }
    }
}

TEST(Stream, InterpolatesTheMixAndKeepsTheLatencyOfLoads) {
    Device device;
    device.read = {600, 100, 2000};
    device.mixed = {800, 60, 1800};
    device.copy = {700, 80, 1840};
    device.write = {250, 0, 1900};
    EXPECT_DOUBLE_EQ(law_of_mix(device, 7, 1).peak_gb_per_s, 1900) << "1/8 written is half way from read to 3:1";
    EXPECT_DOUBLE_EQ(law_of_mix(device, 7, 1).tau_ns, 700);
    EXPECT_DOUBLE_EQ(law_of_mix(device, 5, 3).c_ns, 70) << "3/8 is half way from 3:1 to 1:1";
    EXPECT_DOUBLE_EQ(law_of_mix(device, 1, 3).peak_gb_per_s, 1870);
    EXPECT_DOUBLE_EQ(law_of_mix(device, 1, 3).tau_ns, 700) << "stores wait for the load";
    EXPECT_DOUBLE_EQ(law_of_mix(device, 0, 3).tau_ns, 250);
    EXPECT_DOUBLE_EQ(law_of_mix(device, 4, 0).peak_gb_per_s, 2000);
    device.mixed = {}; // not measured
    EXPECT_DOUBLE_EQ(law_of_mix(device, 3, 1).peak_gb_per_s, 1840) << "few writes cost as much as the copy's";
    EXPECT_DOUBLE_EQ(law_of_mix(device, 3, 1).c_ns, 90);
    EXPECT_DOUBLE_EQ(law_of_mix(device, 3, 1).tau_ns, 700);
}

} // namespace
} // namespace fusec::perfmodel
