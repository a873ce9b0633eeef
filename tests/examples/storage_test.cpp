// SPDX-License-Identifier: Apache-2.0
// Lists that are stored in another precision than their values have: results against Eigen on every executor and in every plan, what kernels
// move, what they are made of, and what the kernel IR's verifier and the executors find in wrong ones.
#include "cli/pipeline.hpp"
#include "codegen/verifier.hpp"
#include "execute/verify.hpp"
#include "execute/verify_cases.hpp"
#include "fusion/structure_hash.hpp"
#include "tests/execute/mutation/example_mutants.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace fusec {
namespace {

using testing::HasSubstr;
using testing::Not;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Components of each list for one element, as they are stored.
using Values = std::map<std::string, std::vector<double>>;
using Formula = std::function<Values(const Values&)>;

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
    return Eigen::Map<const Matrix>(in.at(name).data(), rows, columns);
}
Matrix symmetric(const std::vector<double>& words) {
    Matrix made(4, 4);
    std::size_t next = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j <= i; ++j) {
            made(i, j) = made(j, i) = words.at(next++);
        }
    }
    return made;
}
std::vector<double> list(const Matrix& m) {
    return {m.data(), m.data() + m.size()};
}
std::vector<double> triangle(const Matrix& m) {
    std::vector<double> words;
    for (int i = 0; i < m.rows(); ++i) {
        for (int j = 0; j <= i; ++j) {
            words.push_back(m(i, j));
        }
    }
    return words;
}

Values mixed_formula(const Values& in) {
    const Matrix a = matrix(in, "A", 4, 4), b = matrix(in, "B", 4, 4), y = matrix(in, "y", 4, 1), p = symmetric(in.at("P"));
    const double k = in.at("k")[0];
    const Matrix f = a * b + p, v = f * y, s = f * f.transpose() + k * p;
    return {{"F", list(f)}, {"S", triangle(s)}, {"y", list(y + v / (1 + k * k))}, {"s", {v.norm() + s.trace()}}, {"G", list(s * b)}};
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
    return {{"C", list(c)}, {"S", triangle((c + c.transpose()) / 2)}, {"r", list(c.transpose() * x)}};
}

class Storage : public testing::Test {
protected:
    void SetUp() override {
        Diagnostics diagnostics;
        setup.compiler = execute::find_host_compiler(diagnostics).value();
        setup.cache = folder.path() / "cache";
        setup.library_folder = library::standard_library_folder();
    }

    std::unique_ptr<cli::Compilation> compiled(
        const std::string& text, fusion::Target target, const std::string& plan, const char* stage = nullptr) {
        auto c = std::make_unique<cli::Compilation>();
        std::ofstream(folder.path() / "program.fus") << text;
        c->options.program = folder.path() / "program.fus";
        c->options.target = target;
        c->options.device = target == fusion::Target::host ? "host-generic" : "h200";
        c->options.plan = plan;
        c->header_name = "program.h";
        Diagnostics diagnostics;
        const bool good = stage == nullptr ? cli::run_pipeline(*c, diagnostics) : cli::run_pipeline(*c, diagnostics, stage);
        std::ostringstream said;
        render(diagnostics, said, false);
        EXPECT_TRUE(good) << said.str();
        return good ? std::move(c) : nullptr;
    }

    /// The plan's text with random inputs, and as expected outputs what the formula makes of them.
    static execute::RunJob job(const cli::Compilation& c, const Formula& formula) {
        execute::RunJob job;
        job.cases = execute::plan_launches(c.plans.front(), *c.graph, 7);
        const std::size_t elements = execute::most_elements(job.cases);
        const execute::RandomCases drawn = execute::draw_cases(*c.program, *c.catalog, elements, 20);
        EXPECT_EQ(drawn.ill, 0U);
        job.text = execute::unit_text(*c.unit, c.emitted, "program");
        job.interface = execute::run_interface(*c.unit, drawn.reference);
        for (execute::RunList& output : job.interface.outputs) {
            output.values.clear();
            for (double& bound : output.bounds) {
                bound *= 4; // Eigen rounds too
            }
        }
        for (std::size_t element = 0; element < elements; ++element) {
            Values in;
            for (const execute::RunList& given : job.interface.inputs) {
                const auto size = static_cast<std::size_t>(given.type.shape.size());
                const auto first = given.values.begin() + static_cast<std::ptrdiff_t>(given.uniform ? 0 : element * size);
                in[given.name].assign(first, first + static_cast<std::ptrdiff_t>(size));
            }
            const Values out = formula(in);
            for (execute::RunList& expected : job.interface.outputs) {
                const std::vector<double>& values = out.at(expected.name);
                expected.values.insert(expected.values.end(), values.begin(), values.end());
            }
        }
        return job;
    }

    void expect_formula(const std::string& text, const Formula& formula) {
        for (const std::string plan : {"auto", "none", "max", "greedy"}) {
            for (const fusion::Target target : {fusion::Target::host, fusion::Target::cuda}) {
                const auto c = compiled(text, target, plan);
                ASSERT_NE(c, nullptr);
                const bool host = target == fusion::Target::host;
                for (const execute::BuildKind kind : host ? std::vector{execute::BuildKind::host_checked, execute::BuildKind::host_product}
                                                          : std::vector{execute::BuildKind::emulated}) {
                    const execute::RunReport report = execute::run_texts({job(*c, formula)}, kind, setup).front();
                    EXPECT_EQ(report.faults, 0U) << plan << (host ? " on the host" : " under emulated CUDA") << ":\n"
                                                 << (report.texts.empty() ? "" : report.texts.front());
                    EXPECT_GT(report.components, 1000U);
                }
            }
        }
    }

    execute::TemporaryFolder folder;
    execute::RunSetup setup;
};

TEST_F(Storage, FloatListsOfDoubleArithmeticAreEigens) {
    expect_formula(mixed, mixed_formula);
}

TEST_F(Storage, DoubleListsOfFloatArithmeticAreEigens) {
    expect_formula(widened, widened_formula);
}

/// All implementations and ways to load and store a few calls, several threads per element among them, each kernel alone: what one stores
/// as float, the next is given rounded.
TEST_F(Storage, EveryKernelAgreesUnderEmulatedCudaAndOnTheHost) {
    for (const fusion::Target target : {fusion::Target::cuda, fusion::Target::host}) {
        const auto c = compiled(mixed, target, "auto", "space");
        ASSERT_NE(c, nullptr);
        const execute::VerifyResult result =
            execute::verify_candidates(*c->space, *c->graph, *c->catalog, {.target = target, .most_calls_for_all = 0, .sample = 40}, setup);
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
    for (const execute::MutatedPlan& plan : execute::run_mutants(folder.path() / "program.fus", 16, 1, setup)) {
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
            const auto c = compiled(storage + "double MATRIX3x3 A, B, F; input A, B; F = A * B + A; return F;", target, "max");
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

TEST_F(Storage, TextConvertsOnTheWayAndHasTheListsPointers) {
    const auto c = compiled(mixed, fusion::Target::cuda, "none");
    ASSERT_NE(c, nullptr);
    EXPECT_THAT(c->emitted.header, HasSubstr("const float* A;"));
    EXPECT_THAT(c->emitted.header, HasSubstr("const double* B;"));
    EXPECT_THAT(c->emitted.header, HasSubstr("float* F; "));
    EXPECT_THAT(c->emitted.header, HasSubstr("/* MATRIX4x4, computed in double */"));
    EXPECT_THAT(c->emitted.source, HasSubstr("fusec::converted<double>("));
    EXPECT_THAT(c->emitted.source, HasSubstr("fusec::converting<double>("));
    EXPECT_THAT(c->emitted.source, HasSubstr("{A, 64}"));
    EXPECT_THAT(c->emitted.source, HasSubstr("{B, 128}"));
    const auto host = compiled(mixed, fusion::Target::host, "auto");
    EXPECT_THAT(host->emitted.source, HasSubstr("fusec::load_converted_tile<"));
    EXPECT_THAT(host->emitted.source, HasSubstr("fusec::store_converted_tile("));
    const auto plain = compiled("store float MATRIX3x3 A; input A; F = A * A; return F;", fusion::Target::cuda, "auto");
    EXPECT_THAT(plain->emitted.source, Not(HasSubstr("convert"))) << "stored as the type says";
    EXPECT_EQ(plain->emitted.header, compiled("MATRIX3x3 A; input A; F = A * A; return F;", fusion::Target::cuda, "auto")->emitted.header);
}

/// Candidates offer no copies of bytes for lists that convert, and a plan file of one program is none of the other's.
TEST_F(Storage, SpacesOfferWhatConverts) {
    const std::string rest = "double MATRIX3x3 A, F; double VECTOR3 x; input A, x; F = A * A; v = F * x; return F, v;";
    std::set<std::string> hashes;
    std::map<fusion::Staging, int> loads, stores;
    for (const std::string storage : {"", "store float "}) {
        const auto c = compiled(storage + rest, fusion::Target::cuda, "auto", "space");
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
    const auto c = compiled(mixed, fusion::Target::cuda, "none");
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

/// What is read from a list of floats is off by a roundoff of float, and nothing else is.
TEST_F(Storage, BoundsAreThoseOfTheList) {
    const auto c = compiled(
        "store float double SCALAR F; double SCALAR a; input a; F = a * a; G = F + 0 * a; return F, G;", fusion::Target::host, "auto");
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
