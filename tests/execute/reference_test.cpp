// SPDX-License-Identifier: Apache-2.0
// The reference executor: every function of the library against Eigen in double, the bounds of index expressions against float
// computations in several orders, whole programs and parts of them, and wrong references being caught.
#include "execute/reference.hpp"
#include "tests/execute/reference_bound_check.hpp"
#include "tests/execute/reference_program.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include <unistd.h>

namespace fusec::execute {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Operands = std::vector<Matrix>; ///< scalars 1x1, vectors nx1

/// Operands of the functions: how the shapes of a case look, and the result by Eigen.
struct Law {
    const char* function;
    std::vector<Type> operands; ///< with dimensions of one case
    std::function<Matrix(const Operands&)> eigen;
};

Type s() {
    return scalar_type();
}
Type v(int n) {
    return vector_type(n);
}
Type m(int r, int c) {
    return matrix_type(r, c);
}
Matrix one(double x) {
    return Matrix::Constant(1, 1, x);
}

std::vector<Law> laws() {
    std::vector<Law> all;
    for (const auto& dimensions : {std::array{1, 1, 1}, std::array{3, 3, 3}, std::array{2, 5, 4}, std::array{7, 1, 2}}) {
        const int r = dimensions[0];
        const int k = dimensions[1];
        const int c = dimensions[2];
        all.push_back({"mmul", {m(r, k), m(k, c)}, [](const Operands& x) -> Matrix { return x[0] * x[1]; }});
        all.push_back({"mtmul", {m(k, r), m(k, c)}, [](const Operands& x) -> Matrix { return x[0].transpose() * x[1]; }});
        all.push_back({"mmult", {m(r, k), m(c, k)}, [](const Operands& x) -> Matrix { return x[0] * x[1].transpose(); }});
        all.push_back({"mvmul", {m(r, k), v(k)}, [](const Operands& x) -> Matrix { return x[0] * x[1]; }});
        all.push_back({"mtvmul", {m(k, r), v(k)}, [](const Operands& x) -> Matrix { return x[0].transpose() * x[1]; }});
        all.push_back({"madd", {m(r, c), m(r, c)}, [](const Operands& x) -> Matrix { return x[0] + x[1]; }});
        all.push_back({"msub", {m(r, c), m(r, c)}, [](const Operands& x) -> Matrix { return x[0] - x[1]; }});
        all.push_back({"mneg", {m(r, c)}, [](const Operands& x) -> Matrix { return -x[0]; }});
        all.push_back({"smmul", {m(r, c), s()}, [](const Operands& x) -> Matrix { return x[0] * x[1](0, 0); }});
        all.push_back({"smdiv", {m(r, c), s()}, [](const Operands& x) -> Matrix { return x[0] / x[1](0, 0); }});
        all.push_back({"mtrans", {m(r, c)}, [](const Operands& x) -> Matrix { return x[0].transpose(); }});
        all.push_back({"mddot", {m(r, c), m(r, c)}, [](const Operands& x) { return one(x[0].cwiseProduct(x[1]).sum()); }});
        all.push_back({"mfnorm", {m(r, c)}, [](const Operands& x) { return one(x[0].norm()); }});
        all.push_back({"mtrace", {m(r, r)}, [](const Operands& x) { return one(x[0].trace()); }});
        all.push_back({"msym", {m(r, r)}, [](const Operands& x) -> Matrix { return (x[0] + x[0].transpose()) / 2; }});
        all.push_back({"mskew", {m(r, r)}, [](const Operands& x) -> Matrix { return (x[0] - x[0].transpose()) / 2; }});
        all.push_back({"vouter", {v(r), v(c)}, [](const Operands& x) -> Matrix { return x[0] * x[1].transpose(); }});
        all.push_back({"vadd", {v(r), v(r)}, [](const Operands& x) -> Matrix { return x[0] + x[1]; }});
        all.push_back({"vsub", {v(r), v(r)}, [](const Operands& x) -> Matrix { return x[0] - x[1]; }});
        all.push_back({"vneg", {v(r)}, [](const Operands& x) -> Matrix { return -x[0]; }});
        all.push_back({"svmul", {v(r), s()}, [](const Operands& x) -> Matrix { return x[0] * x[1](0, 0); }});
        all.push_back({"svdiv", {v(r), s()}, [](const Operands& x) -> Matrix { return x[0] / x[1](0, 0); }});
        all.push_back({"vdot", {v(r), v(r)}, [](const Operands& x) { return one(x[0].col(0).dot(x[1].col(0))); }});
        all.push_back({"venorm", {v(r)}, [](const Operands& x) { return one(x[0].norm()); }});
        all.push_back({"axpy", {s(), v(r), v(r)}, [](const Operands& x) -> Matrix { return x[0](0, 0) * x[1] + x[2]; }});
        const auto choice = [](auto holds) {
            return [holds](const Operands& x) -> Matrix { return holds(x[0](0, 0), x[1](0, 0)) ? x[2] : x[3]; };
        };
        for (const auto& [form, type] : {std::pair{"s", s()}, std::pair{"v", v(r)}, std::pair{"m", m(r, c)}}) {
            static std::set<std::string> names; // a law holds a pointer
            const auto law = [&](const char* comparison, auto holds) {
                const std::string& name = *names.insert(std::string(form) + "select_" + comparison).first;
                all.push_back({name.c_str(), {s(), s(), type, type}, choice(holds)});
            };
            law("lt", [](double a, double b) { return a < b; });
            law("le", [](double a, double b) { return !(b < a); });
            law("eq", [](double a, double b) { return !(a < b) && !(b < a); });
        }
        all.push_back({"mcholsolve", {m(r, r), v(r)}, [](const Operands& x) -> Matrix { return x[0].llt().solve(x[1]); }});
        all.push_back({"mchol", {m(r, r)}, [](const Operands& x) -> Matrix { return x[0].llt().matrixL(); }});
    }
    for (const int n : {1, 2, 3, 4}) {
        all.push_back({"mdet", {m(n, n)}, [](const Operands& x) { return one(x[0].determinant()); }});
        all.push_back({"minv", {m(n, n)}, [](const Operands& x) -> Matrix { return x[0].inverse(); }});
        all.push_back({"mcof", {m(n, n)}, [](const Operands& x) -> Matrix { return x[0].determinant() * x[0].inverse().transpose(); }});
    }
    all.push_back({"vcross", {v(3), v(3)},
        [](const Operands& x) -> Matrix { return Eigen::Vector3d(x[0].col(0)).cross(Eigen::Vector3d(x[1].col(0))); }});
    const std::vector<std::pair<const char*, double (*)(double, double)>> binary{{"sadd", [](double a, double b) { return a + b; }},
        {"ssub", [](double a, double b) { return a - b; }}, {"smul", [](double a, double b) { return a * b; }},
        {"sdiv", [](double a, double b) { return a / b; }}, {"spow", [](double a, double b) { return std::pow(a, b); }},
        {"smin", [](double a, double b) { return a < b ? a : b; }}, {"smax", [](double a, double b) { return a < b ? b : a; }}};
    for (const auto& [name, law] : binary) {
        all.push_back({name, {s(), s()}, [function = law](const Operands& x) { return one(function(x[0](0, 0), x[1](0, 0))); }});
    }
    const std::vector<std::pair<const char*, double (*)(double)>> unary{{"sneg", [](double a) { return -a; }},
        {"sabs", [](double a) { return std::abs(a); }}, {"ssqrt", [](double a) { return std::sqrt(a); }},
        {"srsqrt", [](double a) { return 1 / std::sqrt(a); }}, {"sexp", [](double a) { return std::exp(a); }},
        {"slog", [](double a) { return std::log(a); }}, {"ssin", [](double a) { return std::sin(a); }},
        {"scos", [](double a) { return std::cos(a); }}};
    for (const auto& [name, law] : unary) {
        all.push_back({name, {s()}, [function = law](const Operands& x) { return one(function(x[0](0, 0))); }});
    }
    return all;
}

/// An operand of the declared domain, made here and not by domains.cpp.
std::vector<float> operand(const Type& type, library::Domain domain, Numbers& numbers) {
    const int n = type.shape.rows;
    std::vector<float> x = numbers.list(static_cast<std::size_t>(type.shape.size()));
    switch (domain) {
    case library::Domain::any:
        break;
    case library::Domain::positive:
    case library::Domain::nonzero:
        for (float& component : x) {
            component = 0.5F + std::abs(component);
        }
        break;
    case library::Domain::invertible:
        for (int i = 0; i < n; ++i) {
            x[static_cast<std::size_t>(i * n + i)] += 2;
        }
        break;
    case library::Domain::spd: {
        const Floats b = Eigen::Map<const Floats>(x.data(), n, n);
        const Floats a = b * b.transpose() + Floats::Identity(n, n);
        const Floats symmetric = (a + a.transpose()) / 2;
        x.assign(symmetric.data(), symmetric.data() + symmetric.size());
        break;
    }
    }
    return x;
}

TEST(Reference, EveryFunctionEqualsEigen) {
    const library::Catalog& catalog = standard_catalog();
    std::set<std::string> covered;
    Numbers numbers(7);
    for (const Law& law : laws()) {
        covered.insert(law.function);
        const library::Function& function = catalog.function(catalog.find(law.function).value());
        for (int draw = 0; draw < 20; ++draw) {
            std::vector<std::pair<Type, std::vector<float>>> operands;
            Operands eigen;
            for (std::size_t i = 0; i < law.operands.size(); ++i) {
                operands.emplace_back(law.operands[i], operand(law.operands[i], function.inputs[i].domain, numbers));
                eigen.push_back(
                    Eigen::Map<const Floats>(operands[i].second.data(), law.operands[i].shape.rows, law.operands[i].shape.columns)
                        .cast<double>());
            }
            const std::vector<Bounded> ours = call_function(law.function, operands);
            const Matrix theirs = law.eigen(eigen);
            ASSERT_EQ(ours.size(), static_cast<std::size_t>(theirs.size())) << law.function;
            for (std::size_t i = 0; i < ours.size(); ++i) {
                const double expected = theirs.data()[i];
                EXPECT_NEAR(ours[i].value, expected, 1e-12 * std::max(1.0, std::abs(expected))) << law.function << " component " << i;
                EXPECT_TRUE(std::isfinite(ours[i].bound) && ours[i].bound >= 0) << law.function;
            }
        }
    }
    for (const std::string& name : catalog.names()) {
        EXPECT_TRUE(covered.contains(name)) << name << " has no law in this test";
    }
}

TEST(Reference, BoundsOfIndexExpressionsHoldInEveryOrder) {
    Numbers numbers(11);
    Tightness product;
    Tightness norm;
    Tightness update;
    Tightness cross;
    for (int draw = 0; draw < 400; ++draw) {
        for (const int k : {1, 2, 3, 8, 24}) {
            const auto n = static_cast<std::size_t>(k);
            const std::vector<float> a = numbers.list(2 * n);
            const std::vector<float> b = numbers.list(n);
            const std::vector<Bounded> y = call_function("mvmul", {{m(2, k), a}, {v(k), b}});
            const std::vector<Bounded> length = call_function("venorm", {{v(k), b}});
            const float scale = numbers.next();
            const std::vector<Bounded> z =
                call_function("axpy", {{s(), {scale}}, {v(k), b}, {v(k), std::vector<float>(a.begin(), a.begin() + k)}});
            for (const Order order : all_orders) {
                for (std::size_t row = 0; row < 2; ++row) {
                    const std::vector<float> x(
                        a.begin() + static_cast<std::ptrdiff_t>(row * n), a.begin() + static_cast<std::ptrdiff_t>((row + 1) * n));
                    product.see(accumulate(0, 1, x, b, order), y[row], "product");
                }
                norm.see(std::sqrt(accumulate(0, 1, b, b, order)), length[0], "norm");
                for (std::size_t i = 0; i < n; ++i) {
                    update.see(accumulate(a[i], 1, {scale}, {b[i]}, order), z[i], "update");
                }
            }
        }
        const std::vector<float> a = numbers.list(3);
        const std::vector<float> b = numbers.list(3);
        const std::vector<Bounded> c = call_function("vcross", {{v(3), a}, {v(3), b}});
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3;
            const std::size_t k = (i + 2) % 3;
            cross.see(a[j] * b[k] - a[k] * b[j], c[i], "cross");
            cross.see(std::fmaf(a[j], b[k], -(a[k] * b[j])), c[i], "cross");
        }
    }
    product.expect_at_least(0.05, "product");
    norm.expect_at_least(0.05, "norm");
    update.expect_at_least(0.1, "update");
    cross.expect_at_least(0.1, "cross product");
}

TEST(Reference, BoundsOfScalarFunctionsHold) {
    Numbers numbers(13);
    Tightness tightness;
    for (int draw = 0; draw < 5000; ++draw) {
        const float a = 1.5F + numbers.next();
        const float b = 1.5F + numbers.next();
        const auto unary = [&](const char* name, float computed) { tightness.see(computed, call_function(name, {{s(), {a}}})[0], name); };
        const auto binary = [&](const char* name, float computed) {
            tightness.see(computed, call_function(name, {{s(), {a}}, {s(), {b}}})[0], name);
        };
        unary("ssqrt", std::sqrt(a));
        unary("srsqrt", 1 / std::sqrt(a));
        unary("sexp", std::exp(a));
        unary("slog", std::log(a));
        unary("ssin", std::sin(a));
        unary("scos", std::cos(a));
        unary("sabs", std::abs(a));
        binary("sadd", a + b);
        binary("ssub", a - b);
        binary("smul", a * b);
        binary("sdiv", a / b);
        binary("spow", std::pow(a, b));
        binary("smin", std::min(a, b));
        binary("smax", std::max(a, b));
    }
    tightness.expect_at_least(0.15, "scalar functions");
}

TEST(Reference, BoundsPassThroughChains) {
    // In float, every intermediate rounded: ((s A) b / |b|) . (exp(s) b) and log(pow(...)) of the positive result.
    Numbers numbers(17);
    Tightness tightness;
    ProgramBuilder builder;
    const DataId a = builder.input("A", m(4, 4));
    const DataId b = builder.input("b", v(4));
    const DataId c = builder.uniform("s", s());
    const DataId scaled = builder.call("smmul", {c, a});
    const DataId product = builder.call("mvmul", {scaled, b});
    const DataId length = builder.call("venorm", {b});
    const DataId unit = builder.call("svdiv", {product, length});
    const DataId growth = builder.call("sexp", {c});
    const DataId other = builder.call("svmul", {b, growth});
    const DataId dot = builder.call("vdot", {unit, other});
    const DataId size = builder.call("sabs", {dot});
    const DataId root = builder.call("ssqrt", {size});
    const frontend::CheckedProgram& program = builder.build({root});
    for (int draw = 0; draw < 500; ++draw) {
        DataValues given(program.data.size());
        const std::vector<float> af = numbers.list(16);
        const std::vector<float> bf = numbers.list(4);
        const float sf = numbers.next();
        given[a.index()].assign(af.begin(), af.end());
        given[b.index()].assign(bf.begin(), bf.end());
        given[c.index()] = {static_cast<double>(sf)};
        const ReferenceResult result = evaluate(program, standard_catalog(), 1, given);
        const Floats am = Eigen::Map<const Floats>(af.data(), 4, 4);
        const Floats bm = Eigen::Map<const Floats>(bf.data(), 4, 1);
        const Floats unit_f = Floats(Floats(sf * am) * bm) / bm.norm();
        const Floats other_f = bm * std::exp(sf);
        const float computed = std::sqrt(std::abs((unit_f.transpose() * other_f)(0, 0)));
        const Bounded reference{result.values[root.index()][0], result.bounds[root.index()][0]};
        if (!is_ill_conditioned(std::span(&reference.value, 1), std::span(&reference.bound, 1), Precision::f32)) {
            tightness.see(computed, reference, "chain");
        }
    }
    tightness.expect_at_least(0.01, "chain");
}

/// The program of DESIGN.md section 2.
struct Demo {
    ProgramBuilder builder;
    DataId a = builder.input("A", m(3, 3)), b = builder.input("B", m(3, 3)), c = builder.input("c", v(3)), d = builder.input("D", m(5, 5)),
           e = builder.input("E", m(5, 5));
    DataId m1 = builder.call("mmul", {a, b});
    DataId v1 = builder.call("mvmul", {m1, c});
    DataId s1 = builder.call("venorm", {v1});
    DataId m2 = builder.call("mmul", {d, e});
    DataId m3 = builder.call("madd", {m2, d});
    DataId f = builder.call("smmul", {m3, s1});
    const frontend::CheckedProgram& program = builder.build({f});

    DataValues random(std::size_t elements) const {
        Numbers numbers(3);
        DataValues given(program.data.size());
        for (const DataId id : program.inputs) {
            const std::vector<float> list = numbers.list(elements * static_cast<std::size_t>(program.datum(id).type.shape.size()));
            given[id.index()].assign(list.begin(), list.end());
        }
        return given;
    }
};

TEST(ReferenceProgram, DemoEqualsEigen) {
    const Demo demo;
    constexpr std::size_t elements = 50;
    const DataValues given = demo.random(elements);
    const ReferenceResult result = evaluate(demo.program, standard_catalog(), elements, given);
    const auto matrix = [&](DataId id, std::size_t element, int rows, int columns) {
        return Matrix(
            Eigen::Map<const Matrix>(given[id.index()].data() + element * static_cast<std::size_t>(rows * columns), rows, columns));
    };
    ASSERT_EQ(result.values[demo.f.index()].size(), elements * 25);
    for (std::size_t element = 0; element < elements; ++element) {
        const Matrix d = matrix(demo.d, element, 5, 5);
        const Matrix expected = (d * matrix(demo.e, element, 5, 5) + d) *
            (matrix(demo.a, element, 3, 3) * matrix(demo.b, element, 3, 3) * matrix(demo.c, element, 3, 1)).norm();
        for (int i = 0; i < 25; ++i) {
            EXPECT_NEAR(result.values[demo.f.index()][element * 25 + static_cast<std::size_t>(i)], expected.data()[i], 1e-13);
        }
    }
    EXPECT_TRUE(result.bounds[demo.a.index()].empty()) << "inputs are exact";
}

TEST(ReferenceProgram, APartTakesItsInputsAsGiven) {
    const Demo demo;
    DataValues given = demo.random(2);
    const ReferenceResult whole = evaluate(demo.program, standard_catalog(), 2, given);
    // Of the last call alone, with M3 and s1 as a kernel would load them: rounded to float.
    for (const DataId id : {demo.m3, demo.s1}) {
        for (const double value : whole.values[id.index()]) {
            given[id.index()].push_back(static_cast<double>(static_cast<float>(value)));
        }
    }
    const std::vector<CallId> last{CallId(5)};
    const ReferenceResult part = evaluate(demo.program, standard_catalog(), last, 2, given);
    for (std::size_t i = 0; i < 50; ++i) {
        const double expected = given[demo.m3.index()][i] * given[demo.s1.index()][i / 25];
        EXPECT_EQ(part.values[demo.f.index()][i], expected);
        EXPECT_EQ(part.bounds[demo.f.index()][i], std::abs(expected)) << "one rounding, exact operands";
        EXPECT_GT(whole.bounds[demo.f.index()][i], part.bounds[demo.f.index()][i]);
    }
    EXPECT_TRUE(part.values[demo.m1.index()].empty()) << "not computed";
    EXPECT_THROW(evaluate(demo.program, standard_catalog(), last, 2, demo.random(2)), InternalError);
}

TEST(ReferenceProgram, UniformsAndConstantsHaveOneValue) {
    ProgramBuilder builder;
    const DataId x = builder.input("x", v(2));
    const DataId mu = builder.uniform("mu", s());
    const DataId table = builder.constant(m(3, 2), {1, 2, 3, 4, 5, 6});
    const DataId scaled = builder.call("svmul", {x, mu});
    const DataId y = builder.call("mvmul", {table, scaled});
    const frontend::CheckedProgram& program = builder.build({y});
    DataValues given(program.data.size());
    given[x.index()] = {1, 0, 0, 1, 1, 1};
    given[mu.index()] = {2};
    EXPECT_THAT(evaluate(program, standard_catalog(), 3, given).values[y.index()], testing::ElementsAre(2, 6, 10, 4, 8, 12, 6, 14, 22));
    EXPECT_TRUE(evaluate(program, standard_catalog(), 0, DataValues(program.data.size())).values[y.index()].empty()) << "no elements";
}

/// A library of one function `f` with the given metadata, written to a folder of its own.
library::Catalog library_of(const std::string& metadata) {
    const auto folder = std::filesystem::temp_directory_path() / ("fusec_reference_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "f.toml") << metadata << "\n[[implementation]]\nname = \"element\"\nthreads = \"1\"\n";
    std::ofstream(folder / "f.cuh") << "template <class Lane>\nvoid f_element(Lane) {\n}\n";
    Diagnostics diagnostics;
    auto catalog = library::Catalog::load({folder}, diagnostics);
    std::ostringstream text;
    render(diagnostics, text, false);
    std::filesystem::remove_all(folder);
    if (!catalog) {
        throw std::runtime_error(text.str());
    }
    return *catalog;
}
std::string product_metadata(const std::string& reference) {
    return "summary = \"\"\nshape = [\"N\"]\nflops = \"1\"\nreference = \"" + reference +
        "\"\n"
        "[[input]]\nname = \"A\"\ntype = \"MATRIX[N,N]\"\n[[input]]\nname = \"B\"\ntype = \"MATRIX[N,N]\"\n[output]\nname = \"C\"\ntype = "
        "\"MATRIX[N,N]\"\n";
}

TEST(Reference, AWrongReferenceIsCaught) {
    Numbers numbers(23);
    for (const auto& [reference, right] :
        {std::pair{"C[i,j] = sum(k) A[i,k] * B[k,j]", true}, std::pair{"C[i,j] = sum(k) A[i,k] * B[j,k]", false},
            std::pair{"C[i,j] = sum(k) A[k,i] * B[k,j]", false}, std::pair{"C[j,i] = sum(k) A[i,k] * B[k,j]", false},
            std::pair{"C[i,j] = -(sum(k) A[i,k] * B[k,j])", false}, std::pair{"C[i,j] = sum(k) [k < N-1] * A[i,k] * B[k,j]", false},
            std::pair{"C[i,j] = sum(k) A[i,k] * B[k,j] + 0.0001 * A[i,j]", false}}) {
        const library::Catalog catalog = library_of(product_metadata(reference));
        std::size_t mismatches = 0;
        for (int draw = 0; draw < 20; ++draw) {
            const std::vector<float> a = numbers.list(16);
            const std::vector<float> b = numbers.list(16);
            const Floats product = Eigen::Map<const Floats>(a.data(), 4, 4) * Eigen::Map<const Floats>(b.data(), 4, 4);
            std::vector<double> values;
            std::vector<double> bounds;
            for (const Bounded component : call_function("f", {{m(4, 4), a}, {m(4, 4), b}}, catalog)) {
                values.push_back(component.value);
                bounds.push_back(component.bound);
            }
            const std::vector<double> computed(product.data(), product.data() + 16);
            mismatches += compare(computed, values, bounds, Precision::f32).mismatches;
        }
        if (right) {
            EXPECT_EQ(mismatches, 0U) << reference;
        } else {
            EXPECT_GT(mismatches, 150U) << reference << ": of 320 components";
        }
    }
}

TEST(Reference, ConditionsDeltasAndIndexArithmetic) {
    const auto value = [](const std::string& reference) {
        std::vector<double> out;
        const library::Catalog catalog = library_of(product_metadata(reference));
        for (const Bounded component : call_function("f", {{m(2, 2), {1, 2, 3, 4}}, {m(2, 2), {10, 20, 30, 40}}}, catalog)) {
            out.push_back(component.value);
        }
        return out;
    };
    EXPECT_THAT(value("C[i,j] = delta(i,j) * A[i,j] + B[i,j]"), testing::ElementsAre(11, 20, 30, 44));
    EXPECT_THAT(value("C[i,j] = A[(i+1)%N, j]"), testing::ElementsAre(3, 4, 1, 2));
    EXPECT_THAT(value("C[i,j] = [i > 0] * A[i-1,j]"), testing::ElementsAre(0, 0, 1, 2)) << "a condition hides what is out of range";
    EXPECT_THAT(value("C[i,j] = sum(k, l) A[k,l] - 2"), testing::ElementsAre(8, 8, 8, 8));
    EXPECT_THAT(value("C[i,j] = max(A[i,j], 2.5) * 2 / 4"), testing::ElementsAre(1.25, 1.25, 1.5, 2));
    EXPECT_THROW(value("C[i,j] = A[i+1,j]"), std::out_of_range);
}

TEST(Reference, ASumOverDimensionsThatDifferIsRefused) {
    const library::Catalog catalog =
        library_of("summary = \"\"\nshape = [\"M\", \"N\"]\nflops = \"1\"\nreference = \"c = sum(k) a[k] * b[k]\"\n"
                   "[[input]]\nname = \"a\"\ntype = \"VECTOR[M]\"\n[[input]]\nname = \"b\"\ntype = \"VECTOR[N]\"\n[output]\nname = "
                   "\"c\"\ntype = \"SCALAR\"\n");
    EXPECT_EQ(call_function("f", {{v(2), {1, 2}}, {v(2), {3, 4}}}, catalog)[0].value, 11);
    EXPECT_THROW(call_function("f", {{v(2), {1, 2}}, {v(3), {3, 4, 5}}}, catalog), std::invalid_argument);
}

TEST(Comparison, AllowsFourTimesTheBound) {
    const std::vector<double> values{1, 2, 0};
    const std::vector<double> bounds{1, 1, 0};
    const double u = 0x1p-24;
    EXPECT_EQ(compare(std::vector{1 + 3.9 * u, 2 - 3.9 * u, 0.0}, values, bounds, Precision::f32).mismatches, 0U);
    const Agreement off = compare(std::vector{1 + 3.9 * u, 2 - 4.1 * u, 0.0}, values, bounds, Precision::f32);
    EXPECT_EQ(off.mismatches, 1U);
    EXPECT_EQ(off.worst, 1U);
    EXPECT_NEAR(off.worst_ratio, 4.1 / 4, 1e-6);
    EXPECT_EQ(compare(std::vector{1.0, 2.0, 1e-30}, values, bounds, Precision::f32).mismatches, 1U) << "0 with bound 0 is exact";
    EXPECT_EQ(compare(std::vector{1.0, 2.0, 1e-38}, values, bounds, Precision::f32).mismatches, 0U) << "below the least normal number";
    EXPECT_EQ(compare(std::vector{1.0, std::nan(""), 0.0}, values, bounds, Precision::f32).mismatches, 1U);
    EXPECT_EQ(compare(std::vector{1.0, 2.0, 0.0}, values, std::vector{1.0, std::nan(""), 0.0}, Precision::f32).mismatches, 1U);
    EXPECT_EQ(compare(std::vector{1 + 3.9 * u, 2.0, 0.0}, values, bounds, Precision::f64).mismatches, 1U);
}

TEST(Bounds, OfASelectionAreThoseOfWhatIsSelected) {
    const Bounded rough{1, 1000}, zero{0, 0};
    EXPECT_EQ(larger(zero, {-1, 1000}).bound, 0) << "clipped: 0 exactly";
    EXPECT_EQ(smaller({1, 1000}, zero).bound, 0);
    EXPECT_EQ(larger(rough, zero).bound, 1000);
    EXPECT_EQ(larger(zero, rough).value, 1);
    // 4 u 1e5 = 0.024 in single precision: either may be selected.
    EXPECT_EQ(larger({0.02, 0}, {0, 1e5}).bound, 1e5);
    EXPECT_EQ(larger({0.03, 0}, {0, 1e5}).bound, 0);
    EXPECT_EQ(smaller({0, 1e5}, {0.02, 1}).bound, 1e5);
    EXPECT_EQ(larger({0, 5}, {0, 7}).bound, 7);
}

TEST(Comparison, IllConditionedCases) {
    const std::vector<double> values{1, 1e-9};
    EXPECT_FALSE(is_ill_conditioned(values, std::vector{1.0, 1.0}, Precision::f32)) << "a small component beside a large one";
    EXPECT_TRUE(is_ill_conditioned(values, std::vector{1.0, 1e5}, Precision::f32)) << "4 u 1e5 = 0.024";
    EXPECT_FALSE(is_ill_conditioned(values, std::vector{1.0, 1e5}, Precision::f64));
    EXPECT_TRUE(is_ill_conditioned(values, std::vector{1.0, std::nan("")}, Precision::f32));
    EXPECT_FALSE(is_ill_conditioned(std::vector{0.0}, std::vector{0.0}, Precision::f32)) << "a structural zero";
}

} // namespace
} // namespace fusec::execute
