// SPDX-License-Identifier: Apache-2.0
#include "perfmodel/routine_times_json.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace fusec::perfmodel {
namespace {

using fusion::Addressing;
using fusion::WorkStep;
using testing::ElementsAre;
using testing::HasSubstr;

RoutineTimes::Routine grid() {
    return {72, {0, 1000, 5000}, {8, 16, 64}, {10, 8, 6, 12, 9, 7, 20, 15, 11}};
}

// Rows are extra bytes of shared memory, columns sizes of the block.
TEST(RoutineTimes, Interpolation) {
    const RoutineTimes::Routine r = grid();
    const auto near = [&](double extra, double block, double ns, bool clamped) {
        const RoutineTime time = time_at(r, extra, block);
        EXPECT_NEAR(time.ns, ns, 1e-12) << extra << ", " << block;
        EXPECT_EQ(time.clamped, clamped) << extra << ", " << block;
    };
    near(0, 8, 10, false);
    near(1000, 16, 9, false);
    near(5000, 64, 11, false);
    near(500, 8, 11, false);               // half way from 10 to 12
    near(0, 40, 7, false);                 // half way from 8 to 6
    near(2000, 12, 10.5 + 7 / 4.0, false); // a quarter of the way from (12 + 9) / 2 to (20 + 15) / 2
    near(-1, 8, 10, true);
    near(5001, 8, 20, true);
    near(0, 4, 10, true);
    near(0, 128, 6, true);
    near(9999, 999, 11, true);
    near(500, 999, 6.5, true); // inside on the other axis
    const RoutineTimes::Routine point{0, {0}, {32}, {5}};
    EXPECT_EQ(time_at(point, 0, 32).ns, 5);
    EXPECT_FALSE(time_at(point, 0, 32).clamped);
    EXPECT_EQ(time_at(point, 100, 32).ns, 5);
    EXPECT_TRUE(time_at(point, 100, 32).clamped);
}

TEST(RoutineTimes, NamesOfSteps) {
    WorkStep step;
    step.kind = WorkStep::Kind::load;
    step.accesses = {{false, Addressing::unit, 16, 36 / 16.0, 36 / 32.0, true, true}};
    EXPECT_EQ(compute_routine(step), std::nullopt);
    EXPECT_THAT(transfer_routines(step), ElementsAre("load 36 bytes, 16 at a time, asynchronous"));
    step.kind = WorkStep::Kind::compute;
    step.routine = std::make_shared<const std::string>("f(float SCALAR) -> float SCALAR");
    step.accesses = {{false, Addressing::strided, 4, 9, 9, false, false}, {false, Addressing::broadcast, 4, 9, 1, false, false},
        {false, Addressing::unit, 8, 1, 0.25, false, false}};
    EXPECT_EQ(compute_routine(step), "f(float SCALAR) -> float SCALAR");
    EXPECT_THAT(
        transfer_routines(step), ElementsAre("load 36 bytes, 4 at a time, in place, strided", "load 8 bytes, 8 at a time, in place"));
    step.kind = WorkStep::Kind::derive;
    EXPECT_EQ(compute_routine(step), "derive f(float SCALAR) -> float SCALAR");
    step = {};
    step.kind = WorkStep::Kind::store;
    step.accesses = {{true, Addressing::unit, 4, 9, 36 / 32.0, false, true}};
    EXPECT_THAT(transfer_routines(step), ElementsAre("store 36 bytes, 4 at a time"));
    step = {};
    step.kind = WorkStep::Kind::block_barrier;
    EXPECT_EQ(compute_routine(step), std::nullopt);
    EXPECT_TRUE(transfer_routines(step).empty());
}

SourcePtr source(std::string text) {
    return std::make_shared<const SourceText>("times.json", std::move(text));
}

/// The routines of a text that is nothing but them, read as those of a calibration are.
std::optional<RoutineMap> read(const std::string& text, Diagnostics& diagnostics) {
    const std::optional<JsonValue> root = parse_json(source(text), kind::device_syntax, diagnostics);
    if (!root) {
        return std::nullopt;
    }
    JsonReader json(kind::invalid_figure, diagnostics);
    try {
        return read_routines(json, *root);
    } catch (const JsonReader::Failed&) {
        return std::nullopt;
    }
}

TEST(RoutineTimes, TheyReadBackTheSame) {
    RoutineMap routines;
    routines["f(float SCALAR) -> float SCALAR"] = grid();
    routines["load 4 bytes, 4 at a time"] = {0, {0}, {32}, {1 / 3.0}, 1 / 7.0}; // the other has no residual
    const std::string text = routines_json(routines);
    Diagnostics diagnostics;
    const std::optional<RoutineMap> again = read(text, diagnostics);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again, routines);
    EXPECT_EQ(routines_json(*again), text);
}

/// The messages for a small table with its first `from` replaced by `to`.
std::string damaged(const std::string& from, const std::string& to) {
    std::string text = R"({
  "f": {"shared_bytes": 72, "extra_shared": [0, 1000], "block_size": [8, 16],
        "times": [[10, 8],
                  [12, 9]]}
}
)";
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    text.replace(place, from.size(), to);
    Diagnostics diagnostics;
    EXPECT_EQ(read(text, diagnostics).has_value(), from == to) << to;
    std::ostringstream out;
    render(diagnostics, out, false);
    return out.str();
}

TEST(RoutineTimes, DamageIsLocated) {
    EXPECT_EQ(damaged("[0, 1000]", "[0, 1000]"), "");
    EXPECT_THAT(damaged("\"times\"", "times"), HasSubstr("times.json:3:10: error: not json: syntax error"));
    EXPECT_THAT(damaged("}\n}\n", "}\n"), HasSubstr("error: not json: syntax error while parsing object - unexpected end of input"));
    EXPECT_THAT(damaged("[10, 8]", "1e999"), HasSubstr("not json: number overflow parsing '1e999' [device-syntax]"));
    EXPECT_THAT(damaged("[10, 8]", std::string(20, '[') + std::string(20, ']')), HasSubstr("deep, possible are 16 [device-syntax]"));
    EXPECT_THAT(
        damaged("[0, 1000]", "200"), HasSubstr("times.json:2:45: error: a value of kind number where array is expected [invalid-figure]"));
    for (const char* time : {"0", "-1", "1e-320", "2e9"}) {
        EXPECT_THAT(damaged("10, 8", std::string(time) + ", 8"),
            HasSubstr(
                std::string("times.json:3:20: error: ") + time + " where a time above 0 and up to 1e9 ns is needed [invalid-figure]"));
    }
    EXPECT_THAT(damaged("\"block_size\": [8, 16],", ""), HasSubstr("times.json:2:8: error: no key `block_size` in this object"));
    EXPECT_THAT(damaged("\"block_size\"", "\"block_sizes\""), HasSubstr("error: unknown key `block_sizes` [invalid-figure]"));
    EXPECT_THAT(damaged("\"block_size\": [8, 16]", "\"extra_shared\": [8, 16]"),
        HasSubstr("error: key `extra_shared` is given twice [invalid-figure]"));
    EXPECT_THAT(damaged("]}\n", "]}, \"f\": 1\n"), HasSubstr("error: routine `f` is given twice [invalid-figure]"));
    EXPECT_THAT(damaged("[0, 1000]", "[1000, 0]"), HasSubstr("times.json:2:52: error: 0 after 1000, needed ascending [invalid-figure]"));
    EXPECT_THAT(damaged("[8, 16]", "[]"), HasSubstr("error: `block_size` is empty [invalid-figure]"));
    EXPECT_THAT(damaged("[8, 16]", "[0, 16]"), HasSubstr("error: 0 where a number of elements from 1 to 1e9 is needed"));
    EXPECT_THAT(damaged("[12, 9]", "[12]"), HasSubstr("times.json:4:19: error: 1 entries, needed 2 as in `block_size` [invalid-figure]"));
    EXPECT_THAT(damaged(",\n                  [12, 9]", ""), HasSubstr("times.json:3:18: error: 1 entries, needed 2 as in `extra_shared`"));
    EXPECT_THAT(damaged("[12, 9]", "[12, -1]"), HasSubstr("times.json:4:24: error: -1 where a time above 0 and up to 1e9 ns is needed"));
    EXPECT_THAT(damaged("[12, 9]", "[12, null]"), HasSubstr("error: a value of kind null where number is expected"));
    EXPECT_THAT(
        damaged("\"times\"", "\"residual\": -0.5, \"times\""), HasSubstr("times.json:3:21: error: -0.5 where a share from 0 to 1e9"));
    EXPECT_THAT(damaged("72", "-72"), HasSubstr("error: -72 where a number of bytes from 0 to 1e9 is needed"));
}

} // namespace
} // namespace fusec::perfmodel
