// SPDX-License-Identifier: Apache-2.0
// How long kernels take that are timed beside others: their texts, their lists, samples, passes.
#include "cli/host_in_cache.hpp"
#include "cli/host_probes.hpp"
#include "cli/measurements.hpp"
#include "cli/pipeline.hpp"
#include "codegen/repeated.hpp"
#include "execute/buffer.hpp"
#include "execute/timed_texts.hpp"
#include "execute/timing_lists.hpp"
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace fusec::cli {
namespace {

using testing::DoubleNear;
using testing::ElementsAreArray;
using testing::Not;
using testing::Pointwise;

class CompileToMeasure : public testing::Test {
protected:
    std::uint64_t elements_of(const std::string& program) {
        Compilation c;
        c.options.program = folder.write("p.fus", program);
        c.options.target = fusion::Target::host;
        c.options.device = "host-generic";
        c.options.plan = "none";
        EXPECT_TRUE(compile_to_measure(c, std::nullopt, diagnostics));
        return c.options.elements;
    }
    test::TemporaryFolder folder;
    Diagnostics diagnostics;
};

TEST_F(CompileToMeasure, TakesAsManyElementsAsTheListsLeaveRoomFor) {
    EXPECT_EQ(
        elements_of("double MATRIX64x64 A;\ninput A;\nB = -A;\nreturn B;\n"), (std::uint64_t{2} << 30U) / (std::uint64_t{2} * 64 * 64 * 8));
    EXPECT_EQ(elements_of("VECTOR3 a;\ninput a;\nb = -a;\nreturn b;\n"), 1048576U) << "at most";
}

class TimedUnits : public CompileToMeasure {
protected:
    void SetUp() override {
        setup.compiler = execute::find_host_compiler(diagnostics).value();
        setup.cache = folder.path() / "cache";
        setup.library_folder = library::standard_library_folder();
        setup.rounds = 1;
        setup.sample_seconds = 1e-5;
    }
    Compilation* compile(const std::string& program) { return probes.compile_text("p", program, "none", Precision::f32, diagnostics); }
    testing::AssertionResult times(const std::vector<execute::TimedUnit>& units) {
        if (execute::time_units(units, setup, diagnostics)) {
            return testing::AssertionSuccess();
        }
        return testing::AssertionFailure() << diagnostics.all().front().message;
    }

    /// The kernels of the plan, on lists of a mebibyte together that come from memory.
    static std::vector<execute::TimedUnit> from_memory(Compilation& c) {
        std::vector<execute::TimedUnit> units;
        for (const fusion::Candidate& kernel : c.plans.front().kernels) {
            units.push_back(HostProbes::probe(c, kernel, "from memory", 1 << 20, false).unit);
        }
        return units;
    }

    HostProbes probes{perfmodel::find_device("host-generic", diagnostics).value(), folder.path()};
    execute::TimingSetup setup;
};

// Two copies of one kernel can differ by their places in memory: a plan is timed once, whoever chose it.
TEST_F(TimedUnits, OfARivalThatHasTheKernelsOfAPlanAreThatPlans) {
    const std::string program = folder.write("p.fus", "VECTOR3 a, b;\ninput a, b;\nc = a + b;\nd = -c;\nreturn d;\n");
    const auto compiled = [&](Compilation& c, const char* plan) {
        c.options.program = program;
        c.options.target = fusion::Target::host;
        c.options.device = "host-generic";
        c.options.plan = plan;
        ASSERT_TRUE(compile_to_measure(c, 1024, diagnostics)) << diagnostics.all().front().message;
    };
    Compilation fused;
    Compilation same;
    Compilation unfused;
    compiled(fused, "auto");
    compiled(same, "auto");
    compiled(unfused, "none");
    UnitsToMeasure units = units_to_measure(fused, {}, {{"same", &same}, {"unfused", &unfused}});
    const auto times = execute::time_units(units.units, setup, diagnostics);
    ASSERT_TRUE(times.has_value()) << diagnostics.all().front().message;
    const auto found = measurements_of(std::move(units), *times, setup, diagnostics);
    ASSERT_TRUE(found.has_value()) << diagnostics.all().front().message;
    std::map<std::string, Measurements::Plan> by_choice;
    for (const Measurements::Plan& plan : found->plans) {
        by_choice.emplace(plan.choice, plan);
    }
    EXPECT_THAT(by_choice.at("same").times.seconds, ElementsAreArray(by_choice.at("auto").times.seconds));
    EXPECT_THAT(by_choice.at("unfused").times.seconds, ElementsAreArray(by_choice.at("none").times.seconds));
    EXPECT_THAT(by_choice.at("none").times.seconds, Not(ElementsAreArray(by_choice.at("auto").times.seconds)));
    EXPECT_EQ(by_choice.at("unfused").plan.kernels.size(), 2U);
    ASSERT_EQ(found->kernels.size(), 1U) << "the kernels come behind the plans' units";
    EXPECT_GT(found->kernels.front().undisturbed(), 0);
}

// What a unit of few elements writes is read by a unit of more: the list behind those few stays as the reference has it.
TEST_F(TimedUnits, OfDifferentElementsShareTheirLists) {
    Compilation* const c = compile("VECTOR4 a;\ninput a;\nb = -a;\nr = venorm(b);\nreturn r;\n");
    ASSERT_NE(c, nullptr);
    const std::vector<fusion::Candidate>& kernels = c->plans.front().kernels;
    ASSERT_EQ(kernels.size(), 2U);
    const HostProbe few = HostProbes::probe(*c, kernels.front(), "few", 1, true);
    const HostProbe many = HostProbes::probe(*c, kernels.back(), "many", 1 << 16, true);
    ASSERT_LT(few.unit.elements, 64U);
    ASSERT_GT(many.unit.elements, 64U);
    EXPECT_TRUE(times({few.unit, many.unit}));
}

// Of every list that a launch reads or writes all that it is launched for is dropped from the caches: of uniforms the one element, of longer lists that
// another unit needs no more.
TEST_F(TimedUnits, AreDroppedFromTheCachesWithAllOfTheirLists) {
    Compilation* const c = compile("VECTOR4 a;\nuniform VECTOR4 u;\ninput a;\nb = a + u;\nc = -b;\nreturn b, c;\n");
    ASSERT_NE(c, nullptr);
    std::vector<execute::TimedUnit> units;
    for (const fusion::Candidate& kernel : c->plans.front().kernels) {
        units.push_back(HostProbes::probe(*c, kernel, "evicted", 1 << 16, false).unit);
    }
    ASSERT_EQ(units.size(), 2U);
    units[0].elements = 1001;
    units[1].elements = 3000;
    const execute::TimingLists lists(units, 1, 0);
    EXPECT_EQ(lists.evict(0), (1001U * 16 + 48) / 64 * 2 + 1);
    EXPECT_EQ(lists.evict(1), 3000U * 16 / 64 * 2);
}

// Repeated calls are checked against the reference as others are: of lanes, of packed matrices, of two precisions, of uniforms that are
// read in place, and of what is derived from uniforms before the loop over tiles.
TEST_F(TimedUnits, RepeatTheirCalls) {
    Compilation* const c = compile("SYMMETRIC3 S;\nVECTOR3 a;\ndouble VECTOR3 d;\nuniform SCALAR u, w;\ninput S, a, d;\n"
                                   "T = S + S;\nb = u * a;\nx = (u * w) * a;\ng = float(d);\nreturn T, b, x, g;\n");
    ASSERT_NE(c, nullptr) << diagnostics.all().front().message;
    std::vector<execute::TimedUnit> units;
    for (const fusion::Candidate& kernel : c->plans.front().kernels) {
        for (const int repeated : {0, 1, 5}) {
            units.push_back(HostProbes::probe(*c, kernel, "repeated", 1 << 14, true).unit);
            units.back().repeated = repeated;
        }
        units.push_back(units.back());
        units.back().chained = true; // a call waits for the one before, and has the operands that it had
    }
    ASSERT_GE(units.size(), 16U);
    EXPECT_TRUE(times(units));
}

// Calls wait for each other through their smallest operand that is no uniform, in the precision of the result; where there is none, or it is large, they
// cannot.
TEST_F(TimedUnits, WaitThroughTheirSmallestOperand) {
    Compilation* const c =
        compile("MATRIX3x3 A;\nVECTOR3 a;\ndouble VECTOR3 d;\nMATRIX4x4 B;\nuniform SCALAR u;\nuniform VECTOR3 v;\ninput A, B, a, d;\n"
                "b = A * a;\nx = u * a;\ny = v * u;\nz = y + a;\ng = float(d);\nC = A + A;\nD = B + B;\nreturn b, x, z, g, C, D;\n");
    ASSERT_NE(c, nullptr) << diagnostics.all().front().message;
    std::map<std::string, std::string> through;
    for (const fusion::Candidate& kernel : c->plans.front().kernels) {
        const execute::TimedUnit unit = HostProbes::probe(*c, kernel, "chained", 1 << 14, true).unit;
        const codegen::Kernel& text = unit.unit.kernels.front();
        for (const codegen::Step& step : text.steps) {
            if (const auto* const call = std::get_if<codegen::Compute>(&step)) {
                const codegen::Value* const operand = codegen::chained_operand(text, *call);
                through[text.values.at(call->result.place.index).name] = operand == nullptr ? "" : operand->name;
                EXPECT_EQ(codegen::can_chain(text), operand != nullptr);
            }
        }
    }
    EXPECT_EQ(through,
        (std::map<std::string, std::string>{
            {"b_value", "a_value"}, {"x_value", "a_value"}, {"z_value", "a_value"}, {"g_value", ""}, {"C_value", ""}, {"D_value", ""}}));
}

// How often calls are repeated, and for how many elements, is no part of a text: units that differ by that alone are compiled once, and each is
// launched as it says.
TEST_F(TimedUnits, OfOneTextAreCompiledOnce) {
    Compilation* const c = compile("MATRIX3x3 A;\nVECTOR3 a;\ninput A, a;\nB = minv(A);\nb = -a;\nreturn B, b;\n");
    ASSERT_NE(c, nullptr) << diagnostics.all().front().message;
    std::vector<execute::TimedUnit> units;
    for (const fusion::Candidate& kernel : c->plans.front().kernels) {
        for (const auto& [repeated, bytes] : {std::pair(1, 1 << 14), {4000, 1 << 14}, {0, 1 << 14}, {0, 1 << 18}}) {
            units.push_back(HostProbes::probe(*c, kernel, "texts", bytes, true).unit);
            units.back().repeated = repeated;
        }
    }
    ASSERT_EQ(units.size(), 8U);
    setup.batch = 1;
    setup.rounds = 5;
    const auto times = execute::time_units(units, setup, diagnostics);
    ASSERT_TRUE(times.has_value()) << diagnostics.all().front().message;
    const auto libraries = [&] {
        return std::ranges::count_if(std::filesystem::recursive_directory_iterator(setup.cache),
            [](const std::filesystem::directory_entry& entry) { return entry.path().extension() == ".so"; });
    };
    EXPECT_EQ(libraries(), 4) << "of two kernels the text as it is, and with repeated calls";
    // What is compiled stays so, whatever else stands beside it later.
    execute::TimedTexts texts;
    setup.batch = 2;
    ASSERT_TRUE(texts.compile(std::span(units).first(4), setup, diagnostics));
    EXPECT_EQ(libraries(), 5) << "both of the first kernel";
    const execute::TimedTexts::Text first = texts.of(units.front());
    ASSERT_TRUE(texts.compile(units, setup, diagnostics));
    EXPECT_EQ(libraries(), 6) << "both of the second";
    EXPECT_EQ(texts.of(units.front()).library, first.library);
    EXPECT_EQ(texts.of(units[3]).library, first.library);
    EXPECT_NE(texts.of(units[7]).library, first.library);
    EXPECT_TRUE(execute::time_units(units, texts, setup, diagnostics).has_value());
    EXPECT_EQ(libraries(), 6);
    const auto least = [&](std::size_t unit) { return times->at(unit).undisturbed(); };
    // Of the inverse, some hundred elements: milliseconds, where a loop that has to wait for a busy processor takes tens of microseconds.
    const std::size_t inverse = least(1) > least(5) ? 0 : 4;
    EXPECT_GT(least(inverse + 1), 5 * least(inverse)) << "4000 times, and once";
}

// A launch in pieces computes all of its elements, updates of lists among them, and takes what its pieces take.
TEST_F(TimedUnits, InPiecesAreTimedPieceByPiece) {
    Compilation* const c = compile("VECTOR4 a, x;\nuniform SCALAR s;\ninput a;\ninout x;\nx += s * a;\n");
    ASSERT_NE(c, nullptr) << diagnostics.all().front().message;
    HostProbe probe = HostProbes::probe(*c, c->plans.front().kernels.back(), "pieces", 1 << 22, true);
    probe.unit.in_pieces = true;
    setup.rounds = 3;
    setup.piece_seconds = 1e-9; // as short as pieces may be
    const auto found = execute::time_units({probe.unit}, setup, diagnostics);
    ASSERT_TRUE(found.has_value()) << diagnostics.all().front().message;
    const execute::UnitTimes& times = found->front();
    EXPECT_EQ(times.pieces.size(), probe.unit.elements / 2048);
    EXPECT_GT(std::ranges::min(times.pieces), 0);
    EXPECT_LE(times.undisturbed(), std::ranges::min(times.seconds) * (1 + 1e-9)) << "the least of each, and of all together";
    EXPECT_GT(times.undisturbed(), 0.01 * std::ranges::min(times.seconds));
    probe.unit.in_pieces = false;
    const auto whole = execute::time_units({probe.unit}, setup, diagnostics);
    ASSERT_TRUE(whole.has_value());
    ASSERT_EQ(whole->front().pieces.size(), 1U);
    EXPECT_EQ(whole->front().undisturbed(), std::ranges::min(whole->front().seconds));
}

// A disturbed minute is to be a share of every group's rounds: no group has its second pass before all have their first.
TEST_F(TimedUnits, InPassesTakeTurnsByGroups) {
    Compilation* const c = compile("VECTOR4 a;\ninput a;\nb = -a;\nr = venorm(b);\nreturn b, r;\n");
    ASSERT_NE(c, nullptr);
    const std::vector<fusion::Candidate>& kernels = c->plans.front().kernels;
    std::vector<std::vector<execute::TimedUnit>> groups(2);
    groups[0] = {HostProbes::probe(*c, kernels.front(), "first", 1 << 14, true).unit,
        HostProbes::probe(*c, kernels.back(), "first", 1 << 16, true).unit};
    groups[1] = {HostProbes::probe(*c, kernels.front(), "second", 1 << 18, true).unit};
    execute::TimedTexts texts;
    for (const auto& group : groups) {
        ASSERT_TRUE(texts.compile(group, setup, diagnostics));
    }
    setup.rounds = 4;
    const std::filesystem::path told = folder.path() / "told"; // partly by children
    setup.progress = [&](double share) { std::ofstream(told, std::ios::app) << share << ' '; };
    const auto times = execute::time_in_passes(groups, texts, 3, setup, diagnostics);
    ASSERT_TRUE(times.has_value()) << diagnostics.all().front().message;
    ASSERT_EQ(times->size(), 2U);
    for (std::size_t g = 0; g < 2; ++g) {
        ASSERT_EQ(times->at(g).size(), groups[g].size());
        for (const execute::UnitTimes& unit : times->at(g)) {
            EXPECT_EQ(unit.seconds.size(), 4U);
            EXPECT_GT(std::ranges::min(unit.seconds), 0);
            EXPECT_GE(unit.launches, 1U);
        }
    }
    // One round and one to warm up, of both groups; then one; then two.
    std::vector<double> expected;
    for (const int rounds : {2, 2, 1, 1, 2, 2}) {
        const double begin = expected.empty() ? 0 : expected.back();
        for (int i = 1; i <= rounds; ++i) {
            expected.push_back(begin + i / 6.0 / rounds);
        }
    }
    std::ifstream file(told);
    const std::vector<double> shares{std::istream_iterator<double>(file), {}};
    EXPECT_THAT(shares, Pointwise(DoubleNear(1e-4), expected));
}

TEST(TextsPerTranslationUnit, GiveEachJobFour) {
    EXPECT_EQ(execute::texts_per_translation_unit(200, 2), 25U);
    EXPECT_EQ(execute::texts_per_translation_unit(400, 2), 32U) << "at most";
    EXPECT_EQ(execute::texts_per_translation_unit(100, 1), 50U) << "one job waits for none";
    EXPECT_EQ(execute::texts_per_translation_unit(200, 1), 64U) << "at most, of one job";
    EXPECT_EQ(execute::texts_per_translation_unit(200, 16), 8U) << "at least";
    EXPECT_EQ(execute::texts_per_translation_unit(0, 2), 8U);
}

// Three short lists, with the page that each may start in: a huge page for each, where they come from memory; as large as they are where caches are to
// hold them.
TEST_F(TimedUnits, ListsFromMemoryLieInHugePages) {
    Compilation* const c = compile("SCALAR a, b;\ninput a, b;\nd = a + b;\nreturn d;\n");
    ASSERT_NE(c, nullptr);
    constexpr std::uintptr_t page = 4096, huge = 2 * 1024 * 1024;
    std::vector<execute::TimedUnit> units = {HostProbes::probe(*c, c->plans.front().kernels.front(), "pages", 3 << 18, false).unit};
    const auto bytes = static_cast<double>(4 * units.front().elements);
    EXPECT_EQ(execute::timing_bytes(units), 3 * bytes);
    EXPECT_EQ(execute::timing_memory(units), 3.0 * huge);
    execute::TimingLists lists(units, 1, 0);
    for (void* const list : lists.arguments(0, 0)) {
        EXPECT_LT(reinterpret_cast<std::uintptr_t>(list) % huge, page);
    }
    units.front().cached = true;
    EXPECT_EQ(execute::timing_memory(units), 3 * (bytes + page));
}

TEST(UnitTimes, TakeInEarlierRounds) {
    execute::UnitTimes times{{3, 1}, 2, {1.5, 2}};
    times.add({{2.5}, 2, {1, 4}});
    EXPECT_THAT(times.seconds, testing::ElementsAre(2.5, 3, 1));
    EXPECT_THAT(times.pieces, testing::ElementsAre(1, 2));
    EXPECT_EQ(times.undisturbed(), 3);
}

TEST(ShareOfTiles, IsFullAndDividedEvenly) {
    const auto share = [](std::uint64_t elements, int processors) {
        HostProbe probe;
        probe.candidate.instances_per_block = 16;
        probe.unit.elements = elements;
        return share_of_tiles(probe, 0.0625, processors);
    };
    EXPECT_EQ(share(16 * 40 + 3, 1), 16U * 8) << "at least eight tiles";
    EXPECT_EQ(share(16 * 5, 1), 16U * 5) << "of five";
    EXPECT_EQ(share(7, 1), 7U) << "of none";
    EXPECT_EQ(share(std::uint64_t{16} * 3200, 1), 16U * 200) << "a sixteenth";
    EXPECT_EQ(share(std::uint64_t{16} * 640, 1), 16U * 65) << "more than are left to one processor";
    EXPECT_EQ(share(std::uint64_t{16} * 640, 3), 16U * 66) << "22 for each";
    EXPECT_EQ(share(std::uint64_t{16} * 640, 48), 16U * 384) << "eight for each";
    EXPECT_EQ(share(std::uint64_t{16} * 100, 48), 16U * 100) << "all there are";
}

// Lists of one group after the other lie in the same huge pages; what has no room there has memory of its own.
TEST_F(TimedUnits, GroupsTakeTheSameMemory) {
    Compilation* const c = compile("SCALAR a, b;\ninput a, b;\nd = a + b;\nreturn d;\n");
    ASSERT_NE(c, nullptr);
    constexpr std::size_t huge = 2 * 1024 * 1024;
    const std::vector<execute::TimedUnit> units = {HostProbes::probe(*c, c->plans.front().kernels.front(), "memory", 3 << 20, false).unit};
    execute::HugeMemory memory(static_cast<std::size_t>(execute::timing_memory(units)));
    std::vector<void*> first;
    for (int group = 0; group < 2; ++group) {
        memory.give_back();
        execute::TimingLists lists(units, 1, 0, &memory);
        const std::vector<void*> arguments = lists.arguments(0, 0);
        ASSERT_EQ(arguments.size(), 3U);
        first = group == 0 ? arguments : first;
        EXPECT_EQ(arguments, first);
        for (void* const list : arguments) {
            EXPECT_NE(*static_cast<const float*>(list), 0) << "filled";
        }
        EXPECT_EQ(std::set<void*>(arguments.begin(), arguments.end()).size(), 3U);
    }
    execute::TimingLists more(units, 1, 0, &memory); // all is taken
    for (void* const list : more.arguments(0, 0)) {
        EXPECT_EQ(std::ranges::find(first, list), first.end());
        EXPECT_NE(*static_cast<const float*>(list), 0);
    }
    execute::HugeMemory small(huge);
    char* const taken = small.take(1);
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken) % huge, 0U);
    EXPECT_EQ(small.take(huge + 1), nullptr);
    small.give_back();
    EXPECT_EQ(small.take(huge), taken);
}

// What a unit reads has its values in each placement, made by another unit or not; what units write alone is theirs to fill.
TEST_F(TimedUnits, PlacementsFillWhatIsRead) {
    Compilation* const c = compile("SCALAR a, b, c;\ninput a, b, c;\nd = a + b;\ne = d * c;\nreturn e;\n");
    ASSERT_NE(c, nullptr);
    const std::vector<execute::TimedUnit> units = from_memory(*c);
    ASSERT_EQ(units.size(), 2U);
    execute::TimingLists lists(units, 1, 0);
    EXPECT_FALSE(lists.any_updated());
    struct Seen {
        std::string list;
        float* place;
        float value;
    };
    const auto seen = [&] {
        std::vector<Seen> all;
        for (std::size_t i = 0; i < units.size(); ++i) {
            const std::vector<void*> pointers = lists.arguments(i, 0);
            const codegen::Unit& unit = units[i].unit;
            for (std::size_t k = 0; k < pointers.size(); ++k) {
                const codegen::List& list = k < unit.inputs.size() ? unit.inputs[k] : unit.outputs[k - unit.inputs.size()];
                auto* const first = static_cast<float*>(pointers[k]);
                all.push_back({list.name, first, *first});
            }
        }
        return all;
    };
    const std::vector<Seen> before = seen();
    ASSERT_EQ(before.size(), 6U) << "a, b and d, d, c and e";
    for (const Seen& each : before) {
        EXPECT_NE(each.value, 0) << each.list;
        *each.place = 0;
    }
    lists.place(3);
    const std::vector<Seen> after = seen();
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].list == "e") {
            EXPECT_EQ(*before[i].place, 0) << "left as it was";
        } else {
            EXPECT_EQ(after[i].value, before[i].value) << before[i].list;
        }
    }
}

// Loads of a list never follow the stores to another at nearly the same place of a page, in any placement; and each has other places.
TEST_F(TimedUnits, ListsOfAProgramLieApartInTheirPages) {
    Compilation* const c = compile("SCALAR a, b, c;\ninput a, b, c;\nd = a + b;\ne = a * c;\nreturn d, e;\n");
    ASSERT_NE(c, nullptr);
    const std::vector<execute::TimedUnit> units = from_memory(*c);
    execute::TimingLists lists(units, 1, 0);
    const auto distance = [&] { // from the first input of the first unit to its output
        const std::vector<void*> arguments = lists.arguments(0, 0);
        return (reinterpret_cast<std::uintptr_t>(arguments.back()) - reinterpret_cast<std::uintptr_t>(arguments.front())) % 4096;
    };
    constexpr std::size_t placements = 8;
    std::set<std::uintptr_t> distances;
    std::uintptr_t least = 4096;
    std::size_t compared = 0;
    for (std::size_t placement = 0; placement < placements; ++placement) {
        lists.place(placement);
        std::set<std::uintptr_t> places;
        for (std::size_t i = 0; i < units.size(); ++i) {
            for (void* const list : lists.arguments(i, 0)) {
                const auto address = reinterpret_cast<std::uintptr_t>(list);
                EXPECT_EQ(address % 64, 0U) << "stores may go past the caches";
                EXPECT_NE(*static_cast<const float*>(list), 0) << "filled again";
                places.insert(address % 4096);
            }
        }
        ASSERT_EQ(places.size(), 5U) << "of placement " << placement;
        std::uintptr_t before = *places.rbegin() - 4096; // pages follow each other
        for (const std::uintptr_t place : places) {
            EXPECT_GE(place - before, 512U) << "of placement " << placement;
            least = std::min(least, place - before);
            before = place;
            ++compared;
        }
        distances.insert(distance());
    }
    EXPECT_EQ(compared, placements * 5);
    EXPECT_EQ(least, 640U) << "twice 27 lines are ten from a page";
    EXPECT_EQ(distances.size(), placements) << "each placement has another";
    lists.place(placements);
    const std::uintptr_t again = distance();
    EXPECT_FALSE(distances.insert(again).second) << "then from the first on";
}

} // namespace
} // namespace fusec::cli
