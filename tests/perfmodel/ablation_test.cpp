// SPDX-License-Identifier: Apache-2.0
// Ablations: each takes a term away, which the full predictor's own points miss afterwards, and says so where no point has it.
#include "perfmodel/fit/ablation.hpp"

#include "perfmodel/fit/measured_kernels.hpp"
#include "perfmodel/routine_times.hpp"
#include "tests/perfmodel/devices.hpp"
#include "tests/perfmodel/kernels_with_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fusec::perfmodel {
namespace {

using fusion::KernelWork;
using fusion::WorkStep;

const PredictorKind& composite() {
    return predictor_kind("composite");
}

const Ablation& ablation_of(std::string_view term) {
    return *std::ranges::find(ablations(), term, &Ablation::term);
}

/// The ratio of what the predictor says without the term and with it.
double ratio(const Ablation& ablation, const Device& device, const KernelWork& work, std::uint64_t elements) {
    const std::vector<Point> points{{device.name, "kernel", work, elements, 1, false, Role::fit, 0, ""}};
    return predictions(kind_without(ablation, composite()), device, points_without(ablation, points)).front() /
        predictions(composite(), device, points).front();
}

struct Kernel {
    KernelWork work;
    std::uint64_t elements = 1U << 22U;
};

/// A kernel of a GPU that is about one term: `change` makes it of a stream with little else.
Kernel about(void (*change)(Kernel&)) {
    Kernel kernel{streaming_kernel(4, 10)};
    change(kernel);
    return kernel;
}

/// So few blocks are resident that a block's own time is what counts.
void few_residents(Kernel& kernel) {
    kernel.work.shared_bytes = 90'000;
}

const std::map<std::string, Kernel>& kernels_of_terms() {
    static const std::map<std::string, Kernel> kernels{
        {"soft maximum", about([](Kernel& k) { k.work.flops = 3000; })},
        {"overlap", about([](Kernel& k) { k.work.flops = 3000; })},
        {"queues of memory", about(few_residents)},
        {"latency under load", about(few_residents)},
        {"arithmetic in a block", about([](Kernel& k) {
             few_residents(k);
             k.work.instructions = 20;
         })},
        {"further round trips", about([](Kernel& k) {
             few_residents(k);
             k.work.dependent_phases = 4;
         })},
        {"barriers", about([](Kernel& k) {
             few_residents(k);
             k.work.block_barriers = 40;
         })},
        {"idle lanes", about([](Kernel& k) {
             k.work.flops = 500;
             k.work.lane_slots = k.work.arithmetic_lane_slots = 16;
         })},
        {"longest path", about([](Kernel& k) {
             few_residents(k);
             k.work.path_instructions = 2000;
         })},
        {"critical path", about([](Kernel& k) {
             few_residents(k);
             k.work.critical_path_cycles = 5000;
         })},
        {"busiest processor", about([](Kernel& k) {
             k.work.flops = 1e5;
             k.elements = 143 * 256; // one block more than multiprocessors
         })},
        {"tail", about([](Kernel& k) {
             few_residents(k);
             k.elements = 2 * 142 * 256; // two waves
         })},
        {"mix of reads and writes", about([](Kernel& k) { k.work.write_bytes = 0; })},
        {"units beside each other", about([](Kernel& k) {
             k.work.flops = 5000;
             k.work.instructions = 100;
         })},
        {"units of their own", about([](Kernel& k) {
             k.work.flops = 5000;
             k.work.instructions = 100;
         })},
        {"special functions", about([](Kernel& k) { // roots have a special function for four FMAs, of which there are eight times the lanes
             k.work.flops = k.work.square_roots = 500;
             k.work.precision = Precision::f32;
         })},
        {"launch", about([](Kernel& k) { k.elements = 4096; })},
        {"lists left in L2", about([](Kernel& k) { k.work.repeated = true, k.elements = 1U << 18U; })},
        {"bandwidth of L2", about([](Kernel& k) { k.work.repeated = true, k.elements = 1U << 20U; })},
        {"narrow pipes", about([](Kernel& k) {
             few_residents(k);
             k.work.precision = Precision::f64;
             k.work.flops = 40;
         })},
        {"handing out of blocks", about([](Kernel& k) {
             k.work.read_bytes = k.work.write_bytes = 4;
             k.work.threads_per_block = k.work.elements_per_block = 32;
         })},
        {"spills and strided stores", about([](Kernel& k) { k.work.spill_bytes = 500; })},
        {"shared memory and L1", about([](Kernel& k) { k.work.shared_wavefronts = 100; })},
        {"issue", about([](Kernel& k) { k.work.instructions = 200; })},
        {"changes of threads", about([](Kernel& k) { k.work.remaps = 400; })},
        {"FMA", about([](Kernel& k) { k.work.flops = 5000; })},
        {"banks of registers", about([](Kernel& k) { k.work.flops = 10000, k.work.fused = 5000; })},
    };
    return kernels;
}

/// On an L40, whose 128 lanes notice the banks of registers, and its doubles narrow pipes.
TEST(Ablations, EachMovesAKernelThatIsAboutItsTerm) {
    const Device device = standard_device("l40");
    for (const Ablation& ablation : ablations()) {
        if (!ablation.cuda) {
            continue;
        }
        ASSERT_TRUE(kernels_of_terms().contains(ablation.term)) << ablation.term;
        const Kernel& kernel = kernels_of_terms().at(ablation.term);
        const double found = ratio(ablation, device, kernel.work, kernel.elements);
        EXPECT_GT(std::abs(found - 1), 0.01) << ablation.term << " " << found;
        // Only what adds up units makes a kernel slower, or takes lists from further away.
        const std::string term = ablation.term;
        const bool slower = term == "overlap" || term == "units of their own" || term == "units beside each other" ||
            term == "lists left in L2" || term == "mix of reads and writes";
        EXPECT_EQ(found > 1, slower) << ablation.term << " " << found;
    }
}

TEST(Ablations, BanksGoWithoutTheFmas) {
    const Device device = standard_device("a100"); // its 64 lanes are slower than the banks
    const Kernel& kernel = kernels_of_terms().at("banks of registers");
    EXPECT_NEAR(ratio(ablation_of("banks of registers"), device, kernel.work, kernel.elements), 1, 1e-12);
}

/// A host with a measured routine `f` (1 ns) and lists of 36 bytes (0.5 ns in cache), and a window of so many instructions.
Device host(double window) {
    Device device = standard_device("host-generic");
    RoutineTimes times{"mine", "date", "machine", "commit", {}};
    times.routines["f"] = {0, {0}, {8}, {1}};
    times.routines["cached load 36 bytes, 4 at a time"] = {0, {0}, {8}, {0.5}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    EXPECT_TRUE(set_figure(device, "compute.window", window));
    EXPECT_TRUE(set_figure(device, "compute.overlap", 1.5));
    EXPECT_TRUE(set_figure(device, "compute.first_level", 4096));
    EXPECT_TRUE(set_figure(device, "compute.pacing", 0.8));
    EXPECT_TRUE(set_figure(device, "stream.lists", 0.9));
    return device;
}

/// As many calls of `f` beside as many bytes, and as many lists of 36 bytes.
KernelWork host_work(double read, double write, int calls, int lists = 1) {
    KernelWork work;
    work.read_bytes = read;
    work.write_bytes = write;
    work.elements_per_block = 8;
    work.instructions = (10.0 * calls + 18.0 * lists) / 32;
    WorkStep step;
    step.kind = WorkStep::Kind::compute;
    step.routine = std::make_shared<const std::string>("f");
    step.instructions = 10;
    work.steps.assign(static_cast<std::size_t>(calls), step);
    WorkStep load;
    load.kind = WorkStep::Kind::load;
    load.instructions = 18;
    load.accesses = {fusion::GlobalAccess{false, fusion::Addressing::unit, 4, 9, 1.125, false, true, false}};
    work.steps.insert(work.steps.begin(), static_cast<std::size_t>(lists), load);
    return work;
}

TEST(Ablations, EachMovesALoopOfAHostThatIsAboutItsTerm) {
    Device device = host(20);
    const double bytes_of_ns = device.copy.peak_gb_per_s;
    const KernelWork even = host_work(bytes_of_ns, bytes_of_ns, 2); // about as long for memory as for the cores
    KernelWork plain = even;
    plain.allocated_bytes = plain.write_bytes;
    KernelWork waiting = even;
    waiting.instructions = 4001.0 / 32;
    WorkStep store;
    store.kind = WorkStep::Kind::store;
    store.accesses = {fusion::GlobalAccess{true, fusion::Addressing::unit, 4, 900, 112.5, false, true, true}};
    waiting.steps.push_back(store);
    KernelWork large = even; // 28,800 bytes in lanes
    large.steps.push_back(store);
    KernelWork chain = even;
    chain.steps.back().after = {static_cast<int>(chain.steps.size()) - 2};
    KernelWork half = even;
    half.steps.back().remaining = 0.5;
    RoutineTimes times = *device.routine_times;
    times.routines[std::string("f") + in_chain] = {0, {0}, {8}, {4}};
    const auto in_turn = std::make_shared<const RoutineTimes>(times);
    for (const Ablation& ablation : ablations()) {
        if (!ablation.host) {
            continue;
        }
        const std::string term = ablation.term;
        Device on = device;
        if (term == "chains of routines") {
            on.routine_times = in_turn;
        }
        if (term == "bandwidth of the second level") {
            on.l2_gb_per_s = bytes_of_ns / 2;
        }
        if (term == "mix of reads and writes") {
            on.read.peak_gb_per_s = 1.5 * bytes_of_ns;
        }
        const bool reads = term == "mix of reads and writes", few = term == "launch" || term == "busiest processor";
        const KernelWork work = term == "reads before stores" ? plain
            : term == "results that wait"                     ? waiting
            : term == "first level"                           ? large
            : term == "chains of routines"                    ? chain
            : term == "removed arithmetic"                    ? half
            : term == "lists followed together"               ? host_work(bytes_of_ns, bytes_of_ns, 0, 2)
            : reads                                           ? host_work(2 * bytes_of_ns, 0, 0, 0)
                                                              : even;
        const double found = ratio(ablation, on, work, few ? 8U * static_cast<unsigned>(device.cores) + 8U : 1U << 22U);
        EXPECT_GT(std::abs(found - 1), 0.01) << term << " " << found;
        const bool slower = term == "overlap" || term == "transfers beside arithmetic" || term == "removed arithmetic" ||
            term == "pacing" || term == "lists followed together" || reads;
        EXPECT_EQ(found > 1, slower) << term << " " << found;
    }
}

/// Chains go by the window too, and are a term of their own: what takes the overlap by the window away leaves them.
TEST(Ablations, OfTheOverlapLeaveChainsOfRoutines) {
    Device device = host(20);
    RoutineTimes times = *device.routine_times;
    times.routines[std::string("f") + in_chain] = {0, {0}, {8}, {4}};
    device.routine_times = std::make_shared<const RoutineTimes>(times);
    KernelWork chain = host_work(device.copy.peak_gb_per_s, device.copy.peak_gb_per_s, 2);
    chain.steps.back().after = {static_cast<int>(chain.steps.size()) - 2};
    const auto chained = [&](const Ablation& ablation) {
        for (const Quantity& quantity : kind_without(ablation, composite()).make(device)->explain(chain, 1U << 22U).quantities) {
            if (quantity.name == "routines that wait for each other") {
                return quantity.value;
            }
        }
        return 0.0;
    };
    const double whole = chained(ablation_of("launch"));
    EXPECT_GT(whole, 0);
    for (const char* term : {"soft maximum", "overlap", "window of instructions", "transfers beside arithmetic"}) {
        EXPECT_EQ(chained(ablation_of(term)), whole) << term;
    }
}

/// Streams over the occupancy; every second one held out. The seconds are what the full predictor says on `device`.
std::vector<Point> streams(const Device& device) {
    std::vector<Point> points;
    for (const StreamKernel& kernel : {init_kernel, read_kernel, scale_kernel}) {
        for (int block = 32; block <= 1024; block += 96) {
            points.push_back({device.name, kernel.name, stream_work(kernel, block, 2, device.limits), 1U << 28U, 0, false,
                points.size() % 2 == 0 ? Role::fit : Role::held_out, 0, ""});
        }
    }
    const std::vector<double> seconds = predictions(composite(), device, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].seconds = seconds[i];
    }
    return points;
}

double held_out_error(const Fit& fit, const std::vector<Point>& points) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].role == Role::held_out) {
            sum += std::abs(fit.predicted[i] / points[i].seconds - 1);
            count += 1;
        }
    }
    return sum / count;
}

TEST(Ablations, WithoutATermThatMadeThePointsTheFitIsWorse) {
    const Device device = standard_device("a100");
    const std::vector<Point> points = streams(device);
    const Fit full = fit_figures(composite(), device, points);
    EXPECT_LT(full.error, 1e-6);
    for (const char* term : {"queues of memory", "latency under load", "mix of reads and writes"}) {
        const AblatedFit without = fit_without(ablation_of(term), composite(), full, device, points);
        EXPECT_GT(without.moved_fit, 10U) << term;
        EXPECT_GT(without.moved_held_out, 10U) << term;
        ASSERT_TRUE(without.fit.has_value()) << term;
        EXPECT_GT(without.fit->error, 0.01) << term;
        EXPECT_GT(held_out_error(*without.fit, points), 0.01) << term;
        EXPECT_LT(without.fit->error, without.fit->error_before) << term << ": the remaining terms make up for some of it";
    }
}

TEST(Ablations, ATermThatNoPointHasIsToldFromOneOfNoEffect) {
    const Device device = standard_device("a100");
    std::vector<Point> points = streams(device);
    const Fit full = fit_figures(composite(), device, points);
    for (const char* term : {"barriers", "idle lanes", "longest path", "special functions", "spills and strided stores",
             "changes of threads", "further round trips", "lists left in L2"}) {
        const AblatedFit without = fit_without(ablation_of(term), composite(), full, device, points);
        EXPECT_EQ(without.moved_fit + without.moved_held_out, 0U) << term;
        EXPECT_FALSE(without.fit.has_value()) << term;
    }
    // One point that has it is enough, and it is the one that is counted.
    points[5].work.block_barriers = 100;
    const AblatedFit without = fit_without(ablation_of("barriers"), composite(), fit_figures(composite(), device, points), device, points);
    EXPECT_EQ(without.moved_fit, 0U);
    EXPECT_EQ(without.moved_held_out, 1U);
    EXPECT_TRUE(without.moved[5]);
    EXPECT_TRUE(without.fit.has_value());
}

TEST(Ablations, AFigureThatTheTermAloneReadsIsNotFitted) {
    const Device device = host(100);
    constexpr const char* keys[] = {"stream.copy.peak", "compute.window"};
    PredictorKind kind = composite();
    kind.fits = keys;
    std::vector<Point> points;
    for (int calls = 0; calls <= 12; ++calls) {
        points.push_back({device.name, "calls " + std::to_string(calls),
            host_work(device.copy.peak_gb_per_s, device.copy.peak_gb_per_s, calls, calls % 3 + 1), 1U << 22U, 0, false, Role::fit, 0, ""});
    }
    const std::vector<double> seconds = predictions(kind, device, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].seconds = seconds[i];
    }
    const Fit full = fit_figures(kind, device, points);
    EXPECT_LT(full.error, 1e-6);
    for (const auto& [term, key] : {std::pair{"window of instructions", "compute.window"}, {"soft maximum", "compute.window"}}) {
        const AblatedFit without = fit_without(ablation_of(term), kind, full, device, points);
        EXPECT_GT(without.moved_fit, 5U) << term;
        ASSERT_TRUE(without.fit.has_value()) << term;
        EXPECT_GT(without.fit->error, 0.01) << term;
        EXPECT_FALSE(std::ranges::find(without.fit->figures, key, &FittedFigure::key)->determined) << term;
        EXPECT_TRUE(std::ranges::find(full.figures, key, &FittedFigure::key)->determined) << term;
    }
}

} // namespace
} // namespace fusec::perfmodel
