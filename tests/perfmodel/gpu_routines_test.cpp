// SPDX-License-Identifier: Apache-2.0
// Rows `kernel`: kernels that the compiler emitted, measured on a GPU of which every routine's time is known. Those times have to come back.
#include "perfmodel/fit/gpu_routines.hpp"

#include "devices.hpp"
#include "perfmodel/benchmark.hpp"
#include "perfmodel/fit/fit.hpp"
#include "perfmodel/fit/gpu_points.hpp"
#include "perfmodel/fit/kernel_work_json.hpp"
#include "perfmodel/occupancy.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

namespace fusec::perfmodel {
namespace {

namespace fs = std::filesystem;
using fusion::GlobalAccess;
using fusion::KernelWork;
using fusion::WorkStep;
using testing::HasSubstr;

constexpr double elements = 1 << 22;
const std::string product = "mmul_element(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3";
const std::string load36 = "load 36 bytes, 16 at a time", store36 = "store 36 bytes, 16 at a time";

GlobalAccess moved(bool store, int bytes, double count) {
    GlobalAccess access;
    access.store = store;
    access.bytes = bytes;
    access.count = count;
    access.sectors = bytes * count / 32;
    access.staged = true;
    return access;
}

/// A kernel that loads, computes and stores.
KernelWork kernel_work(int block, double loads, const std::string& routine, int remaps = 0) {
    KernelWork work;
    work.elements_per_block = block;
    work.threads_per_block = std::max(block, 32);
    work.shared_bytes = block * 72;
    work.registers = work.registers_needed = 40;
    work.read_bytes = 36 * loads;
    work.write_bytes = 36;
    work.instructions = 4;
    work.path_instructions = 128;
    work.remaps = remaps;
    WorkStep load;
    load.kind = WorkStep::Kind::load;
    load.instructions = 20;
    load.read_bytes = 36 * loads;
    load.accesses.assign(static_cast<std::size_t>(loads), moved(false, 16, 2.25));
    WorkStep compute;
    compute.instructions = 80;
    if (!routine.empty()) {
        compute.routine = std::make_shared<const std::string>(routine);
    }
    WorkStep store;
    store.kind = WorkStep::Kind::store;
    store.instructions = 20;
    store.write_bytes = 36;
    store.accesses = {moved(true, 16, 2.25)};
    work.steps = {load, compute, store};
    return work;
}

ProbeRow kernel_row(
    const std::string& role, const std::string& name, const KernelWork& work, double extra, double repetitions, double seconds) {
    ProbeRow row;
    row.probe = "kernel";
    row.texts = {{"role", role}, {"name", name}, {"program", "p"}};
    row.numbers = {{"seed", 0}, {"block", work.threads_per_block}, {"elements", elements}, {"extra_shared", extra}, {"resident", 1},
        {"registers", 40}, {"repetitions", repetitions}, {"seconds", seconds}, {"clock_ghz", 1.5}};
    row.work = std::make_shared<const KernelWork>(work);
    return row;
}

/// What one product takes, in nanoseconds.
double product_ns(double block, double extra) {
    return 0.01 + 0.0001 * block + 1e-7 * extra;
}
constexpr double move_ns = 0.05, remap_ns = 0.003; ///< of a list there and back; of a change of threads

class GpuRoutineTables : public testing::Test {
protected:
    GpuRoutineTables() {
        measured.multiprocessors = device.limits.sm_count;
        measured.arch = device.limits.arch;
        measured.l2_bytes = device.l2_bytes;
        for (const int block : {32, 128}) {
            for (const double extra : {0.0, 65536.0}) {
                for (const double repetitions : {64.0, 32.0}) { // behind something that takes 3 us
                    measured.rows.push_back(kernel_row("routine", product, kernel_work(block, 2, product), extra, repetitions,
                        3e-6 + repetitions * product_ns(block, extra) * elements * 1e-9));
                }
                for (const std::string& name : {load36, store36}) {
                    measured.rows.push_back(
                        kernel_row("transfer", name, kernel_work(block, 1, "mneg_element(...)"), extra, 1, move_ns * elements * 1e-9));
                }
            }
        }
        for (const double repeats : {1.0, 2.0}) { // pairs of which the second is slower
            for (const int remaps : {0, 1}) {
                measured.rows.push_back(kernel_row(
                    "remap", "products", kernel_work(32, 2, product, remaps), 0, 1, (0.1 * repeats + remap_ns * remaps) * elements * 1e-9));
            }
        }
    }

    std::optional<GpuRoutines> found() { return routines_of(measured, device, diagnostics); }
    std::string refused() {
        diagnostics = Diagnostics();
        EXPECT_FALSE(found().has_value());
        return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
    }

    Device device = standard_device("h200");
    GpuMeasurements measured;
    Diagnostics diagnostics;
};

TEST_F(GpuRoutineTables, GiveTheTimesBackThatMadeTheRows) {
    const auto result = found();
    ASSERT_TRUE(result.has_value()) << diagnostics.all().front().message;
    ASSERT_EQ(result->routines.size(), 3U);
    const RoutineTimes::Routine& routine = result->routines.at(product);
    EXPECT_EQ(routine.extra_shared, (std::vector<double>{0, 65536}));
    EXPECT_EQ(routine.block_size, (std::vector<double>{32, 128}));
    EXPECT_DOUBLE_EQ(routine.shared_bytes, 72);
    for (const double block : {32.0, 128.0}) {
        for (const double extra : {0.0, 65536.0}) {
            EXPECT_NEAR(time_at(routine, extra, block).ns / product_ns(block, extra), 1, 1e-9) << block << " " << extra;
        }
    }
    // There and back, by the time that each takes of memory.
    const double load = result->routines.at(load36).ns.front(), store = result->routines.at(store36).ns.front();
    EXPECT_NEAR(load + store, move_ns, 1e-12);
    EXPECT_NEAR(load / store, device.write.peak_gb_per_s / device.read.peak_gb_per_s, 1e-9);
    ASSERT_TRUE(result->remap.has_value());
    EXPECT_NEAR(result->remap->value, remap_ns, 1e-9);
}

// A store that threads write in place, strided, is slow; the load beside it is not. With kernels that move all lists alike, and without: then the sectors
// that the lists ask for tell. Blocks of which as many are resident are one case, whatever shared memory keeps others away.
TEST_F(GpuRoutineTables, ASlowStoreIsNotBookedToTheLoadBesideIt) {
    const std::string slow36 = "store 36 bytes, 4 at a time, in place, strided", wide36 = "load 36 bytes, 4 at a time";
    const double load_ns = 0.015, store_ns = load_ns * device.read.peak_gb_per_s / device.write.peak_gb_per_s, slow_ns = 0.09;
    const auto add = [&](const std::string& name, int load_bytes, bool is_slow, double extra, double ns) {
        KernelWork work = kernel_work(128, 1, "mneg_element(...)");
        work.steps[0].accesses = {moved(false, load_bytes, 36.0 / load_bytes)};
        GlobalAccess& store = work.steps[2].accesses.front();
        if (is_slow) {
            store = moved(true, 4, 9);
            store.staged = false;
            store.addressing = fusion::Addressing::strided;
            store.sectors = slow_ns / store_ns * 36 / 32;
        }
        measured.rows.push_back(kernel_row("transfer", name, work, extra, 1, ns * elements * 1e-9));
    };
    const auto time_of = [&](const std::string& name) {
        const auto result = found();
        return result ? result->routines.at(name).ns.front() : 0;
    };
    std::erase_if(measured.rows, [](const ProbeRow& row) { return row.text("role") == "transfer"; });
    add(load36, 16, true, 0, load_ns + slow_ns);
    EXPECT_NEAR(time_of(load36) / load_ns, 1, 1e-3) << "by sectors";
    EXPECT_THAT(found()->divided,
        testing::ElementsAre("of 1 row of transfers, 1 is of kernels whose lists no other kernel moves beside others: "
                             "bandwidths alone divide their times"));
    add(wide36, 4, true, 0, load_ns + slow_ns);
    add(slow36, 16, true, 1024, load_ns + slow_ns);
    add(store36, 16, false, 1024, load_ns + store_ns);
    EXPECT_NEAR(time_of(load36) / load_ns, 1, 1e-3);
    EXPECT_NEAR(time_of(wide36) / load_ns, 1, 1e-3);
    EXPECT_NEAR(time_of(store36) / store_ns, 1, 1e-3);
    EXPECT_NEAR(time_of(slow36) / slow_ns, 1, 1e-3);
    EXPECT_THAT(found()->divided, testing::IsEmpty());
    // A kernel that contradicts the others.
    add("load 36 bytes, 12 at a time", 12, true, 0, slow_ns / 2);
    EXPECT_THAT(found()->divided, testing::ElementsAre(HasSubstr("more than 12.5 % from what the lists take by all of them")));
    measured.rows.back().numbers["resident"] = 7;
    EXPECT_THAT(found()->divided, testing::ElementsAre(HasSubstr("of 5 rows of transfers, 1 is of kernels")));
}

// The predictor that the times are for: a kernel of two products, at a place of the table.
TEST_F(GpuRoutineTables, MakeBenchmarkReady) {
    const auto result = found();
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(make_predictor("benchmark", device, diagnostics), nullptr);
    device.routine_times = std::make_shared<const RoutineTimes>(RoutineTimes{"mine", "today", "a GPU", "fusec", result->routines});
    ASSERT_TRUE(set_figure(device, result->remap->key, result->remap->value));
    Diagnostics again;
    const auto predictor = make_predictor("benchmark", device, again);
    ASSERT_NE(predictor, nullptr) << again.all().front().message;
    KernelWork work = kernel_work(128, 2, product, 1);
    work.steps.insert(work.steps.begin() + 1, work.steps[1]);
    work.shared_bytes += 65536;
    const double loads = 2 * result->routines.at(load36).ns.front(), stores = result->routines.at(store36).ns.front();
    const double expected = std::max(2 * product_ns(128, 65536), loads + stores) + remap_ns;
    EXPECT_NEAR((predictor->seconds(work, 1U << 20U) - device.launch_us * 1e-6) / (expected * (1U << 20U) * 1e-9), 1, 1e-6);
}

// A kernel of which everything takes a time t0 that hides behind repetitions as far as they take longer, and one that adds to them.
TEST_F(GpuRoutineTables, ARoutineIsAsUncertainAsWhatIsAroundItIsLarge) {
    const auto timed = [&](const std::function<double(double)>& seconds) {
        for (ProbeRow& row : measured.rows) {
            if (row.text("role") == "routine") {
                row.numbers["seconds"] = seconds(row.number("repetitions"));
            }
        }
        return found();
    };
    const double each = 0.02 * elements * 1e-9, t0 = 40 * each;
    const auto exact = timed([&](double repetitions) { return repetitions * each; });
    ASSERT_TRUE(exact->routines.at(product).residual.has_value());
    EXPECT_NEAR(*exact->routines.at(product).residual, 0, 1e-9);
    EXPECT_FALSE(exact->routines.at(load36).residual.has_value()) << "measured once";
    const auto added = timed([&](double repetitions) { return t0 / 16 + repetitions * each; });
    EXPECT_NEAR(added->routines.at(product).ns.front(), 0.02, 1e-9);
    EXPECT_NEAR(*added->routines.at(product).residual, t0 / 16 / 64 / each, 1e-9);
    EXPECT_TRUE(added->left_out.empty());
    // 32 repetitions end before what is around them does, 64 do not: the true time lies within the residual of the one that is found.
    const auto hidden = timed([&](double repetitions) { return std::max(t0 * 0.8005, repetitions * each); });
    const RoutineTimes::Routine& routine = hidden->routines.at(product);
    EXPECT_LT(routine.ns.front(), 0.02);
    EXPECT_NEAR(routine.ns.front() * (1 + *routine.residual), 0.02, 1e-9);
    // Where the time is more uncertain than may be there is none, and that is told.
    const auto lost = timed([&](double repetitions) { return std::max(t0, repetitions * each); });
    EXPECT_FALSE(lost->routines.contains(product));
    EXPECT_THAT(lost->left_out,
        testing::ElementsAre("`" + product + "` has no time: of 4 cells, 4 do not tell the routine from what is around it"));
    EXPECT_TRUE(lost->routines.contains(load36)) << "transfers stay";
    const auto constant = timed([&](double) { return t0; });
    EXPECT_FALSE(constant->routines.contains(product));
}

// Arithmetic that the compiler of the probes left out: the times grow with the repetitions, and are too short. A product of 3x3 matrices has 45
// additions and multiplications, no fewer than 22.5 FMAs, of which the device does 128 per multiprocessor and clock.
TEST_F(GpuRoutineTables, ARoutineIsNotFasterThanItsArithmetic) {
    const double least = 22.5 / (128 * device.limits.sm_count * 1.5); // ns, at the clock of the rows
    const auto refused_at = [&](double ns) {
        for (ProbeRow& row : measured.rows) {
            if (row.text("role") == "routine") {
                KernelWork work = *row.work;
                work.steps[1].arithmetic.flops = 45;
                row.work = std::make_shared<const KernelWork>(work);
                row.numbers["seconds"] = row.number("repetitions") * ns * elements * 1e-9;
            }
        }
        return !found()->routines.contains(product);
    };
    EXPECT_FALSE(refused_at(1.01 * least));
    EXPECT_TRUE(refused_at(0.5 * least));
    EXPECT_THAT(found()->left_out,
        testing::ElementsAre(
            "`" + product + "` has no time: of 4 cells, 4 are less than the arithmetic takes at the peak rate, down to 0.5 of it"));
    device.fma_f32 *= 2.1;
    EXPECT_FALSE(refused_at(0.5 * least));
}

// Of a table with cells that are refused stays what is whole without them, and `benchmark` says where it is outside of that.
TEST_F(GpuRoutineTables, KeepTheBlocksThatResolve) {
    const auto spoil = [&](double block, double extra) {
        for (ProbeRow& row : measured.rows) {
            if (row.text("role") == "routine" && row.number("extra_shared") == extra && row.work->elements_per_block == block) {
                row.numbers["seconds"] = 1e-3;
            }
        }
    };
    spoil(32, 65536);
    auto result = found();
    ASSERT_TRUE(result->routines.contains(product));
    EXPECT_EQ(result->routines.at(product).block_size, std::vector<double>{128});
    EXPECT_EQ(result->routines.at(product).extra_shared, (std::vector<double>{0, 65536}));
    EXPECT_NEAR(result->routines.at(product).ns[1], product_ns(128, 65536), 1e-9);
    EXPECT_THAT(result->left_out,
        testing::ElementsAre("`" + product +
            "` has times in blocks of 128 elements beside 0, 65536 bytes alone: of 4 cells, 1 does not tell the routine from what is "
            "around it"));
    spoil(128, 65536);
    result = found();
    EXPECT_EQ(result->routines.at(product).block_size, (std::vector<double>{32, 128}));
    EXPECT_EQ(result->routines.at(product).extra_shared, std::vector<double>{0});

    device.routine_times = std::make_shared<const RoutineTimes>(RoutineTimes{"mine", "today", "a GPU", "fusec", result->routines});
    ASSERT_TRUE(set_figure(device, result->remap->key, result->remap->value));
    const auto said = [&] {
        const auto predictor = make_predictor("benchmark", device, diagnostics);
        KernelWork work = kernel_work(128, 2, product);
        work.shared_bytes += 65536;
        std::string names;
        for (const Quantity& quantity : predictor->explain(work, 1U << 20U).quantities) {
            names += quantity.name + "\n";
        }
        return names;
    };
    EXPECT_THAT(said(), HasSubstr("t_r outside of what was measured: " + product));
    spoil(32, 0);
    spoil(128, 0);
    device.routine_times = std::make_shared<const RoutineTimes>(RoutineTimes{"mine", "today", "a GPU", "fusec", found()->routines});
    EXPECT_THAT(said(), HasSubstr("no time of " + product));
}

TEST_F(GpuRoutineTables, RefuseRowsThatCannotBe) {
    const GpuMeasurements good = measured;
    measured.rows.erase(measured.rows.begin());
    EXPECT_EQ(refused(), "`" + product + "`: without the time of another number of repetitions");
    measured = good;
    measured.rows[1].numbers["repetitions"] = 64;
    EXPECT_THAT(refused(), HasSubstr("measured twice with one number of repetitions"));
    measured = good;
    measured.rows.push_back(good.rows[0]);
    measured.rows.push_back(good.rows[1]);
    EXPECT_THAT(refused(), HasSubstr("measured twice in blocks of this size"));
    measured = good;
    measured.rows.erase(measured.rows.begin(), measured.rows.begin() + 2);
    EXPECT_THAT(refused(), HasSubstr("not measured in blocks of 32 elements with 0 bytes that nobody uses"));
    measured = good;
    measured.rows[0].texts["name"] = "madd_element(...)";
    EXPECT_THAT(refused(), HasSubstr("not the one routine of the kernel that was measured"));
    measured = good;
    measured.rows[2].texts["name"] = "load 4 bytes, 4 at a time";
    EXPECT_THAT(refused(), HasSubstr("no transfer of the kernel that was measured"));
    measured = good;
    measured.rows.pop_back(); // three of the four pairs of calls
    EXPECT_FALSE(found()->remap.has_value());
}

// Names say how many bytes are moved: by those of earlier counts other transfers would be found.
TEST_F(GpuRoutineTables, LeaveOutTransfersOfEarlierCounts) {
    for (ProbeRow& row : measured.rows) {
        if (row.texts.at("name") == load36) {
            row.texts["counted"] = "9b99490";
            row.texts["name"] = "load 324 bytes, 4 at a time, in place, strided"; // that the work has not
        }
    }
    const auto tables = found();
    ASSERT_TRUE(tables.has_value());
    EXPECT_FALSE(tables->routines.contains(load36));
    EXPECT_FALSE(tables->routines.contains("load 324 bytes, 4 at a time, in place, strided"));
    EXPECT_TRUE(tables->routines.contains(store36));
    EXPECT_THAT(tables->left_out,
        testing::Contains("a transfer was measured with names of earlier counts, by which no kernel is found now: `load 324 bytes, 4 at a "
                          "time, in place, strided`"));
}

// Rows that judge and are never fitted to: with what was measured of registers and shared memory where that is what is judged.
TEST_F(GpuRoutineTables, AreHeldOutWhereTheyJudge) {
    GpuMeasurements rows;
    rows.l2_bytes = device.l2_bytes;
    rows.rows.push_back(
        {"stream", {{"kernel", "init"}}, {{"block", 256}, {"resident", 8}, {"elements", elements}, {"seconds", 1}, {"clock_ghz", 1}}});
    KernelWork swept = kernel_work(128, 2, product);
    rows.rows.push_back(kernel_row("occupancy", "product", swept, 65536, 1, 1e-4));
    swept.registers = 48;
    swept.shared_bytes += 65536;
    const int resident = resident_blocks(device.limits, swept);
    ASSERT_GT(resident, 1);
    rows.rows.back().numbers["registers"] = 48;
    rows.rows.back().numbers["resident"] = resident;
    rows.rows.push_back(rows.rows.back()); // not what the description makes possible
    rows.rows.back().numbers["resident"] = resident + 1;
    rows.rows.push_back(kernel_row("held-out", "F", kernel_work(32, 2, product), 0, 1, 1e-4));
    rows.rows.push_back(rows.rows.back());
    rows.rows.back().numbers["seed"] = 3;
    const auto points = points_of(rows, device, diagnostics);
    ASSERT_TRUE(points.has_value());
    ASSERT_EQ(points->points.size(), 4U);
    EXPECT_EQ(points->left_out, (std::map<std::string, std::size_t>{{"kernel", 1}}));
    EXPECT_EQ(points->points[1].kernel, "occupancy");
    EXPECT_EQ(points->points[1].work.registers, 48);
    EXPECT_EQ(points->points[1].work.shared_bytes, 128 * 72 + 65536);
    EXPECT_EQ(points->points[2].kernel, "`p`");
    EXPECT_EQ(points->points[2].work.registers, 40);
    EXPECT_EQ(points->points[3].kernel, "generated");
    for (std::size_t i = 1; i < 4; ++i) {
        EXPECT_EQ(points->points[i].role, Role::held_out);
        EXPECT_EQ(points->points[i].elements, static_cast<std::uint64_t>(elements));
    }
}

// As the probes write them.
TEST(GpuKernelRows, AreReadWithTheirWork) {
    std::string pattern = (fs::temp_directory_path() / "fusec-kernel-rows-XXXXXX").string();
    const fs::path folder = mkdtemp(pattern.data());
    const std::string text =
        R"({"schema": 4, "kind": "gpu-measurements", "name": "mine", "base": "h200", "date": "2026-11-23T10:00:00Z", "machine": "m",
  "commit": "c", "arch": 90, "multiprocessors": 132, "l2_bytes": 52428800, "driver": 1, "runtime": 1, "peak_clock_ghz": 1.98, "memory_clock_ghz": 3.2, "rows": [
    {"probe": "kernel", "role": "held-out", "name": "F", "program": "demo", "seed": 2, "block": 128, "elements": 4194304,
     "extra_shared": 0, "resident": 6, "registers": 40, "repetitions": 1, "seconds": 1e-4, "clock_ghz": 1.7, "work":
     )" +
        to_json(kernel_work(128, 2, product)) + "}]}";
    const auto read = [&](const std::string& before, const std::string& after, std::string& said) {
        std::string changed = text;
        EXPECT_NE(changed.find(before), std::string::npos) << before;
        std::ofstream(folder / "m.json") << changed.replace(changed.find(before), before.size(), after);
        Diagnostics diagnostics;
        const auto measured = read_gpu_measurements(folder / "m.json", diagnostics);
        std::ostringstream out;
        render(diagnostics, out, false);
        said = std::move(out).str();
        return measured;
    };
    std::string said;
    const auto measured = read("mine", "mine", said);
    ASSERT_TRUE(measured.has_value()) << said;
    EXPECT_EQ(to_json(*measured->rows.front().work), to_json(kernel_work(128, 2, product)));
    EXPECT_FALSE(measured->rows.front().texts.contains("counted"));
    const auto earlier = read("\"seed\": 2,", "\"seed\": 2, \"counted\": \"9b99490\",", said);
    ASSERT_TRUE(earlier.has_value()) << said;
    EXPECT_EQ(earlier->rows.front().text("counted"), "9b99490");
    const auto refused = [&](const std::string& before, const std::string& after) {
        EXPECT_FALSE(read(before, after, said).has_value()) << after;
        return said;
    };
    EXPECT_THAT(refused("held-out", "held"), testing::AllOf(HasSubstr("m.json:3:"), HasSubstr("no kernel is measured as `held`")));
    EXPECT_THAT(refused("\"block\": 128", "\"block\": 64"),
        testing::AllOf(HasSubstr("m.json:3:"), HasSubstr("blocks of 64 threads, the work is of blocks of 128")));
    EXPECT_THAT(
        refused("\"read_bytes\":72", "\"read_bytes\":-72"), testing::AllOf(HasSubstr("m.json:5:"), HasSubstr("`read_bytes` has to be")));
    EXPECT_THAT(refused("\"work\":", "\"works\":"), HasSubstr("works"));
    EXPECT_THAT(refused("\"seed\": 2", "\"seed\": -2"), HasSubstr("`seed` has to be a whole number"));
    fs::remove_all(folder);
}

} // namespace
} // namespace fusec::perfmodel
