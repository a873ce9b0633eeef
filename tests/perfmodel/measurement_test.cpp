// SPDX-License-Identifier: Apache-2.0
// Readers of the public result files, on excerpts of them, and what they say of damaged ones.
#include "perfmodel/fit/gpu_benches.hpp"

#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/occupancy.hpp"
#include "tests/perfmodel/devices.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path data = fs::path(FUSEC_SOURCE_DIR) / "tests/perfmodel/data/gpu-benches";

template <class Reader>
Measurements good(Reader read, const char* file, const char* device) {
    Diagnostics diagnostics;
    std::optional<Measurements> found = read(data / file, device, standard_device(device).limits, diagnostics);
    std::ostringstream text;
    render(diagnostics, text, false);
    EXPECT_TRUE(found.has_value()) << text.str();
    return found.value_or(Measurements{});
}

const Point& point_of(const Measurements& all, const std::string& kernel, std::size_t row) {
    for (const Point& point : all.points) {
        if (point.kernel == kernel && row-- == 0) {
            return point;
        }
    }
    throw std::runtime_error("no such row of " + kernel);
}

double bandwidth(const Point& point) {
    return (point.work.read_bytes + point.work.write_bytes) * static_cast<double>(point.elements) / point.seconds * 1e-9;
}

TEST(Measurements, TheNewerStreamsGiveBlocksOfAMultiprocessor) {
    const Measurements all = good(read_gpu_stream, "gpu-stream/a100_80.txt", "a100");
    const fusion::DeviceLimits limits = standard_device("a100").limits;
    ASSERT_EQ(all.points.size(), 24U);
    EXPECT_THAT(all.reading, HasSubstr("the header swaps"));
    const Point& one = point_of(all, "init", 0);
    EXPECT_EQ(one.work.threads_per_block, 16);
    EXPECT_EQ(resident_blocks(limits, one.work), 1);
    EXPECT_NEAR(bandwidth(one), 53, 1e-9);
    EXPECT_EQ(one.role, Role::fit);
    EXPECT_EQ(one.place, "gpu-stream/a100_80.txt:4");
    const Point& two = point_of(all, "triad", 1);
    EXPECT_EQ(two.work.threads_per_block, 64);
    EXPECT_EQ(resident_blocks(limits, two.work), 2);
    EXPECT_EQ(two.work.read_bytes, 24);
    EXPECT_EQ(two.work.write_bytes, 8);
    EXPECT_NEAR(bandwidth(two), 534, 1e-9);
    EXPECT_EQ(two.role, Role::held_out);
    const Point& stencil = point_of(all, "5pt", 3);
    EXPECT_EQ(stencil.work.read_bytes, 8) << "neighbours' loads hit";
    EXPECT_EQ(stencil.work.steps[0].accesses[0].count, 5);
    EXPECT_EQ(stencil.role, Role::held_out);
    EXPECT_NEAR(bandwidth(stencil), 1608, 1e-9);
}

TEST(Measurements, TheOlderStreamsCountOtherwise) {
    const Measurements hopper = good(read_gpu_stream, "gpu-stream/h100_pcie.txt", "h100-pcie");
    const fusion::DeviceLimits limits = standard_device("h100-pcie").limits;
    const Point& first = point_of(hopper, "triad", 0);
    EXPECT_EQ(first.work.threads_per_block, 32);
    EXPECT_EQ(resident_blocks(limits, first.work), 2) << "3648 threads are one of two blocks";
    EXPECT_EQ(first.work.read_bytes, 16);
    EXPECT_EQ(resident_blocks(limits, point_of(hopper, "triad", 2).work), 2);
    const Measurements ampere = good(read_gpu_stream, "gpu-stream/a100_40.txt", "a100-40");
    const fusion::DeviceLimits a100 = standard_device("a100-40").limits;
    struct Row {
        int block, resident;
    };
    const Row rows[] = {{16, 1}, {96, 1}, {64, 2}, {160, 1}, {736, 2}};
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        const Point& point = point_of(ampere, "scale", i);
        EXPECT_EQ(point.work.threads_per_block, rows[i].block) << i;
        EXPECT_EQ(resident_blocks(a100, point.work), rows[i].resident) << i;
    }
}

TEST(Measurements, RooflinesAreOfTheFirstKindOfDeviceAtTheClockPrinted) {
    const Measurements all = good(read_gpu_roofline, "gpu-roofline/genoa_l40.txt", "l40");
    ASSERT_EQ(all.points.size(), 2U);
    EXPECT_THAT(all.reading, HasSubstr("GPU 1 left out"));
    const Point& busy = all.points[1];
    EXPECT_NEAR(bandwidth(busy), 811, 1e-9);
    EXPECT_DOUBLE_EQ(busy.clock_ghz, 1.68);
    EXPECT_EQ(busy.work.fused, 136);
    EXPECT_EQ(busy.work.flops, 274);
    EXPECT_EQ(busy.role, Role::held_out);
    EXPECT_EQ(busy.work.read_bytes, 8);
    EXPECT_EQ(busy.elements, 852ULL * 256 * 1024);
}

TEST(Measurements, TheSmallestLaunchesAreStartUp) {
    const Measurements all = good(read_gpu_small_kernels, "gpu-small-kernels/a40.txt", "a40");
    ASSERT_EQ(all.points.size(), 18U);
    EXPECT_THAT(all.reading, HasSubstr("cut off"));
    const Point& first = all.points[0];
    EXPECT_EQ(first.kernel, "start-up");
    EXPECT_EQ(first.role, Role::fit);
    EXPECT_EQ(first.work.threads_per_block, 32);
    EXPECT_EQ(all.points[5].work.threads_per_block, 1024);
    EXPECT_TRUE(first.work.repeated);
    EXPECT_NEAR(first.seconds, 65536 / 31e9, 1e-15);
    EXPECT_EQ(all.points[6].kernel, "small");
    EXPECT_EQ(all.points[6].role, Role::held_out);
    EXPECT_EQ(all.points[17].elements, 127236U);
}

TEST(Measurements, TheChaseIsTheLargestSet) {
    const Measurements all = good(read_gpu_latency, "gpu-latency/l40.txt", "l40");
    ASSERT_EQ(all.points.size(), 1U);
    EXPECT_NEAR(all.points[0].seconds, 1000 * 625 / 2.49e9, 1e-12);
    EXPECT_EQ(all.points[0].work.dependent_phases, 1000);
    EXPECT_TRUE(all.points[0].inside);
    EXPECT_EQ(all.points[0].role, Role::fit);
}

TEST(Measurements, CountsAreSumsOverTheSteps) {
    const fusion::DeviceLimits limits = standard_device("a100").limits;
    for (const fusion::KernelWork& work : {stream_work(triad_kernel, 128, 2, limits), stream_work(five_point_kernel, 16, 1, limits),
             roofline_work(40, 8), chase_work(10), stream_work(init_kernel, 32, 0, limits)}) {
        double reads = 0, writes = 0, instructions = 0, l1 = 0, flops = 0;
        for (const fusion::WorkStep& step : work.steps) {
            reads += step.read_bytes;
            writes += step.write_bytes;
            instructions += step.instructions;
            l1 += step.l1_wavefronts;
            flops += step.arithmetic.flops;
        }
        EXPECT_DOUBLE_EQ(work.read_bytes, reads);
        EXPECT_DOUBLE_EQ(work.write_bytes, writes);
        EXPECT_DOUBLE_EQ(work.instructions, instructions / 32);
        EXPECT_DOUBLE_EQ(work.l1_wavefronts, l1);
        EXPECT_DOUBLE_EQ(work.flops, flops);
        EXPECT_LE(2 * work.fused, work.flops);
    }
    EXPECT_EQ(stream_work(read_kernel, 1024, 3, limits).threads_per_block, 0) << "three do not fit";
}

class DamagedFiles : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "fusec-measurements-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder); }

    template <class Reader>
    std::string message(Reader read, const char* device, const std::string& text) {
        std::ofstream(folder / "file.txt") << text;
        Diagnostics diagnostics;
        EXPECT_FALSE(read(folder / "file.txt", device, standard_device(device).limits, diagnostics).has_value()) << text;
        EXPECT_EQ(diagnostics.error_count(), 1U) << text;
        if (diagnostics.error_count() == 1) {
            EXPECT_EQ(diagnostics.all()[0].kind.name, "invalid-measurement");
        }
        std::ostringstream out;
        render(diagnostics, out, false);
        return out.str();
    }
    fs::path folder;
};

TEST_F(DamagedFiles, AreLocatedErrors) {
    const std::string header = "block smBlocks   threads    occ%   |   init read scale triad 3pt 5pt\n";
    const std::string row = "  16      1728       1    0.8%     |  GB/s:  53 21 40 72 38 38\n";
    EXPECT_THAT(message(read_gpu_stream, "a100", ""), HasSubstr("no rows"));
    EXPECT_THAT(message(read_gpu_stream, "a100", "something else\n" + row), HasSubstr(":1:1: error: no header"));
    EXPECT_THAT(
        message(read_gpu_stream, "a100", header + row + "  16 1728 1 0.8% | GB/s: 53 21 40 72 38\n"), HasSubstr(":3:1: error: no row"));
    EXPECT_THAT(message(read_gpu_stream, "a100", header + "  16 1728 1 0.8% | GB/s: 53 21 40 0 38 38\n"), HasSubstr(":2:1: error: no row"));
    EXPECT_THAT(message(read_gpu_stream, "a100", header + "  16 1729 1 0.8% | GB/s: 53 21 40 72 38 38\n"), HasSubstr("do not have 1729"));
    EXPECT_THAT(message(read_gpu_stream, "a100", header + "  16 1728 1 1.8% | GB/s: 53 21 40 72 38 38\n"), HasSubstr("occupancy"));
    EXPECT_THAT(message(read_gpu_stream, "h200", header + row), HasSubstr("132 multiprocessors"));
    const std::string roof = "0 852 blocks 0 its 0.250 Fl/B 845 GB/s 211 GF/s 2490 Mhz 199 W 42\n";
    EXPECT_THAT(message(read_gpu_roofline, "l40", "8\n16\n"), HasSubstr("no rows"));
    EXPECT_THAT(message(read_gpu_roofline, "l40", "8\n16\n" + roof + "0 852 blo\n"), HasSubstr(":4:1: error: no row"));
    EXPECT_THAT(message(read_gpu_roofline, "l40", "0 852 blocks 1 its 0.250 Fl/B 845 GB/s 211 GF/s 2490 Mhz\n"), HasSubstr("flop/byte"));
    EXPECT_THAT(message(read_gpu_roofline, "a100-40", roof), HasSubstr("852 blocks of 256"));
    EXPECT_THAT(message(read_gpu_small_kernels, "l40", "4096 64kB 40 40\n4341 67kB 43 x\n"), HasSubstr("`x` is no bandwidth"));
    EXPECT_THAT(
        message(read_gpu_small_kernels, "l40", "4096 64kB 40 40\n4341 67kB 43\n4601 71kB 45 45\n"), HasSubstr(":2:1: error: no row"));
    EXPECT_THAT(message(read_gpu_latency, "l40", "clock: 2490\n 18002389 2490 2250298.6\n"), HasSubstr(":2:1: error: no row"));
    EXPECT_THAT(message(read_gpu_latency, "l40", " 18002389 2490 2250298.6 1 nan\n"), HasSubstr("`nan` is no positive number"));
}

TEST_F(DamagedFiles, AnAbsentOneIsUnreadable) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read_gpu_latency(folder / "none.txt", "l40", {}, diagnostics).has_value());
    ASSERT_EQ(diagnostics.error_count(), 1U);
    EXPECT_EQ(diagnostics.all()[0].kind.name, kind::unreadable_file.name);
}

} // namespace
} // namespace fusec::perfmodel
