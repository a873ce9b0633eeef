// SPDX-License-Identifier: Apache-2.0
// What is left of calls with constant operands. The device text of every case is compiled with a number type that counts what is done
// with it: the compiler's counts are those, the results those of the unfolded reference, and products need what a count by hand says.
#include "elementary-lib/device_source.hpp"
#include "elementary-lib/partial_evaluation.hpp"
#include "execute/compiler.hpp"
#include "execute/fold_tables.hpp"
#include "execute/loaded_library.hpp"
#include "tests/execute/reference_program.hpp"
#include "tests/execute/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace fusec::execute {
namespace {

using frontend::CheckedProgram;
using frontend::DatumKind;

/// A call of one library function, one operand of which is a table.
struct Case {
    CheckedProgram written, folded;
    library::Catalog catalog; ///< of the folded program
    std::vector<double> expected;
    std::size_t table = 0; ///< the constant operand

    const frontend::Call& call() const { return folded.calls.back(); }
    const library::Function& function() const { return catalog.function(call().instance.function); }
    library::OperationCounts operations() const { return catalog.operations(call().instance, function().implementations.front()); }
};

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    int number(int least, int most) { return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1)); }
    /// Mostly what folds. Other values are few bits, so that doubles calculate with them exactly.
    double entry() {
        static constexpr double values[] = {0, 0, 0, 1, -1, 1, -1, 0.5, -3, 2.25};
        return values[number(0, 9)];
    }
    double value() { return number(-64, 64) / 8.0 + 1 / 16.0; }

private:
    std::mt19937 random_;
};

Shape shape_of(const library::Parameter& parameter, const library::ShapeValues& values) {
    return {parameter.form, static_cast<int>(parameter.rows.evaluate(values).value()),
        static_cast<int>(parameter.columns.evaluate(values).value())};
}

/// Nothing where the operand is no vector or matrix.
std::optional<Case> make_case(const library::Function& function, std::size_t table, Draw& draw) {
    if (function.inputs[table].form == Form::scalar) {
        return std::nullopt;
    }
    library::ShapeValues dimensions;
    for (const std::string& name : function.shape) {
        dimensions[name] = draw.number(1, 5);
    }
    ProgramBuilder builder;
    std::vector<DataId> operands;
    std::vector<std::vector<double>> values;
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
        const Type type{shape_of(function.inputs[i], dimensions), Precision::f64};
        values.emplace_back();
        for (int k = 0; k < type.shape.size(); ++k) {
            values.back().push_back(i == table ? draw.entry() : draw.value());
        }
        operands.push_back(i == table ? builder.constant(type, values.back()) : builder.input(function.inputs[i].name, type));
    }
    const DataId result = builder.call(function.name, operands);
    Case made{builder.build({result}), {}, standard_catalog(), {}, table};
    DataValues given(made.written.data.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        given[operands[i].index()] = i == table ? std::vector<double>{} : values[i];
    }
    made.expected = evaluate(made.written, standard_catalog(), 1, given).values[result.index()];
    made.folded = fold_tables(made.written, standard_catalog());
    made.catalog = standard_catalog().with(made.folded.functions);
    return made;
}

constexpr const char* counting = R"(
#include <fusec/views.cuh>
#include <cmath>
struct counted {
    double value;
    static inline long flops = 0, divisions = 0, roots = 0;
    counted(double v = 0) : value(v) {}
    counted& operator+=(const counted& b) { ++flops; value += b.value; return *this; }
    counted& operator-=(const counted& b) { ++flops; value -= b.value; return *this; }
    friend counted operator+(const counted& a, const counted& b) { ++flops; return a.value + b.value; }
    friend counted operator-(const counted& a, const counted& b) { ++flops; return a.value - b.value; }
    friend counted operator*(const counted& a, const counted& b) { ++flops; return a.value * b.value; }
    friend counted operator/(const counted& a, const counted& b) { ++flops; ++divisions; return a.value / b.value; }
    friend counted operator-(const counted& a) { return -a.value; } // the sign of an operand: no instruction
    friend bool operator<(const counted& a, const counted& b) { ++flops; return a.value < b.value; }
    friend bool operator<=(const counted& a, const counted& b) { ++flops; return a.value <= b.value; }
    friend bool operator==(const counted& a, const counted& b) { ++flops; return a.value == b.value; }
};
namespace fusec {
inline counted select(bool condition, const counted& a, const counted& b) { ++counted::flops; return condition ? a : b; }
inline counted sqrt(const counted& a) { ++counted::flops; ++counted::roots; return std::sqrt(a.value); }
}
template <int R, int C>
using values_of = fusec::memory_view<counted, R, C, counted*>;
)";

std::string array(const std::string& name, const std::vector<double>& values) {
    std::string text = "    counted " + name + "_data[] = {";
    for (const double value : values) {
        char number[40];
        std::snprintf(number, sizeof number, "%.17g, ", value);
        text += number;
    }
    return text + "};\n";
}

std::string view(const std::string& name, const Shape& shape) {
    return "    values_of<" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + "> " + name + "{" + name + "_data};\n";
}

/// The one-thread routine of the case as a function that fills in `out`: flops, divisions, roots, then the result.
std::string text_of(const Case& one, std::size_t number, const DataValues& given) {
    const library::Function& function = one.function();
    const library::Implementation& element = function.implementations.front();
    const std::string name = "case_" + std::to_string(number);
    std::string text = "namespace of_" + name + " {\n" + std::string(library::implementation_source(function, element)) + "\n}\n";
    text += "extern \"C\" void " + name + "(double* out) {\n";
    std::string arguments = "fusec::lane<1>{0}";
    for (std::size_t i = 0; i < one.call().operands.size(); ++i) {
        if (!element.unread.empty() && element.unread[i]) {
            continue;
        }
        const frontend::Datum& operand = one.folded.datum(one.call().operands[i]);
        const std::string operand_name = "a" + std::to_string(i);
        text += array(operand_name, operand.kind == DatumKind::constant ? operand.values : given[one.call().operands[i].index()]) +
            view(operand_name, operand.type.shape);
        arguments += ", " + operand_name;
    }
    const Shape& shape = one.call().instance.result.shape;
    text += "    counted c_data[" + std::to_string(shape.size()) + "];\n" + view("c", shape);
    text += "    counted::flops = counted::divisions = counted::roots = 0;\n    of_" + name +
        "::" + library::template_name(function, element) + "(" + arguments + ", c);\n";
    text += "    out[0] = double(counted::flops);\n    out[1] = double(counted::divisions);\n    out[2] = double(counted::roots);\n";
    return text + "    for (int k = 0; k < " + std::to_string(shape.size()) + "; ++k)\n        out[3 + k] = c_data[k].value;\n}\n";
}

/// What is given to the folded program: data have the names of the written one.
DataValues given_to(const CheckedProgram& program, const std::map<std::string, std::vector<double>>& values) {
    DataValues given(program.data.size());
    for (const DataId input : program.inputs) {
        given[input.index()] = values.at(program.datum(input).name);
    }
    return given;
}

/// Multiplications and additions of a product of two operands, counted by its table: a term for each entry that is not 0, a
/// multiplication for each that is not 1 or -1 either.
double product_by_hand(
    const std::string& function, const std::vector<Shape>& shapes, std::size_t table, const std::vector<double>& entries) {
    double operations = 0;
    const int rows = shapes[table].rows, columns = shapes[table].columns;
    // The entries of one sum are a row of the table in A B, A B' and A v, for A the table, and of B in A B'; a column in the others. As many
    // sums have the same ones as the other factor has columns, or rows where it is that factor which is on the left or transposed.
    const bool by_row = function == "mmult" || (table == 0 && (function == "mmul" || function == "mvmul"));
    const Shape& other = shapes[1 - table];
    const int repeats = function == "mmul" ? (table == 0 ? other.columns : other.rows)
        : function == "mmult"              ? other.rows
        : function == "mtmul"              ? other.columns
        : table == 0                       ? 1
        : function == "mvmul"              ? other.rows
                                           : other.columns;
    const int sums = by_row ? rows : columns, length = by_row ? columns : rows;
    for (int i = 0; i < sums; ++i) {
        int terms = 0;
        for (int k = 0; k < length; ++k) {
            const double entry = entries[static_cast<std::size_t>(by_row ? i * columns + k : k * columns + i)];
            terms += entry != 0 ? 1 : 0;
            operations += entry != 0 && std::abs(entry) != 1 ? repeats : 0;
        }
        operations += std::max(terms - 1, 0) * repeats;
    }
    return operations;
}

TEST(FoldTables, CountsOfEveryFunctionAreThoseOfItsText) {
    Draw draw(20261122);
    std::vector<Case> cases;
    std::vector<std::map<std::string, std::vector<double>>> inputs;
    std::map<std::string, int> folded;
    std::string text = counting;
    const library::Catalog& catalog = standard_catalog();
    for (std::size_t id = 0; id < catalog.library_size(); ++id) {
        const library::Function& function = catalog.function(FunctionId(id));
        for (std::size_t table = 0; table < function.inputs.size(); ++table) {
            if (!std::holds_alternative<library::ReferenceExpression>(function.reference) || function.inputs.size() < 2 ||
                function.inputs[table].form == Form::scalar) {
                continue;
            }
            for (int repeat = 0; repeat < 12; ++repeat) {
                auto made = make_case(function, table, draw);
                ASSERT_TRUE(made);
                std::map<std::string, std::vector<double>> values;
                for (const DataId input : made->written.inputs) {
                    const frontend::Datum& datum = made->written.datum(input);
                    for (int k = 0; k < datum.type.shape.size(); ++k) {
                        values[datum.name].push_back(draw.value());
                    }
                }
                made->expected =
                    evaluate(made->written, catalog, 1, given_to(made->written, values)).values[made->written.outputs.front().index()];
                text += text_of(*made, cases.size(), given_to(made->folded, values));
                folded[function.name] += made->function().base.empty() ? 0 : 1;
                cases.push_back(std::move(*made));
            }
        }
    }

    const TemporaryFolder folder;
    Diagnostics diagnostics;
    const auto compiler = find_host_compiler(diagnostics);
    ASSERT_TRUE(compiler);
    const auto path = build_library({{{"cases.cpp", text}}, BuildKind::host_checked, {library::standard_library_folder() / "runtime"}},
        *compiler, folder.path(), diagnostics);
    std::ostringstream said;
    render(diagnostics, said, false);
    ASSERT_TRUE(path) << said.str();
    const auto library = LoadedLibrary::open(*path, diagnostics);
    ASSERT_TRUE(library);
    std::set<std::string> products;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case& one = cases[i];
        std::vector<double> out(3 + one.expected.size());
        reinterpret_cast<void (*)(double*)>(library->symbol("case_" + std::to_string(i)))(out.data());
        const library::OperationCounts counts = one.operations();
        const std::string& called = one.function().called();
        EXPECT_EQ(out[0], counts.flops) << called << "\n" << one.function().source;
        EXPECT_EQ(out[1], counts.divisions) << called;
        EXPECT_EQ(out[2], counts.square_roots) << called;
        for (std::size_t k = 0; k < one.expected.size(); ++k) {
            EXPECT_NEAR(out[3 + k], one.expected[k], 1e-14 * std::abs(one.expected[k])) << called << " " << k << "\n"
                                                                                        << one.function().source;
        }
        // Where all is 0 nothing of the other operand is left, and the call stays as it is.
        static const std::set<std::string> known_products = {"mmul", "mmult", "mtmul", "mvmul", "mtvmul"};
        const frontend::Datum& table = one.written.datum(one.written.calls[0].operands[one.table]);
        const bool all_zero = std::all_of(table.values.begin(), table.values.end(), [](double value) { return value == 0; });
        if (known_products.count(called) != 0 && !all_zero) {
            std::vector<Shape> shapes;
            for (const DataId operand : one.written.calls[0].operands) {
                shapes.push_back(one.written.datum(operand).type.shape);
            }
            EXPECT_EQ(out[0], product_by_hand(called, shapes, one.table, table.values)) << called << "\n" << one.function().source;
            products.insert(called + std::to_string(one.table));
        }
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_EQ(products.size(), 10U);
    for (const char* name : {"axpy", "madd", "mddot", "mmul", "mmult", "msub", "mtmul", "mtvmul", "mvmul", "smmul", "svmul", "vadd",
             "vcross", "vdot", "vouter", "vsub"}) {
        EXPECT_GT(folded[name], 3) << name << ": hardly a table of it folds";
    }
    std::printf("             %zu calls\n", cases.size());
}

/// Every entry of a case by its own name: nothing but the operand's index tells which component is read.
TEST(FoldTables, AFactorOfZeroIsNotRead) {
    ProgramBuilder builder;
    const DataId g = builder.constant(matrix_type(2, 3), {1, 0, -1, 0, 0, 2});
    const DataId v = builder.input("v", vector_type(3));
    const DataId result = builder.call("mvmul", {g, v});
    const CheckedProgram& written = builder.build({result});
    const CheckedProgram folded = fold_tables(written, standard_catalog());
    ASSERT_EQ(folded.functions.size(), 1U);
    const library::Function& function = folded.functions[0];
    EXPECT_EQ(function.base, "mvmul");
    EXPECT_THAT(function.source, testing::HasSubstr("c(0) = a1(0) - a1(2);"));
    EXPECT_THAT(function.source, testing::HasSubstr("c(1) = a0(1, 2) * a1(2);")) << "a factor that is neither is read from its table";
    EXPECT_EQ(function.flops.text(), "2") << "of 10";
    ASSERT_NE(folded.written, nullptr);
    EXPECT_EQ(folded.written->calls.size(), 1U);
    EXPECT_TRUE(folded.written->functions.empty());
}

TEST(FoldTables, WhatIsKnownGoesThroughCalls) {
    // L has a zero above its diagonal, as an assembly has: L M is 2x2 with M diagonal, and keeps that zero; so does its product with L.
    ProgramBuilder builder;
    const DataId l = builder.constant(matrix_type(2, 2), {1, 0, 0.5, 1});
    const DataId m = builder.input("M", matrix_type(2, 2));
    const DataId p = builder.constant(matrix_type(2, 2), {0, 0, 0, 1});
    const DataId first = builder.call("mmul", {p, m});      // row 0 is 0, row 1 is that of M
    const DataId second = builder.call("mmul", {first, l}); // row 0 is 0
    const DataId last = builder.call("madd", {second, m});  // row 0 is that of M
    const CheckedProgram folded = fold_tables(builder.build({last}), standard_catalog());
    std::vector<std::string> flops;
    const library::Catalog catalog = standard_catalog().with(folded.functions);
    for (const frontend::Call& call : folded.calls) {
        flops.push_back(catalog.function(call.instance.function).flops.text());
    }
    EXPECT_THAT(flops, testing::ElementsAre("0", "2", "2")) << "row 1: m10 + m11 / 2, m11; two sums";
}

TEST(FoldTables, ProgramsWithoutZerosAndOnesStay) {
    ProgramBuilder builder;
    const DataId g = builder.constant(matrix_type(2, 2), {0.5, 2, 3, 4});
    const DataId v = builder.input("v", vector_type(2));
    const DataId result = builder.call("mvmul", {g, v});
    const CheckedProgram folded = fold_tables(builder.build({result}), standard_catalog());
    EXPECT_TRUE(folded.functions.empty());
    EXPECT_EQ(folded.written, nullptr);
}

TEST(FoldTables, ImplementationsForSeveralThreadsStayAndCountWhatTheyDo) {
    ProgramBuilder builder;
    std::vector<double> entries(36, 0);
    for (std::size_t i = 0; i < 36; ++i) {
        entries[i] = i % 5 == 0 ? 1 : i % 3 == 0 ? 0.5 : 0;
    }
    const DataId g = builder.constant(matrix_type(6, 6), entries);
    const DataId a = builder.input("A", matrix_type(6, 6));
    const DataId result = builder.call("mmul", {g, a});
    const CheckedProgram folded = fold_tables(builder.build({result}), standard_catalog());
    const library::Catalog catalog = standard_catalog().with(folded.functions);
    const frontend::Call& call = folded.calls.front();
    const library::Function& function = catalog.function(call.instance.function);
    ASSERT_FALSE(function.base.empty());
    EXPECT_EQ(function.implementations.front().name, "element");
    std::size_t of_base = 0;
    for (const library::Implementation& implementation : function.implementations) {
        const double flops = catalog.operations(call.instance, implementation).flops;
        if (implementation.of_base) {
            ++of_base;
            EXPECT_EQ(flops, 6 * 6 * 11) << implementation.name << " indexes its table at run time";
            EXPECT_FALSE(library::implementation_source(function, implementation).empty());
            EXPECT_EQ(library::template_name(function, implementation).substr(0, 5), "mmul_");
        } else {
            EXPECT_LT(flops, 6 * 6 * 11 / 2) << implementation.name;
        }
    }
    EXPECT_GE(of_base, 4U) << "row, column, entry, rows2, rows3";
}

} // namespace
} // namespace fusec::execute
