// SPDX-License-Identifier: Apache-2.0
// Plan files: written, read and resolved again on a small program over the real library, renamed, and broken in every way.
#include "fusion/plan_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fusec::fusion {
namespace {

/// Bytes over a bandwidth plus a launch, so that fusion pays; the instances per block only break ties.
class Bytes : public CostModel {
public:
    Cost cost(const KernelWork& work, std::uint64_t elements) const override {
        return {lower_bound(work.read_bytes, work.write_bytes, work.flops, work.precision, elements) + 1e-9 * work.shared_wavefronts +
                1e-12 * work.elements_per_block,
            Bound::dram};
    }
    double lower_bound(double read_bytes, double write_bytes, double, Precision, std::uint64_t elements) const override {
        return 2e-6 + (read_bytes + write_bytes) * static_cast<double>(elements) / 4e12;
    }
};

/// M = mmul(A, B); v = mvmul(M, c); s = venorm(v); return s; the names in the order A, B, c, M, v, s. A further unrelated call may
/// come first.
dag::CallGraph program(
    const library::Catalog& catalog, const std::vector<std::string>& names, bool unrelated = false, const char* norm = "venorm") {
    frontend::CheckedProgram program;
    program.name = "small";
    const auto datum = [&](const std::string& name, Type type, frontend::DatumKind kind) {
        frontend::Datum d;
        d.name = d.identifier = name;
        d.type = type;
        d.kind = kind;
        program.data.push_back(d);
        if (kind == frontend::DatumKind::input) {
            program.inputs.push_back(DataId(program.data.size() - 1));
        }
        return DataId(program.data.size() - 1);
    };
    const auto call = [&](const std::string& name, const char* function, std::vector<DataId> operands) {
        std::vector<Type> types;
        for (const DataId operand : operands) {
            types.push_back(program.datum(operand).type);
        }
        frontend::Call c;
        c.instance = std::get<library::Instance>(catalog.match(*catalog.find(function), types));
        c.operands = std::move(operands);
        c.result = datum(name, c.instance.result, frontend::DatumKind::computed);
        program.data.back().producer = CallId(program.calls.size());
        program.calls.push_back(c);
        return c.result;
    };
    const Type matrix{{Form::matrix, 3, 3}, Precision::f32}, vector{{Form::vector, 3, 1}, Precision::f32};
    std::vector<DataId> outputs;
    if (unrelated) {
        const DataId other = datum("other_in", matrix, frontend::DatumKind::input);
        outputs.push_back(call("other", "mtrace", {other}));
    }
    const DataId a = datum(names[0], matrix, frontend::DatumKind::input), b = datum(names[1], matrix, frontend::DatumKind::input),
                 c = datum(names[2], vector, frontend::DatumKind::input);
    const DataId m = call(names[3], "mmul", {a, b});
    const DataId v = call(names[4], "mvmul", {m, c});
    outputs.push_back(call(names[5], norm, norm == std::string("vdot") ? std::vector{v, v} : std::vector{v}));
    for (const DataId output : outputs) {
        program.data[output.index()].output = true;
        program.outputs.push_back(output);
    }
    return dag::CallGraph(std::move(program));
}

class PlanFiles : public testing::Test {
protected:
    PlanFiles()
        : catalog_(*library::Catalog::load({FUSEC_SOURCE_DIR "/elementary-lib"}, diagnostics_)),
          graph_(program(catalog_, {"A", "B", "c", "M", "v", "s"})),
          space_(graph_, catalog_, {}, model_, {}) {}

    Plan plan(PlanMode mode) {
        Plan result;
        const CoverResult cover = solve_cover(graph_, space_, {.mode = mode});
        for (const ColumnId column : cover.covers.front().columns) {
            result.kernels.push_back(space_.front(column).kept.front());
            result.seconds += result.kernels.back().cost.seconds;
        }
        result.workspace = plan_workspace(graph_, result.kernels);
        return result;
    }
    std::optional<Plan> resolve(const std::string& text, const dag::CallGraph& graph, Space& space) {
        diagnostics_ = {};
        const auto file = parse_plan_file(std::make_shared<SourceText>("a.plan", text), diagnostics_);
        return file ? resolve_plan_file(*file, graph, catalog_, space, diagnostics_) : std::nullopt;
    }
    /// The one message, its kind, and the text it points at.
    void expect_error(const std::string& text, std::string_view kind, const std::string& message, const std::string& at) {
        SCOPED_TRACE(message);
        EXPECT_FALSE(resolve(text, graph_, space_).has_value());
        ASSERT_EQ(diagnostics_.all().size(), 1U);
        EXPECT_EQ(diagnostics_.all()[0].kind.name, kind);
        EXPECT_THAT(diagnostics_.all()[0].message, testing::HasSubstr(message));
        EXPECT_THAT(std::string(diagnostics_.all()[0].span.text()), testing::StartsWith(at));
    }

    Diagnostics diagnostics_;
    library::Catalog catalog_;
    dag::CallGraph graph_;
    Bytes model_;
    Space space_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

TEST_F(PlanFiles, GiveTheSamePlanBack) {
    for (const PlanMode mode : {PlanMode::automatic, PlanMode::none, PlanMode::greedy}) {
        const Plan written = plan(mode);
        const std::string text = to_plan_file(written, graph_, catalog_);
        EXPECT_EQ(text.find("seconds"), std::string::npos);
        const std::optional<Plan> read = resolve(text, graph_, space_);
        ASSERT_TRUE(read.has_value());
        verify(*read, graph_);
        EXPECT_EQ(read->kernels.size(), written.kernels.size());
        EXPECT_EQ(to_plan_file(*read, graph_, catalog_), text);
        EXPECT_NEAR(read->seconds, written.seconds, 1e-12 * written.seconds);
    }
    EXPECT_EQ(plan(PlanMode::none).kernels.size(), 3U);
    EXPECT_EQ(plan(PlanMode::automatic).kernels.size(), 1U);
}

TEST_F(PlanFiles, SurviveRenaming) {
    const std::string text = to_plan_file(plan(PlanMode::none), graph_, catalog_);
    const dag::CallGraph renamed = program(catalog_, {"P", "Q", "r", "N", "w", "t"});
    Space space(renamed, catalog_, {}, model_, {});
    const std::optional<Plan> read = resolve(text, renamed, space);
    ASSERT_TRUE(read.has_value());
    verify(*read, renamed);
    EXPECT_EQ(read->kernels.size(), 3U);
}

TEST_F(PlanFiles, AreCheckedAgainstTheComputation) {
    // The same names, but `s` is now dot(v, v): its kernel is another computation, the other two are not.
    const std::string text = to_plan_file(plan(PlanMode::none), graph_, catalog_);
    const dag::CallGraph changed = program(catalog_, {"A", "B", "c", "M", "v", "s"}, false, "vdot");
    Space space(changed, catalog_, {}, model_, {});
    EXPECT_FALSE(resolve(text, changed, space).has_value());
    ASSERT_EQ(diagnostics_.all().size(), 1U);
    EXPECT_EQ(diagnostics_.all()[0].kind.name, "plan-no-candidate");
    EXPECT_THAT(diagnostics_.all()[0].message, testing::HasSubstr("no longer the computation"));
}

TEST_F(PlanFiles, EntriesOfNothingAreErrors) {
    const std::string text = to_plan_file(plan(PlanMode::automatic), graph_, catalog_);
    const auto with = [&](const std::string& table, const std::string& entry) {
        return replaced(text, "\"" + table + "\": {", "\"" + table + "\": {" + entry + ", ");
    };
    const std::string staged = R"({"load": "none", "store": "none"})";
    expect_error(with("implementation", R"("Z": "x")"), "plan-file", "`implementation` of `Z`, which is no call of the kernel", R"("x")");
    expect_error(with("placement", R"("Z": "memory")"), "plan-file", "`placement` of `Z`, which is no datum of the kernel", R"("memory")");
    expect_error(with("staging", R"("Z": )" + staged), "plan-file", "`staging` of `Z`, which is no datum of the kernel", "{");
    // A renamed list has its old name in both tables. In one alone it is a misspelt one.
    const std::size_t placement = text.find("\"placement\"");
    const std::size_t a = text.find("\"A\": ", placement);
    ASSERT_NE(a, std::string::npos);
    expect_error(std::string(text).replace(a, 3, "\"Aa\""), "plan-file", "`placement` of `Aa`, which is no datum of the kernel", "\"");
    const std::size_t b = text.find("\"A\": ", text.find("\"staging\""));
    ASSERT_NE(b, std::string::npos);
    expect_error(std::string(text).replace(b, 3, "\"Aa\""), "plan-file", "`staging` of `Aa`, which is no datum of the kernel", "{");
    EXPECT_TRUE(resolve(replaced(text, "\"A\": ", "\"Aa\": "), graph_, space_).has_value());
}

TEST_F(PlanFiles, ThatDoNotStoreAllOutputsAreNoCover) {
    const std::string text = to_plan_file(plan(PlanMode::automatic), graph_, catalog_);
    const dag::CallGraph more = program(catalog_, {"A", "B", "c", "M", "v", "s"}, true);
    Space space(more, catalog_, {}, model_, {});
    EXPECT_FALSE(resolve(text, more, space).has_value());
    ASSERT_EQ(diagnostics_.all().size(), 1U);
    EXPECT_EQ(diagnostics_.all()[0].kind.name, "plan-not-a-cover");
    EXPECT_THAT(diagnostics_.all()[0].message, testing::HasSubstr("no kernel stores the output `other`"));
}

TEST_F(PlanFiles, ErrorsAreLocated) {
    const std::string good = to_plan_file(plan(PlanMode::automatic), graph_, catalog_);
    ASSERT_TRUE(resolve(good, graph_, space_).has_value());
    expect_error("{ \"schema\": 1, }", "plan-file", "not json", "}");
    expect_error("", "plan-file", "not json", "");
    expect_error("[]", "plan-file", "kind array where object", "[]");
    expect_error("{\"schema\": 2, \"kernels\": []}", "plan-file", "schema 2", "2");
    expect_error("{\"schema\": 1}", "plan-file", "no key `kernels`", "{");
    expect_error("{\"schema\": 1, \"kernels\": [7]}", "plan-file", "kind number where object", "7");
    expect_error("{\"schema\": 1, \"kernels\": []}", "plan-not-a-cover", "no kernel stores the output `s`", "{");
    const std::string other_hash = replaced(good, "\"hash\": \"", "\"hash\": \"0");
    expect_error(other_hash, "plan-no-candidate", "no longer the computation", "{");
    expect_error(replaced(other_hash, "\"v\",", "\"vv\","), "plan-unknown-call", "no call `vv` in program `small`", "\"vv\"");
    EXPECT_EQ(diagnostics_.all()[0].hint, "");
    expect_error(replaced(good, "\"instances_per_block\": ", "\"instances_per_block\": -"), "plan-file", "where", "-");
    expect_error(replaced(good, "\"instances_per_block\": ", "\"instances_per_block\": 99"), "plan-file", "possible are 1 to 1024", "99");
    expect_error(replaced(good, "\"M\": \"", "\"M\": \"no_"), "plan-no-candidate",
        "this `implementation` of `M`: the nearest have `column`, `element`, `entry`, `row`", "{");
    expect_error(replaced(good, "\"hash\"", "\"hush\""), "plan-file", "unknown key `hush`", "\"");
    expect_error(replaced(good, "\"hash\": \"", "\"stores\": [], \"calls\": \""), "plan-file", "key `calls` is given twice", "");
    expect_error("{\"schema\": 1}", "plan-file", "no key `kernels`", "{");
    expect_error("{\"schema\": 1e999, \"kernels\": []}", "plan-file", "not json", "");
    expect_error("{\"schema\": 1.5, \"kernels\": []}", "plan-file", "1.5 where a whole number from 0 on is expected", "1.5");
}

} // namespace
} // namespace fusec::fusion
