// SPDX-License-Identifier: Apache-2.0
// What an audit of a host counts, and what it makes of times that are known.
#include "bench/audit_host_judge.hpp"
#include "perfmodel/fit/ablation.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <limits>
#include <set>

namespace fusec::bench {
namespace {

fusion::KernelWork work_of(double bytes) {
    fusion::KernelWork work;
    work.read_bytes = bytes;
    work.write_bytes = 8;
    return work;
}

/// Kernels of so many bytes, each of which takes as many nanoseconds; predicted a tenth too long by one predictor, and by the other exactly,
/// but not at all above 100 bytes.
MeasuredProgram program(const std::string& name, bool held_out, const std::vector<double>& bytes) {
    MeasuredProgram result{.program = name, .held_out = held_out, .elements = 1000};
    for (const double each : bytes) {
        const double seconds = each * 1e-9;
        const fusion::KernelWork work = work_of(each);
        const double known = each > 100 ? std::numeric_limits<double>::infinity() : seconds;
        result.kernels.push_back(timed("k" + std::to_string(static_cast<int>(each)), identity_of({&work}), {1.1 * seconds, known},
            {{seconds, 1.02 * seconds, 1.04 * seconds, 1.06 * seconds}, 1, {seconds}}));
        result.points.push_back({"host", name, work, 1000, seconds, false, perfmodel::Role::held_out, 0, name + ".fus"});
    }
    result.plans = {result.kernels.front(), result.kernels.back()};
    return result;
}

const std::vector<std::string> predictors{"longer", "partial"};

TEST(AuditOfAHost, ATimeHasItsLeastItsMedianAndItsSpread) {
    const TimedWork work = timed("k", "id", {1}, {{5, 1, 2, 4, 3, 8, 7, 6}, 1, {0.5, 0.25}});
    EXPECT_EQ(work.least, 0.75) << "of its pieces";
    EXPECT_EQ(work.least_launch, 1);
    EXPECT_EQ(work.median, 4.5);
    EXPECT_NEAR(work.spread, 0.5 * (6 - 3) / 4.5, 1e-12);
}

TEST(AuditOfAHost, TheCalibrationBeforeIsJudgedByTheKernelsHeldOut) {
    std::vector<MeasuredProgram> all{program("fitted", false, {10, 20, 30}), program("held", true, {40, 50, 60})};
    for (MeasuredProgram& each : all) {
        for (TimedWork& kernel : each.kernels) {
            kernel.before = (each.held_out ? 1.2 : 9) * kernel.least;
        }
    }
    const nlohmann::ordered_json verdict = judge_before(all)["verdicts"][0];
    EXPECT_EQ(verdict["kernels"], 3);
    EXPECT_NEAR(verdict["mape"].get<double>(), 0.2, 1e-12);
}

TEST(AuditOfAHost, TheIdentityOfAPlanIsThatOfItsKernelsInAnyOrder) {
    const fusion::KernelWork a = work_of(10), b = work_of(20), c = work_of(10);
    EXPECT_EQ(identity_of({&a, &b}), identity_of({&b, &c}));
    EXPECT_NE(identity_of({&a, &b}), identity_of({&a, &c}));
    EXPECT_NE(identity_of({&a}), identity_of({&a, &c}));
}

TEST(AuditOfAHost, ThePlacesOfCallsAreNoPartOfTheIdentity) {
    fusion::KernelWork first = work_of(10);
    first.steps.resize(2);
    first.steps[0].index = 0;
    first.steps[1].index = 2;
    first.steps[1].threads = 3;
    fusion::KernelWork later = first;
    later.demand.call = 7;
    later.steps[0].index = 4;
    later.steps[1].index = 9;
    EXPECT_EQ(identity_of({&first}), identity_of({&later}));
    later.steps[1].threads = 4;
    EXPECT_NE(identity_of({&first}), identity_of({&later}));
}

TEST(AuditOfAHost, WhatStandsTwiceCountsOnce) {
    std::vector<MeasuredProgram> programs{program("fitted", false, {10, 20}), program("held", true, {20, 30, 40, 30}),
        program("copy", true, {40, 50}), program("too", false, {30, 20})};
    std::vector<perfmodel::Point> fitted{{"host", "stream", work_of(50), 1, 1, false, perfmodel::Role::fit, 0, "a probe"},
        {"host", "other", work_of(30), 1, 1, false, perfmodel::Role::held_out, 0, "a probe"}};
    mark_repeated(programs, fitted);
    const auto same_as = [&](std::size_t of) {
        std::vector<std::string> all;
        for (const TimedWork& kernel : programs[of].kernels) {
            all.push_back(kernel.same_as);
        }
        return all;
    };
    EXPECT_EQ(same_as(0), (std::vector<std::string>{"", ""}));
    EXPECT_EQ(same_as(1), (std::vector<std::string>{"fitted: k20", "too: k30", "", "too: k30"}))
        << "a fitted program further down counts too";
    EXPECT_EQ(same_as(2), (std::vector<std::string>{"held: k40", "calibration: stream"}));
    EXPECT_EQ(same_as(3), (std::vector<std::string>{"", "fitted: k20"}));
    EXPECT_EQ(programs[2].plans[0].same_as, "") << "plans count by what plans there are";
    EXPECT_EQ(programs[1].plans[1].same_as, "too: k30");
    EXPECT_EQ(programs[2].plans[1].same_as, "calibration: stream") << "a plan of one kernel, to which figures were fitted";
    const nlohmann::ordered_json half = judge_half(programs, predictors, true);
    EXPECT_EQ(half["verdicts"][0]["kernels"], 1) << "k40";
    EXPECT_EQ(judge_half(programs, predictors, false)["verdicts"][0]["kernels"], 3);
    EXPECT_EQ(to_json(programs[1], predictors)["kernels"][0]["same_as"], "fitted: k20");
    EXPECT_FALSE(to_json(programs[1], predictors)["kernels"][2].contains("same_as"));
}

TEST(AuditOfAHost, ErrorsAreThoseOfWhatIsAnswered) {
    const std::vector<MeasuredProgram> programs{program("a", true, {10, 20, 150}), program("b", true, {60, 120})};
    const nlohmann::ordered_json half = judge_half(programs, predictors, true);
    EXPECT_NEAR(half["verdicts"][0]["mape"], 0.1, 1e-12);
    EXPECT_EQ(half["verdicts"][0]["kernels"], 5);
    EXPECT_NEAR(half["verdicts"][1]["mape"], 0, 1e-12);
    EXPECT_EQ(half["verdicts"][1]["kernels"], 3);
    EXPECT_EQ(half["verdicts"][1]["unanswered"], 2);
    EXPECT_NEAR(half["against_medians"][0]["mape"], 1.1 / 1.03 - 1, 1e-12) << "with the sign of longer than measured";
    EXPECT_EQ(half["within_a_factor_of_two"]["kernels"], 2) << "no three are within a factor of two";
    EXPECT_EQ(half["plans"][0]["kernels"], 4);
    EXPECT_EQ(half["verdicts"][0]["ranks_of_the_five_fastest"], (std::vector<double>{1, 2, 3, 4, 5}));
    EXPECT_EQ(half["chosen_plans"][0]["kernels"], 2) << "10 and 60";
    EXPECT_NEAR(half["chosen_plans"][0]["mape"], 0.1, 1e-12);
}

TEST(AuditOfAHost, EqualPredictionsHaveTheMeanOfTheirRanks) {
    std::vector<MeasuredProgram> programs{program("a", true, {10, 20, 30, 40})};
    for (const auto& [kernel, said] : {std::pair{0, 7.0}, {1, 7.0}, {2, 3.0}, {3, 9.0}}) {
        programs.front().kernels[static_cast<std::size_t>(kernel)].predicted.front() = said;
    }
    const nlohmann::ordered_json half = judge_half(programs, predictors, true);
    EXPECT_EQ(half["verdicts"][0]["ranks_of_the_five_fastest"], (std::vector<double>{2.5, 2.5, 1, 4}));
}

TEST(AuditOfAHost, LossesAreThoseOfMedians) {
    MeasuredProgram one = program("a", true, {30, 20});
    EXPECT_NEAR(loss_of_choice(one), 0.5, 1e-12);
    EXPECT_FALSE(loss_of_benchmark(one));
    one.planned_by_benchmark = true;
    EXPECT_NEAR(loss_of_benchmark(one).value(), 0, 1e-12) << "its plan is the last";
    const nlohmann::ordered_json half = judge_half({one, program("b", true, {40, 50})}, predictors, true);
    EXPECT_NEAR(half["greatest_loss_of_a_chosen_plan"].get<double>(), 0.5, 1e-12);
    EXPECT_NEAR(half["median_loss_of_chosen_plans"].get<double>(), 0.25, 1e-12);
    EXPECT_EQ(half["plans_of_benchmark"], 1);
}

TEST(AuditOfAHost, NothingThatCountsIsSaid) {
    std::vector<MeasuredProgram> programs{program("fitted", false, {10, 20}), program("held", true, {20, 10})};
    mark_repeated(programs, {});
    EXPECT_THROW(judge_half(programs, predictors, true), std::runtime_error);
}

// What counts of the programs held out, with other predictions: those of the first are right, that of the last is half as long again.
TEST(AuditOfAHost, KernelsHeldOutAreJudgedByOtherTimes) {
    std::vector<MeasuredProgram> programs{
        program("fitted", false, {10, 20}), program("held", true, {20, 30}), program("other", true, {40, 50})};
    mark_repeated(programs, {});
    const nlohmann::ordered_json said = judge_held_out(programs, {30e-9, 40e-9, 75e-9});
    EXPECT_EQ(said["verdicts"][0]["predictor"], "composite");
    EXPECT_EQ(said["verdicts"][0]["kernels"], 3) << "20 bytes are a kernel of the other half";
    EXPECT_NEAR(said["verdicts"][0]["mape"].get<double>(), 0.5 / 3, 1e-12);
    EXPECT_EQ(said["within_a_factor_of_two"]["kernels"], 3);
    EXPECT_THROW(judge_held_out(programs, {30e-9}), InternalError);
}

// The results that the pages quote have rows for the terms of a host that there are, and for each of them one.
TEST(AuditOfAHost, TheResultsHaveEachTermOfToday) {
    std::set<std::string> said, known;
    for (const char* name : {"audit_host.json", "audit_host_xeon.json"}) {
        std::ifstream file(std::string(FUSEC_SOURCE_DIR) + "/bench/results/" + name);
        const nlohmann::json result = nlohmann::json::parse(file);
        for (const auto& term : result["ablations"]["terms"]) {
            said.insert(term["term"].get<std::string>());
        }
    }
    for (const perfmodel::Ablation& ablation : perfmodel::ablations()) {
        if (ablation.host) {
            known.insert(ablation.term);
        }
    }
    EXPECT_EQ(said, known);
}

} // namespace
} // namespace fusec::bench
