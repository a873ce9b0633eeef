// SPDX-License-Identifier: Apache-2.0
// Calls on uniforms set apart: which they are, by their definition; the limits, by numbers worked by hand; and that the program computes what
// it computed before, in the reference.
#include "execute/domains.hpp"
#include "frontend/condense.hpp"
#include "frontend/frontend.hpp"
#include "frontend/uniform_calls.hpp"
#include "tests/execute/reference_program.hpp"
#include "tests/random/generator.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fusec::execute {
namespace {

using frontend::CheckedProgram;
using frontend::DatumKind;

struct Apart {
    CheckedProgram before, after;
    library::Catalog catalog;
};

Apart apart(const std::string& text) {
    Diagnostics diagnostics;
    const auto tree = frontend::parse(std::make_shared<const SourceText>("program.fus", text), diagnostics);
    const auto program = tree ? frontend::check(*tree, standard_catalog(), {}, diagnostics) : std::nullopt;
    std::ostringstream messages;
    render(diagnostics, messages, false);
    if (!program) {
        throw std::invalid_argument(messages.str() + text);
    }
    CheckedProgram before = frontend::condense(*program, standard_catalog().with(program->functions));
    library::Catalog catalog = standard_catalog().with(before.functions);
    CheckedProgram after = frontend::set_uniform_calls_apart(before, catalog);
    frontend::verify(after, standard_catalog());
    return {std::move(before), std::move(after), std::move(catalog)};
}

/// Names of derived data, in order.
std::vector<std::string> derived(const Apart& both) {
    std::vector<std::string> names;
    for (const frontend::Call& call : both.after.uniform_calls) {
        names.push_back(both.after.datum(call.result).name);
    }
    return names;
}

TEST(UniformCalls, ByHand) {
    const Apart both =
        apart("MATRIX3x3 A;\nVECTOR3 v;\nuniform SCALAR la, mu;\nuniform VECTOR3 g;\ninput A, v;\nk = mu * la + mu;\nw = k * g;\n"
              "B = k * A;\nc = B * w + v;\nd = k + mu;\nreturn B, c, d;\n");
    EXPECT_THAT(derived(both), testing::ElementsAre("k.1", "k", "w"));
    // d is returned: it has an entry per element, of operands that have one for all.
    std::vector<std::string> calls;
    for (std::size_t i = 0; i < both.after.calls.size(); ++i) {
        calls.push_back(both.after.name_of(CallId(i)));
    }
    EXPECT_THAT(calls, testing::ElementsAre("B", "c.1", "c", "d"));
    EXPECT_EQ(both.after.within("k.1"), "`k.1` has one value for all elements: every kernel that uses it computes it");
    EXPECT_EQ(both.after.within("B"), "");
}

TEST(UniformCalls, WithoutUniformsNothingChanges) {
    const Apart both = apart("MATRIX3x3 A;\nuniform SCALAR mu;\ninput A;\nB = mu * A;\nreturn B;\n");
    EXPECT_EQ(to_text(both.after, standard_catalog()), to_text(both.before, standard_catalog()));
    EXPECT_EQ(both.after.written, nullptr);
}

TEST(UniformCalls, SixteenComponentsAtMost) {
    const std::string text = "SCALAR a;\nuniform VECTOR@ u;\ninput a;\nw = u + u;\nx = a * w;\nreturn x;\n";
    const auto of = [&](const std::string& rows) {
        std::string program = text;
        return program.replace(program.find('@'), 1, rows);
    };
    EXPECT_THAT(derived(apart(of("16"))), testing::ElementsAre("w"));
    EXPECT_THAT(derived(apart(of("17"))), testing::ElementsAre());
}

TEST(UniformCalls, SixtyFourOperationsAtMost) {
    // A product of 3x3 takes 45 operations, a sum 9: QQ + Q is made of 54, the next sum of 63, the one after it of 72. What is made of
    // that is no uniform call either; what is made of Q alone is.
    const Apart both =
        apart("MATRIX3x3 A;\nuniform MATRIX3x3 Q;\ninput A;\nP = Q * Q;\nR = P + Q;\nS = R + Q;\nT = S + Q;\nU = -T;\nV = -Q;\n"
              "B = T * A + U * A + V * A;\nreturn B;\n");
    EXPECT_THAT(derived(both), testing::ElementsAre("P", "R", "S", "V"));
    // What two operands share counts once: 45 + 9 + 9.
    EXPECT_THAT(derived(apart("MATRIX3x3 A;\nuniform MATRIX3x3 Q;\ninput A;\nP = Q * Q;\nR = P + Q;\nS = R + P;\nB = S * A;\nreturn B;\n")),
        testing::ElementsAre("P", "R", "S"));
}

/// The definition, as a fixed point: a call is uniform if its operands are, it is no output, and it meets the limits.
std::set<std::string> by_definition(const Apart& both) {
    const CheckedProgram& program = both.before;
    std::set<std::string> found;
    for (std::size_t before = found.size() + 1; before != found.size();) {
        before = found.size();
        for (const frontend::Call& call : program.calls) {
            const bool uniform = std::all_of(call.operands.begin(), call.operands.end(), [&](DataId operand) {
                const frontend::Datum& datum = program.datum(operand);
                return datum.kind == DatumKind::uniform || datum.kind == DatumKind::constant || found.contains(datum.name);
            });
            std::set<CallId> made_of; // by walking back from the call
            std::vector<CallId> open{*program.datum(call.result).producer};
            double operations = 0;
            while (uniform && !open.empty()) {
                const CallId at = open.back();
                open.pop_back();
                if (made_of.insert(at).second) {
                    const library::OperationCounts counts = both.catalog.operations(program.call(at).instance);
                    operations += counts.flops + counts.divisions + counts.square_roots + counts.transcendentals;
                    for (const DataId operand : program.call(at).operands) {
                        if (program.datum(operand).producer) {
                            open.push_back(*program.datum(operand).producer);
                        }
                    }
                }
            }
            if (uniform && !program.datum(call.result).output && operations <= frontend::most_derived_operations &&
                program.datum(call.result).type.shape.size() <= frontend::most_derived_components) {
                found.insert(program.datum(call.result).name);
            }
        }
    }
    return found;
}

TEST(UniformCalls, OfRandomProgramsByDefinition) {
    std::size_t some = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const std::string text = random_programs::random_program(seed,
            {.calls = 4 + static_cast<int>(seed % 12),
                .f64 = seed % 2 == 0,
                .derived = true,
                .constants = seed % 3 != 0,
                .blocks = seed % 5 == 0,
                .slices = seed % 4 == 0,
                .components = seed % 7 == 0});
        const Apart both = apart(text);
        const std::vector<std::string> names = derived(both);
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), by_definition(both)) << text;
        EXPECT_EQ(both.after.calls.size() + names.size(), both.before.calls.size());
        some += names.empty() ? 0U : 1U;

        constexpr std::size_t elements = 3;
        const RandomCases cases = draw_cases(both.before, both.catalog, elements, seed);
        const ReferenceResult result = evaluate(both.after, both.catalog, elements, cases.given);
        for (const DataId output : both.after.outputs) {
            EXPECT_EQ(result.values[output.index()], cases.reference.values[output.index()]) << text;
            EXPECT_EQ(result.bounds[output.index()], cases.reference.bounds[output.index()]) << text;
        }
    }
    EXPECT_GE(some, 20U) << "programs with a derived datum";
}

} // namespace
} // namespace fusec::execute
