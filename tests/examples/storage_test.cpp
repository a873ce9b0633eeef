// SPDX-License-Identifier: Apache-2.0
// Lists that are stored in another precision than their values have: results against Eigen on every executor and in every plan, what kernels
// move, what they are made of, and what the kernel IR's verifier and the executors find in wrong ones.
#include "codegen/verifier.hpp"
#include "fusion/structure_hash.hpp"
#include "tests/examples/construct.hpp"
#include "tests/execute/mutation/example_mutants.hpp"

#include <limits>
#include <map>
#include <set>

namespace fusec {
namespace {

using testing::HasSubstr;
using testing::Not;

using Matrix = examples::RowMajor;
using Values = examples::Lists;
using examples::listed;
using examples::triangle;

/// Inputs, outputs and a list updated in place, stored as float and packed too, with values in between; `s` and `B` as their type says.
constexpr const char* mixed = R"(
store float double MATRIX4x4 A, F;
double MATRIX4x4 B;
store float double SYMMETRIC4 P, S;
store float double VECTOR4 y;
store float double SCALAR k;
input A, B, P, k;
inout y;
F = A * B + P;
v = F * y;
S = symmetric(F * F') + k * P;
y += v / (1 + k * k);
s = venorm(v) + mtrace(S);
G = S * B;
return F, S, s, G;
)";

Matrix matrix(const Values& in, const char* name, int rows, int columns) {
    return examples::matrix(in.at(name), rows, columns);
}

Values mixed_formula(const Values& in) {
    const Matrix a = matrix(in, "A", 4, 4), b = matrix(in, "B", 4, 4), y = matrix(in, "y", 4, 1), p = examples::symmetric(in.at("P"), 4);
    const double k = in.at("k")[0];
    const Matrix f = a * b + p, v = f * y, s = f * f.transpose() + k * p;
    return {{"F", listed(f)}, {"S", triangle(s)}, {"y", listed(y + v / (1 + k * k))}, {"s", {v.norm() + s.trace()}}, {"G", listed(s * b)}};
}

/// The other way round: computed in float, stored as double.
constexpr const char* widened = R"(
store double float MATRIX3x3 A, C;
float MATRIX3x3 B;
store double float SYMMETRIC3 S;
store double float VECTOR3 x, r;
input A, B, x;
C = A * B - 2 * A;
S = msym(C);
r = C' * x;
return C, S, r;
)";

Values widened_formula(const Values& in) {
    const Matrix a = matrix(in, "A", 3, 3), b = matrix(in, "B", 3, 3), x = matrix(in, "x", 3, 1);
    const Matrix c = a * b - 2 * a;
    return {{"C", listed(c)}, {"S", triangle((c + c.transpose()) / 2)}, {"r", listed(c.transpose() * x)}};
}

class Storage : public examples::Construct {};

TEST_F(Storage, FloatListsOfDoubleArithmeticAreEigens) {
    expect_formula(mixed, mixed_formula, {"auto", "none", "max", "greedy"});
}

TEST_F(Storage, DoubleListsOfFloatArithmeticAreEigens) {
    expect_formula(widened, widened_formula, {"auto", "none", "max", "greedy"});
}

/// All implementations and ways to load and store a few calls, several threads per element among them, each kernel alone: what one stores
/// as float, the next is given rounded.
TEST_F(Storage, EveryKernelAgreesUnderEmulatedCudaAndOnTheHost) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        const auto c = compiled(mixed, target, "space");
        ASSERT_NE(c, nullptr);
        const execute::VerifyResult result = execute::verify_candidates(
            *c->space, *c->graph, *c->catalog, {.target = target, .most_calls_for_all = 0, .sample = 40}, setup());
        EXPECT_TRUE(result.passed()) << (result.failures.empty()
                ? ""
                : result.failures.front().what + ": " + result.failures.front().texts.front());
        EXPECT_GE(result.checked, 20U);
    }
}

/// Wrong text, as a wrong generator could have written it.
TEST_F(Storage, MutantsOfTheTextAreCaught) {
    std::ofstream(folder.path() / "program.fus") << mixed;
    std::size_t caught = 0;
    for (const execute::MutatedPlan& plan : execute::run_mutants(folder.path() / "program.fus", 16, 1, setup())) {
        EXPECT_EQ(plan.original.faults, 0U);
        for (std::size_t i = 0; i < plan.ran.size(); ++i) {
            EXPECT_TRUE(plan.reports[i].faults != 0 || !plan.proofs[i].empty())
                << execute::name_of(plan, plan.mutants[plan.ran[i]]) << " is not caught";
            caught += plan.reports[i].faults != 0 ? 1U : 0U;
        }
    }
    EXPECT_GE(caught, 12U);
}

/// By hand: half of the bytes for lists of floats, none less on chip.
TEST_F(Storage, KernelsMoveWhatListsStore) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        const auto work = [&](const std::string& storage) {
            const auto c =
                compiled(storage + "double MATRIX3x3 A, B, F; input A, B; F = A * B + A; return F;", target, nullptr, with_plan("max"));
            return c->plans.front().kernels.front().work;
        };
        EXPECT_EQ(work("").read_bytes, 2 * 72);
        EXPECT_EQ(work("").write_bytes, 72);
        EXPECT_EQ(work("store float ").read_bytes, 2 * 36);
        EXPECT_EQ(work("store float ").write_bytes, 36);
        EXPECT_EQ(work("store float ").precision, Precision::f64);
        EXPECT_EQ(work("store double ").read_bytes, 2 * 72); // as the type says
    }
}

/// By hand, for vectors of 32 bytes, times 1.15 as all are. Doubles stored as floats: four lanes, nine components take 9 accesses in halves of registers,
/// 9 * (0 + 1 + 2) steps and 9 conversions, and 3 lines are asked for, by ordinary stores too. Floats stored as doubles: eight lanes are two times four, and joined or
/// divided; twice 36 words are twice 5 lines.
TEST_F(Storage, StepsOfHostsCountConversions) {
    using Steps = std::map<std::pair<bool, bool>, double>; // of a store, of one past the caches
    const auto steps = [&](const std::string& types, double registers) {
        Steps found;
        const auto c = compiled(types + " VECTOR9 L, R; input L; R = -L; return R;", fusion::Target::host, nullptr,
            [](cli::CompileOptions& options) { options.with_steps = true; });
        for (const fusion::Candidate& candidate : c->space->implementations(ColumnId(0))) {
            for (const fusion::WorkStep& step : candidate.work.steps) {
                for (const fusion::GlobalAccess& access : step.accesses) {
                    EXPECT_TRUE(access.converted);
                    EXPECT_EQ(access.registers, registers);
                    found[{access.store, access.streaming}] = std::round(step.instructions / 1.15 * 1e6) / 1e6;
                }
            }
        }
        return found;
    };
    const double floats = 9 + 27 + 9, doubles = 2 * (9 + 27 + 9) + 9; // without lines
    EXPECT_EQ(steps("store float double", 0.5), (Steps{{{false, false}, floats + 3}, {{true, false}, floats + 3}, {{true, true}, floats}}));
    EXPECT_EQ(
        steps("store double float", 2), (Steps{{{false, false}, doubles + 10}, {{true, false}, doubles + 10}, {{true, true}, doubles}}));
}

TEST_F(Storage, TextConvertsOnTheWayAndHasTheListsPointers) {
    const auto c = compiled(mixed, fusion::Target::cuda, nullptr, with_plan("none"));
    ASSERT_NE(c, nullptr);
    EXPECT_THAT(c->emitted.header, HasSubstr("const float* A;"));
    EXPECT_THAT(c->emitted.header, HasSubstr("const double* B;"));
    EXPECT_THAT(c->emitted.header, HasSubstr("float* F; "));
    EXPECT_THAT(c->emitted.header, HasSubstr("/* MATRIX4x4, computed in double */"));
    EXPECT_THAT(c->emitted.source, HasSubstr("fusec::converted<double>("));
    EXPECT_THAT(c->emitted.source, HasSubstr("fusec::converting<double>("));
    EXPECT_THAT(c->emitted.source, HasSubstr("{A, 64}"));
    EXPECT_THAT(c->emitted.source, HasSubstr("{B, 128}"));
    const auto host = compiled(mixed, fusion::Target::host);
    EXPECT_THAT(host->emitted.source, HasSubstr("fusec::load_converted_tile<"));
    EXPECT_THAT(host->emitted.source, HasSubstr("fusec::stream_converted_tile("));
    const auto plain = compiled("store float MATRIX3x3 A; input A; F = A * A; return F;", fusion::Target::cuda);
    EXPECT_THAT(plain->emitted.source, Not(HasSubstr("convert"))) << "stored as the type says";
    EXPECT_EQ(plain->emitted.header, compiled("MATRIX3x3 A; input A; F = A * A; return F;", fusion::Target::cuda)->emitted.header);
}

/// Candidates offer no copies of bytes for lists that convert, and a plan file of one program is none of the other's.
TEST_F(Storage, SpacesOfferWhatConverts) {
    const std::string rest = "double MATRIX3x3 A, F; double VECTOR3 x; input A, x; F = A * A; v = F * x; return F, v;";
    std::set<std::string> hashes;
    std::map<fusion::Staging, int> loads, stores;
    for (const std::string storage : {"", "store float "}) {
        const auto c = compiled(storage + rest, fusion::Target::cuda, "space");
        ASSERT_NE(c, nullptr);
        const auto all = dag::CallSet{CallId{0}, CallId{1}};
        hashes.insert(fusion::structure_hash(*c->graph, *c->catalog, all, c->program->outputs));
        const std::size_t columns = c->space->columns().size();
        ASSERT_GT(columns, 0U);
        for (std::size_t i = 0; i < columns; ++i) {
            for (const fusion::Candidate& kernel : c->space->implementations(ColumnId{i})) {
                fusion::verify(kernel, *c->graph, *c->catalog);
                for (const fusion::DatumPlan& plan : kernel.data) {
                    if (!storage.empty() && c->program->datum(plan.datum).storage) {
                        ++(plan.loaded ? loads : stores)[plan.loaded ? plan.load : plan.store];
                    }
                }
            }
        }
    }
    EXPECT_EQ(hashes.size(), 2U);
    for (const auto& [staging, count] : loads) {
        EXPECT_TRUE(staging == fusion::Staging::none || staging == fusion::Staging::words) << static_cast<int>(staging);
    }
    EXPECT_GT(loads[fusion::Staging::none], 0);
    EXPECT_GT(loads[fusion::Staging::words], 0);
    for (const auto& [staging, count] : stores) {
        EXPECT_TRUE(staging == fusion::Staging::none || staging == fusion::Staging::words) << static_cast<int>(staging);
    }
    EXPECT_GT(stores[fusion::Staging::words], 0);
}

/// Kernel IR that copies the bytes of a list that converts, or takes a list for what it is not.
TEST_F(Storage, VerifierRefusesCopiesOfBytes) {
    const auto c = compiled(mixed, fusion::Target::cuda, nullptr, with_plan("none"));
    ASSERT_NE(c, nullptr);
    EXPECT_THAT(codegen::findings(*c->unit), testing::IsEmpty());
    EXPECT_THAT(codegen::dump(*c->unit), HasSubstr("input A: double MATRIX4x4 stored as float"));
    std::size_t copies = 0;
    for (std::size_t k = 0; k < c->unit->kernels.size(); ++k) {
        for (std::size_t s = 0; s < c->unit->kernels[k].steps.size(); ++s) {
            codegen::Unit wrong = *c->unit;
            auto* store = std::get_if<codegen::StoreTile>(&wrong.kernels[k].steps[s]);
            auto* load = std::get_if<codegen::LoadTile>(&wrong.kernels[k].steps[s]);
            if (load != nullptr && wrong.kernels[k].lists[load->list].storage) {
                load->staging = fusion::Staging::vectors;
            } else if (store != nullptr && wrong.kernels[k].lists[store->list].storage) {
                store->staging = fusion::Staging::vectors;
            } else {
                continue;
            }
            ++copies;
            EXPECT_THAT(codegen::findings(wrong), testing::Contains(HasSubstr("copied as it is, but its components are `float`")));
        }
        codegen::Unit wrong = *c->unit;
        wrong.kernels[k].lists.front().storage = wrong.kernels[k].lists.front().storage ? fusec::Storage() : fusec::Storage(Precision::f32);
        EXPECT_THAT(codegen::findings(wrong), testing::Contains(HasSubstr(" for double ")));
    }
    EXPECT_GT(copies, 0U);
}

/// Beyond the range of floats a list holds nothing that could be compared, and below it steps of the smallest numbers.
TEST_F(Storage, BoundsSayWhatAListCannotHold) {
    const auto c = compiled(
        "store float double SCALAR F; double SCALAR a; input a; F = a * a; G = F * 0.5; return F, G;", fusion::Target::host, "check");
    ASSERT_NE(c, nullptr);
    const frontend::CheckedProgram& program = *c->program;
    execute::DataValues given(program.data.size());
    given[program.inputs.front().index()] = {1e25, 1e-25, 0};
    const execute::ReferenceResult result = execute::evaluate(program, *c->catalog, 3, given);
    for (const DataId output : program.outputs) {
        const std::vector<double>& bounds = result.bounds[output.index()];
        EXPECT_EQ(bounds[0], std::numeric_limits<double>::infinity()) << program.datum(output).name << ": 1e50";
        // Compared is 4 u bound: the smallest normal float, 2^-126, where the others are flushed to 0; of G half of it.
        const double allowed = 4 * 0x1p-53 * bounds[1] * (program.datum(output).name == "F" ? 1 : 2);
        EXPECT_GE(allowed, 0x1p-127) << program.datum(output).name;
        EXPECT_LE(allowed, 0x1p-125) << program.datum(output).name;
        EXPECT_EQ(bounds[2], 0) << program.datum(output).name << ": a zero is a float";
    }
}

/// What is read from a list of floats is off by a roundoff of float, and nothing else is.
TEST_F(Storage, BoundsAreThoseOfTheList) {
    const auto c =
        compiled("store float double SCALAR F; double SCALAR a; input a; F = a * a; G = F + 0 * a; return F, G;", fusion::Target::host);
    ASSERT_NE(c, nullptr);
    const execute::RandomCases drawn = execute::draw_cases(*c->program, *c->catalog, 20, 3);
    for (const DataId output : c->program->outputs) {
        for (std::size_t e = 0; e < 20; ++e) {
            const double value = drawn.reference.values[output.index()][e], bound = drawn.reference.bounds[output.index()][e];
            EXPECT_NEAR(bound / std::abs(value), 0x1p29, 0x1p24) << c->program->datum(output).name;
            EXPECT_NE(static_cast<double>(static_cast<float>(value)), value);
        }
    }
}

} // namespace
} // namespace fusec
