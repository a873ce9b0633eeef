// SPDX-License-Identifier: Apache-2.0
// The times of routines in calibrations that come with the compiler: none is shorter than the device's peak rates allow. What a routine computes is
// read off its name and the library, not off what was measured.
#include "elementary-lib/catalog.hpp"
#include "perfmodel/calibration.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <regex>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;

const library::Catalog& catalog() {
    static const library::Catalog loaded = [] {
        Diagnostics diagnostics;
        return library::Catalog::load({std::string(FUSEC_SOURCE_DIR) + "/elementary-lib"}, diagnostics).value();
    }();
    return loaded;
}

/// "double MATRIX3x4"; nothing of a packed one, of which a routine may compute a half.
std::optional<Type> type_of(const std::string& text) {
    static const std::regex known("(float|double) (SCALAR|VECTOR(\\d+)|MATRIX(\\d+)x(\\d+))");
    std::smatch match;
    if (!std::regex_match(text, match, known)) {
        return std::nullopt;
    }
    Type type;
    type.precision = match[1] == "float" ? Precision::f32 : Precision::f64;
    if (match[3].matched) {
        type.shape = {Form::vector, std::stoi(match[3]), 1};
    } else if (match[4].matched) {
        type.shape = {Form::matrix, std::stoi(match[4]), std::stoi(match[5])};
    }
    return type;
}

struct Work {
    library::OperationCounts counts;
    Precision precision = Precision::f32;
};

/// What "mmul_row(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3" computes; nothing of what a program made itself, or converts.
std::optional<Work> work_of(const std::string& routine) {
    static const std::regex form("(\\w+)\\(([^)]*)\\) -> (.*)");
    std::smatch match;
    if (!std::regex_match(routine, match, form)) {
        return std::nullopt;
    }
    const std::string name = match[1], listed = match[2];
    std::vector<Type> operands;
    const std::regex comma(", ");
    for (std::sregex_token_iterator each(listed.begin(), listed.end(), comma, -1), end; each != end; ++each) {
        const std::optional<Type> type = type_of(*each);
        if (!type) {
            return std::nullopt;
        }
        operands.push_back(*type);
    }
    for (const std::string& function : catalog().names()) {
        const FunctionId id = catalog().find(function).value();
        for (const library::Implementation& implementation : catalog().function(id).implementations) {
            if (name != function + "_" + implementation.name) {
                continue;
            }
            const auto matched = catalog().match(id, operands);
            const auto* const instance = std::get_if<library::Instance>(&matched);
            if (instance == nullptr || to_string(instance->result) != match[3]) {
                return std::nullopt;
            }
            return Work{catalog().operations(*instance, implementation), operands.front().precision};
        }
    }
    return std::nullopt;
}

/// Nanoseconds per element, of all that the device has: each operation joined with another, as in an FMA.
double least_ns(const Device& device, const Work& work) {
    const bool cuda = device.limits.target == fusion::Target::cuda;
    const double fmas = work.counts.flops / 2;
    const double functions = work.counts.divisions + work.counts.square_roots;
    if (cuda) {
        const double clocks =
            std::max(fmas / (work.precision == Precision::f32 ? device.fma_f32 : device.fma_f64), functions / device.special);
        return clocks / (device.limits.sm_count * device.clock_ghz);
    }
    // No processor has more than four pipes for floating point, and none runs at twice the clock that its system tells.
    const double lanes = static_cast<double>(device.limits.vector_bytes) / bytes_of(work.precision);
    return fmas / (4 * lanes) / (device.cores * 2 * device.clock_ghz);
}

/// Bytes of "load 36 bytes, 16 at a time"; none of accesses in place, which may read a component again and again.
std::optional<double> moved_bytes(const std::string& name) {
    static const std::regex form("(?:load|store) (\\d+) bytes, \\d+ at a time(?:, asynchronous)?");
    std::smatch match;
    return std::regex_match(name, match, form) ? std::optional(std::stod(match[1])) : std::nullopt;
}

TEST(ShippedCalibrations, HaveNoTimeThatCannotBe) {
    constexpr double clocks_differ = 0.97; // a routine's clock and that of the calibration
    Diagnostics diagnostics;
    for (const auto& entry : fs::directory_iterator(calibration_folders().back())) {
        const auto calibration = read_calibration(entry.path(), diagnostics);
        ASSERT_TRUE(calibration) << entry.path();
        const auto device = calibrated_device(*calibration, diagnostics);
        ASSERT_TRUE(device) << entry.path();
        std::size_t routines = 0, judged = 0, moved = 0;
        for (const auto& [name, routine] : calibration->routines) {
            const double shortest = *std::ranges::min_element(routine.ns);
            EXPECT_GT(shortest, 0) << entry.path() << ": " << name;
            if (name.find(" bytes, ") != std::string::npos) {
                const auto bytes = moved_bytes(name);
                if (bytes && device->limits.target == fusion::Target::cuda) {
                    ++moved;
                    EXPECT_GE(shortest, *bytes / device->dram_gb_per_s) << entry.path() << ": " << name;
                }
                continue;
            }
            ++routines;
            if (const auto work = work_of(name)) {
                ++judged;
                EXPECT_GE(shortest, clocks_differ * least_ns(*device, *work)) << entry.path() << ": " << name;
            }
        }
        EXPECT_GE(judged, routines / 3) << entry.path() << ": names of routines that are not understood";
        EXPECT_EQ(moved > 0, device->limits.target == fusion::Target::cuda)
            << entry.path() << ": names of transfers that are not understood";
    }
}

// What the test above takes for the work of a routine.
TEST(ShippedCalibrations, AreJudgedByWhatTheNamesSay) {
    const auto product = work_of("mtmul_column(double MATRIX12x12, double MATRIX12x12) -> double MATRIX12x12");
    ASSERT_TRUE(product.has_value());
    EXPECT_EQ(product->counts.flops, 12 * 12 * (12 + 11));
    EXPECT_EQ(product->precision, Precision::f64);
    EXPECT_FALSE(work_of("mtmul_column(double MATRIX12x12, double MATRIX12x12) -> double SYMMETRIC12").has_value());
    EXPECT_FALSE(work_of("vdot_folded_19a791a8_element(double VECTOR8, double VECTOR8) -> double SCALAR").has_value());
    EXPECT_EQ(moved_bytes("store 96 bytes, 8 at a time"), 96);
    EXPECT_EQ(moved_bytes("load 36 bytes, 4 at a time, asynchronous"), 36);
    EXPECT_EQ(moved_bytes("store 96 bytes, 8 at a time, in place, strided"), std::nullopt);
    EXPECT_EQ(moved_bytes("cached store 96 bytes, 8 at a time"), std::nullopt);
}

} // namespace
} // namespace fusec::perfmodel
