// SPDX-License-Identifier: Apache-2.0
// Loading the fixture library, matching operands, the questions phases ask.
#include "elementary-lib/catalog.hpp"
#include "elementary-lib/describe.hpp"
#include "elementary-lib/device_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace fusec::library {
namespace {

Type scalar(Precision precision = Precision::f32) {
    return {{Form::scalar, 1, 1}, precision};
}
Type vector(int rows, Precision precision = Precision::f32) {
    return {{Form::vector, rows, 1}, precision};
}
Type matrix(int rows, int columns, Precision precision = Precision::f32) {
    return {{Form::matrix, rows, columns}, precision};
}

class CatalogTest : public testing::Test {
protected:
    void SetUp() override {
        Diagnostics diagnostics;
        auto loaded = Catalog::load({FUSEC_SOURCE_DIR "/tests/elementary-lib/library"}, diagnostics);
        std::ostringstream text;
        render(diagnostics, text, false);
        ASSERT_TRUE(loaded) << text.str();
        catalog = *std::move(loaded);
    }
    FunctionId id(std::string_view name) const { return catalog.find(name).value(); }
    std::variant<Instance, Mismatch> match(std::string_view name, const std::vector<Type>& operands) const {
        return catalog.match(id(name), operands);
    }
    /// `REASON operand: message`
    std::string mismatch(std::string_view name, const std::vector<Type>& operands) const {
        const auto result = match(name, operands);
        const auto* found = std::get_if<Mismatch>(&result);
        if (found == nullptr) {
            return "matches";
        }
        static constexpr const char* reasons[]{"arity", "form", "dimension", "precision", "outside_where"};
        return std::string(reasons[static_cast<int>(found->reason)]) + " " +
            (found->operand == SIZE_MAX ? "call" : std::to_string(found->operand)) + ": " + found->message;
    }
    Catalog catalog;
};

TEST_F(CatalogTest, FindsByNameAndOperator) {
    EXPECT_THAT(catalog.names(), testing::ElementsAre("minv", "mmul", "smmul"));
    EXPECT_FALSE(catalog.find("mmu"));
    EXPECT_FALSE(catalog.find("zzz"));
    EXPECT_THAT(catalog.with_operator("*"), testing::ElementsAre(id("mmul"), id("smmul")));
    EXPECT_TRUE(catalog.with_operator("+").empty());
}

TEST_F(CatalogTest, MatchBindsShapes) {
    const auto result = match("mmul", {matrix(2, 3, Precision::f64), matrix(3, 4, Precision::f64)});
    const auto& instance = std::get<Instance>(result);
    EXPECT_EQ(instance.result, matrix(2, 4, Precision::f64));
    EXPECT_EQ(instance.shape, (ShapeValues{{"M", 2}, {"K", 3}, {"N", 4}}));
    EXPECT_FALSE(instance.swapped);
    EXPECT_EQ(catalog.operations(instance).flops, 2 * 4 * (2 * 3 - 1));
    const Function& mmul = catalog.function(id("mmul"));
    EXPECT_EQ(catalog.threads(instance, mmul.implementations[0]), 1);
    EXPECT_EQ(catalog.threads(instance, mmul.implementations[1]), 2);
    EXPECT_EQ(catalog.temporaries(instance, mmul.implementations[0]), 1);
    EXPECT_EQ(catalog.temporaries(instance, mmul.implementations[1]), 0);
}

TEST_F(CatalogTest, LimitExcludesAnImplementation) {
    const auto result = match("mmul", {matrix(33, 3), matrix(3, 4)});
    const auto& instance = std::get<Instance>(result);
    EXPECT_EQ(catalog.threads(instance, catalog.function(instance.function).implementations[1]), std::nullopt);
}

TEST_F(CatalogTest, CommutativeOperandsSwap) {
    const auto straight = match("smmul", {matrix(2, 3), scalar()});
    EXPECT_FALSE(std::get<Instance>(straight).swapped);
    const auto swapped = match("smmul", {scalar(), matrix(2, 3)});
    EXPECT_TRUE(std::get<Instance>(swapped).swapped);
    EXPECT_EQ(std::get<Instance>(swapped).result, matrix(2, 3));
    EXPECT_EQ(mismatch("mmul", {matrix(3, 4), matrix(2, 3)}).substr(0, 9), "dimension") << "mmul does not commute";
}

TEST_F(CatalogTest, MismatchesSayWhatAndWhere) {
    EXPECT_EQ(mismatch("mmul", {matrix(3, 3)}), "arity call: `mmul` takes 2 operands, but 1 is given");
    EXPECT_EQ(mismatch("mmul", {matrix(3, 3), vector(3)}), "form 1: operand `B` of `mmul` is `VECTOR3`, but `MATRIX[K,N]` is needed");
    EXPECT_EQ(mismatch("mmul", {matrix(2, 3), matrix(4, 5)}),
        "dimension 1: operand `B` of `mmul` has 4 rows, but 3 are needed (`K` of `A`, which is `MATRIX2x3`)");
    EXPECT_EQ(mismatch("mmul", {matrix(2, 3), matrix(3, 5, Precision::f64)}),
        "precision 1: operand `B` of `mmul` is `double`, but `A` is `float`");
    EXPECT_EQ(mismatch("minv", {matrix(2, 1)}),
        "dimension 0: operand `A` of `minv` has 1 column, but 2 are needed: `MATRIX[N,N]`, and it is `MATRIX2x1`");
    EXPECT_EQ(mismatch("minv", {matrix(5, 5)}), "outside_where call: `minv` needs `N <= 2`, but `N` = 5");
    EXPECT_EQ(
        mismatch("smmul", {scalar(), matrix(2, 3, Precision::f64)}), "precision 0: operand `s` of `smmul` is `float`, but `A` is `double`");
    EXPECT_EQ(mismatch("smmul", {scalar(), scalar()}), "form 0: operand `A` of `smmul` is `SCALAR`, but `MATRIX[M,N]` is needed");
}

TEST_F(CatalogTest, ImplementationSourceIsTheTemplateAlone) {
    const Function& mmul = catalog.function(id("mmul"));
    const std::string_view row = implementation_source(mmul, mmul.implementations[1]);
    EXPECT_TRUE(row.starts_with("template <class Lane, class A, class B, class C>\nFUSEC_DEVICE void mmul_row(Lane lane,")) << row;
    EXPECT_TRUE(row.ends_with("        c(i, j) = sum;\n    }\n}")) << row;
    EXPECT_THAT(std::string(row), testing::Not(testing::HasSubstr("mmul_element")));
    EXPECT_EQ(template_name(mmul, mmul.implementations[0]), "mmul_element");
}

TEST_F(CatalogTest, ListAndDescription) {
    EXPECT_EQ(list(catalog), R"(matrix
  minv(A) -> C                    C = A^-1
  mmul(A, B) -> C   A * B         C = A B
  smmul(A, s) -> C  A * s, s * A  C = s A
)");
    const Function& mmul = catalog.function(id("mmul"));
    const std::filesystem::path here = FUSEC_SOURCE_DIR "/tests";
    EXPECT_EQ(describe(mmul, here), R"(mmul(A, B) -> C: C = A B
  operand A         MATRIX[M,K]
  operand B         MATRIX[K,N]
  result C          MATRIX[M,N]
  shape             M, K, N
  operator          A * B
  reference         C[i,j] = sum(k) A[i,k] * B[k,j]
  flops             M*N*(2*K - 1)
  by element        1 thread, temporaries 1
  by row            M threads: A row, B all, C row, where M <= 32
  metadata          elementary-lib/library/matrix/mmul.toml
  device source     elementary-lib/library/matrix/mmul.cuh
)");
    const std::string minv = describe(catalog.function(id("minv")), "/elsewhere");
    EXPECT_THAT(minv,
        testing::AllOf(testing::HasSubstr("metadata          " FUSEC_SOURCE_DIR "/tests/elementary-lib/library/matrix/minv.toml\n"),
            testing::HasSubstr("operand A         MATRIX[N,N], invertible\n"), testing::HasSubstr("where             N <= 2\n"),
            testing::HasSubstr("reference         inverse\n"), testing::HasSubstr("divisions         1\n")));
}

TEST(ComponentsTouched, PartsOfAShape) {
    const Shape matrix6x4{Form::matrix, 6, 4};
    const Shape vector6{Form::vector, 6, 1};
    const Shape one{Form::scalar, 1, 1};
    EXPECT_EQ(components_touched(matrix6x4, Touch::all, 3), 24);
    EXPECT_EQ(components_touched(matrix6x4, Touch::row, 6), 4);
    EXPECT_EQ(components_touched(matrix6x4, Touch::row, 5), 0) << "row 5 would have no thread";
    EXPECT_EQ(components_touched(matrix6x4, Touch::column, 4), 6);
    EXPECT_EQ(components_touched(matrix6x4, Touch::entry, 24), 1);
    EXPECT_EQ(components_touched(matrix6x4, Touch::rows, 3), 8);
    EXPECT_EQ(components_touched(matrix6x4, Touch::rows, 4), 0);
    EXPECT_EQ(components_touched(vector6, Touch::entry, 6), 1);
    EXPECT_EQ(components_touched(vector6, Touch::rows, 2), 3);
    EXPECT_EQ(components_touched(vector6, Touch::row, 6), 0);
    EXPECT_EQ(components_touched(one, Touch::all, 7), 1);
    EXPECT_EQ(components_touched(one, Touch::entry, 1), 0);
}

TEST(Types, AreWrittenAsInPrograms) {
    EXPECT_EQ(to_string(matrix(3, 4)), "float MATRIX3x4");
    EXPECT_EQ(to_string(vector(1, Precision::f64)), "double VECTOR1");
    EXPECT_EQ(to_string(scalar().shape), "SCALAR");
}

TEST(StandardLibrary, IsTheOneOfTheCheckout) {
    EXPECT_EQ(standard_library_folder(), std::filesystem::path(FUSEC_SOURCE_DIR "/elementary-lib"));
}

} // namespace
} // namespace fusec::library
